import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { createHome, type Home, programCommand } from './run-frontdesk.ts';

/** What a person does with a question; undefined: the client cannot ask. */
export type Person =
  | ((message: string) => { action: 'accept' | 'decline' | 'cancel'; content?: { confirm: boolean } })
  | undefined;

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: { readonly [name: string]: unknown };
  readonly isError?: boolean;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: { readonly [name: string]: unknown };
  readonly inputSchema: {
    readonly properties?: { readonly [name: string]: unknown };
    readonly required?: readonly string[];
  };
}

export interface AssistantClient {
  readonly home: Home;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args: object): Promise<ToolResult>;
}

interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: Home;
  readonly person?: Person;
}

const INFO = { name: 'test', version: '1.0.0' };

const optionsOf = (person: Person) => ({ capabilities: person === undefined ? {} : { elicitation: { form: {} } } });

async function modern(
  { args, env, home = createHome(), person }: Start,
  mode: 'legacy' | 'auto',
): Promise<AssistantClient> {
  const client = new ModernClient(INFO, { ...optionsOf(person), versionNegotiation: { mode } });
  if (person !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
  await client.connect(new ModernStdio({ ...programCommand(['mcp', ...args], home, env), stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return {
    home,
    // The members that both generations give.
    tools: async () => (await client.listTools()).tools as unknown as readonly ListedTool[],
    call: async (name, given) => (await client.callTool({ name, arguments: { ...given } })) as unknown as ToolResult,
  };
}

async function former({ args, env, home = createHome(), person }: Start): Promise<AssistantClient> {
  const client = new FormerClient(INFO, optionsOf(person));
  if (person !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  await client.connect(new FormerStdio({ ...programCommand(['mcp', ...args], home, env), stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return {
    home,
    tools: async () => (await client.listTools()).tools as unknown as readonly ListedTool[],
    call: async (name, given) => (await client.callTool({ name, arguments: { ...given } })) as unknown as ToolResult,
  };
}

/** The newest client, for what does not depend on the generation. */
export const connectNewest = (start: Start): Promise<AssistantClient> => modern(start, 'auto');

/** The clients of both generations; the newer one speaks both protocols. */
export const CLIENTS: readonly (readonly [string, (start: Start) => Promise<AssistantClient>])[] = [
  ['client 2.x, protocol of 2026', connectNewest],
  ['client 2.x, protocol of 2025', (start) => modern(start, 'legacy')],
  ['client 1.x', former],
];

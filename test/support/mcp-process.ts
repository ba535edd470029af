import { onTestFinished } from 'vitest';
import { type Home, type RunningFrontdesk, type RunOptions, startFrontdesk } from './run-frontdesk.ts';

/** A JSON-RPC message as it came, whatever it is. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: { readonly [name: string]: unknown };
    readonly isError?: boolean;
    readonly requestState?: string;
    readonly inputRequests?: object;
    readonly [name: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const MODERN = '2026-07-28';

/** The part of every request of 2026 that says who asks. */
export function envelope(capabilities: object = { elicitation: { form: {} } }): object {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** A client that writes what it likes: every line is a message, and nothing is checked. */
export class RawClient {
  readonly running: RunningFrontdesk;
  #taken = 0;

  constructor(args: readonly string[], options: RunOptions = {}) {
    this.running = startFrontdesk(['mcp', ...args], { ...options, keepStdinOpen: true });
    onTestFinished(() => {
      this.running.child.kill('SIGKILL');
    });
  }

  get home(): Home {
    return this.running.home;
  }

  /** Sends messages in one piece, so that they arrive together. */
  send(...messages: readonly (object | string)[]): void {
    const lines = messages.map((message) => (typeof message === 'string' ? message : JSON.stringify(message)));
    this.running.child.stdin?.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Every message so far. A line that is no JSON fails the test. */
  messages(): readonly Message[] {
    const lines = this.running.output().stdout.split('\n').slice(0, -1);
    // The shape of JSON-RPC; members that are not there are undefined.
    return lines.map((line) => JSON.parse(line) as Message);
  }

  /** The next message that fits and was not taken yet. */
  async next(fits: (message: Message) => boolean, withinMs = 40_000): Promise<Message> {
    const until = performance.now() + withinMs;
    for (;;) {
      const all = this.messages();
      for (; this.#taken < all.length; ) {
        const message = all[this.#taken];
        this.#taken += 1;
        if (message !== undefined && fits(message)) return message;
      }
      if (performance.now() > until) {
        throw new Error(`no such message came; ${JSON.stringify(all)}\n${this.running.output().stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  answerTo(id: string | number): Promise<Message> {
    return this.next((message) => message.id === id && message.method === undefined);
  }

  question(): Promise<Message> {
    return this.next((message) => message.method === 'elicitation/create');
  }

  /** The handshake of 2025. */
  async initialize(capabilities: object = { elicitation: {} }): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'hostile', version: '1' } };
    this.send({ jsonrpc: '2.0', id: 'init', method: 'initialize', params });
    await this.answerTo('init');
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  end(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    this.running.child.stdin?.end();
    return this.running.result;
  }
}

/** A call of a tool, as a client of 2025 sends it. */
export function call(id: string | number, name: string, args: object, more: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...more } };
}

/** The same as a client of 2026 sends it. */
export function modernCall(id: string | number, name: string, args: object, more: object = {}): object {
  return call(id, name, args, { _meta: envelope(), ...more });
}

/** A person's yes, as either generation carries it. */
export const YES = { action: 'accept', content: { confirm: true } } as const;

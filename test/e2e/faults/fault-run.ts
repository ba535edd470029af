import { rmSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import {
  type Behavior,
  type FaultServer,
  type FaultServerOptions,
  startFaultServer,
} from '../../support/fault-server.ts';
import { CALENDAR_TOKEN, CARDS_TOKEN } from '../../support/recording-server.ts';
import { createHome, type RunOptions, type RunResult, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID } from '../../support/sample-card.ts';

/** One call of each operation, as a person types it. */
export const CALLS = {
  get: ['card', 'get', CARD_ID],
  activate: ['card', 'activate', CARD_ID],
  block: ['card', 'block', CARD_ID, '--reason', 'lost', '--yes'],
  reissue: ['card', 'reissue', CARD_ID, '--reason', 'lost', '--yes'],
  provisionA: ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--show-sensitive'],
  provisionB: ['card', 'provision', CARD_ID, '--wallet', 'wallet_b', '--show-sensitive'],
  calendar: ['calendar', 'update', 'cal_1', '--name', 'Tours'],
  list: ['calendar', 'subscribers', 'list', 'cal_1'],
  subscriber: ['calendar', 'subscribers', 'update', 'sub_1', '--email', 'a@example.com'],
  event: ['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'Evening', '--start', '2027-04-02T18:00'],
} as const satisfies Record<string, readonly string[]>;

export type CallName = keyof typeof CALLS;

export interface FaultOptions extends RunOptions {
  /** One attempt; 30,000: a busy machine may need seconds of it. */
  readonly attemptMs?: number;
  /** All attempts; a second longer than one. */
  readonly budgetMs?: number;
  /** 0. */
  readonly retries?: number;
  /** `--json` unless given. */
  readonly format?: readonly string[];
  readonly flags?: readonly string[];
}

export interface FaultResult extends RunResult {
  /** The JSON error object; undefined: there was none. */
  readonly error: FaultError | undefined;
  /** One line for comparing: `8 unknown`, `10`, `0`. */
  readonly end: string;
}

interface FaultError {
  readonly message: string;
  readonly hint?: string;
  readonly outcome?: string;
  readonly attempts?: number;
}

const EXIT_CODES = [0, 2, 3, 4, 5, 6, 7, 8, 10, 11, 15, 16, 17, 124, 130, 143, 129, 141];

const servers: FaultServer[] = [];
afterAll(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const isServer = (given: object): given is FaultServerOptions => 'route' in given || 'script' in given;

/** A misbehaving service, closed after the test file. One behavior stays for every request. */
export async function faulty(script: Behavior | FaultServerOptions): Promise<FaultServer> {
  const server = await startFaultServer(isServer(script) ? script : { script: [script] });
  servers.push(server);
  return server;
}

/** The same fault for every POST; a card is read with `read`. */
export function onPost(post: Behavior, read: Behavior): FaultServerOptions {
  return { route: (request) => (request.method === 'POST' ? post : read) };
}

/** `GET`s and `POST`s that the service read, as `2 POST, 1 GET`. */
export function seen(server: FaultServer): string {
  const count = (method: string) => server.requests.filter((request) => request.method === method).length;
  return `${count('POST')} POST, ${count('GET')} GET`;
}

/**
 * Runs the built program against a URL and checks what must hold whatever the service does: an exit code of
 * the table, nothing on stdout after a failure, no stack trace, no token, no byte that a terminal would obey. A call
 * that does not end is killed, and fails.
 */
export async function meet(
  url: string | FaultServer,
  call: CallName | readonly string[],
  options: FaultOptions = {},
): Promise<FaultResult> {
  const {
    attemptMs = 30_000,
    budgetMs = attemptMs + 1000,
    retries = 0,
    format = ['--json'],
    flags = [],
    env = {},
    ...rest
  } = options;
  const base = typeof url === 'string' ? url : url.url;
  const words = typeof call === 'string' ? CALLS[call] : call;
  const limits = ['--timeout', `${attemptMs}ms`, '--retries', `${retries}`, '--retry-max-time', `${budgetMs}ms`];
  const home = rest.home ?? createHome();
  const result = await runFrontdesk([...words, ...format, ...limits, ...flags], {
    ...rest,
    home,
    env: {
      FRONTDESK_CARDS_URL: base,
      FRONTDESK_CALENDAR_URL: base,
      FRONTDESK_CARDS_TOKEN: CARDS_TOKEN,
      FRONTDESK_CALENDAR_TOKEN: CALENDAR_TOKEN,
      ...env,
    },
  });
  if (rest.home === undefined) rmSync(home.path, { recursive: true, force: true });
  // A provisioning that cannot be read is shown where that was asked for: in JSON byte for byte as it came.
  const isJson = format.some((word) => word === '--json' || word === 'json' || word === 'ndjson');
  const isAsked = isJson || words.includes('--show-sensitive');
  const showsUnread = words.includes('provision') && isAsked && result.code === 8;
  // A cell of CSV is the text as it came: data, which nothing in it escapes.
  const isData = format.includes('csv') && (result.code === 0 || result.code === 15);
  checkStreams(result, isData ? 'bytes' : showsUnread ? (isJson ? 'bytes' : 'text') : undefined);
  return describeEnd(result);
}

/** Everything but line ends and tabs that a terminal would obey, and what draws nothing or turns text round. */
const RAW_CONTROLS =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** What no stream may ever carry; `unread`: how stdout may have what came, with a failure or as the cells of a CSV. */
export function checkStreams(
  { code, stdout, stderr }: Pick<RunResult, 'code' | 'stdout' | 'stderr'>,
  unread?: 'bytes' | 'text',
): void {
  expect(EXIT_CODES, stderr).toContain(code);
  if (code !== 0 && code !== 15 && unread === undefined) expect(stdout).toBe('');
  for (const text of [stdout, stderr]) {
    expect(text).not.toMatch(/\n\s+at .+[:(]\d*/);
    expect(text).not.toContain(CARDS_TOKEN);
    expect(text).not.toContain(CALENDAR_TOKEN);
    if (text !== stdout || unread !== 'bytes') expect(text.search(RAW_CONTROLS)).toBe(-1);
  }
}

function describeEnd(result: RunResult): FaultResult {
  const lines = result.stderr.split('\n').filter((line) => line.startsWith('{'));
  // frontdesk's own lines: `{"error":{…}}` and others.
  const parsed = lines.map((line) => JSON.parse(line) as { error?: FaultError });
  const error = parsed.find((line) => line.error !== undefined)?.error;
  return { ...result, error, end: [result.code, error?.outcome].filter((part) => part !== undefined).join(' ') };
}

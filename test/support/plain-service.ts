import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Handler, type RecordedRequest, type Reply, startRecordingServer } from './recording-server.ts';
import { createHome, NO_PAUSE, runFrontdesk } from './run-frontdesk.ts';
import { cardText } from './sample-card.ts';

export const cardId = (n: number) => `0b7a6c1e-3f52-4d8a-9c41-${String(n).padStart(12, '0')}`;

export const cardNumber = ({ url }: RecordedRequest) => Number(url.split('/')[3]?.slice(-12));

export function idLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `${cardId(index + 1)}\n`).join('');
}

export const refusal = (status: number, errorCode: string): Reply => ({ status, body: { errorCode, message: 'no' } });

const STATUS_AFTER: Readonly<Record<string, string>> = { block: 'BLOCKED', activate: 'ACTIVE' };

export const REPLACEMENT_ID = cardId(999);

/** What a service answers that does what it is asked. */
export function plainAnswer({ url, body }: Pick<RecordedRequest, 'url' | 'body'>, count: number) {
  // A base URL may have a path in front of it.
  const [, , resource = '', id = '', verb = ''] = url.slice(Math.max(0, url.indexOf('/v1/'))).split('/');
  if (resource === 'cards') {
    if (verb === 'provision') return { body: { encryptedPaymentInstrument: 'a', activationData: 'b' } };
    return { body: cardText(STATUS_AFTER[verb] ?? 'ACTIVE', verb === 'reissue' ? REPLACEMENT_ID : id) };
  }
  // A body of the program under test; what is wrong with it shows in what the test expects of it.
  const fields = body === '' ? {} : (JSON.parse(body) as object);
  return { body: { id: resource === 'events' ? `evt_${count}` : id, ...fields } };
}

type Special = (request: RecordedRequest, count: number) => Reply | Promise<Reply> | undefined;

/** A service that does what it is asked, but for the requests that `special` answers. */
export function playService(special: Special = () => undefined): Handler {
  return (request, count) => special(request, count) ?? plainAnswer(request, count);
}

/** Such a service, and a home beside it whose calls reach it. */
export async function openPlain(special?: Special, whenOver = onTestFinished as (end: () => Promise<void>) => void) {
  const home = createHome();
  const server = await startRecordingServer(playService(special), whenOver);
  const pathOf = (name: string) => join(home.path, 'work', name);
  const read = (name: string) => readFileSync(pathOf(name), 'utf8');
  const run = (
    args: readonly string[],
    stdin: string | Uint8Array = '',
    env: Readonly<Record<string, string | undefined>> = {},
  ) => runFrontdesk(args, { home, stdin, env: { ...server.env, ...NO_PAUSE, ...env } });
  return {
    home,
    server,
    run,
    pathOf,
    /** What a call prints with --json. What differs fails the comparison. */
    json: async (...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout),
    file: (name: string, content: string | Uint8Array) => writeFileSync(pathOf(name), content),
    read,
    /** The lines of a file, each of which is JSON. What differs fails the comparison. */
    lines: (name: string) => jsonLines(read(name)),
    posts: () => server.requests.filter(({ method }) => method === 'POST').length,
    /** `target body` of every request, in order. */
    sent: () => server.requests.map(({ url, body }) => `${url.split('/').slice(3).join('/')} ${body}`),
  };
}

/** `row outcome status attempts` of each printed row, and its error code if it has one. */
export function rowLines(ndjson: string): readonly string[] {
  return ndjson
    .trimEnd()
    .split('\n')
    .map((line) => {
      // A member that is missing shows as undefined.
      const row = JSON.parse(line) as Record<string, unknown> & { error?: { code: string } | null };
      const words = [row['row'], row['outcome'], row['httpStatus'], row['attempts']].map(String);
      return [...words, ...(row.error == null ? [] : [row.error.code])].join(' ');
    });
}

export function jsonLines(text: string) {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

export const lastLine = (stderr: string): unknown => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');

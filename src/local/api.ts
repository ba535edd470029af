import { localCommand } from '../commands/command.ts';
import { ANY } from '../json/shape.ts';
import { FAMILY } from './missing.ts';

const METHODS = ['GET', 'POST'] as const;

/** A path alone is read with GET, and a method may be typed in lower case. */
function meantWords([first, second]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const method = METHODS.find((name) => name === first.toUpperCase());
  if (second === undefined) return method === undefined ? ['GET', wholePath(first)] : [method];
  return [method ?? first, wholePath(second)];
}

/** `cards/…` and `v1/cards/…` as they are meant; anything else as it is. */
function wholePath(path: string): string {
  if (/^v1\//.test(path)) return `/${path}`;
  return /^(?:cards|calendars|events|subscribers)(?:[/?]|$)/.test(path) ? `/v1/${path}` : path;
}

export const apiCommand = localCommand({
  description:
    'Sends one raw request to the service, with the credential, the retries and the rules of every other call. Which of the two is meant is read from the path (/v1/cards… or /v1/calendars, /v1/events, /v1/subscribers…), else by --family. The path is sent as typed, so percent-encode what needs it; whole URLs and dot segments are refused. A POST is a write: it asks on a terminal and needs --yes elsewhere, obeys a read-only profile and a required reason, and is recorded in the history. The answer is printed as sent: as indented JSON unless -o or --columns says otherwise. In table and csv output the one-time secrets of a provisioning are hidden.',
  usesProfile: true,
  writes: true,
  arguments: {
    method: { kind: 'choice', choices: METHODS, required: true, text: 'method of the request', question: 'Method' },
    path: { text: 'path and query below the base URL: /v1/cards/…', required: true, isOwnQuestion: true },
  },
  options: {
    family: { ...FAMILY, text: 'gift cards or calendars, where the path does not say' },
    data: {
      kind: 'text',
      value: 'json|@file|@-',
      text: 'body of a POST: JSON, or the file that holds it (@- is stdin)',
    },
    include: { text: 'print status and headers before the body; not with json, ndjson or csv output' },
  },
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 16, 130],
  examples: {
    'Read a card as the service sends it': 'api GET /v1/cards/0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'See the headers too': "api GET '/v1/calendars/cal_harbour_tours/subscribers?limit=2' --include",
    'Send a body from a file, in a script': 'api POST /v1/events --data @event.json --yes --json',
  },
  output: () => ANY,
  meant: meantWords,
  async check(given, session) {
    const { checkApi } = await import('./api-call.ts');
    await checkApi(given, session);
  },
  async run(session, given) {
    const { runApi } = await import('./api-call.ts');
    await runApi(session, given);
  },
});

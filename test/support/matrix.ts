import {
  type Behavior,
  CLOSED_PORT,
  closeAfterRequest,
  counted,
  deafOnAccept,
  drip,
  type FaultServer,
  json,
  raw,
  reply,
  resetAfterRequest,
  resetOnAccept,
  silence,
  startFaultServer,
  wrongLength,
} from './fault-server.ts';
import { type Ends, type OperationName, SAMPLE_CALLS } from './sample-calls.ts';
import { cardText } from './sample-card.ts';
import { GOOD_CERTIFICATE } from './tls-server.ts';

/** A place to send to, and what it does. */
export interface Stage {
  readonly url: string;
  readonly server: FaultServer | undefined;
  close(): Promise<void>;
}

/**
 * What an event does with the connection or the request. `refused`: the status of a whole answer by which the service
 * says that it did not do it; without it nobody can tell from the answer.
 */
export type Event =
  | { readonly kind: 'answers'; readonly behavior: Behavior; readonly refused?: number }
  | { readonly kind: 'closed_port' }
  | { readonly kind: 'tls'; readonly behavior: Behavior; readonly certificate: boolean };

type Headers = Readonly<Record<string, string>>;

const answers = (behavior: Behavior): Event => ({ kind: 'answers', behavior });
const status = (code: number, headers: Headers = {}): Event => answers(json(code, '', headers));
const refuses = (code: number, headers: Headers = {}) =>
  ({ kind: 'answers', behavior: json(code, '', headers), refused: code }) as const;

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const PAGE = '<!doctype html><title>Sign in</title>';

export const EVENTS = {
  'connection refused': { kind: 'closed_port' },
  'reset in the handshake': { kind: 'tls', behavior: resetOnAccept(), certificate: false },
  'handshake never answered': { kind: 'tls', behavior: deafOnAccept(), certificate: false },
  'untrusted certificate': { kind: 'tls', behavior: json(200, '{}'), certificate: true },
  '429': refuses(429),
  '429 with Retry-After': refuses(429, { 'Retry-After': '1' }),
  '408': status(408),
  '408 with Retry-After': status(408, { 'Retry-After': '1' }),
  '503 with Retry-After': status(503, { 'Retry-After': '1' }),
  '503': status(503),
  '500': status(500),
  '502 with a page': answers(reply(502, { 'Content-Type': 'text/html' }, PAGE)),
  '504': status(504),
  '599': status(599),
  '600': status(600),
  'reset after the request': answers(resetAfterRequest()),
  'closed after the request': answers(closeAfterRequest()),
  'never answered': answers(silence()),
  'endless 1xx': answers(drip('', 'HTTP/1.1 102 Processing\r\n\r\n', 2)),
  'headers cut': answers(raw('HTTP/1.1 200 OK\r\nContent-Le')),
  'no HTTP': answers(raw('SSH-2.0-OpenSSH_9.6\r\n')),
  '200 with a cut body': answers(wrongLength(200, 99, '{"cardId":')),
  '200 with half of JSON': answers(json(200, '{"cardId":')),
  '200 without a body': answers(raw(`${OK}Content-Length: 0\r\n\r\n`, { keepOpen: true })),
  '204': answers(raw('HTTP/1.1 204 No Content\r\n\r\n', { keepOpen: true })),
  '200 with a page': answers(reply(200, { 'Content-Type': 'text/html' }, PAGE)),
  '200 with a list': answers(json(200, '[]')),
  '200, a key twice': answers(json(200, '{"id":"a","id":"b"}')),
  '400': refuses(400),
  '404': refuses(404),
  '409': refuses(409),
  '422': refuses(422),
  '401': refuses(401),
  '403': refuses(403),
  '307': refuses(307, { Location: 'https://elsewhere.example/' }),
  '308': refuses(308, { Location: 'https://elsewhere.example/' }),
  '302': status(302, { Location: 'https://elsewhere.example/' }),
  '303': status(303, { Location: '/v1/done', 'Retry-After': '1' }),
  '300': status(300),
  '200 with an error': answers(json(200, '{"errorCode":"LATE","message":"m"}')),
} as const satisfies Record<string, Event>;

export type EventName = keyof typeof EVENTS;

/** How long is waited: briefly only where nothing ever comes, so that a busy machine never looks like silence. */
export function limitsAt(event: Event): { readonly timeoutMs: number; readonly connectTimeoutMs: number } {
  const isDeaf = event === EVENTS['handshake never answered'];
  return {
    timeoutMs: isDeaf || event === EVENTS['never answered'] ? 2000 : 30_000,
    connectTimeoutMs: isDeaf ? 300 : 30_000,
  };
}

/** `exit outcome, POSTs, GETs`; a dash where nothing can count. */
export type End = string;

/** How a write ends that the service says it refused: nobody knows better, also where it had done it. */
const REFUSED: Readonly<Record<number, End>> = {
  429: '11 rejected 3 POST 0 GET',
  400: '6 rejected 1 POST 0 GET',
  404: '3 rejected 1 POST 0 GET',
  409: '6 rejected 1 POST 0 GET',
  422: '6 rejected 1 POST 0 GET',
  401: '4 rejected 1 POST 0 GET',
  403: '5 rejected 1 POST 0 GET',
  307: '6 rejected 1 POST 0 GET',
  308: '6 rejected 1 POST 0 GET',
};

/** How a write ends of which no answer tells, by what may be done about it; `unavailable`: after a 503 with Retry-After. */
const AMBIGUOUS: Readonly<Record<Exclude<Ends, 'read'>, Readonly<Record<'any' | 'unavailable', End>>>> = {
  checked: { any: '8 unknown 1 POST 2 GET', unavailable: '8 unknown 3 POST 4 GET' },
  observed: { any: '8 unknown 1 POST 2 GET', unavailable: '8 unknown 1 POST 2 GET' },
  blind: { any: '8 unknown 1 POST 0 GET', unavailable: '8 unknown 1 POST 0 GET' },
  repeatable: { any: '8 unknown 1 POST 0 GET', unavailable: '8 unknown 2 POST 0 GET' },
};

/** A write that meets an event: the service had done it (`isDone`), or not. */
export interface Meeting {
  readonly write: OperationName;
  readonly event: Event;
  readonly isDone: boolean;
}

/** How a write ends: by what was applied, and by what anybody can know of it. */
export function endOf({ write, event, isDone }: Meeting): End {
  if (event.kind === 'closed_port') return '7 not_sent -';
  if (event.kind === 'tls') return '7 not_sent 0 POST 0 GET';
  const { ends } = SAMPLE_CALLS[write];
  if (ends === 'read') throw new Error(`${write} is no write`);
  if (event.refused !== undefined) return REFUSED[event.refused] ?? 'a status without an end';
  // The card shows what was done of those that its status proves.
  if (isDone && ends === 'checked') return '0 confirmed_by_read 1 POST 1 GET';
  return AMBIGUOUS[ends][event === EVENTS['503 with Retry-After'] ? 'unavailable' : 'any'];
}

/** Whether an end is no lie about a write that the service has applied so often, as its own log says. */
export function isTrueOf(end: End, { event }: Meeting, applied: number): boolean {
  if (applied === 0) return !/ (?:applied|confirmed_by_read) /.test(end);
  return (
    / (?:applied|confirmed_by_read|unknown) /.test(end) || (event.kind === 'answers' && event.refused !== undefined)
  );
}

/** A place that does with a write what the meeting says, and shows a card as it is by then. */
export async function build({ write, event, isDone }: Meeting): Promise<Stage> {
  if (event.kind === 'closed_port') {
    const url = `http://127.0.0.1:${CLOSED_PORT}`;
    return { url, server: undefined, close: async () => undefined };
  }
  const { shows = 'EXPIRED' } = SAMPLE_CALLS[write];
  const tls = event.kind === 'tls' && event.certificate ? { tls: GOOD_CERTIFICATE } : {};
  const server: FaultServer = await startFaultServer(
    event.kind === 'tls'
      ? { ...tls, script: [event.behavior] }
      : {
          route: ({ method }) =>
            method === 'POST'
              ? counted(event.behavior, isDone)
              : counted(json(200, cardText(server.applications() > 0 ? shows : 'EXPIRED')), false),
        },
  );
  const url = event.kind === 'tls' ? `https://127.0.0.1:${server.port}` : server.url;
  return { url, server, close: () => server.close() };
}

/** Object.entries widens the names to string; they are the keys of EVENTS. */
const NAMED_EVENTS = Object.entries(EVENTS) as [EventName, Event][];

/** Every event, and its twin in which the service had done the work; before a request left nothing can be done. */
export const TWINS: readonly (readonly [string, Omit<Meeting, 'write'>])[] = NAMED_EVENTS.flatMap(([name, event]) => [
  [name, { event, isDone: false }] as const,
  ...(event.kind === 'answers' ? [[`${name}, and it was done`, { event, isDone: true }] as const] : []),
]);

/** Some of them for each write, so that each is met by one: that all ends are the same stands elsewhere. */
export function someTwins(write: OperationName, writes: readonly OperationName[]): typeof TWINS {
  return TWINS.filter((_, index) => index % writes.length === writes.indexOf(write));
}

/** `1 POST 2 GET`, or a dash where nothing can count. */
export function requestsAt({ server }: Stage): string {
  const count = (method: string) => server?.requests.filter((request) => request.method === method).length;
  return server === undefined ? '-' : `${count('POST')} POST ${count('GET')} GET`;
}

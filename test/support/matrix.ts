import {
  type Behaviour,
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
import { type Ends, type OperationName, SAMPLE_CALLS, WRITES } from './sample-calls.ts';
import { cardText } from './sample-card.ts';
import { GOOD_CERTIFICATE } from './tls-server.ts';

/** A place to send to, and what it does. */
export interface Stage {
  readonly url: string;
  readonly server: FaultServer | undefined;
  close(): Promise<void>;
}

/** What an event does with the connection or the request. */
export type Event =
  | { readonly kind: 'answers'; readonly behaviour: Behaviour }
  | { readonly kind: 'closed_port' }
  | { readonly kind: 'tls'; readonly behaviour: Behaviour; readonly certificate: boolean };

const answers = (behaviour: Behaviour): Event => ({ kind: 'answers', behaviour });
const refuses = (status: number, headers: Readonly<Record<string, string>> = {}): Event =>
  answers(counted(json(status, '', headers), false));
/** The service did it, and then failed. */
const fails = (status: number, headers: Readonly<Record<string, string>> = {}): Event =>
  answers(counted(json(status, '', headers), true));

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const PAGE = '<!doctype html><title>Sign in</title>';

export const EVENTS = {
  'connection refused': { kind: 'closed_port' },
  'reset in the handshake': { kind: 'tls', behaviour: resetOnAccept(), certificate: false },
  'handshake never answered': { kind: 'tls', behaviour: deafOnAccept(), certificate: false },
  'untrusted certificate': { kind: 'tls', behaviour: json(200, '{}'), certificate: true },
  '429': refuses(429),
  '429 with Retry-After': refuses(429, { 'Retry-After': '1' }),
  '408': refuses(408),
  '408, and it was done': fails(408),
  '408 with Retry-After': fails(408, { 'Retry-After': '1' }),
  '503 with Retry-After': fails(503, { 'Retry-After': '1' }),
  '503': fails(503),
  '500': fails(500),
  '502 with a page': answers(counted(reply(502, { 'Content-Type': 'text/html' }, PAGE), true)),
  '504': fails(504),
  '599': fails(599),
  '600': fails(600),
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
  '302': refuses(302, { Location: 'https://elsewhere.example/' }),
  '303, and it was done': fails(303, { Location: '/v1/done', 'Retry-After': '1' }),
  '300, and it was done': fails(300),
  '200 with an error, and it was done': answers(counted(json(200, '{"errorCode":"LATE","message":"m"}'), true)),
  '200 with an error': answers(counted(json(200, '{"errorCode":"LATE","message":"m"}'), false)),
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

const REFUSED: Partial<Record<EventName, End>> = {
  'connection refused': '7 not_sent -',
  'reset in the handshake': '7 not_sent 0 POST 0 GET',
  'handshake never answered': '7 not_sent 0 POST 0 GET',
  'untrusted certificate': '7 not_sent 0 POST 0 GET',
  '429': '11 rejected 3 POST 0 GET',
  '429 with Retry-After': '11 rejected 3 POST 0 GET',
  '400': '6 rejected 1 POST 0 GET',
  '404': '3 rejected 1 POST 0 GET',
  '409': '6 rejected 1 POST 0 GET',
  '422': '6 rejected 1 POST 0 GET',
  '401': '4 rejected 1 POST 0 GET',
  '403': '5 rejected 1 POST 0 GET',
  '307': '6 rejected 1 POST 0 GET',
  '308': '6 rejected 1 POST 0 GET',
};

/** Ends of the events that are left: nobody can tell whether the write was done. */
function row(ambiguous: End, unavailable: End): Record<EventName, End> {
  // Object.keys gives string[]; these are the keys of the record itself.
  const names = Object.keys(EVENTS) as EventName[];
  const rest = names.map((name) => [name, REFUSED[name] ?? ambiguous] as const);
  // One entry for each name, so nothing is missing.
  return { ...(Object.fromEntries(rest) as Record<EventName, End>), '503 with Retry-After': unavailable };
}

const CHECKED = row('8 unknown 1 POST 2 GET', '8 unknown 3 POST 4 GET');
const OBSERVED = row('8 unknown 1 POST 2 GET', '8 unknown 1 POST 2 GET');
const BLIND = row('8 unknown 1 POST 0 GET', '8 unknown 1 POST 0 GET');
const BLIND_ONCE = row('8 unknown 1 POST 0 GET', '8 unknown 2 POST 0 GET');

/** What a read that shows the wanted status makes of the ambiguous events. */
const SETTLED = row('0 confirmed_by_read 1 POST 1 GET', '0 confirmed_by_read 1 POST 1 GET');

const ENDS: Record<Exclude<Ends, 'read'>, Record<EventName, End>> = {
  checked: CHECKED,
  observed: OBSERVED,
  blind: BLIND,
  repeatable: BLIND_ONCE,
};

/** How a write ends that meets an event; the card, where it is read, shows a status that settles nothing. */
export function endOf(name: OperationName, event: EventName): End | undefined {
  const { ends } = SAMPLE_CALLS[name];
  return ends === 'read' ? undefined : ENDS[ends][event];
}

/** Writes on cards, with the status that a card has once they were done. */
export const SHOWN: readonly (readonly [OperationName, string])[] = WRITES.flatMap((name) => {
  const { shows } = SAMPLE_CALLS[name];
  return shows === undefined ? [] : [[name, shows] as const];
});

/** How a write ends if the card has that status afterwards: it settles those that are checked, and nothing else. */
export function endIfShown(name: OperationName, event: EventName): End | undefined {
  return SAMPLE_CALLS[name].ends === 'checked' ? SETTLED[event] : endOf(name, event);
}

export async function build(event: Event, cardStatus: string): Promise<Stage> {
  if (event.kind === 'closed_port') {
    const url = `http://127.0.0.1:${CLOSED_PORT}`;
    return { url, server: undefined, close: async () => undefined };
  }
  const read = counted(json(200, cardText(cardStatus)), false);
  const tls = event.kind === 'tls' && event.certificate ? { tls: GOOD_CERTIFICATE } : {};
  const server = await startFaultServer(
    event.kind === 'tls'
      ? { ...tls, script: [event.behaviour] }
      : { route: (request) => (request.method === 'POST' ? event.behaviour : read) },
  );
  const url = event.kind === 'tls' ? `https://127.0.0.1:${server.port}` : server.url;
  return { url, server, close: () => server.close() };
}

/** Object.entries widens the names to string; they are the keys of EVENTS. */
export const NAMED_EVENTS = Object.entries(EVENTS) as [EventName, Event][];

/** `1 POST 2 GET`, or a dash where nothing can count. */
export function requestsAt({ server }: Stage): string {
  const count = (method: string) => server?.requests.filter((request) => request.method === method).length;
  return server === undefined ? '-' : `${count('POST')} POST ${count('GET')} GET`;
}

import { NAMES, SAMPLE_CALLS, samplePath } from '../support/sample-calls.ts';
import { cardText } from '../support/sample-card.ts';

export type Kind = 'block' | 'activate' | 'reissue' | 'provision' | 'event' | 'subscriber';

export const KINDS: readonly Kind[] = ['block', 'activate', 'reissue', 'provision', 'event', 'subscriber'];

export const keyOf: Readonly<Record<Kind, (number: number) => string>> = {
  block: cardId,
  activate: cardId,
  reissue: cardId,
  provision: (number) => `${cardId(number)} wallet_a`,
  event: (number) => `event ${number}`,
  subscriber: (number) => `sub/${number}`,
};

export function cardId(number: number): string {
  return `7c0e1111-2222-3333-4444-${String(number).padStart(12, '0')}`;
}

export interface Asked {
  readonly kind: Kind | 'get' | 'list' | 'calendar' | 'other' | 'other read';
  /** What the service tells apart: a card, a card and its wallet, an event's name, a subscriber. */
  readonly key: string;
  /** The card or subscriber. */
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Once is once: a second reissue makes a second card, and no read shows which was made. */
export const ONCE_ONLY: readonly Kind[] = ['reissue', 'provision', 'event'];

export const isOnceOnly = ({ kind }: Pick<Asked, 'kind'>) => ONCE_ONLY.some((each) => each === kind);

const CARD = /^\/v1\/cards\/([^/]+)(?:\/(activate|block|reissue|provision)(?:\/(wallet_[ab]))?)?$/;

export function readAsked(method: string, path: string, text: string): Asked {
  const body: Readonly<Record<string, unknown>> = text === '' ? {} : JSON.parse(text);
  const [, card, verb, wallet] = CARD.exec(path) ?? [];
  if (card !== undefined) {
    if (method === 'GET') return { kind: 'get', key: card, id: card, body };
    const kind = verb as 'activate' | 'block' | 'reissue' | 'provision';
    return { kind, key: wallet === undefined ? card : `${card} ${wallet}`, id: card, body };
  }
  if (path === '/v1/events') return { kind: 'event', key: String(body['name']), id: '', body };
  const [, subscriber] = /^\/v1\/subscribers\/([^/]+)$/.exec(path) ?? [];
  if (subscriber !== undefined && method === 'POST') {
    const id = decodeURIComponent(subscriber);
    return { kind: 'subscriber', key: id, id, body };
  }
  const [, calendar, list] = /^\/v1\/calendars\/([^/?]+)(\/subscribers)?/.exec(path) ?? [];
  if (calendar !== undefined) {
    return { kind: list === undefined ? 'calendar' : 'list', key: calendar, id: decodeURIComponent(calendar), body };
  }
  return { kind: method === 'GET' ? 'other read' : 'other', key: path, id: '', body };
}

/** What every calendar lists. */
const SUBSCRIBERS =
  '{"object":"list","data":[{"id":"sub_1","object":"subscriber","email":"a@b.example","active":true}],"has_more":false}';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refusal(status: number, errorCode: string, headers: Answer['headers'] = {}): Answer {
  return { status, text: `{"errorCode":"${errorCode}","message":"simulated"}`, headers };
}

export function printAnswer({ status, text, headers = {} }: Answer, number: number): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nx-request-id: r${number}\r\n`;
  return `HTTP/1.1 ${status} Simulated\r\n${head}${lines.join('')}\r\n${text}`;
}

const NOT_FOUND = refusal(404, 'NOT_FOUND');

/** The answer to a change that no history here has: that of its sample. */
function sampled(kind: Asked['kind'], path: string): (Answer & { readonly isDone: true }) | undefined {
  const [, , , id = ''] = path.split('/');
  const name = NAMES.find((each) => SAMPLE_CALLS[each].ends !== 'read' && samplePath(each, id) === path);
  if (kind !== 'other' || name === undefined) return undefined;
  return { status: 200, text: JSON.stringify(SAMPLE_CALLS[name].response(id)), isDone: true };
}

/** What the service makes of a request that it has not had before, and of one that repeats it. */
export class Records {
  readonly statuses = new Map<string, string>();
  readonly subscribers = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #repeats: 'again' | 409 | 404;
  readonly #done = new Map<string, number>();

  constructor(repeats: 'again' | 409 | 404) {
    this.#repeats = repeats;
  }

  /** Does what is asked; `isDone`: something was changed. */
  act({ kind, key, id, body }: Asked): Answer & { readonly isDone: boolean } {
    const times = this.#done.get(`${kind} ${key}`) ?? 0;
    if (kind === 'get') return { ...this.#card(id), isDone: false };
    if (kind === 'other' || kind === 'other read') return sampled(kind, key) ?? { ...NOT_FOUND, isDone: false };
    if (kind === 'list') return { status: 200, text: SUBSCRIBERS, isDone: false };
    if (times > 0 && kind !== 'subscriber' && this.#repeats !== 'again') {
      return { ...refusal(this.#repeats, 'DONE_BEFORE'), isDone: false };
    }
    this.#done.set(`${kind} ${key}`, times + 1);
    return { ...this.#change(kind, key, id, body, times + 1), isDone: true };
  }

  #card(id: string): Answer {
    const status = this.statuses.get(id);
    return status === undefined ? refusal(404, 'CARD_NOT_FOUND') : { status: 200, text: cardText(status, id) };
  }

  #change(kind: Kind | 'calendar', key: string, id: string, body: Asked['body'], times: number): Answer {
    switch (kind) {
      case 'block':
      case 'activate':
        this.statuses.set(id, kind === 'block' ? 'BLOCKED' : 'ACTIVE');
        return this.#card(id);
      case 'reissue': {
        this.statuses.set(id, 'REISSUED');
        const made = `${String(times).padStart(8, '0')}-aaaa-bbbb-cccc-${id.slice(-12)}`;
        this.statuses.set(made, 'WAITING_ACTIVATION');
        return this.#card(made);
      }
      case 'provision':
        return { status: 200, text: '{"encryptedPaymentInstrument":"c2VjcmV0"}' };
      case 'event':
        return {
          status: 200,
          text: JSON.stringify({ id: `ev ${key} ${times}`, object: 'event', active: true, ...body }),
        };
      case 'calendar':
        return { status: 200, text: JSON.stringify({ id, object: 'calendar', ...body }) };
      case 'subscriber': {
        const fields = { ...this.subscribers.get(id), ...body };
        this.subscribers.set(id, fields);
        return { status: 200, text: JSON.stringify({ id, object: 'subscriber', ...fields }) };
      }
    }
  }
}

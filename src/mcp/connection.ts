import { randomBytes } from 'node:crypto';
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import type { OutputPort } from '../base/context.ts';
import { parseJson } from '../base/json/parse.ts';
import { JsonSyntaxError } from '../base/json/syntax-error.ts';
import { answerBytes } from '../service/wire/answer-bytes.ts';

/** Far more than any call of frontdesk. A longer line is no message. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** The client's own ID of a request, for messages to it. */
export function clientId(id: RequestId): RequestId {
  // Made below from the client's ID.
  return JSON.parse(String(id).slice(String(id).indexOf(' ') + 1)) as RequestId;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The ID of a request that is not valid, so that its sender does not wait for a response; null if it has none. */
function idOf(value: unknown): RequestId | null {
  if (!isRecord(value) || !('method' in value)) return null;
  return typeof value['id'] === 'string' || typeof value['id'] === 'number' ? value['id'] : null;
}

/** `params` and `arguments` that are null count as none. Arguments of another type are left to the tool to refuse. */
function withParams(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { params, ...message } = value;
  if (params === null) return message;
  if (value['method'] !== 'tools/call' || !isRecord(params)) return value;
  const { arguments: input, ...others } = params;
  if (input === null) return { ...message, params: others };
  // Under its own name the reading of messages would drop it.
  const isHidden = isRecord(input) && Object.hasOwn(input, '__proto__');
  if (input === undefined || (isRecord(input) && !isHidden)) return value;
  const refused = isHidden ? { ...input, '"__proto__"': null } : { arguments: input };
  return { ...message, params: { ...others, arguments: refused } };
}

function textLength(message: JSONRPCMessage): number {
  const structured = 'result' in message ? message.result['structuredContent'] : undefined;
  const text = typeof structured === 'object' && structured !== null && 'text' in structured ? structured.text : '';
  return String(text).length;
}

/** A longer text is written in pieces of this many UTF-16 units. */
const PIECE_LENGTH = 65_536;

/** A message as a line. A long text is escaped in pieces, without a copy of the whole. */
function* messagePieces(message: unknown): Generator<string, void, undefined> {
  const texts: string[] = [];
  const mark = `long text ${randomBytes(16).toString('base64url')}`;
  const frame = JSON.stringify(message, (_, value: unknown) => {
    if (typeof value !== 'string' || value.length <= PIECE_LENGTH) return value;
    texts.push(value);
    return mark;
  }).split(mark);
  const last = frame.pop() ?? '';
  for (const [index, before] of frame.entries()) {
    yield before;
    const text = texts[index] ?? '';
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      yield JSON.stringify(text.slice(at, at + PIECE_LENGTH)).slice(1, -1);
    }
  }
  yield `${last}\n`;
}

/**
 * The connection to a client: one JSON-RPC message per line. frontdesk's requests have IDs that cannot be guessed, and
 * each gets one answer: others are dropped. Each request of the client gets an ID of its own, because a client may
 * reuse one: a cancellation then ends both.
 */
export class Connection implements Transport {
  readonly #stdout: OutputPort;
  readonly #decoder = new TextDecoder();
  /** ID that a client sees of a request of frontdesk -> the protocol layer's ID. */
  readonly #asked = new Map<string, RequestId>();
  /** Requests of the client without a response, by their IDs here. */
  readonly #open = new Set<RequestId>();
  #received = 0;
  #written: Promise<void> = Promise.resolve();
  #whenAnswered: (() => void) | undefined;
  #buffer = '';
  #isSkipping = false;
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onCancelled: (requestId: RequestId) => void = () => undefined;
  /** Called when stdout cannot be written any more. */
  onLost: (error: unknown) => void = () => undefined;

  constructor(stdout: OutputPort) {
    this.#stdout = stdout;
  }

  async start(): Promise<void> {
    // The reader of stdin feeds it.
  }

  async close(): Promise<void> {
    this.#asked.clear();
    this.onclose?.();
  }

  whenAnswered(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenAnswered = resolve;
    });
  }

  feed(bytes: Uint8Array): void {
    const [first = '', ...rest] = this.#decoder.decode(bytes, { stream: true }).split('\n');
    let line = this.#buffer + first;
    for (const next of rest) {
      this.#line(line);
      line = next;
    }
    if (line.length > MAX_LINE_CHARACTERS) {
      this.#isSkipping = true;
      line = '';
    }
    this.#buffer = line;
  }

  /** There is no more input: what stands behind the last line end is a message too. */
  end(): void {
    this.feed(Buffer.from('\n'));
  }

  #line(line: string): void {
    if (this.#isSkipping || line.length > MAX_LINE_CHARACTERS) {
      this.#isSkipping = false;
      this.#refuse(INVALID_REQUEST, `a message of more than ${MAX_LINE_CHARACTERS} characters`);
      return;
    }
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(PARSE_ERROR, 'the line is not JSON');
      return;
    }
    try {
      // Of a name that occurs twice, others may read the first.
      parseJson(line);
    } catch (error) {
      const why = error instanceof JsonSyntaxError ? error.message : 'it cannot be read';
      this.#refuse(INVALID_REQUEST, `the line is not JSON that all read alike: ${why}`, idOf(value));
      return;
    }
    try {
      this.#receive(parseJSONRPCMessage(withParams(value)));
    } catch {
      this.#refuse(INVALID_REQUEST, 'the line is not a JSON-RPC message', idOf(value));
    }
  }

  #receive(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) {
        this.#received += 1;
        const id = `${this.#received} ${JSON.stringify(message.id)}`;
        this.#open.add(id);
        this.onmessage?.({ ...message, id });
      } else if (message.method === 'notifications/cancelled') this.#cancelled(message);
      else this.onmessage?.(message);
      return;
    }
    const id = String(message.id);
    const asked = this.#asked.get(id);
    if (asked === undefined || !this.#asked.delete(id)) return;
    this.onmessage?.({ ...message, id: asked });
  }

  #cancelled(message: JSONRPCNotification): void {
    const cancelled = message.params?.['requestId'];
    if (typeof cancelled !== 'string' && typeof cancelled !== 'number') return;
    for (const id of [...this.#open].filter((open) => clientId(open) === cancelled)) {
      this.#answered(id);
      this.onmessage?.({ ...message, params: { ...message.params, requestId: id } });
    }
    this.onCancelled(cancelled);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    let sent: unknown = message;
    if (!('method' in message)) {
      if (message.id !== undefined) {
        this.#answered(message.id);
        sent = { ...message, id: clientId(message.id) };
      }
    } else if ('id' in message) {
      const id = `frontdesk-${randomBytes(16).toString('base64url')}`;
      this.#asked.set(id, message.id);
      sent = { ...message, id };
    } else if (message.method === 'notifications/cancelled') {
      const requestId = this.#takeBack(message.params?.['requestId']);
      sent = { ...message, params: { ...message.params, requestId } };
    }
    await this.#write(sent, textLength(message));
  }

  /** The ID under which a request of frontdesk left. Its answer is no longer accepted. */
  #takeBack(requestId: unknown): unknown {
    for (const [id, asked] of this.#asked) {
      if (asked !== requestId) continue;
      this.#asked.delete(id);
      return id;
    }
    return requestId;
  }

  #answered(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    this.#whenAnswered?.();
  }

  #refuse(code: number, message: string, id: RequestId | null = null): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => undefined);
  }

  /** One after the other: a long result takes several times its length while it is written. */
  async #write(message: unknown, bytes = 0): Promise<void> {
    answerBytes.hold(bytes);
    const before = this.#written;
    this.#written = (async () => {
      await before;
      try {
        for (const piece of messagePieces(message)) await this.#stdout.write(piece);
      } catch (error) {
        this.onLost(error);
        throw error;
      } finally {
        answerBytes.free(bytes);
      }
    })();
    return this.#written;
  }
}

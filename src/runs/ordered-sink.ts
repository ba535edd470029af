import { Failure } from '../base/failure.ts';
import { succeeds } from '../base/files/io-failure.ts';
import { parseJson } from '../base/json/parse.ts';
import { jsonBytes } from '../base/json/print.ts';
import { takeUtf8 } from '../base/json/utf8.ts';
import {
  fromPlain,
  isJsonObject,
  type JsonValue,
  rememberedLength,
  rememberedText,
  toPlain,
} from '../base/json/value.ts';
import type { RowResult, RunRow } from '../records/row-outcome.ts';
import { answerBytes } from '../service/wire/answer-bytes.ts';
import { byteLength } from '../service/wire/exchange.ts';
import type { RunTask } from './run-task.ts';

interface Waiting<R extends RunRow> {
  readonly result: RowResult<R>;
  /** The resource or failure as bytes outside the heap, while the row waits: objects take ten times as much. */
  readonly packed: Buffer[] | undefined;
  /** Resolves when the result is in the journal. It is printed only then. */
  readonly durable: Promise<void> | undefined;
  readonly bytes: number;
}

type Taker = 'persist' | 'emit';

/** How many results may wait for the reader of the output. */
const MAX_UNREAD_ROWS = 256;
/** What results that wait for a row may take. With responses of 1 KiB, 110,000 rows can wait. */
const MAX_WAITING_BYTES = 224 * 1024 * 1024;
/** What row, call outcome and failure take besides the response. */
const ROW_BYTES = 1024;
/** A short response that is near its turn stays an object. */
const NEAR_ROWS = 64;
const SHORT_LENGTH = 16_384;
/** This many free places are given up at once. */
const SPARE_PLACES = 4096;

/**
 * Prints results in the order of the input, although rows end in any order. A row without a result holds up the
 * printing of the rows behind it, and nothing else until their results are too many.
 */
export class OrderedSink<R extends RunRow> {
  readonly #task: Pick<RunTask<R>, 'emit' | 'persist' | 'sizeOf'>;
  readonly #onFailure: (error: unknown, of: Taker) => void;
  readonly #onFree: () => void;
  /** Results from position `#first` on. An array, not a Map: see `removeFrom`. */
  #waiting: (Waiting<R> | undefined)[] = [];
  #first = 0;
  #next = 0;
  #held = 0;
  #bytes = 0;
  #isPumping = false;
  /** Takers that failed: they get no more results. */
  readonly #failed = new Set<Taker>();

  /**
   * `persist` gets every result before `emit`, even if `emit` fails. `onFailure` gets the first error of each, which is
   * not called again. Places are still freed, and `onFree` hears of it.
   */
  constructor(
    task: Pick<RunTask<R>, 'emit' | 'persist' | 'sizeOf'>,
    onFailure: (error: unknown, of: Taker) => void,
    onFree: () => void,
  ) {
    this.#task = task;
    this.#onFailure = onFailure;
    this.#onFree = onFree;
  }

  /** Is there a place for another result? Those that wait for a row have more places than those for a reader. */
  get hasRoom(): boolean {
    return !this.isFull && (!this.#isPumping || this.#held < MAX_UNREAD_ROWS);
  }

  /** Do so many results wait for a row that no other may? */
  get isFull(): boolean {
    return this.#held > 0 && (this.#bytes >= MAX_WAITING_BYTES || answerBytes.isFull);
  }

  /** Position of the row that is printed next. */
  get next(): number {
    return this.#next;
  }

  enqueue(position: number, result: RowResult<R>, durable: Promise<void> | undefined): void {
    const waiting =
      position === this.#next
        ? { result, packed: undefined, durable, bytes: rememberedLength(result.resource) }
        : this.#pack(position, result, durable);
    this.#held += 1;
    this.#bytes += waiting.bytes;
    answerBytes.hold(waiting.bytes);
    while (this.#waiting.length <= position - this.#first) this.#waiting.push(undefined);
    this.#waiting[position - this.#first] = waiting;
    if (this.#isPumping) return;
    this.#isPumping = true;
    void this.#pump();
  }

  #pack(position: number, result: RowResult<R>, durable: Promise<void> | undefined): Waiting<R> {
    const { resource, failure } = result;
    const bytes = ROW_BYTES + (this.#task.sizeOf?.(result.row) ?? 0);
    const known = resource === undefined ? '' : rememberedText(resource);
    const isNear = position - this.#next <= NEAR_ROWS && known !== undefined && known.length <= SHORT_LENGTH;
    const content = isNear ? undefined : (resource ?? (failure && failureObject(failure)));
    if (content === undefined) return { result, packed: undefined, durable, bytes };
    const packed = jsonBytes(content);
    const bare = { ...result, resource: undefined, failure: undefined };
    return { result: bare, packed, durable, bytes: bytes + byteLength(packed) };
  }

  async #pump(): Promise<void> {
    for (;;) {
      const head = this.#waiting[this.#next - this.#first];
      if (head === undefined) break;
      // A journal that cannot be written stops the run elsewhere. What is known is still printed.
      if (head.durable !== undefined) await succeeds(head.durable);
      const result = unpacked(head);
      // Each thing to wait for costs a turn of the row behind, so nothing is awaited that is not there.
      if (this.#task.persist !== undefined) await this.#deliver('persist', result);
      await this.#deliver('emit', result);
      this.#free(head);
    }
    this.#isPumping = false;
  }

  #free({ bytes }: Waiting<R>): void {
    this.#waiting[this.#next - this.#first] = undefined;
    this.#next += 1;
    this.#held -= 1;
    this.#bytes -= bytes;
    answerBytes.free(bytes);
    if (this.#next - this.#first >= SPARE_PLACES) {
      this.#waiting = this.#waiting.slice(this.#next - this.#first);
      this.#first = this.#next;
    }
    this.#onFree();
  }

  async #deliver(taker: Taker, result: RowResult<R>): Promise<void> {
    if (this.#failed.has(taker)) return;
    try {
      await this.#task[taker]?.(result);
    } catch (error) {
      this.#failed.add(taker);
      this.#onFailure(error, taker);
    }
  }
}

const JSON_DETAILS = ['service', 'body', 'observed'] as const;

type PackedFailure = Pick<Failure, 'code' | 'problem'> & NonNullable<ConstructorParameters<typeof Failure>[2]>;

/** A failure as JSON, without its cause and its stack. */
function failureObject(failure: Failure): JsonValue {
  const { code, problem, attempted, after, also, exitCode, hints, parts, screen, details } = failure;
  return fromPlain({ code, problem, attempted, after, also, exitCode, hints, parts, screen, details });
}

function failureOf(object: JsonValue): Failure {
  // `failureObject` wrote it.
  const { code, problem, ...more } = toPlain(object) as unknown as PackedFailure;
  const details = isJsonObject(object) ? object.get('details') : undefined;
  const asSent = JSON_DETAILS.flatMap((name) => {
    const value = isJsonObject(details) ? details.get(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return new Failure(code, problem, { ...more, details: { ...more.details, ...Object.fromEntries(asSent) } });
}

function unpacked<R extends RunRow>({ result, packed }: Waiting<R>): RowResult<R> {
  if (packed === undefined) return result;
  const content = parseJson(takeUtf8(packed));
  return result.callOutcome.code === undefined
    ? { ...result, resource: content }
    : { ...result, failure: failureOf(content) };
}

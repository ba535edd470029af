import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClockPort, SignalName, SignalPort } from '../../../src/base/context.ts';
import { Failure, type FailureCode, type FailureDetails } from '../../../src/base/failure.ts';
import type { JsonValue } from '../../../src/base/json/value.ts';
import { type Row, type RowInput, RowMaker, type RowShape } from '../../../src/input/rows/row.ts';
import { failedCall, type RowResult } from '../../../src/records/row-outcome.ts';
import type { NewRun, RunPorts } from '../../../src/records/stored/run-store.ts';
import type { RowSlot, RunTask } from '../../../src/runs/run-task.ts';
import { type CallOutcome, NO_OUTCOME } from '../../../src/service/call-outcome.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { temporaryFolder } from '../base/files/place.ts';

const START_MS = Date.parse('2026-05-01T12:00:00.000Z');

/** Time that goes by only when everybody sleeps: the earliest sleeper is woken as soon as nothing else happens. */
export class FakeClock implements ClockPort {
  ms = 0;
  readonly #sleepers = new Set<{ at: number; wake(): void }>();
  #isTicking = false;

  now(): number {
    return START_MS + this.ms;
  }

  monotonic(): number {
    return this.ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = {
        at: this.ms + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
      this.#tick();
    });
  }

  #tick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#isTicking = false;
        const [first] = [...this.#sleepers].sort((a, b) => a.at - b.at);
        if (first === undefined) return;
        this.ms = Math.max(this.ms, first.at);
        first.wake();
        if (this.#sleepers.size > 0) this.#tick();
      }),
    );
  }
}

/** A run that nobody takes away. */
export const HELD = {
  pid: process.pid,
  lock: { epoch: 1, mayHaveRival: false, by: 'here (process 1)', raiseEpoch: () => undefined },
  assertStillHeld: () => undefined,
};

export class FakeSignals implements SignalPort {
  readonly received: SignalName[] = [];
  readonly #listeners = new Set<(signal: SignalName, count: number) => void>();

  onSignal(listener: (signal: SignalName, count: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(signal: SignalName): void {
    this.received.push(signal);
    for (const listener of this.#listeners) listener(signal, this.received.length);
  }
}

export interface TestRow {
  readonly row: number;
  readonly id: string;
}

/** Rows 1 to `count` with ids `card-1` to `card-<count>`. */
export async function* rowsTo(count: number): AsyncGenerator<TestRow> {
  for (let row = 1; row <= count; row += 1) yield { row, id: `card-${row}` };
}

export const ended = (known: Partial<CallOutcome>): CallOutcome => ({ ...NO_OUTCOME, ...known });

export function answered(resource: JsonValue = new Map([['status', 'BLOCKED']]), resultId?: string): CallResult {
  const callOutcome = ended({ outcome: 'applied', httpStatus: 200, attempts: 1, resultId });
  return { kind: 'answered', callOutcome, resource, headers: [] };
}

export function failed(code: FailureCode, details: FailureDetails = {}): CallResult {
  return failedCall(new Failure(code, `it ended as ${code}`, { details: { attempts: 1, ...details } }));
}

export function rejected(status: number, errorCode?: string, message?: string): CallResult {
  const code = ({ 401: 'AUTH', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 429: 'BUSY' } as const)[status] ?? 'REJECTED';
  const said = Object.entries({ errorCode, message }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  const service: JsonValue | undefined = said.length === 0 ? undefined : new Map(said);
  return failed(code, { outcome: 'rejected', http: { status }, ...(service === undefined ? {} : { service }) });
}

export const unreachable = (): CallResult => failed('UNREACHABLE', { outcome: 'not_sent' });
export const unknown = (): CallResult => failed('OUTCOME_UNKNOWN', { outcome: 'unknown' });
export const heldBack = (): CallResult => failed('PRECONDITION', { outcome: 'not_sent', attempts: 0 });

/** A send whose request is admitted, and then ends as told. */
export function admitting(
  end: (row: TestRow, slot: RowSlot) => CallResult | Promise<CallResult> = () => answered(),
): RunTask<TestRow>['send'] {
  return async (row, slot) => {
    await slot.pacer.admit('send');
    return end(row, slot);
  };
}

/** A plan with small defaults; `printed` collects the results as they are printed. */
export function planOf(
  count: number,
  send: RunTask<TestRow>['send'],
  more: Partial<RunTask<TestRow>> = {},
): RunTask<TestRow> & { readonly printed: RowResult<TestRow>[] } {
  const printed: RowResult<TestRow>[] = [];
  const pace = { concurrency: 1, rate: undefined, maxFailures: undefined };
  const kept = { journal: undefined, unknownRows: 'leave' } as const;
  const ports = { clock: new FakeClock(), signals: new FakeSignals() };
  const emit = (result: RowResult<TestRow>) => void printed.push(result);
  const rows = rowsTo(count);
  return { command: 'card.block', isWrite: true, rows, ...pace, ...kept, ...ports, send, emit, printed, ...more };
}

export function runPorts(stateDir: string, more: Partial<RunPorts> = {}): RunPorts {
  return { stateDir, clock: new FakeClock(), pid: process.pid, random: () => 0.5, ...more };
}

/** What the rows of a run over card ids have in common. */
export const CARD_SHAPE: RowShape = {
  form: 'cells',
  columns: ['cardId', 'reason', '_outcome'],
  idParam: 'cardId',
  ids: ['cardId'],
  fields: [{ name: 'reason' }],
  sendsEmpty: false,
  expects: [],
  onlyChanges: false,
};

export function cardRow(row: number, given: RowInput, shape: RowShape = CARD_SHAPE): Row {
  return new RowMaker(shape).make(row, given);
}

/** SHA-256 of `card-1\n`. */
export const INPUT = new TextEncoder().encode('card-1\n');
export const INPUT_SHA256 = '7d1132fe6b74c0b93a1ebf56eb9fca13f3d3faae93df30c7fc00c25b3380587e';

export function runPlan(more: Partial<NewRun> = {}): NewRun {
  const origin = { operation: 'card.block', profile: 'demo', host: 'https://cards.example', user: 'ada' };
  const input = { inputSha256: INPUT_SHA256, rowsSha256: INPUT_SHA256, inputFormat: 'ids', rows: 3, inputRows: 3 };
  const stored = { sha256: INPUT_SHA256, shape: CARD_SHAPE, columns: ['cardId'] };
  const spool = join(temporaryFolder(), 'spool');
  writeFileSync(spool, INPUT, { mode: 0o600 });
  return { ...origin, ...input, spool, stored, options: { concurrency: 8 }, ...more };
}

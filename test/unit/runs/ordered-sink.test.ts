import { expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import { printJson } from '../../../src/base/json/print.ts';
import type { JsonValue } from '../../../src/base/json/value.ts';
import { rememberText } from '../../../src/base/json/value.ts';
import type { RowResult } from '../../../src/records/row-outcome.ts';
import { OrderedSink } from '../../../src/runs/ordered-sink.ts';
import { answerBytes } from '../../../src/service/wire/answer-bytes.ts';
import { ended, type TestRow } from './fakes.ts';

function resultOf(row: number, more: Partial<RowResult<TestRow>> = {}): RowResult<TestRow> {
  const sent = { callOutcome: ended({ outcome: 'applied' }), source: 'sent' } as const;
  return { row: { row, id: `card-${row}` }, ...sent, resource: undefined, failure: undefined, ...more };
}

/** What each row before `position` and then the row there comes to, printed. */
async function printedAfter(position: number, more: Partial<RowResult<TestRow>>, from = 0) {
  const { ordered, printed, read } = slow();
  read();
  for (let before = 0; before < from; before += 1) ordered.enqueue(before, resultOf(before + 1), undefined);
  await drained(ordered, from);
  ordered.enqueue(position, resultOf(position + 1, more), undefined);
  for (let before = position - 1; before >= from; before -= 1) ordered.enqueue(before, resultOf(before + 1), undefined);
  await drained(ordered, position + 1);
  return printed[position];
}

const nothing = () => undefined;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The rows before `position` were printed. */
async function drained(ordered: OrderedSink<TestRow>, position: number): Promise<void> {
  while (ordered.next < position) await turn();
}

/** A sink that notes what it does with each row. */
function sink(keepFails = 0, emitFails = 0) {
  const done: string[] = [];
  const note = (what: 'keep' | 'emit', fails: number) => async (result: RowResult<TestRow>) => {
    done.push(`${what} ${result.row.row}`);
    if (result.row.row === fails) throw new Error(`${what} fails`);
  };
  const task = { persist: note('keep', keepFails), emit: note('emit', emitFails) };
  const free: number[] = [];
  const ordered: OrderedSink<TestRow> = new OrderedSink<TestRow>(
    task,
    (error, of) => done.push(`${of}: ${String(error)}`),
    () => free.push(ordered.next),
  );
  return { done, free, ordered };
}

it('the results of a run are kept and printed in the order of the input, however the rows end', async () => {
  const { done, ordered } = sink();
  for (const row of [3, 2, 1]) ordered.enqueue(row - 1, resultOf(row), undefined);
  await drained(ordered, 3);
  expect(done).toEqual(['keep 1', 'emit 1', 'keep 2', 'emit 2', 'keep 3', 'emit 3']);
});

it('the results of a run are printed only once their record is on the disk', async () => {
  const { done, ordered } = sink();
  let write: () => void = () => undefined;
  const durable = new Promise<void>((resolve) => {
    write = resolve;
  });
  ordered.enqueue(0, resultOf(1), undefined);
  ordered.enqueue(1, resultOf(2), durable);
  await turn();
  expect(done).toEqual(['keep 1', 'emit 1']);
  write();
  await drained(ordered, 2);
  expect(done).toEqual(['keep 1', 'emit 1', 'keep 2', 'emit 2']);
});

it('the results of a run are printed although their record could not be written', async () => {
  const { done, ordered } = sink();
  const lost = Promise.reject(new Error('the disk is full'));
  lost.catch(() => undefined);
  ordered.enqueue(0, resultOf(1), lost);
  await drained(ordered, 1);
  expect(done).toEqual(['keep 1', 'emit 1']);
});

it.each([
  ['kept any more', 1, 0, 'keep 1|persist: Error: keep fails|emit 1|emit 2'],
  ['printed any more', 0, 1, 'keep 1|emit 1|emit: Error: emit fails|keep 2'],
])('the results of a run are not %s after one that could not be', async (_what, keepFails, emitFails, expected) => {
  const { done, ordered } = sink(keepFails, emitFails);
  ordered.enqueue(0, resultOf(1), undefined);
  ordered.enqueue(1, resultOf(2), undefined);
  await drained(ordered, 2);
  expect([done.join('|'), ordered.hasRoom]).toEqual([expected, true]);
});

it('the results of a run are printed in their order for more rows than places are kept', async () => {
  const { done, ordered } = sink();
  for (const first of [0, 4000, 8000]) {
    for (let position = first + 3999; position >= first; position -= 1)
      ordered.enqueue(position, resultOf(position + 1), undefined);
    await drained(ordered, first + 4000);
  }
  const printed = done.filter((what) => what.startsWith('emit'));
  expect(printed).toEqual(Array.from({ length: 12_000 }, (_, index) => `emit ${index + 1}`));
});

it('the results of a run say when the place of each is free', async () => {
  const { ordered, free } = sink();
  for (const row of [3, 2, 1]) ordered.enqueue(row - 1, resultOf(row), undefined);
  expect(free).toEqual([]);
  await drained(ordered, 3);
  expect(free).toEqual([1, 2, 3]);
});

/** A sink that prints only once `read` is called; what it printed. */
function slow(sizeOf?: (row: TestRow) => number) {
  const printed: RowResult<TestRow>[] = [];
  let read: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const emit = async (result: RowResult<TestRow>) => {
    await isRead;
    printed.push(result);
  };
  const task = sizeOf === undefined ? { emit } : { emit, sizeOf };
  return { printed, read: () => read(), ordered: new OrderedSink<TestRow>(task, nothing, nothing) };
}

it('a result that waits for the reader has a place among 256, and for another row as long as there is memory', async () => {
  const { ordered, read } = slow();
  for (let position = 1; position <= 300; position += 1) ordered.enqueue(position, resultOf(position + 1), undefined);
  expect([ordered.hasRoom, ordered.isFull]).toEqual([true, false]);
  ordered.enqueue(0, resultOf(1), undefined);
  expect(ordered.hasRoom).toBe(false);
  read();
  await drained(ordered, 301);
  expect(ordered.hasRoom).toBe(true);
  const other = slow();
  for (let position = 0; position < 255; position += 1)
    other.ordered.enqueue(position, resultOf(position + 1), undefined);
  expect(other.ordered.hasRoom).toBe(true);
  other.ordered.enqueue(255, resultOf(256), undefined);
  expect(other.ordered.hasRoom).toBe(false);
  other.read();
  await drained(other.ordered, 256);
});

it.each([
  [920, true],
  [919, false],
])('a result that waits takes 1,024 bytes beside its row and answer: of %i bytes, full %s', async (length, isFull) => {
  // All but 5,000 bytes of 224 MiB.
  const { ordered, read } = slow(({ row }) => (row === 2 ? 224 * 1024 * 1024 - 5000 : row === 3 ? 1000 : 0));
  expect([ordered.isFull, ordered.hasRoom]).toEqual([false, true]);
  ordered.enqueue(1, resultOf(2), undefined);
  ordered.enqueue(2, resultOf(3), undefined);
  // 3,048 bytes so far. `{"a":""}` has 8 of them.
  ordered.enqueue(3, resultOf(4, { resource: new Map([['a', 'x'.repeat(length)]]) }), undefined);
  expect([ordered.isFull, ordered.hasRoom]).toEqual([isFull, !isFull]);
  read();
  ordered.enqueue(0, resultOf(1), undefined);
  await drained(ordered, 4);
  ordered.enqueue(5, resultOf(6), undefined);
  expect(ordered.isFull).toBe(false);
  ordered.enqueue(4, resultOf(5), undefined);
  await drained(ordered, 6);
});

it('T26 a result that waits holds up the next row while a long answer waits for a place, and none once it is printed', async () => {
  const { ordered, read } = slow();
  const answer = { bytes: 32 * 1024 * 1024, isAwaited: false, goOn: nothing };
  const wentOn: number[] = [];
  const other = {
    bytes: 1,
    get isAwaited() {
      return ordered.next === 2;
    },
    goOn: () => wentOn.push(ordered.next),
  };
  answerBytes.take(answer);
  answerBytes.take(other);
  ordered.enqueue(1, resultOf(2), undefined);
  expect([ordered.isFull, ordered.hasRoom]).toEqual([true, false]);
  read();
  ordered.enqueue(0, resultOf(1), undefined);
  await drained(ordered, 2);
  // Its turn has come.
  expect([ordered.isFull, ordered.hasRoom, wentOn]).toEqual([false, true, [2]]);
  answerBytes.release(answer);
  answerBytes.release(other);
});

const AMOUNT = '{"cardId":"c","balance":10.10}';
const asRead = (text = AMOUNT): JsonValue => {
  const value = parseJson(text) as Extract<JsonValue, ReadonlyMap<string, JsonValue>>;
  rememberText(value, text);
  return value;
};
const long = `{"a":"${'x'.repeat(16_376)}"}`;

it.each<readonly [string, number, JsonValue, boolean]>([
  ['near its turn and short stays as it is', 64, asRead(), true],
  ['near its turn and as long as is short', 64, asRead(long), true],
  ['longer than that is kept as bytes', 64, asRead(long.replace('x', 'xx')), false],
  ['far from its turn is kept as bytes', 65, asRead(), false],
  ['that was made here is kept as bytes', 1, parseJson(AMOUNT), false],
])('a result that waits: %s', async (_what, position, resource, isSame) => {
  const last = await printedAfter(position, { resource });
  expect(last?.row).toEqual({ row: position + 1, id: `card-${position + 1}` });
  expect([last?.callOutcome, last?.resource === resource]).toEqual([ended({ outcome: 'applied' }), isSame]);
  expect(printJson(last?.resource ?? null)).toBe(printJson(resource));
});

it('a result that waits as a failure is the same failure afterwards, digits as sent', async () => {
  const parts = { heading: 'two faults', problems: ['one', 'other'] };
  const how = { exitCode: 6, hints: ['look at it'], parts, screen: ['two'] };
  const asSent = { service: parseJson('{"limit":1.10}'), body: 'text', observed: parseJson('{"n":2.0}') };
  const failure = new Failure('REJECTED', 'it was refused', { ...how, details: { row: 2, ...asSent } });
  const callOutcome = ended({ outcome: 'rejected', code: 'REJECTED' });
  const last = await printedAfter(70, { callOutcome, failure });
  expect([last?.callOutcome, last?.resource]).toEqual([callOutcome, undefined]);
  expect(last?.failure).toBeInstanceOf(Failure);
  expect(last?.failure).not.toBe(failure);
  const said = { code: 'REJECTED', message: 'it was refused', details: { row: 2, body: 'text' } };
  expect(last?.failure).toMatchObject({ ...said, ...how });
  const { service = null, observed = null } = last?.failure?.details ?? {};
  expect([printJson(service), printJson(observed)]).toEqual(['{"limit":1.10}', '{"n":2.0}']);
  expect(Object.keys(last?.failure?.details ?? {})).toEqual(['row', 'service', 'body', 'observed']);
});

it('a result that waits as a failure has no details that it did not have, and is near its turn by what was printed before it', async () => {
  const failure = new Failure('REJECTED', 'no', { details: { service: parseJson('{}') } });
  const last = await printedAfter(72, { callOutcome: ended({ code: 'REJECTED' }), failure }, 2);
  expect(Object.keys(last?.failure?.details ?? {})).toEqual(['service']);
  const resource = asRead();
  expect((await printedAfter(74, { resource }, 10))?.resource).toBe(resource);
});

it('a result that waits as a failure near its turn is the very same', async () => {
  const failure = new Failure('REJECTED', 'it was refused');
  expect((await printedAfter(1, { callOutcome: ended({ code: 'REJECTED' }), failure }))?.failure).toBe(failure);
});

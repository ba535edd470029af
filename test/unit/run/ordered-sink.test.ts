import { describe, expect, it } from 'vitest';
import { OrderedSink } from '../../../src/run/ordered-sink.ts';
import type { RowResult } from '../../../src/run/row-outcome.ts';
import { ended, type TestRow } from './fakes.ts';

function resultOf(row: number): RowResult<TestRow> {
  const ending = ended({ outcome: 'applied' });
  return { row: { row, id: `card-${row}` }, ending, resource: undefined, failure: undefined, source: 'sent' };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A sink that notes what it does with each row. */
function sink(keepFails = 0, emitFails = 0) {
  const done: string[] = [];
  const note = (what: 'keep' | 'emit', fails: number) => async (result: RowResult<TestRow>) => {
    done.push(`${what} ${result.row.row}`);
    if (result.row.row === fails) throw new Error(`${what} fails`);
  };
  const task = { keep: note('keep', keepFails), emit: note('emit', emitFails) };
  return { done, ordered: new OrderedSink<TestRow>(task, (error, of) => done.push(`${of}: ${String(error)}`)) };
}

describe('the results of a run', () => {
  it('are kept and printed in the order of the input, however the rows end', async () => {
    const { done, ordered } = sink();
    for (const row of [3, 2, 1]) ordered.put(row - 1, resultOf(row), undefined);
    await ordered.drained(3);
    expect(done).toEqual(['keep 1', 'emit 1', 'keep 2', 'emit 2', 'keep 3', 'emit 3']);
  });

  it('are printed only once their record is on the disk', async () => {
    const { done, ordered } = sink();
    let write: () => void = () => undefined;
    const durable = new Promise<void>((resolve) => {
      write = resolve;
    });
    ordered.put(0, resultOf(1), undefined);
    ordered.put(1, resultOf(2), durable);
    await turn();
    expect(done).toEqual(['keep 1', 'emit 1']);
    write();
    await ordered.drained(2);
    expect(done).toEqual(['keep 1', 'emit 1', 'keep 2', 'emit 2']);
  });

  it('are printed although their record could not be written', async () => {
    const { done, ordered } = sink();
    const lost = Promise.reject(new Error('the disk is full'));
    lost.catch(() => undefined);
    ordered.put(0, resultOf(1), lost);
    await ordered.drained(1);
    expect(done).toEqual(['keep 1', 'emit 1']);
  });

  it.each([
    [
      'kept any more after one that could not be, and printed all the same',
      1,
      0,
      'keep 1|keep: Error: keep fails|emit 1|emit 2',
    ],
    [
      'printed any more after one that could not be, and kept all the same',
      0,
      1,
      'keep 1|emit 1|emit: Error: emit fails|keep 2',
    ],
  ])('are not %s', async (_what, keepFails, emitFails, expected) => {
    const { done, ordered } = sink(keepFails, emitFails);
    ordered.put(0, resultOf(1), undefined);
    ordered.put(1, resultOf(2), undefined);
    await ordered.drained(2);
    expect(done.join('|')).toBe(expected);
    expect(ordered.hasRoom).toBe(true);
  });
});

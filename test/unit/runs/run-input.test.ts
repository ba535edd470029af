import { expect, it } from 'vitest';
import { inRowOrder } from '../../../src/runs/run-input.ts';

function fileOf(rows: readonly number[]) {
  const file = { isClosed: false, rows: read() };
  async function* read(): AsyncGenerator<number> {
    try {
      yield* rows;
    } finally {
      file.isClosed = true;
    }
  }
  return file;
}

it('the input of a run gives the rows of several files in their order, and closes every file of a reader that stops early', async () => {
  const files = [fileOf([1, 4, 5]), fileOf([2, 3, 6])];
  const seen: number[] = [];
  for await (const row of inRowOrder(
    files.map(({ rows }) => rows),
    (item) => item,
  )) {
    seen.push(row);
    if (row === 3) break;
  }
  expect(seen).toEqual([1, 2, 3]);
  expect(files.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});

it('the input of a run closes every file where one cannot be read', async () => {
  const good = fileOf([1, 2]);
  async function* broken(): AsyncGenerator<number> {
    yield 3;
    throw new Error('the disk failed');
  }
  const reading = async () => {
    for await (const _ of inRowOrder([good.rows, broken()], (item) => item));
  };
  await expect(reading()).rejects.toThrow('the disk failed');
  expect(good.isClosed).toBe(true);
});

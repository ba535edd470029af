import { join } from 'node:path';
import type { InputFile } from '../../../../src/input/input-file.ts';
import type { Row } from '../../../../src/input/rows/row.ts';
import { type CheckedPlan, checkPlan, readPlanRows } from '../../../../src/runs/plan/read-plan.ts';
import { temporaryFolder } from '../../base/files/place.ts';

/** A plan as a file whose bytes come in these pieces. */
export function fileOf(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): InputFile {
  return {
    name: '"x.plan"',
    bytes: async function* () {
      yield* pieces;
    },
    close: async () => undefined,
  };
}

/** Reads a plan to its end; `onRow` hears each good row. */
export function verify(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onRow?: (row: Row) => void,
): Promise<CheckedPlan> {
  return checkPlan(fileOf(pieces), {
    async onRows(rows) {
      for (const { row } of rows) onRow?.(row);
    },
  });
}

/** The rows of a plan, as the run that applies it reads them of its copy. */
export async function rowsIn(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<readonly Row[]> {
  const copyTo = join(temporaryFolder(), 'plan');
  await checkPlan(fileOf(pieces), { copyTo });
  return rowsAt(copyTo);
}

export async function rowsAt(path: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of readPlanRows(path)) rows.push(...batch);
  return rows;
}

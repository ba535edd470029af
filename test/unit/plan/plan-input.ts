import type { InputFile } from '../../../src/input/input-file.ts';
import type { Row } from '../../../src/input/records/interpret.ts';
import { rowsOf } from '../../../src/input/records/rows.ts';
import { type CheckedPlan, checkPlan, planReading } from '../../../src/plan/read-plan.ts';

/** A plan as a file whose bytes come in these pieces. */
function fileOf(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): InputFile {
  return {
    name: '"x.plan"',
    isRereadable: true,
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
      for (const row of rows) onRow?.(row);
    },
  });
}

/** The rows of a plan that was read before. */
export async function rowsIn(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  operation: CheckedPlan['operation'],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of rowsOf(fileOf(pieces), planReading(operation))) rows.push(...batch);
  return rows;
}

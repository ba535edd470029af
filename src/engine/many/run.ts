import type { Operation } from '../../api/operation.ts';
import type { CallPolicy } from '../../http/call.ts';
import type { Row } from '../../input/records/interpret.ts';
import type { PaceOptions } from '../../options/call-options.ts';
import type { Column } from '../../output/column.ts';
import type { FailedFile } from '../../run/failed-file.ts';
import type { ActiveRun } from '../../run/run-store.ts';
import type { LeftUnchanged } from '../../run/summary.ts';
import type { Session } from '../../session.ts';
import type { UnknownRows } from './run-options.ts';

/** Many rows of one operation: all that is known of them before the first is sent. */
export interface Run {
  readonly operation: Operation;
  readonly rows: () => AsyncIterable<readonly Row[]>;
  /** How many they are. */
  readonly rowCount: number;
  readonly limits: { readonly policy: CallPolicy; readonly concurrency: number };
  readonly pace: PaceOptions;
  /** What is kept of it; undefined on a read. */
  readonly kept: ActiveRun | undefined;
  readonly unknownRows: UnknownRows;
  readonly failedFile: FailedFile | undefined;
  /** Of the rows that it prints. */
  readonly columns: readonly Column[];
  readonly left?: LeftUnchanged;
}

/** The limits of this session. */
export function limitsOf({ policy, preferences }: Session): Run['limits'] {
  return { policy, concurrency: preferences.concurrency.value };
}

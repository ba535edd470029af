import { Failure, usageFailure } from '../../../base/failure.ts';
import type { Session } from '../../../command/session.ts';
import type { RunOverview } from '../../../records/stored/run-entry.ts';
import { requireRunName } from '../../../records/stored/run-folder.ts';
import { lastRunName, listRuns } from '../../../records/stored/run-list.ts';
import { portsOf } from '../../../runs/run.ts';
import { plural } from '../../../screen/text.ts';

export const RUN = {
  run: {
    text: 'ID of the run, or any part of it that no other run has',
    required: false,
    isOwnQuestion: true,
    names: 'run',
  },
} as const;

export const LAST = { text: 'the newest run', excludes: { '<run>': '' } } as const;

/** Throws what could not be read, after the rest was printed. */
export function raise(failure: Failure | undefined): void {
  if (failure !== undefined) throw failure;
}

/** Older runs can be named. */
const OFFERED_RUNS = 20;

/** The run: by its ID, or `--last`; in a terminal it is asked for. */
export async function runNameOf(
  session: Session,
  input: { readonly run: string | undefined; readonly last: boolean },
): Promise<string> {
  if (input.run !== undefined) return requireRunName(session.stateDir(), input.run);
  if (input.last) return lastRunName(portsOf(session));
  if (!session.prompt.available) {
    throw usageFailure([{ where: '<run>', problem: 'is required, or --last' }], [{ do: 'list the runs' }]);
  }
  const { runs } = await listRuns(portsOf(session), { limit: OFFERED_RUNS });
  if (runs.length === 0) throw new Failure('USAGE', 'there is no run yet');
  const textOf = ({ run, state, rows }: RunOverview) => `${run}  ${state}, ${plural(rows, 'row')}`;
  const offered = runs.map((entry) => ({ value: entry.run, text: textOf(entry) }));
  return session.prompt.choose('Which run?', offered);
}

export async function runNamesOf(
  session: Session,
  { run, last }: { readonly run: readonly string[]; readonly last: boolean },
): Promise<readonly string[]> {
  const words = run.length === 0 ? [undefined] : run;
  return [...new Set(await Promise.all(words.map((word) => runNameOf(session, { run: word, last }))))];
}

export const RUNS = {
  run: { ...RUN.run, text: `${RUN.run.text}; several: the shards of one input`, variadic: true },
} as const;

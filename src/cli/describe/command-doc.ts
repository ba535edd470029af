import { FAILURES } from '../../base/failure.ts';
import type { CommandDoc } from '../../command/command.ts';
import { COMMON_OPTIONS } from '../../input/options/common.ts';
import type { OptionSpec } from '../../input/options/option.ts';

/** The common options, without those to which this command gives another meaning. */
export function commonOptions(doc: CommandDoc): readonly OptionSpec[] {
  return COMMON_OPTIONS.filter((common) => !doc.options.some((option) => option.long === common.long));
}

/** No failure, so no code. */
const DONE = { exitCode: 0, code: '', meaning: 'done', repeat: '' };

/** Every exit code in ascending order, from the table of failures. */
export function exitCodeRows(): readonly (typeof DONE)[] {
  return [DONE, ...Object.entries(FAILURES).map(([code, row]) => ({ ...row, code }))];
}

/** The row of an exit code. 129, 141 and 143 share that of 130. */
export function exitCodeRow(exitCode: number): typeof DONE {
  const isCancelled = exitCode === 129 || exitCode === 141 || exitCode === 143;
  const rows = exitCodeRows();
  const row = rows.find((candidate) => candidate.exitCode === (isCancelled ? FAILURES.CANCELLED.exitCode : exitCode));
  return { ...(row ?? DONE), exitCode };
}

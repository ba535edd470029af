import { FAILURES } from '../failure.ts';
import type { RunTally } from './run-tally.ts';
import type { Stop } from './stop.ts';
import { cancelExitCode } from './stop.ts';

/**
 * The exit code of many rows: the worst wins, in the order 8, 16, the signal, 4 or 5, 7 (nothing could be sent
 * at all), 15, 0. A bug and a refused credential rank with 4 and 5. A signal counts only
 * when it kept the run from a row: otherwise the run ended by its outcomes.
 */
export function runExitCode(tally: RunTally, stops: readonly Stop[]): number {
  if (tally.of('unknown') > 0) return FAILURES.OUTCOME_UNKNOWN.exitCode;
  const broken = stops.find((stop) => stop.kind === 'broken');
  if (broken?.failure.code === 'LOCAL_IO') return broken.failure.exitCode;
  const cancelled = stops.find((stop) => stop.kind === 'signal' || stop.kind === 'reader_gone');
  if (cancelled !== undefined && (cancelled.kind === 'reader_gone' || tally.toDo > 0)) return cancelExitCode(cancelled);
  const refused = stops.find((stop) => stop.kind === 'refused') ?? broken;
  if (refused !== undefined) return refused.failure.exitCode;
  if (tally.unreachable > 0 && tally.reachedService === 0) return FAILURES.UNREACHABLE.exitCode;
  return tally.failed > 0 ? FAILURES.PARTIAL.exitCode : 0;
}

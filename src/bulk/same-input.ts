import { isOnceOnly, type Operation } from '../api/operation.ts';
import { openRecords } from '../call/open-guard.ts';
import { Failure, note } from '../failure.ts';
import { sandboxResetTime } from '../history/sandbox-reset.ts';
import { commandWords, localTime } from '../output/people-text.ts';
import { breakLine, groupThousands, safeText } from '../output/text.ts';
import { type RunHeader, readRunHeader, runFolder } from '../run/stored/run-folder.ts';
import { showRun } from '../run/stored/run-list.ts';
import type { Session } from '../session.ts';
import { placeOf } from './row-requests.ts';
import { portsOf } from './run.ts';
import { MAY_BE_APPLIED } from './run-input.ts';

/** What a run is about to send, as far as an earlier one may have sent the same. */
interface Sending {
  readonly operation: Operation;
  /** Of the ids and bodies in their order. */
  readonly rowsSha256: string;
  /** `1/4`; null: all rows. */
  readonly shard: string | null;
  /** The run that it resumes, if there is one. */
  readonly name: string | undefined;
  readonly isAgain: boolean;
}

/** The newest earlier run that did something with the same rows at the same place; its counts as words. */
async function earlierRun(session: Session, { operation, rowsSha256, shard, name }: Sending) {
  const { stateDir } = session.places;
  if (stateDir === undefined) return undefined;
  const host = placeOf(session, operation);
  const { profile } = session;
  const resetAt = profile.isSandbox ? sandboxResetTime(stateDir) : undefined;
  const found: RunHeader[] = [];
  const records = await openRecords(session).catch((error: unknown) => {
    // What makes nothing anew is reported where its open writes are looked for.
    if (!(error instanceof Failure) || isOnceOnly(operation)) throw error;
    return undefined;
  });
  for (const run of records?.runsOf(rowsSha256) ?? []) {
    if (run === name) continue;
    // A run that cannot be read is reported where it is listed.
    const header = await readRunHeader(runFolder(stateDir, run), true).catch(() => undefined);
    const isSame =
      header?.rowsSha256 === rowsSha256 &&
      header.operation === operation.command &&
      header.host === host &&
      header.profile === profile.name &&
      (header.options['shard'] ?? null) === shard;
    if (isSame && (resetAt === undefined || header.startedAt > resetAt)) found.push(header);
  }
  found.sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  for (const { run, startedAt } of found) {
    const { state, outcomes = {} } = await showRun(portsOf(session), run);
    const counts = [...MAY_BE_APPLIED].flatMap((outcome) => {
      const rows = outcomes[outcome] ?? 0;
      return rows === 0 ? [] : [`${groupThousands(rows)} ${outcome.replaceAll('_', ' ')}`];
    });
    if (counts.length > 0) return { run, startedAt, state, counts: counts.join(', ') };
  }
  return undefined;
}

/**
 * Looks whether an earlier run sent the same rows (ids and bodies in their order) to the same place. Of reissues and
 * events that would make everything twice: a question says it first, and where none is asked the run is refused (17).
 * For other operations it is a notice.
 */
export async function sayOrRefuseSameInput(session: Session, sending: Sending): Promise<void> {
  const { operation, isAgain } = sending;
  const earlier = await earlierRun(session, sending);
  if (earlier === undefined) return;
  const { run, startedAt, state, counts } = earlier;
  const what = `run ${run} sent the same rows on ${localTime(startedAt)} (${counts})`;
  if (!isOnceOnly(operation)) return session.notify(note('SAME_INPUT', what));
  if (isAgain) return;
  if (session.common.yes !== true && session.prompt.available) {
    const text = `SENT BEFORE: ${safeText(commandWords(operation.command))}: ${what}`;
    const lines = breakLine(`  ${text}`, session.context.stderr.columns);
    return session.context.stderr.write(`${lines.join('\n')}\n`);
  }
  const goesOn = state === 'stopped' || state === 'interrupted';
  throw Failure.unsent('PRECONDITION', `${what}, and this would make all of them again`, {
    hints: [
      goesOn ? `resume it: frontdesk runs resume ${run}` : `see its rows: frontdesk runs results ${run}`,
      'add --again to send them anyway',
    ],
    details: { outcome: 'not_sent' },
  });
}

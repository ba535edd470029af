import type { Context } from '../../../base/context.ts';
import { Failure, type Fault, usageFailure, warning } from '../../../base/failure.ts';
import { outside } from '../../../base/json/outside-text.ts';
import { list } from '../../../base/json/shape.ts';
import { hintText } from '../../../base/next-step.ts';
import { localCommand } from '../../../command/command.ts';
import type { Profiled, Session } from '../../../command/session.ts';
import { canBeNamed } from '../../../profile/resolve.ts';
import { blockOf, HISTORY_COLUMNS, HISTORY_OUTPUT, historyJson } from '../../../records/entry-table.ts';
import { showHistory } from '../../../records/read.ts';
import { type HistoryEntry, hostOf, isClosed } from '../../../records/write-record.ts';
import { commandWords } from '../../../screen/people-text.ts';
import { plural } from '../../../screen/text.ts';
import { nounOf, resolvedBy } from '../../../service/api/operation.ts';
import { operationNamed } from '../../../service/api/operations.ts';
import {
  type CardCheck,
  canBeChecked,
  cardCheckOf,
  isResolvedBy,
  isResolvedByCheck,
  recordChecks,
  unresolvedWrites,
} from '../../../writes/resolve-write.ts';
import { callService, cardRead } from '../../../writes/resource.ts';
import { SINCE } from './entry.ts';

/** Why a card check resolves nothing of an entry, and what does; undefined if it may. */
function obstacle(
  session: Profiled,
  env: Context['env'],
  host: string,
  entry: HistoryEntry,
): { readonly problem: string; readonly fix: string } | undefined {
  const { name } = session.selectedProfile();
  const words = commandWords(entry.operation);
  if (entry.run !== undefined) {
    const step = isResolvedByCheck(entry.operation) ? 'resume it with a check of the cards' : 'see its unknown rows';
    return { problem: `is a row of run ${entry.run}`, fix: hintText({ do: step, about: entry.run }) };
  }
  if (!canBeChecked(entry.operation)) {
    const row = operationNamed(entry.operation);
    const hint = row?.effect.kind === 'write' ? row.effect.unknownHint : 'check it at the service';
    return { problem: `is a ${words}, and no card shows whether it was applied`, fix: hint };
  }
  if (entry.profile !== name) {
    const problem = `is of profile ${entry.profile}, not ${name}`;
    const fix = canBeNamed(entry.profile, session.settings(), env)
      ? hintText({ do: 'check it with', about: entry.entry, profile: entry.profile })
      : hintText({ do: 'record what you found out with', about: entry.entry });
    return { problem, fix };
  }
  if (entry.host !== host) {
    const problem = `was sent to ${entry.host}, and profile ${name} leads to ${host}`;
    const words = `choose the profile that leads to ${entry.host}`;
    return { problem, fix: hintText({ do: 'list the profiles', words }) };
  }
  return undefined;
}

/** The named entries, each once. USAGE with all faults together. */
async function namedEntries(
  session: Session,
  host: string,
  names: readonly string[],
): Promise<readonly HistoryEntry[]> {
  const found = new Map<string, HistoryEntry>();
  const faults: Fault[] = [];
  const fixes = new Set<string>();
  for (const name of names) {
    const entry = await showHistory(session.stateDir(), name);
    const problem = obstacle(session, session.context.env, host, entry);
    found.set(entry.entry, entry);
    if (problem === undefined) continue;
    const { outcome } = entry.callOutcome;
    const known = `ended as ${outcome}, so nothing is left to resolve`;
    faults.push({ where: entry.entry, problem: outcome === 'unknown' ? problem.problem : known });
    if (outcome === 'unknown') fixes.add(problem.fix);
  }
  if (faults.length > 0) throw usageFailure(faults, [...fixes].slice(0, 2));
  return [...found.values()];
}

/** Reads the card of an entry; undefined after a failure, which is reported. A 401 ends everything. */
async function checkCard(session: Session, cardId: string): Promise<CardCheck | undefined> {
  const result = await callService(session, cardRead(cardId));
  if (result.kind === 'answered') return cardCheckOf(result);
  if (result.failure.code === 'AUTH' || result.failure.code === 'CANCELLED') throw result.failure;
  await session.report(result.failure);
  return undefined;
}

function stillUnknown({ entry, operation, id }: HistoryEntry, seen: CardCheck): string {
  const row = operationNamed(operation);
  const never =
    row === undefined || resolvedBy(row) !== undefined ? '' : `. Checking the card cannot confirm a ${nounOf(row)}`;
  return `${commandWords(operation)} ${id} (entry ${entry}) is still unknown: the card shows ${seen.status === undefined ? 'no status' : outside(seen.status)}${never}`;
}

export const command = localCommand({
  columns: HISTORY_COLUMNS,
  usesProfile: true,
  description:
    'Checks the card of each single change of a card status with an unknown outcome, for this profile and host. If the card has the expected status, the outcome becomes confirmed_by_read. Otherwise it stays unknown. A reissue always stays unknown. The check changes nothing at the service. For the rows of a run, use `frontdesk runs resume <run> --reconcile`.',
  arguments: { entry: { text: 'name of an entry; none: all that are unknown', required: false, variadic: true } },
  options: { since: { ...SINCE, excludes: { '<entry>': '' } } },
  exitCodes: [8],
  examples: {
    'Check all cards with an unknown outcome': 'history reconcile -p live',
    'Only changes of the last week': 'history reconcile -p live --since 7d',
    'One entry': 'history reconcile 9f3a1c -p live',
  },
  output: () => list(HISTORY_OUTPUT),
  async run(session, { entry: names, since }) {
    if (!session.keepsHistory) {
      throw new Failure('USAGE', 'could not record anything: FRONTDESK_NO_HISTORY is set. No card was checked', {
        hints: ['unset FRONTDESK_NO_HISTORY'],
      });
    }
    const sinceMs = since?.at(session.context.clock.now()).fromMs;
    await session.service('cards');
    const host = hostOf(session.placeOf('cards'));
    const chosen =
      names.length > 0 ? await namedEntries(session, host, names) : await unresolvedWrites(session, { sinceMs });
    const checks = new Map<string, CardCheck | undefined>();
    const checkOf = async (entry: HistoryEntry) => {
      const key = (entry.id ?? '').toLowerCase();
      if (entry.callOutcome.outcome !== 'unknown' || isClosed(entry)) return undefined;
      if (!checks.has(key)) checks.set(key, await checkCard(session, entry.id ?? ''));
      return checks.get(key);
    };
    let recorded = 0;
    const known = await recordChecks(session, chosen, checkOf, async (entry, seen) => {
      recorded += 1;
      session.done.splice(0, 1, `${plural(recorded, 'card check is', 'card checks are')} recorded`);
      if (isResolvedBy(entry, seen)) return;
      await session.notify(warning('STILL_UNKNOWN', stillUnknown(entry, seen)));
    });
    const named = new Map(known.map((entry) => [entry.entry, entry]));
    const now = chosen.map((entry) => named.get(entry.entry) ?? entry);
    const rows = now.map(historyJson);
    const none = `No unknown outcomes of profile ${session.selectedProfile().name} to ${host}.`;
    await session.print({ kind: 'list', rows, columns: HISTORY_COLUMNS, block: blockOf(rows), whenEmpty: none });
    return now.some((entry) => entry.callOutcome.outcome === 'unknown' && !isClosed(entry)) ? 8 : 0;
  },
});

import { Failure } from '../failure.ts';
import type { RunAudit } from '../run/journal/writer.ts';
import type { RunRow } from '../run/row-outcome.ts';
import type { RunHeader } from '../run/run-folder.ts';
import type { AuditEvent, AuditLog } from './audit-log.ts';
import { hostOf } from './run-entries.ts';

/** The audit log as the journal of a run writes it: the events of its rows, named as the history names them. */
export function auditOfRun(log: AuditLog, header: RunHeader): RunAudit {
  let failure: Failure | undefined;
  const begun = new Set<number>();
  const append = async (events: readonly AuditEvent[]) => {
    try {
      await log.append(events);
    } catch (error) {
      if (error instanceof Failure) failure ??= error;
      throw error;
    }
  };
  const { run, operation } = header;
  const entryOf = (row: number) => `${run}:${row}`;
  const factsAt = (timeMs: number, id: string | undefined) => ({
    time: new Date(timeMs).toISOString(),
    operation,
    id,
    run,
    ...planOf(header),
  });
  const beginOf = ({ row, id, reason }: RunRow, timeMs: number): AuditEvent => ({
    event: 'begin',
    entry: entryOf(row),
    ...factsAt(timeMs, id),
    user: header.user,
    profile: header.profile,
    host: hostOf(header.host),
    reason,
  });
  return {
    get failure() {
      return failure;
    },
    async begin(row, timeMs) {
      if (begun.has(row.row)) return;
      begun.add(row.row);
      await append([beginOf(row, timeMs)]);
    },
    async end(row, ending, timeMs, wasBegun) {
      const end: AuditEvent = { event: 'end', entry: entryOf(row.row), ...factsAt(timeMs, row.id), ending };
      // A row that was never sent has its whole record at once.
      const isKnown = begun.delete(row.row) || wasBegun === true;
      await append(isKnown ? [end] : [beginOf(row, timeMs), end]);
    },
  };
}

/** The plan that a run applies, and the names of those whose approvals counted when it was begun. */
function planOf({ run, inputFormat, options }: RunHeader): Pick<AuditEvent, 'plan' | 'approvers'> {
  if (inputFormat !== 'plan') return {};
  const { approvedBy } = options;
  const approvers = Array.isArray(approvedBy) ? approvedBy.map((approval) => approval.split(' ', 1)[0] ?? '') : [];
  return { plan: run.replace(/^plan-/, ''), approvers };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { warning } from '../base/failure.ts';
import type { Session } from '../command/session.ts';
import type { PaceOptions } from '../input/options/call-options.ts';
import type { Row } from '../input/rows/row.ts';
import type { RunAudit } from '../records/journal/journal.ts';
import type { Since } from '../records/sent-since.ts';
import { runsFolder } from '../records/stored/open-folder.ts';
import { openOrCopy } from '../records/stored/run-copy.ts';
import type { RunHeader } from '../records/stored/run-folder.ts';
import { type ActiveRun, beginRun, type NewRun, type RunPorts } from '../records/stored/run-store.ts';
import type { Column } from '../screen/column.ts';
import type { Operation } from '../service/api/operation.ts';
import { maskPlain } from '../service/http/mask.ts';
import { type FailedFile, type FailedFileOptions, openFailedFile } from './failed-file.ts';
import { limitsOf } from './run-input.ts';
import type { RunTask } from './run-task.ts';
import type { LeftUnchanged } from './summary.ts';

/** Many rows of one operation: all that is known of them before the first is sent. */
export interface Run extends Partial<Pick<RunTask<Row>, 'unknownRows' | 'superseded'>> {
  readonly operation: Operation;
  readonly rows: () => AsyncIterable<readonly Row[]>;
  readonly rowCount: number;
  readonly pace: PaceOptions;
  /** Of a resumed run; absent: those of the call. */
  readonly limits?: ReturnType<typeof limitsOf>;
  /** What is kept of it; undefined on a read. */
  readonly stored?: ActiveRun | undefined;
  readonly failedFile?: FailedFile | undefined;
  readonly columns: readonly Column[];
  readonly left?: LeftUnchanged;
  /** Card statuses that the question showed, by row. A row with another status is held back. */
  readonly shown?: ReadonlyMap<number, string> | undefined;
  /** `--again`: rows are sent although the same change is open. */
  readonly again?: boolean;
  /** Where the records ended before anybody was asked. */
  readonly since?: Since | undefined;
}

/** What the store of runs needs of a session. USAGE without a state folder. */
export function portsOf(session: Session): RunPorts {
  const { clock, pid, random, env } = session.context;
  const auditPath = env['FRONTDESK_AUDIT_LOG'] ?? '';
  return {
    stateDir: session.stateDir(),
    clock,
    pid,
    random,
    mask: session.output.mask,
    // With --quiet too, because the wait may take 90 s.
    report: (message) => session.notify(warning('RUN_HELD', message)),
    openAudit: auditPath === '' ? undefined : (header) => openAudit(auditPath, header),
  };
}

async function openAudit(path: string, header: RunHeader): Promise<RunAudit> {
  const { auditOfRun, openAuditLog } = await import('../records/audit-log.ts');
  const log = openAuditLog(path);
  // Fail before the first row if the audit log cannot be written.
  await log.append([]);
  return auditOfRun(log, header);
}

/** A network file system may break what locks and records rely on: the first run on it warns. */
async function tryFileSystem(session: Session): Promise<void> {
  const stateDir = session.stateDir();
  const stored = join(stateDir, '.file-system-tried');
  if (existsSync(stored)) return;
  const { MOVE_STATE, newlyUnsupported } = await import('../base/files/file-system.ts');
  // In a folder where the next run removes what a kill leaves.
  const broken = newlyUnsupported(runsFolder(stateDir), session.context.pid, stored);
  if (broken.length === 0) return;
  const what = `runs and records may be damaged in ${stateDir}, whose file system does not keep what they rest on`;
  await session.notify(warning('FILE_SYSTEM', `${what}: ${broken.join(', ')}. To fix this, ${MOVE_STATE}`));
}

/** Begins a run with the limits of this session, and its profile unless another is given. */
export async function startRun(
  session: Session,
  run: Omit<NewRun, 'profile' | 'user'> & { readonly profile?: string | undefined },
): Promise<ActiveRun> {
  const { output, context } = session;
  const limits = { ...limitsOf(session), output: output.format };
  const owner = { profile: run.profile ?? session.selectedProfile().name, user: context.user };
  const wanted = { ...run, ...owner, options: maskPlain({ ...run.options, ...limits }, output.mask) };
  return openOrCopy(portsOf(session), run.name, async (ports) => {
    await tryFileSystem(session);
    return beginRun(ports, wanted);
  });
}

/** Opens the file of `--failed`, if given. */
export async function openFailed(
  session: Session,
  path: string | undefined,
  rows: Omit<FailedFileOptions, 'path' | 'pid' | 'stream'>,
): Promise<FailedFile | undefined> {
  if (path === undefined) return undefined;
  const { pid, stdout, stderr } = session.context;
  const stream = /^\/dev\/(?:stdout|fd\/1)$/.test(path)
    ? stdout
    : /^\/dev\/(?:stderr|fd\/2)$/.test(path)
      ? stderr
      : undefined;
  const file = await openFailedFile({ ...rows, path, pid, stream });
  session.dropAtSignal(file.discard);
  return file;
}

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { getPriority, hostname, platform } from 'node:os';
import { errnoOf } from './io-failure.ts';

/**
 * One life of one process. A pid alone is used again after a while, and means nothing on another machine
 * or in another container that shares the folder.
 */
export interface ProcessIdentity {
  /** Eight hex digits that stand for this boot of this machine and this container's view of pids. */
  readonly host: string;
  readonly pid: number;
  /** Start time in clock ticks since boot; `x` where the system does not say. */
  readonly start: string;
}

/**
 * `elsewhere`: on another machine or in another container, where it cannot be asked whether it lives. `unsure`: a process
 * with its pid runs here, and this system does not say when that one began: pids are used again soon on Windows.
 */
export type ProcessState = 'running' | 'gone' | 'elsewhere' | 'unsure';

function hostSource(): string | Buffer {
  try {
    // Several numbers: this /proc shows the processes of an outer container, and our pid is another one's in it.
    const isOwnProc = /^NSpid:\s+\d+$/m.test(readFileSync('/proc/self/status', 'utf8'));
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    if (isOwnProc) return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux, or a container that hides it.
  }
  // Two Linux containers may well have the same host name: where nothing else differs, a holder cannot be asked.
  return platform() === 'linux' ? randomBytes(16) : hostname();
}

/** State letter, parent and start time of a process, where /proc shows them; undefined too once it has ended. */
export function readProcStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], parent: Number(fields[1]), start: fields[19] ?? 'x' };
  } catch {
    return undefined;
  }
}

let knownHost: string | undefined;

/** Eight hex digits, as of now: nothing of it changes in the life of a process. */
function ownHost(): string {
  knownHost ??= createHash('sha256').update(hostSource()).digest('hex').slice(0, 8);
  return knownHost;
}

/** Who the process with this pid is, here and now. */
export function identify(pid: number): ProcessIdentity {
  return { host: ownHost(), pid, start: readProcStat(pid)?.start ?? 'x' };
}

function stateHere(identity: ProcessIdentity): ProcessState {
  try {
    getPriority(identity.pid);
  } catch (error) {
    // libuv reports an unknown process as ESRCH; anything else (not permitted) means that it is there.
    if (errnoOf(error) === 'ERR_SYSTEM_ERROR' && error instanceof Error && error.message.includes('ESRCH'))
      return 'gone';
  }
  if (identity.start === 'x') return 'unsure';
  const stat = readProcStat(identity.pid);
  if (stat === undefined) return 'running';
  // A killed process whose parent never collected it is dead for every purpose of frontdesk.
  if (stat.state === 'Z' || stat.state === 'X') return 'gone';
  // A restarted container may get the namespace and the pid of the one before: the time of its start distinguishes them.
  return identity.start === stat.start ? 'running' : 'gone';
}

/** What has become of the process that left a file; undefined: it does not say which. A stopped one (SIGSTOP) is running. */
export function processState(identity: ProcessIdentity | undefined): ProcessState {
  return identity?.host === ownHost() ? stateHere(identity) : 'elsewhere';
}

const TEMPORARY = /^\.frontdesk-([0-9a-f]{8})-(\d{1,10})-(\d{1,20}|x)-[0-9a-f]{12}\.tmp/;

/** Name of a temporary file that names its process, so that it can be swept once its process is dead. */
export function temporaryName(pid: number): string {
  const { host, start } = identify(pid);
  return `.frontdesk-${host}-${pid}-${start}-${randomBytes(6).toString('hex')}.tmp`;
}

/**
 * A temporary file is there for seconds. Whether a maker lives that cannot be asked is not known, and its clock may be
 * wrong by hours, so a day goes by before what it left is removed.
 */
const LEFT_BY_UNKNOWN_MS = 86_400_000;

/** Is it, by its name, a temporary file that its maker left behind? `ageMs`: how long ago it was changed, by this machine's clock. */
export function isLeftOver(name: string, ageMs: number): boolean {
  const [match, host = '', pid, start = ''] = TEMPORARY.exec(name) ?? [];
  if (match === undefined) return false;
  const state = processState({ host, pid: Number(pid), start });
  return state === 'gone' || (state !== 'running' && ageMs > LEFT_BY_UNKNOWN_MS);
}

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { getPriority, hostname, platform } from 'node:os';
import { errnoOf, ifPossible } from './io-failure.ts';

/** Identifies a process. A pid alone is reused, and means nothing on another machine or in another container. */
export interface ProcessIdentity {
  /** Eight hex digits for this boot of this machine and this container's view of pids. */
  readonly host: string;
  readonly pid: number;
  /** Start time in clock ticks since boot; `x` if the system does not say. */
  readonly start: string;
}

/**
 * `elsewhere`: on another machine or in another container, where it cannot be asked. `unsure`: its pid runs here, and
 * the system does not say since when, as on Windows, where pids are reused soon.
 */
export type ProcessState = 'running' | 'gone' | 'elsewhere' | 'unsure';

function hostSource(): string | Buffer {
  try {
    // With several numbers, this /proc shows an outer container, in which this pid is another process.
    const isOwnProc = /^NSpid:\s+\d+$/m.test(readFileSync('/proc/self/status', 'utf8'));
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    if (isOwnProc) return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux, or hidden by a container.
  }
  // Two Linux containers may share a host name. If nothing else differs, a holder cannot be asked.
  return platform() === 'linux' ? randomBytes(16) : hostname();
}

/** State, parent and start time of a process from /proc; undefined if it has ended or there is no /proc. */
export function readProcStat(pid: number) {
  const stat = ifPossible(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in brackets, and may hold blanks and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && { state: fields[0], parent: Number(fields[1]), start: fields[19] ?? 'x' };
}

let knownHost: string | undefined;

/** Eight hex digits, constant for the life of a process. */
function ownHost(): string {
  knownHost ??= createHash('sha256').update(hostSource()).digest('hex').slice(0, 8);
  return knownHost;
}

export function identify(pid: number): ProcessIdentity {
  return { host: ownHost(), pid, start: readProcStat(pid)?.start ?? 'x' };
}

function stateHere(identity: ProcessIdentity): ProcessState {
  try {
    getPriority(identity.pid);
  } catch (error) {
    // libuv reports an unknown process as ESRCH. Any other error means that it exists.
    if (errnoOf(error) === 'ERR_SYSTEM_ERROR' && error instanceof Error && error.message.includes('ESRCH'))
      return 'gone';
  }
  if (identity.start === 'x') return 'unsure';
  const stat = readProcStat(identity.pid);
  if (stat === undefined) return 'running';
  // A killed process that its parent never collected counts as dead.
  if (stat.state === 'Z' || stat.state === 'X') return 'gone';
  // A restarted container may get the same namespace and pid: the start time tells them apart.
  return identity.start === stat.start ? 'running' : 'gone';
}

/** The state of the process that left a file; undefined if the file names none. A stopped one (SIGSTOP) is running. */
export function processState(identity: ProcessIdentity | undefined): ProcessState {
  return identity?.host === ownHost() ? stateHere(identity) : 'elsewhere';
}

const TEMPORARY = /^\.frontdesk-([0-9a-f]{8})-(\d{1,10})-(\d{1,20}|x)-[0-9a-f]{12}\.tmp/;

/** Name of a temporary file. It names its process, so that it can be swept after the process died. */
export function temporaryName(pid: number): string {
  const { host, start } = identify(pid);
  return `.frontdesk-${host}-${pid}-${start}-${randomBytes(6).toString('hex')}.tmp`;
}

/** A temporary file exists for seconds. If its maker cannot be asked, it is removed after a day: clocks differ. */
const LEFT_BY_UNKNOWN_MS = 86_400_000;

/** Is this, by its name, a temporary file that its maker left behind? `ageMs`: time since its last change. */
export function isLeftOver(name: string, ageMs: number): boolean {
  const [match, host = '', pid, start = ''] = TEMPORARY.exec(name) ?? [];
  if (match === undefined) return false;
  const state = processState({ host, pid: Number(pid), start });
  return state === 'gone' || (state !== 'running' && ageMs > LEFT_BY_UNKNOWN_MS);
}

let knownMachine: string | undefined;

/** Eight hex digits for this boot of this machine, which its containers share: what one kernel may append to together. */
export function machineName(): string {
  const boot = ifPossible(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? hostname();
  knownMachine ??= createHash('sha256').update(boot).digest('hex').slice(0, 8);
  return knownMachine;
}

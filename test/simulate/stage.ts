import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { cardId, Records } from './answers.ts';
import { chanceOf } from './chance.ts';
import { type Files, SimulatedDisk, systemError } from './disk.ts';
import { CALM, type Weather } from './fates.ts';
import { Machine } from './machine.ts';
import { SimulatedProcess } from './process.ts';
import type { Program } from './program.ts';
import { Scheduler } from './scheduler.ts';
import { type Arrival, SimulatedService } from './service.ts';

export interface Call {
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** stdin, stdout and stderr are a terminal, at which these lines are typed, each when the program waits. */
  readonly typed?: readonly string[];
  /** It is ended by SIGTERM once it has printed this. */
  readonly endsAt?: string;
  /**
   * The service does each change and breaks the connection, also when it is asked (`silent`), or nobody listens; else what
   * happens to each request, as `fates.ts` has it.
   */
  readonly service?: string;
  /** What the system answers to each write on stdout. */
  readonly stdoutFails?: string;
  /** Comes at its first step on the disk, or once it waits for what reads its stdout. */
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
  readonly isStalled?: boolean;
}

/** What stands where a call begins. */
export interface Place {
  readonly files: Files;
  readonly statuses: ReadonlyMap<string, string>;
  /** When it is, in the time of the world. */
  readonly atMs: number;
}

/** A call on the disk that fails: alone, or with all that come after it. */
export interface DiskFault {
  readonly atStep: number;
  /** What the system answers; `SHORT`: it takes half of what it is to write. */
  readonly code: string;
  readonly goesOn: boolean;
}

export interface Played {
  /** Undefined: it does not end. */
  readonly code: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Its calls on the disk that can fail: `rename /config/settings.json`. */
  readonly steps: readonly string[];
  readonly before: Place;
  readonly after: Place;
  readonly arrivals: readonly Arrival[];
  /** What no program may do: an error that nothing caught. */
  readonly faults: readonly string[];
}

export const SERVICE = 'http://127.0.0.1:8080';

const ENVIRONMENT = {
  HOME: '/home/ann',
  PATH: '/usr/bin',
  TMPDIR: '/tmp',
  FRONTDESK_STATE_DIR: '/state',
  FRONTDESK_CONFIG_DIR: '/config',
};

/** Below these folders a call on the disk fails. */
const OURS = /^\/(?:state|config|jobs|tmp|home)(?:\/|$)/;
/** A descriptor that cannot be closed is closed anyway. */
const NEVER_FAILS = ['close', 'fstat'];

const SILENT: Weather = { ...CALM, share: 1, fates: ['reset after the work'] };
const WEATHER: Readonly<Record<string, Weather>> = {
  silent: SILENT,
  breaks: { ...SILENT, sparesReads: true },
  away: CALM,
};
const MOST_EVENTS = 100_000;
/** A call of any command waits for something by then, if only for the reader of its output. */
const SOON_MS = 500;
/** After this long, in the time of the world, a call does not end by itself. */
const PATIENCE_MS = 600_000;

/** The disk of a machine where nobody has used the program. */
export function newPlace(files: Readonly<Record<string, string>> = {}): Place {
  const disk = new SimulatedDisk(
    () => 0,
    () => 0,
  );
  for (const [path, text] of Object.entries(files)) disk.file(path, text);
  const statuses = new Map<string, string>();
  for (let number = 1; number <= 4; number += 1) statuses.set(cardId(number), 'WAITING_ACTIVATION');
  return { files: disk.files(''), statuses, atMs: 0 };
}

/** A token command: it prints this once it has started. */
function child(): EventEmitter {
  const started = Object.assign(new EventEmitter(), {
    stdout: Readable.from([Buffer.from('token-of-a-command-0123456789\n')]),
    stderr: Readable.from([]),
    kill: () => true,
    unref: () => undefined,
    pid: 99_999,
  });
  started.stdout.on('end', () => started.emit('close', 0, null));
  return started;
}

/** A server that listens, and that nobody calls. */
function deafServer(): EventEmitter {
  const server = new EventEmitter();
  return Object.assign(server, {
    listen: () => queueMicrotask(() => server.emit('listening')) ?? server,
    address: () => ({ port: 8081 }),
    close: (done: () => void) => done(),
    closeAllConnections: () => undefined,
  });
}

/** A person at a terminal, who types a line whenever the program waits for one. */
class Terminal extends PassThrough {
  readonly isTTY = true;
  readonly #lines: string[];
  #asked = 0;

  constructor(lines: readonly string[]) {
    super();
    this.#lines = [...lines];
  }

  setRawMode(): this {
    return this;
  }

  /** What the terminal shows: each question, perhaps over two lines, is answered once. */
  show(text: string, scheduler: Scheduler): void {
    if (!/\? [^?]* $/.test(text) || text.length === this.#asked) return;
    this.#asked = text.length;
    scheduler.after(20, () => {
      if (text.length === this.#asked) this.write(`${this.#lines.shift() ?? '\u0003'}\r`);
    });
  }
}

/** The clock goes on for a program that looks at it again and again in one turn. */
class TickingMachine extends Machine {
  #turn = 0;
  #looks = 0;

  override now(): number {
    const { count } = this.scheduler;
    this.#looks = count === this.#turn ? this.#looks + 1 : 0;
    this.#turn = count;
    if (this.#looks > 100) this.wallMs += 10;
    return super.now();
  }
}

function openStdin(text = ''): Readable {
  const open = new PassThrough();
  open.write(text);
  return open;
}

/** Runs one call in a world of its own, which begins as a place says, and tells what is left. */
export async function play(program: Program, before: Place, call: Call, fault?: DiskFault): Promise<Played> {
  const scheduler = new Scheduler(chanceOf(1, 'order'));
  scheduler.nowMs = before.atMs;
  const machines: Machine[] = [];
  const disk = new SimulatedDisk(
    () => machines[0]?.now() ?? 0,
    () => scheduler.nowMs,
  );
  const machine = new TickingMachine('desk', scheduler, disk, 0);
  machines.push(machine);
  disk.restore(before.files);
  const records = new Records('again');
  for (const [id, status] of before.statuses) records.statuses.set(id, status);
  const { service: fate } = call;
  const weather = fate === undefined ? CALM : (WEATHER[fate] ?? { ...SILENT, fates: [fate] });
  const service = new SimulatedService(1, scheduler, { weather, records, tell: () => undefined });
  const steps: string[] = [];
  const faults: string[] = [];
  const isNow = () =>
    fault !== undefined && (fault.goesOn ? steps.length >= fault.atStep : steps.length === fault.atStep);
  const onCall = (name: string, path: string | undefined): void => {
    if (NEVER_FAILS.includes(name) || (path !== undefined && !OURS.test(path))) return;
    steps.push(path === undefined ? name : `${name} ${path}`);
    if (fault === undefined) return;
    if (
      isNow() &&
      fault.code !== 'SHORT' &&
      (fault.code !== 'ENOSPC' || /^(?:open|write|mkdir|link|rename|fsync|ftruncate)$/.test(name))
    )
      throw systemError(fault.code, name, path);
  };
  const { signal, isStalled = false } = call;
  const terminal = call.typed && new Terminal(call.typed);
  const stdin = terminal ?? (signal === undefined || isStalled ? call.stdin : openStdin(call.stdin));
  let hasEnded = false;
  const process = new SimulatedProcess({
    pid: 100 + Math.floor(before.atMs),
    machine,
    program,
    argv: call.args,
    env: { ...ENVIRONMENT, ...(terminal && { FRONTDESK_ACCESSIBLE: '1' }), ...call.env },
    listener: fate === 'away' ? { fateOf: () => 'refused', accept: (far) => service.accept(far) } : service,
    syncMs: 5,
    random: chanceOf(1, 'process'),
    strikes:
      signal === undefined || isStalled ? [] : [{ of: 'all', atStep: 1, strike: (struck) => struck.signal(signal) }],
    isStdoutStalled: isStalled,
    ...(call.stdoutFails !== undefined && { stdoutFails: call.stdoutFails }),
    isTerminal: terminal !== undefined,
    ...(stdin !== undefined && { stdin }),
    modules: {
      child_process: { spawnSync: () => ({ stdout: '' }), spawn: child },
      http: { createServer: deafServer },
      ...(terminal !== undefined && { tty: { isatty: () => true } }),
    },
    onCall,
    takes: (length) => (fault?.code === 'SHORT' && isNow() ? Math.ceil(length / 2) : length),
    onPrint: (printing) => {
      terminal?.show(printing.stderr, scheduler);
      if (call.endsAt !== undefined && printing.stdout.includes(call.endsAt)) printing.signal('SIGTERM');
    },
    onExit: () => {
      hasEnded = true;
    },
    onFault: (what) => faults.push(what),
  });
  let isLate = false;
  scheduler.after(PATIENCE_MS, () => {
    isLate = true;
  });
  if (isStalled && signal !== undefined) scheduler.after(SOON_MS, () => process.signal(signal));
  await scheduler.run(() => hasEnded || isLate, MOST_EVENTS);
  const after = { files: disk.files(''), statuses: new Map(records.statuses), atMs: Math.ceil(scheduler.nowMs) + 1000 };
  const { exitCode: code, stdout, stderr } = process;
  return { code, stdout, stderr, steps, before, after, arrivals: service.arrivals, faults };
}

export const textAt = ({ files }: Place, path: string): string | undefined => files.get(path)?.bytes?.toString();

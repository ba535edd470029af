import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';
import type { SeededRandom } from '../support/seeded-random.ts';
import { systemError } from './disk.ts';
import { fileModule, promisesModule } from './file-modules.ts';
import type { Machine } from './machine.ts';
import { type Listener, SimulatedSocket } from './network.ts';
import type { Program } from './program.ts';
import type { Owner, SimulatedEvent } from './scheduler.ts';
import { SystemCalls, UID } from './system-calls.ts';

const require = createRequire(import.meta.url);

/** Thrown out of a call that the process does not come back from. */
class ProcessGone extends Error {}

/** Steps of any kind; changes of the disk; what goes over the network, before it leaves, once it has left, and as it comes. */
export type StepKind = 'all' | 'disk' | 'network';

/** What is to happen to a process at one of its steps: calls of the system, and what comes back of them. */
export interface Strike {
  readonly of: StepKind;
  readonly atStep: number;
  /** Before the call, or what comes back, is done. */
  readonly strike: (process: SimulatedProcess) => void;
}

export interface StartOptions {
  readonly pid: number;
  readonly machine: Machine;
  readonly program: Program;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly listener: Listener;
  /** How long a sync takes at most. */
  readonly syncMs: number;
  /** How many times slower than others it comes to the disk. */
  readonly slow?: number;
  readonly random: SeededRandom;
  readonly strikes: readonly Strike[];
  /** Its reader takes nothing. */
  readonly isStderrStalled?: boolean;
  /** stdin, stdout and stderr are a terminal. */
  readonly isTerminal?: boolean;
  /** What comes on stdin; without it, its end. */
  readonly stdin?: string | Readable;
  /** The same of stdout. */
  readonly isStdoutStalled?: boolean;
  /** What the system answers to each write on stdout. */
  readonly stdoutFails?: string;
  /** Modules of Node in the place of those that are simulated. */
  readonly modules?: Readonly<Record<string, unknown>>;
  /** Before each call on the disk: throws what the system answers. */
  readonly onCall?: (call: string, path: string | undefined) => void;
  /** How many of these bytes the disk takes of a write. */
  readonly takes?: (length: number) => number;
  /** When it has printed. */
  readonly onPrint?: (process: SimulatedProcess) => void;
  readonly onExit: (process: SimulatedProcess) => void;
  /** Something that no program may do. */
  readonly onFault: (what: string) => void;
}

type Timer = { event: SimulatedEvent | undefined } & Record<string, unknown>;

/** One process of the program: all that the program knows of the world comes from here. */
export class SimulatedProcess implements Owner {
  readonly pid: number;
  readonly startTicks: string;
  readonly machine: Machine;
  readonly argv: readonly string[];
  stdout = '';
  /** When it had printed how much. */
  readonly prints: { readonly atMs: number; readonly end: number }[] = [];
  stderr = '';
  /** Undefined while it lives; null once it was killed. */
  exitCode: number | null | undefined;
  isPaused = false;
  wasPaused = false;
  wasKilled = false;
  wasCrashed = false;
  /** Its disk was full or failed. */
  hadFailures = false;
  startedMs: number;
  endedMs: number | undefined;
  /** The same by the clock of its machine. */
  readonly startedWallMs: number;
  endedWallMs: number | undefined;
  /** When the first signal was handled. */
  signalledMs: number | undefined;
  /** Writes that left. */
  sent = 0;
  readonly #options: StartOptions;
  readonly #random: SeededRandom;
  readonly #kept: SimulatedEvent[] = [];
  readonly #timersSet = new Set<SimulatedEvent>();
  readonly #strikes: Strike[];
  readonly #calls: SystemCalls;
  readonly #node: EventEmitter & Record<string, unknown>;
  #isStalled: boolean;
  #untaken: (() => void) | undefined;
  readonly #steps: Record<StepKind, number> = { all: 0, disk: 0, network: 0 };
  #isTearing = false;
  #failingUntil = 0;
  #failure = '';

  constructor(options: StartOptions) {
    const { machine, argv, random, strikes } = options;
    this.#options = options;
    this.#isStalled = options.isStderrStalled === true;
    this.machine = machine;
    this.argv = argv;
    this.#random = random;
    this.#strikes = [...strikes];
    this.pid = options.pid;
    this.startedMs = machine.scheduler.nowMs;
    this.startedWallMs = machine.now();
    this.startTicks = String(1000 + Math.floor(machine.scheduler.nowMs / 10));
    this.#calls = new SystemCalls(
      machine.disk,
      { before: (call, path) => this.#before(call, path), takes: (length) => this.#takes(length) },
      (path) => this.#shown(path),
    );
    this.#node = this.#nodeProcess();
    machine.processes.set(this.pid, this);
    machine.scheduler.after(0, () => this.#start(), this);
  }

  get isGone(): boolean {
    return this.exitCode !== undefined;
  }

  keep(event: SimulatedEvent): void {
    this.#kept.push(event);
  }

  enter(run: () => void): void {
    try {
      this.#step();
      run();
    } catch (error) {
      this.fail(error);
    }
  }

  /** SIGKILL, or the end of the power. */
  kill(): void {
    if (this.isGone) return;
    this.wasKilled = true;
    this.#end(null);
  }

  pause(): void {
    this.isPaused = true;
    this.wasPaused = true;
  }

  /** `timersLaterMs`: its timers have stood still as well. */
  goOn(timersLaterMs = 0): void {
    this.isPaused = false;
    const { scheduler } = this.machine;
    if (timersLaterMs > 0) for (const timer of this.#timersSet) scheduler.delay(timer, timersLaterMs);
    for (const event of this.#kept.splice(0)) scheduler.add(event);
  }

  /** As at the keyboard, or from a system that shuts down. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
    this.#hear(name, name);
  }

  crash(): void {
    this.wasCrashed = true;
    this.#hear('uncaughtException', new Error('boom'));
  }

  #hear(name: string, what: unknown): void {
    this.machine.scheduler.after(
      0,
      () => {
        if (this.#node.listenerCount(name) === 0) return this.kill();
        this.#node.emit(name, what);
        this.signalledMs ??= this.machine.scheduler.nowMs;
      },
      this,
    );
  }

  /** Who reads its messages takes them again. */
  unstall(): void {
    this.#isStalled = false;
    if (this.#untaken !== undefined) this.machine.scheduler.after(0, this.#untaken, this);
  }

  /** From now on the next calls that write fail with this. */
  failWrites(code: 'ENOSPC' | 'EIO', count: number): void {
    this.hadFailures = true;
    this.#failure = code;
    this.#failingUntil = this.#steps.all + count;
  }

  /** It is killed in the middle of its next write: a part of that is on the disk. */
  killInWrite(): void {
    this.#isTearing = true;
  }

  fail(error: unknown): void {
    if (this.isGone || error instanceof ProcessGone) return;
    if (this.#node.listenerCount('uncaughtException') > 0) this.#node.emit('uncaughtException', error);
    else this.#options.onFault(`an error that nothing caught: ${error instanceof Error ? error.stack : String(error)}`);
  }

  #end(code: number | null): void {
    this.exitCode = code;
    this.endedMs = this.machine.scheduler.nowMs;
    this.endedWallMs = this.machine.now();
    this.machine.processes.delete(this.pid);
    this.#options.onExit(this);
  }

  /** What the program does after it is of no effect: it is gone. */
  #exit(code: number): void {
    if (this.isGone) return;
    this.#node['exitCode'] = code;
    this.#node.emit('exit', code);
    if (!this.isGone) this.#end(code);
  }

  /** One step further: what is to happen at it happens. */
  #step(): void {
    if (this.isGone) throw new ProcessGone();
    this.#steps.all += 1;
    const due = this.#strikes.filter(({ of, atStep }) => atStep <= this.#steps[of]);
    for (const strike of due) {
      this.#strikes.splice(this.#strikes.indexOf(strike), 1);
      strike.strike(this);
    }
    if (this.isGone) throw new ProcessGone();
  }

  #before(call: string, path: string | undefined): void {
    if (/^(?:write|fsync|ftruncate|rename|link|unlink|mkdir)$/.test(call)) this.#steps.disk += 1;
    this.#step();
    const mayFail = /^(?:open|write|fsync|ftruncate|mkdir|rename)$/.test(call) && this.#steps.all < this.#failingUntil;
    const isOurs = path === undefined || path.startsWith('/state');
    // A full disk opens what is there and cuts it, one that fails opens it and no more.
    const spared = this.#failure === 'EIO' ? 'open' : 'ftruncate';
    if (mayFail && isOurs && call !== spared) throw systemError(this.#failure, call, path);
    this.#options.onCall?.(call, path);
  }

  #takes(length: number): number {
    const isCut = this.#failure === 'ENOSPC' && this.#steps.all + 1 === this.#failingUntil;
    if (!isCut && !this.#isTearing) return this.#options.takes?.(length) ?? length;
    if (this.#isTearing) this.kill();
    return this.#random.below(length);
  }

  /** What /proc shows to it. */
  #shown(path: string): string | readonly string[] | undefined {
    const { machine } = this;
    if (path === '/proc') return [...machine.processes.keys()].map(String);
    if (path === '/proc/self/status') return 'NSpid:\t1\n';
    if (path === '/proc/sys/kernel/random/boot_id') return `${machine.name} ${machine.boots}`;
    if (path === '/proc/self/ns/pid') return 'pid:[1]';
    const [, pid] = /^\/proc\/(\d+)\/stat$/.exec(path) ?? [];
    if (pid === undefined) {
      if (path.startsWith('/proc/')) throw systemError('ENOENT', 'open', path);
      return undefined;
    }
    const other = machine.processes.get(Number(pid));
    if (other === undefined) throw systemError('ENOENT', 'open', path);
    return `${pid} (node) ${other.isPaused ? 'T' : 'S'} 1 ${'0 '.repeat(17)}${other.startTicks} 0`;
  }

  readonly #later = <Result>(call: () => Result, isSync = false): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (this.isGone) return;
      const { syncMs, slow = 1 } = this.#options;
      const ms = 0.02 + slow * (isSync ? syncMs : 3) * this.#random.next() ** 4;
      this.machine.scheduler.after(
        ms,
        () => {
          let result: Result;
          try {
            result = call();
          } catch (error) {
            if (error instanceof ProcessGone) return;
            reject(error);
            return;
          }
          resolve(result);
        },
        this,
      );
    });

  #bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.#random.below(256)));
  }

  #start(): void {
    const { program } = this.#options;
    const { scheduler } = this.machine;
    const timers = this.#timers();
    const { machine } = this;
    class SimulatedDate extends Date {
      constructor(...given: [] | [number | string]) {
        if (given.length === 0) super(machine.now());
        else super(...given);
      }
      static override now(): number {
        return machine.now();
      }
    }
    const own = program.load({ require: this.#require(timers), process: this.#node, Date: SimulatedDate, ...timers });
    own.start().catch((error: unknown) => {
      scheduler.after(0, () => this.fail(error), this);
    });
  }

  #timers() {
    const { scheduler } = this.machine;
    const make = (run: (...given: unknown[]) => void, ms: number, isRepeated: boolean, given: unknown[]): Timer => {
      const set = (): SimulatedEvent => {
        const event = scheduler.after(
          Math.max(1, Number(ms) || 1),
          () => {
            this.#timersSet.delete(event);
            timer.event = isRepeated ? set() : undefined;
            run(...given);
          },
          this,
        );
        this.#timersSet.add(event);
        return event;
      };
      const timer: Timer = {
        event: undefined,
        ref: () => timer,
        unref: () => timer,
        hasRef: () => true,
        refresh() {
          clear(timer);
          timer.event = set();
          return timer;
        },
      };
      timer.event = set();
      return timer;
    };
    const clear = (timer: Timer | undefined): void => {
      if (timer?.event === undefined) return;
      timer.event.isCancelled = true;
      this.#timersSet.delete(timer.event);
    };
    return {
      setTimeout: (run: () => void, ms = 1, ...given: unknown[]) => make(run, ms, false, given),
      setInterval: (run: () => void, ms = 1, ...given: unknown[]) => make(run, ms, true, given),
      setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => ({
        event: scheduler.after(0, () => run(...given), this, 'check'),
        unref: () => undefined,
      }),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    };
  }

  #output(name: 'stdout' | 'stderr'): Writable {
    return new Writable({
      decodeStrings: false,
      write: (text: string | Buffer, _encoding, done) => {
        const take = (): void => {
          if (!this.isGone) this[name] += text.toString();
          if (name === 'stdout') this.prints.push({ atMs: this.machine.scheduler.nowMs, end: this.stdout.length });
          this.#options.onPrint?.(this);
          done();
        };
        const { stdoutFails, isStdoutStalled } = this.#options;
        if (name === 'stdout' && isStdoutStalled === true) return;
        if (name === 'stdout' && stdoutFails !== undefined) done(systemError(stdoutFails, 'write') as Error);
        else if (name === 'stderr' && this.#isStalled) this.#untaken = take;
        else take();
      },
    });
  }

  #nodeProcess(): EventEmitter & Record<string, unknown> {
    const node = new EventEmitter() as EventEmitter & Record<string, unknown>;
    const streams: Partial<Record<'stdout' | 'stderr', Writable>> = {};
    const stream = (name: 'stdout' | 'stderr') => {
      streams[name] ??= this.#output(name);
      return streams[name];
    };
    const given = this.#options.stdin;
    return Object.defineProperties(
      Object.assign(node, {
        stdin: typeof given === 'object' ? given : Readable.from(given === undefined ? [] : [Buffer.from(given)]),
        pid: this.pid,
        argv: ['node', 'frontdesk', ...this.argv],
        execPath: '/usr/bin/node',
        env: { ...this.#options.env },
        platform: 'linux',
        versions: process.versions,
        version: process.version,
        execArgv: [],
        exitCode: undefined,
        exit: (code?: number) => this.#exit(Number(code ?? node['exitCode'] ?? 0)),
        cwd: () => '/jobs',
        getuid: () => UID,
        umask: () => 0o022,
        uptime: () => 60,
        nextTick: process.nextTick,
        emitWarning: () => undefined,
        hrtime: Object.assign(() => [0, 0], { bigint: () => BigInt(Math.round(this.machine.monotonic() * 1e6)) }),
      }),
      { stdout: { get: () => stream('stdout') }, stderr: { get: () => stream('stderr') } },
    );
  }

  #connect(): SimulatedSocket {
    const { listener } = this.#options;
    const meets = (): void => {
      this.#steps.network += 1;
      this.#step();
    };
    const leaves = (bytes: Buffer): void => {
      meets();
      this.machine.scheduler.after(0, meets, this);
      if (!/^POST /.test(bytes.toString('latin1', 0, 5))) return;
      this.sent += 1;
      if (this.signalledMs !== undefined) this.#options.onFault('after a signal a write leaves');
    };
    meets();
    const { scheduler } = this.machine;
    return new SimulatedSocket(this, { scheduler, random: this.#random, leaves, comes: meets }).connect(listener);
  }

  #require(timers: { setTimeout(run: () => void, ms?: number): unknown }): (name: string) => unknown {
    const letters = () => this.#bytes(3).toString('hex');
    const promises = promisesModule(this.#calls, this.#later, letters);
    const files = fileModule(this.#calls, this.#later, promises);
    const pipe = { ...this.#pipeStats() };
    const crypto = require('node:crypto') as typeof import('node:crypto');
    const os = require('node:os') as typeof import('node:os');
    const net = require('node:net') as typeof import('node:net');
    const modules: Readonly<Record<string, unknown>> = {
      fs: {
        ...files,
        fstatSync: (fd: number) => (fd <= 2 ? pipe : files.fstatSync(fd)),
        writeSync: (fd: number, ...rest: [string, number?, number?]) => {
          if (fd <= 2) throw systemError('EAGAIN', 'write');
          return files.writeSync(fd, ...rest);
        },
      },
      'fs/promises': promises,
      process: Object.assign(this.#node, { kill: () => undefined }),
      os: {
        ...os,
        hostname: () => this.machine.name,
        tmpdir: () => '/tmp',
        homedir: () => '/home/ann',
        platform: () => 'linux',
        userInfo: () => ({ username: 'ann', uid: UID, gid: UID, homedir: '/home/ann', shell: '/bin/sh' }),
        getPriority: (pid: number) => {
          if (this.machine.processes.has(pid)) return 0;
          throw Object.assign(new Error('ESRCH: no such process'), { code: 'ERR_SYSTEM_ERROR' });
        },
      },
      crypto: {
        ...crypto,
        randomBytes: (length: number) => this.#bytes(length),
        randomInt: (from: number, to: number) => from + this.#random.below(to - from),
        randomUUID: () => `00000000-0000-4000-8000-${this.#bytes(6).toString('hex')}`,
      },
      net: { ...net, connect: () => this.#connect(), createConnection: () => this.#connect() },
      child_process: {
        spawnSync: () => ({ stdout: '' }),
        spawn: () => {
          throw new Error('no process starts another');
        },
      },
      'timers/promises': {
        setTimeout: (ms: number) => new Promise<void>((resolve) => void timers.setTimeout(resolve, ms)),
      },
      sea: { isSea: () => false },
      ...this.#options.modules,
    };
    const load = (name: string): unknown => modules[name.replace(/^node:/, '')] ?? require(name);
    this.#node['getBuiltinModule'] = load;
    return load;
  }

  #pipeStats() {
    const is = (wanted: boolean) => () => wanted;
    const isTerminal = this.#options.isTerminal === true;
    return {
      isFIFO: is(!isTerminal),
      isFile: is(false),
      isDirectory: is(false),
      isCharacterDevice: is(isTerminal),
      isSocket: is(false),
      isSymbolicLink: is(false),
      rdev: 0,
      size: 0,
    };
  }
}

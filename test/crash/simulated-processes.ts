import { createHash } from 'node:crypto';

// Processes on machines of their own that work on one folder, one call of the file system at a time, in any order. A
// process is suspended by leaving it at a call and made anew, from what its calls answered, when its turn comes again.

/** What one call on the shared folder answered. */
type Answer = { readonly value: unknown } | { readonly errno: string };
type Disk = Readonly<Record<string, string>>;

/** What a process does, given what stands for its module of locks and for the world. */
export type Program = (self: Self) => Promise<void>;

export interface Actor {
  readonly name: string;
  readonly machine: string;
  readonly pid: number;
  readonly program: Program;
}

/** How far a process is, and what others can tell of it. */
export interface Progress {
  readonly answers: readonly Answer[];
  /** Its next call; undefined once it has ended. */
  readonly next: string | undefined;
  readonly isKilled: boolean;
  /** It stands still for so long that others may take it for gone. */
  readonly isPaused: boolean;
  readonly wasPaused: boolean;
  readonly isHolding: boolean;
  readonly sent: number;
  readonly sleptMs: number;
}

export interface World {
  readonly disk: Disk;
  readonly progress: readonly Progress[];
  /** How many may still be killed or stand still. */
  readonly incidents: number;
  /** How often the turn may still go from one that could go on to another, and whose it is. */
  readonly turns: number;
  readonly last: number | undefined;
}

class Suspended extends Error {}

/** Each look of a process that waits comes as much later as counts as silence at most. */
const LOOK_MS = 5_000;

/** One process while it is made to take a step. */
export class Self {
  isHolding = false;
  sent = 0;
  sleptMs = 0;
  readonly answers: Answer[];
  next: string | undefined;
  readonly suspended: Promise<void>;
  readonly #actors: readonly Actor[];
  readonly #world: World;
  readonly #actor: Actor;
  readonly #temporary = new Map<string, string>();
  #disk: Record<string, string>;
  #cursor = 0;
  #steps: number;
  #isSuspended = false;
  #suspend: () => void = () => undefined;
  #drawn = 0;

  constructor(actors: readonly Actor[], world: World, index: number, steps: number) {
    const [actor, progress] = [actors[index], world.progress[index]];
    if (actor === undefined) throw new Error('there is such a process');
    this.#actors = actors;
    this.#world = world;
    this.#actor = actor;
    this.#disk = { ...world.disk };
    this.answers = [...(progress?.answers ?? [])];
    this.#steps = steps;
    this.suspended = new Promise((resolve) => {
      this.#suspend = resolve;
    });
  }

  get disk(): Disk {
    return this.#disk;
  }

  get actor(): Actor {
    return this.#actor;
  }

  readonly clock = {
    now: () => this.sleptMs,
    monotonic: () => this.sleptMs,
    sleep: async () => {
      try {
        this.#call('sleep', () => 0);
      } catch {
        await new Promise(() => undefined);
      }
      this.sleptMs += LOOK_MS;
    },
  };

  /** From here on the process takes itself for the holder, until it begins to give the lock back. */
  holds(isHolding: boolean): void {
    if (!this.#isSuspended) this.isHolding = isHolding;
  }

  send(): void {
    if (!this.#isSuspended) this.sent += 1;
  }

  random(bytes: number): Buffer {
    this.#drawn += 1;
    return createHash('sha256').update(`${this.#actor.name} ${this.#drawn}`).digest().subarray(0, bytes);
  }

  /** What a file holds; undefined when there is none. */
  read(path: string): string {
    return this.#call(`read ${path}`, () => this.#disk[path] ?? refuse('ENOENT'));
  }

  append(path: string, text: string): void {
    this.#call(`append to ${path}`, () => {
      this.#disk[path] = (this.#disk[path] ?? '') + text;
      return 0;
    });
  }

  /** A file of a name that no other process has is no matter of order. */
  writeTemporary(path: string, content: string): void {
    this.#temporary.set(path, content);
  }

  create(path: string, content: string): void {
    this.#call(`create ${path}`, () => {
      if (this.#disk[path] !== undefined) return refuse('EEXIST');
      this.#disk[path] = '';
      return 0;
    });
    this.#call(`fill ${path}`, () => {
      // What was opened may have lost its name since.
      if (this.#disk[path] === '') this.#disk[path] = content;
      return 0;
    });
  }

  link(from: string, to: string): void {
    this.#call(`link ${to}`, () => {
      if (this.#disk[to] !== undefined) return refuse('EEXIST');
      this.#disk[to] = this.#temporary.get(from) ?? this.#disk[from] ?? refuse('ENOENT');
      return 0;
    });
  }

  rename(from: string, to: string): void {
    this.#call(`rename ${from} to ${to}`, () => {
      this.#disk[to] = this.#disk[from] ?? refuse('ENOENT');
      delete this.#disk[from];
      return 0;
    });
  }

  unlink(path: string): void {
    if (this.#temporary.delete(path)) return;
    this.#call(`unlink ${path}`, () => {
      if (this.#disk[path] === undefined) return refuse('ENOENT');
      delete this.#disk[path];
      return 0;
    });
  }

  /** Throws what the system throws for a process of this machine that is not there. */
  ask(pid: number): void {
    if (pid === this.#actor.pid) return;
    this.#call(`ask for process ${pid}`, () => {
      const index = this.#actors.findIndex((actor) => actor.pid === pid && actor.machine === this.#actor.machine);
      const asked = this.#world.progress[index];
      return asked?.next === undefined ? refuse('ERR_SYSTEM_ERROR') : 0;
    });
  }

  #call<Value>(what: string, act: () => Value): Value {
    let answer = this.answers[this.#cursor];
    if (answer === undefined) {
      if (this.#isSuspended || this.#steps === 0) {
        if (!this.#isSuspended) this.next = what;
        this.#isSuspended = true;
        this.#suspend();
        throw new Suspended();
      }
      this.#steps -= 1;
      answer = attempt(act);
      this.answers.push(answer);
    }
    this.#cursor += 1;
    if ('errno' in answer) throw Object.assign(new Error(`ESRCH: ${answer.errno}`), { code: answer.errno });
    // It is what this very call answered.
    return answer.value as Value;
  }
}

function refuse(errno: string): never {
  throw Object.assign(new Error(errno), { errno });
}

function attempt(act: () => unknown): Answer {
  try {
    return { value: act() };
  } catch (error) {
    if (error instanceof Error && 'errno' in error) return { errno: String(error.errno) };
    throw error;
  }
}

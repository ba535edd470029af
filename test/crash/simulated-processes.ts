import { createHash } from 'node:crypto';

// Processes on machines of their own that work on one folder, one call of the file system at a time, in any order. A
// process is suspended by leaving it at a call and made anew, from what its calls answered, when its turn comes again.

/** What one call on the shared folder answered. */
type Answer = { readonly value: unknown } | { readonly errno: string };
/** Files by their paths. A folder ends with a slash; a file that is renamed while others have it open is `#` and what it holds. */
type Disk = Readonly<Record<string, string>>;

/** A lock as it lies on such a disk. */
export function lockOnDisk(path: string, name: string, text: string): Disk {
  return { [`${path}/`]: '', [`${path}/${name}`]: `#${name}`, [`#${name}`]: text };
}

/** What a process does, given what stands for its module of locks and for the world. */
export type Program = (self: Self) => Promise<void>;

export interface Actor {
  readonly name: string;
  readonly machine: string;
  readonly pid: number;
  readonly program: Program;
  /** Its file system puts no folder in the place of another, be that one empty. */
  readonly replacesNoFolder?: boolean;
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

/** A file as one process has it open. */
export interface OpenFile {
  readonly file: string;
  readonly text: string;
}

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
  #temporary = { name: '', content: '' };
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

  /** What a file holds; ENOENT when there is none. */
  read(path: string): string {
    return this.#call(`read ${path}`, () => this.#disk[path] ?? refuse('ENOENT'));
  }

  append(path: string, text: string): void {
    this.#call(`append to ${path}`, () => {
      this.#disk[path] = (this.#disk[path] ?? '') + text;
      return 0;
    });
  }

  /** A file in a folder that no other process knows is no matter of order. */
  writeTemporary(path: string, content: string): void {
    this.#temporary = { name: path.slice(path.lastIndexOf('/') + 1), content };
  }

  list(path: string): readonly string[] {
    return this.#call(`list ${path}`, () => this.#names(path) ?? refuse('ENOENT'));
  }

  has(path: string): boolean {
    return this.#call(`look for ${path}`, () => this.#names(path) !== undefined);
  }

  /** Opens a file and reads it: what others do to it in between shows in the same way right before or after. */
  open(path: string): OpenFile {
    return this.#call(`open ${path}`, () => {
      const file = this.#disk[path] ?? refuse('ENOENT');
      return { file, text: this.#disk[file] ?? '' };
    });
  }

  write({ file, text }: OpenFile, data: string, at: number): void {
    this.#call(`write to ${file}`, () => {
      const before = this.#disk[file] ?? text;
      // A file that has lost its last name is seen by nobody.
      if (this.#disk[file] !== undefined)
        this.#disk[file] = before.slice(0, at) + data + before.slice(at + data.length);
      return 0;
    });
  }

  /** Puts the temporary folder where nothing is, or an empty folder. */
  renameFolder(to: string): void {
    const { name, content } = this.#temporary;
    this.#call(`make ${to}`, () => {
      const names = this.#names(to);
      if (names !== undefined && this.#actor.replacesNoFolder === true) return refuse('EPERM');
      if (names !== undefined && names.length > 0) return refuse('ENOTEMPTY');
      Object.assign(this.#disk, lockOnDisk(to, name, content));
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
    this.#call(`unlink ${path}`, () => {
      const file = this.#disk[path] ?? refuse('ENOENT');
      delete this.#disk[path];
      delete this.#disk[file];
      return 0;
    });
  }

  removeFolder(path: string): void {
    this.#call(`remove ${path}`, () => {
      const names = this.#names(path) ?? refuse('ENOENT');
      if (names.length > 0) return refuse('ENOTEMPTY');
      delete this.#disk[`${path}/`];
      return 0;
    });
  }

  #names(path: string): readonly string[] | undefined {
    if (this.#disk[`${path}/`] === undefined) return undefined;
    const paths = Object.keys(this.#disk).filter((one) => one.startsWith(`${path}/`));
    return paths.map((one) => one.slice(path.length + 1)).filter((name) => name !== '');
  }

  /** Throws what the system throws for a process of this machine that is not there. */
  ask(pid: number): void {
    if (pid === this.#actor.pid) return;
    this.#call(`ask for process ${pid}`, () => {
      const index = this.#actors.findIndex((actor) => actor.pid === pid && actor.machine === this.#actor.machine);
      return this.#world.progress[index]?.next === undefined ? refuse('ERR_SYSTEM_ERROR') : 0;
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

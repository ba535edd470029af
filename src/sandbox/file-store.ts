import { readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { writeFileAtomic } from '../base/files/atomic.ts';
import { errnoOf, ioFailure } from '../base/files/io-failure.ts';
import { type AssertStillHeld, type LockPorts, withLock } from '../base/files/lock.ts';
import { requireOwnState } from '../base/files/own-state.ts';
import { sweepLeftovers } from '../base/files/sweep.ts';
import { builtInSeed, readResources } from './seed.ts';
import { applyChanges, copyState, type Decision, keptText, type SandboxState, type SandboxStore } from './state.ts';

type FilePorts = Pick<Context, 'pid' | 'clock'>;

const KINDS = ['cards', 'calendars', 'subscribers', 'events'] as const;
const MEMBERS = ['version', ...KINDS];
const VERSION_LINE = '{"version":1';

function statePath(stateDir: string): string {
  return join(stateDir, 'sandbox', 'state.json');
}

function damaged(path: string, problem: string): Failure {
  return Failure.unchanged('USAGE', `could not read the state of the sandbox: ${path}: ${problem}`, {
    hints: [{ do: 'start over from the built-in seed' }],
  });
}

/** One resource per line, each printed once: a commit costs little more than writing the bytes. */
function printState(state: SandboxState): string {
  const lists = KINDS.map((kind) => `"${kind}":[\n${Array.from(state[kind].values(), keptText).join(',\n')}\n]`);
  return `${VERSION_LINE},${lists.join(',')}}\n`;
}

function parseState(path: string, text: string): SandboxState {
  if (text.startsWith('{"version":') && !text.startsWith(`${VERSION_LINE},`)) {
    throw damaged(path, 'it was written by another version of frontdesk');
  }
  return readResources(text, MEMBERS, (where, problem) => {
    throw damaged(path, where === '' ? problem : `${where} ${problem}`);
  });
}

interface Version {
  /** The whole file; undefined: there is none. */
  readonly text: string | undefined;
  readonly state: SandboxState;
}

/** The newest version: `known` itself unless the file changed. Times and inodes may be reused. */
function load(path: string, known?: Version): Version {
  let text: string | undefined;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT')
      throw ioFailure(`could not read the state of the sandbox (${path})`, error, 'unchanged');
  }
  if (known !== undefined && text === known.text) return known;
  return { text, state: text === undefined ? builtInSeed() : parseState(path, text) };
}

interface Waiting {
  readonly decideOn: (state: SandboxState) => Decision;
  readonly resolve: (decision: Decision) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The state of `--profile sandbox` between commands, in `<stateDir>/sandbox/state.json`, else the built-in seed.
 * Several processes may use it: a change is made under a lock on the newest file, and is on the disk before the
 * response. A read-only folder can be read. USAGE for a damaged file.
 */
export class FileStore implements SandboxStore {
  readonly #path: string;
  readonly #ports: FilePorts;
  #current: Version;
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;

  constructor(stateDir: string, ports: FilePorts) {
    this.#path = statePath(stateDir);
    requireOwnState(stateDir, this.#path);
    this.#ports = ports;
    this.#current = load(this.#path);
  }

  read(): SandboxState {
    this.#current = load(this.#path, this.#current);
    return this.#current.state;
  }

  commit(decideOn: Waiting['decideOn']): Promise<Decision> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ decideOn, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async settled(): Promise<void> {
    await this.#working;
  }

  /** One write keeps all changes that wait when the lock is taken. */
  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      let group: readonly Waiting[] = [];
      try {
        const { pid, clock } = this.#ports;
        const how = { pid, clock, what: 'the sandbox' };
        const decisions = await withLock(`${this.#path}.lock`, how, (assertStillHeld) => {
          group = this.#waiting.splice(0);
          return this.#keep(group, assertStillHeld);
        });
        for (const [index, decision] of decisions.entries()) group[index]?.resolve(decision);
      } catch (error) {
        const failed = group.length > 0 ? group : this.#waiting.splice(0);
        for (const { reject } of failed) reject(error);
      }
    }
    this.#working = undefined;
  }

  async #keep(group: readonly Waiting[], assertStillHeld: AssertStillHeld): Promise<readonly Decision[]> {
    const draft = copyState(this.read());
    const decisions: Decision[] = [];
    for (const { decideOn } of group) {
      const decision = decideOn(draft);
      applyChanges(draft, decision.changes);
      decisions.push(decision);
    }
    if (decisions.every(({ changes }) => changes.length === 0)) return decisions;
    const how = { pid: this.#ports.pid, what: 'the state of the sandbox', assertStillHeld };
    const text = printState(draft);
    await writeFileAtomic(this.#path, text, how);
    this.#current = { text, state: draft };
    return decisions;
  }
}

/** Goes back to the built-in seed. Returns whether there was anything to forget. LOCAL_IO if that fails. */
export async function resetSandbox(stateDir: string, ports: LockPorts): Promise<boolean> {
  const path = statePath(stateDir);
  requireOwnState(stateDir, path);
  await sweepLeftovers(dirname(path), ports);
  return await withLock(`${path}.lock`, { ...ports, what: 'the sandbox' }, async (assertStillHeld) => {
    try {
      assertStillHeld();
      await unlink(path);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw ioFailure(`cannot remove the state of the sandbox ${path}`, error);
    }
  });
}

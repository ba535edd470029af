import type { Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import { putInNewPlace, syncFolder } from '../files/atomic.ts';
import { describeIoError, ifThere, ioFailure, tidy } from '../files/io-failure.ts';
import { temporaryName } from '../files/process-identity.ts';
import { printJson } from '../json/print.ts';
import {
  encodeHeader,
  PLAN_NAME_LENGTH,
  type PlanDraft,
  type PlanHeader,
  type PlanRow,
  rowObject,
} from './plan-file.ts';
import { hashFirstLine } from './plan-hash.ts';

const FLUSH_LENGTH = 1 << 16;
const NO_HASH = '0'.repeat(64);

function existsFailure(path: string): Failure {
  return Failure.unsent('USAGE', `--plan: ${path} exists, and a plan never replaces a file`, {
    hints: ['name a new file'],
  });
}

function unwritable(path: string, error: unknown): Failure {
  return Failure.unsent('USAGE', `--plan: cannot write ${path}: ${describeIoError(error)}`, {
    hints: [`check that the folder ${dirname(path)} exists and can be written`],
    cause: error,
  });
}

/** USAGE when something is at the place of a plan that is to be made, or its folder cannot be written. */
export async function checkPlanPlace(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK);
    if ((await ifThere(lstat(path))) === undefined) return;
  } catch (error) {
    throw unwritable(path, error);
  }
  throw existsFailure(path);
}

/** Opens a plan of `facts.rows` rows (mode 0600), beside its place. USAGE when a file is there, or none can be. */
export async function openPlanWriter(path: string, facts: PlanDraft, pid: number): Promise<PlanWriter> {
  await checkPlanPlace(path);
  const temporary = join(dirname(path), temporaryName(pid));
  let file: FileHandle;
  try {
    file = await open(temporary, 'wx', 0o600);
    await file.chmod(0o600);
  } catch (error) {
    throw unwritable(path, error);
  }
  return new PlanWriter(path, temporary, facts, file);
}

/** A plan that grows beside its place under another name, and appears when it is complete. */
export class PlanWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #facts: PlanDraft;
  readonly #file: FileHandle;
  readonly #hash: Hash;
  #pending: string;
  #rows = 0;

  constructor(path: string, temporary: string, facts: PlanDraft, file: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#facts = facts;
    this.#file = file;
    // The hash is as long as what stands in its place meanwhile, so that line 1 can be written over at the end.
    this.#pending = encodeHeader(facts, NO_HASH);
    this.#hash = hashFirstLine(this.#pending);
  }

  /** Rejects with LOCAL_IO. */
  async add(row: PlanRow): Promise<void> {
    const line = `${printJson(rowObject(row))}\n`;
    this.#hash.update(line);
    this.#pending += line;
    this.#rows += 1;
    if (this.#pending.length >= FLUSH_LENGTH) await this.#attempt(() => this.#flush());
  }

  /** Puts the file in its place. USAGE when one is there meanwhile; LOCAL_IO when it cannot be written. */
  async keep(): Promise<PlanHeader> {
    if (this.#rows !== this.#facts.rows) throw new Error(`a plan of ${this.#facts.rows} rows got ${this.#rows}`);
    const sha256 = this.#hash.digest('hex');
    await this.#attempt(async () => {
      await this.#flush();
      await this.#file.write(encodeHeader(this.#facts, sha256), 0);
      await this.#file.sync();
      await tidy(this.#file.close());
      if (!(await putInNewPlace(this.#temporary, this.#path))) throw existsFailure(this.#path);
    });
    await tidy(syncFolder(dirname(this.#path)));
    return { ...this.#facts, plan: sha256.slice(0, PLAN_NAME_LENGTH), sha256 };
  }

  /** Leaves everything as it was before. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await tidy(rm(this.#temporary, { force: true }));
  }

  async #flush(): Promise<void> {
    await this.#file.writeFile(this.#pending);
    this.#pending = '';
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      await this.discard();
      if (error instanceof Failure) throw error;
      throw ioFailure(`--plan: cannot write ${this.#path}`, error, 'unsent');
    }
  }
}

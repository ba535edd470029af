import { constants, createReadStream } from 'node:fs';
import { access, lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { putInNewPlace, syncFolder } from '../../base/files/atomic.ts';
import { describeIoError, ignoreErrors, ignoreNotFound, ioFailure } from '../../base/files/io-failure.ts';
import { temporaryName } from '../../base/files/process-identity.ts';
import { printJson } from '../../base/json/print.ts';
import {
  encodeHeader,
  hashFirstLine,
  PLAN_NAME_LENGTH,
  type PlanDraft,
  type PlanHeader,
  type PlanRow,
  rowObject,
} from './plan-file.ts';

const FLUSH_LENGTH = 1 << 16;
const NO_HASH = '0'.repeat(64);

function existsFailure(path: string): Failure {
  return Failure.unsent('USAGE', `--plan: ${path} exists, and a plan never replaces a file`, {
    hints: ['name a new file'],
  });
}

function unwritable(path: string, error: unknown): Failure {
  return Failure.unsent('USAGE', `--plan: could not write ${path}: ${describeIoError(error)}`, {
    hints: [`check that the folder ${dirname(path)} exists and can be written`],
    cause: error,
  });
}

/** USAGE if something exists at the place of a new plan, or its folder cannot be written. */
export async function checkPlanPlace(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK);
    if ((await ignoreNotFound(lstat(path))) === undefined) return;
  } catch (error) {
    throw unwritable(path, error);
  }
  throw existsFailure(path);
}

/** Writes a plan of rows that a file has from `start` on. Returns its hash. */
async function copyRows(rows: { readonly path: string; readonly start: number }, to: string, facts: PlanDraft) {
  const file = await open(to, 'wx', 0o600);
  try {
    const line = encodeHeader(facts, NO_HASH);
    const hash = hashFirstLine(line);
    await file.writeFile(line);
    for await (const piece of createReadStream(rows.path, { start: rows.start })) {
      hash.update(piece);
      await file.writeFile(piece);
    }
    const sha256 = hash.digest('hex');
    await file.write(encodeHeader(facts, sha256), 0);
    await file.sync();
    return sha256;
  } finally {
    await ignoreErrors(file.close());
  }
}

/**
 * Opens a plan of `facts.rows` rows (0600), which appears when it is complete. Those that `--skip-if` leaves out are only counted.
 * USAGE if it cannot be made.
 */
export async function openPlanWriter(path: string, facts: PlanDraft, pid: number) {
  await checkPlanPlace(path);
  const temporary = join(dirname(path), temporaryName(pid));
  const file = await open(temporary, 'wx', 0o600).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  // The placeholder is as long as the hash, so that line 1 can be overwritten at the end.
  const firstLine = encodeHeader(facts, NO_HASH);
  let pending = firstLine;
  const hash = hashFirstLine(firstLine);
  let [rows, skipped] = [0, 0];
  const recounted = `${temporary}~`;
  const discard = async (): Promise<void> => {
    await ignoreErrors(file.close());
    for (const each of [temporary, recounted]) await ignoreErrors(rm(each, { force: true }));
  };
  const flush = async (): Promise<void> => {
    await file.writeFile(pending);
    pending = '';
  };
  const attempt = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      await discard();
      throw ioFailure(`--plan: could not write ${path}`, error, 'unsent');
    }
  };
  // Whatever the umask removed.
  await attempt(() => file.chmod(0o600));
  return {
    /** Adds a row. Rejects with LOCAL_IO. */
    async add(row: PlanRow): Promise<void> {
      const line = `${printJson(rowObject(row))}\n`;
      hash.update(line);
      pending += line;
      rows += 1;
      if (pending.length >= FLUSH_LENGTH) await attempt(flush);
    },
    skip(): void {
      skipped += 1;
    },
    /** Renames the file into place. USAGE if one exists meanwhile, LOCAL_IO if it cannot be written. */
    async keep(): Promise<PlanHeader> {
      if (rows + skipped !== facts.rows) throw new Error(`a plan of ${facts.rows} rows got ${rows + skipped}`);
      const counted = { ...facts, rows, skipped };
      let sha256 = '';
      await attempt(async () => {
        await flush();
        if (skipped > 0) {
          // Line 1 has other numbers, and perhaps another length.
          await file.close();
          sha256 = await copyRows({ path: temporary, start: Buffer.byteLength(firstLine) }, recounted, counted);
        } else {
          sha256 = hash.digest('hex');
          await file.write(encodeHeader(counted, sha256), 0);
          await file.sync();
          await ignoreErrors(file.close());
        }
        if (!(await putInNewPlace(skipped > 0 ? recounted : temporary, path))) throw existsFailure(path);
      });
      await ignoreErrors(rm(temporary, { force: true }));
      await ignoreErrors(syncFolder(dirname(path)));
      return { ...counted, plan: sha256.slice(0, PLAN_NAME_LENGTH), sha256 };
    },
    /** Removes the new file. */
    discard,
  };
}

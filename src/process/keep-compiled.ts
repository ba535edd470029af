import { createHash } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { type CompiledCode, isWorthKeeping, type LoadedChunk } from './compiled-code.ts';

const DAY_MS = 86_400_000;
/** Folders of other builds and versions of Node that are kept beside ours. */
const MOST_FOLDERS = 12;
/** `bin/frontdesk.js` knows a file by it. */
const MARK = 'fdcode 1';

/**
 * Keeps what this start compiled, for the next ones: made at the end of a call, so that it holds every function the
 * call used, and those that earlier calls did. Nothing is kept of files that are not the ones that were built
 * together (while a package is being replaced), nor where anybody else could write. Throws when it cannot be written.
 */
export function keepCompiled(code: CompiledCode, nowMs: number): void {
  const { folder, above = [] } = code;
  if (folder === undefined || !isOfOneBuild(code, folder)) return;
  if (!makeFolders(above, folder, nowMs)) return;
  removeTemporary(folder, nowMs);
  for (const [name, chunk] of code.chunks)
    if (chunk.state === 'used' || isWorthKeeping(chunk)) keep(folder, name, chunk);
}

function keep(folder: string, name: string, chunk: LoadedChunk): void {
  const temporary = `${folder}/.${name}.${process.pid}.${process.hrtime.bigint()}`;
  // Opened first: compiled code is not made where it cannot be written.
  const file = openSync(temporary, 'wx', 0o600);
  let isWritten = false;
  try {
    isWritten = write(file, chunk);
  } finally {
    closeSync(file);
    if (!isWritten) unlinkSync(temporary);
  }
  if (isWritten) renameSync(temporary, `${folder}/${name}`);
}

/** Answers false, with nothing written, for a call that used no function that is not kept yet. */
function write(file: number, { script, state, bytes, refusals }: LoadedChunk): boolean {
  const data = script.createCachedData();
  if (state === 'used' && data.length <= bytes) return false;
  const copy = Buffer.concat([header(data.length, state === 'refused' ? refusals + 1 : refusals), data]);
  const both = Buffer.concat([copy, copy]);
  for (let written = 0; written < both.length; ) written += writeSync(file, both, written);
  return true;
}

function header(length: number, refusals: number): Buffer {
  const bytes = Buffer.alloc(16, MARK, 'latin1');
  bytes.writeUInt32LE(length, 8);
  bytes.writeUInt32LE(refusals, 12);
  return bytes;
}

/** V8 only compares the length of the source, so what is kept must be of the very files that the build wrote. */
function isOfOneBuild({ dist, chunks }: CompiledCode, folder: string): boolean {
  const digest = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');
  const list = readFileSync(`${dist}/chunks.json`, 'latin1');
  if (!basename(folder).startsWith(`${digest(list).slice(0, 16)}-`)) return false;
  const digests: unknown = JSON.parse(list);
  if (typeof digests !== 'object' || digests === null) return false;
  return [...chunks].every(([name, { source }]) => Reflect.get(digests, name) === digest(source));
}

/** Makes the folders that are missing; answers whether the last one is ours alone. */
function makeFolders(above: readonly string[], folder: string, nowMs: number): boolean {
  for (const path of [...above, folder]) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    // `sudo` keeps the home of who calls it: a folder of root there would keep its owner from making his own.
    if (process.getuid !== undefined && lstatSync(dirname(path)).uid !== process.getuid()) return false;
    if (path === folder && !makeSpace(dirname(path), nowMs)) return false;
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another start made it meanwhile.
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) throw error;
    }
  }
  return [dirname(folder), folder].every((path) => {
    const facts = lstatSync(path);
    if (process.getuid === undefined) return facts.isDirectory();
    return facts.isDirectory() && facts.uid === process.getuid() && (facts.mode & 0o022) === 0;
  });
}

/**
 * Removes what other builds and other versions of Node left a month ago. Where as many as may be are newer, the
 * oldest goes, but no more than one a day: else options that change at every start would have every start write.
 */
function makeSpace(parent: string, nowMs: number): boolean {
  const byAge = readdirSync(parent)
    .map((name) => ({ path: `${parent}/${name}`, ageMs: nowMs - lstatSync(`${parent}/${name}`).mtimeMs }))
    .sort((a, b) => b.ageMs - a.ageMs);
  const old = byAge.filter(({ ageMs }) => ageMs > 30 * DAY_MS);
  if (byAge.length - old.length >= MOST_FOLDERS) {
    if ((byAge.at(-1)?.ageMs ?? 0) < DAY_MS) return false;
    old.push(...byAge.slice(old.length, byAge.length - MOST_FOLDERS + 1));
  }
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
  return true;
}

/** What starts left that were killed while they wrote. */
function removeTemporary(folder: string, nowMs: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('.')) continue;
    const facts = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (facts !== undefined && nowMs - facts.mtimeMs > DAY_MS) rmSync(`${folder}/${name}`, { force: true });
  }
}

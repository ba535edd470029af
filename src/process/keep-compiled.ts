import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { type CompiledCode, isWorthKeeping, type LoadedChunk } from './compiled-code.ts';

const DAY_MS = 86_400_000;
/** Most folders of other builds and versions of Node. */
const MOST_FOLDERS = 12;
/** `bin/frontdesk.js` recognizes a file by it. */
const MARK = 'fdcode 1';

/**
 * Stores what this start compiled for later starts, at the end of a call, with every function that it used and those
 * stored before. Stores nothing of files that were not built together (while a package is replaced), and nothing where
 * other users could write. Throws if it cannot be written.
 */
export function keepCompiled(code: CompiledCode, nowMs: number): void {
  if (code.keyPath === undefined || !isOfOneBuild(code)) return;
  if (code.folder === undefined && !makeKey(code.keyPath)) return;
  const { folder, above = [], reason } = code.look();
  if (folder === undefined || reason !== undefined || !makeFolders(above, folder, nowMs)) return;
  // What was made meanwhile, or by another process, must pass the same checks as at a start.
  if (!code.look().usable) return;
  removeTemporary(folder, nowMs);
  for (const [name, chunk] of code.chunks)
    if (chunk.state === 'used' || isWorthKeeping(chunk)) keep(folder, name, chunk);
}

function keep(folder: string, name: string, chunk: LoadedChunk): void {
  const temporary = `${folder}/.${name}.${process.pid}.${process.hrtime.bigint()}`;
  // Opened first: compiled code is not made if it cannot be written.
  const file = fs.openSync(temporary, 'wx', 0o600);
  let isWritten = false;
  try {
    isWritten = write(file, chunk);
  } finally {
    fs.closeSync(file);
    if (!isWritten) fs.unlinkSync(temporary);
  }
  if (isWritten) fs.renameSync(temporary, `${folder}/${name}`);
}

/** Returns false and writes nothing for a call without new functions. */
function write(file: number, { script, state, bytes, refusals }: LoadedChunk): boolean {
  const data = script.createCachedData();
  if (state === 'used' && data.length <= bytes) return false;
  const header = Buffer.alloc(16, MARK, 'latin1');
  header.writeUInt32LE(data.length, 8);
  header.writeUInt32LE(state === 'refused' ? refusals + 1 : refusals, 12);
  const copy = Buffer.concat([header, data]);
  const both = Buffer.concat([copy, copy]);
  for (let written = 0; written < both.length; ) written += fs.writeSync(file, both, written);
  return true;
}

/** V8 only compares the length of the source, so the code must be of exactly the files of the build. */
function isOfOneBuild({ dist, chunks }: CompiledCode): boolean {
  const digest = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');
  const list = fs.readFileSync(`${dist}/chunks.json`, 'latin1');
  if (digest(list).slice(0, 16) !== fs.readFileSync(`${dist}/build-id`, 'latin1')) return false;
  const digests: unknown = JSON.parse(list);
  if (typeof digests !== 'object' || digests === null) return false;
  return [...chunks].every(([name, { source }]) => Reflect.get(digests, name) === digest(source));
}

function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Makes something that another start may have made meanwhile. */
function makeOnce(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!isThere(path)) throw error;
  }
}

/** `sudo` keeps the caller's home: a folder of root there would block the home's owner. */
function makeFolder(path: string): boolean {
  if (isThere(path)) return true;
  if (process.getuid !== undefined && fs.lstatSync(dirname(path)).uid !== process.getuid()) return false;
  makeOnce(path, () => fs.mkdirSync(path, { mode: 0o700 }));
  return true;
}

/** Makes the random word that the folder's name depends on, whole under its name. Returns whether it exists. */
function makeKey(path: string): boolean {
  const folder = dirname(path);
  if (!makeFolder(dirname(folder)) || !makeFolder(folder)) return false;
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  fs.writeFileSync(temporary, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    makeOnce(path, () => fs.linkSync(temporary, path));
  } finally {
    fs.unlinkSync(temporary);
  }
  return true;
}

function makeFolders(above: readonly string[], folder: string, nowMs: number): boolean {
  if (!above.every(makeFolder)) return false;
  return (isThere(folder) || makeSpace(dirname(folder), nowMs)) && makeFolder(folder);
}

/**
 * Removes what other builds and versions of Node left a month ago. If there are too many newer ones, removes the
 * oldest, but only one a day: else changing options would make every start write.
 */
function makeSpace(parent: string, nowMs: number): boolean {
  const byAge = fs
    .readdirSync(parent)
    .map((name) => ({ path: `${parent}/${name}`, ageMs: nowMs - fs.lstatSync(`${parent}/${name}`).mtimeMs }))
    .sort((a, b) => b.ageMs - a.ageMs);
  const old = byAge.filter(({ ageMs }) => ageMs > 30 * DAY_MS);
  if (byAge.length - old.length >= MOST_FOLDERS) {
    if ((byAge.at(-1)?.ageMs ?? 0) < DAY_MS) return false;
    old.push(...byAge.slice(old.length, byAge.length - MOST_FOLDERS + 1));
  }
  for (const { path } of old) fs.rmSync(path, { recursive: true, force: true });
  return true;
}

/** Removes the files of starts that were killed while writing. */
function removeTemporary(folder: string, nowMs: number): void {
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith('.')) continue;
    const facts = fs.lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (facts !== undefined && nowMs - facts.mtimeMs > DAY_MS) fs.rmSync(`${folder}/${name}`, { force: true });
  }
}

import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type CompiledCode, isWorthKeeping, type LoadedChunk } from './compiled-code.ts';

const DAY_MS = 86_400_000;
/** Folders of other builds and versions of Node that are kept beside ours. */
const MOST_FOLDERS = 12;
/** `bin/frontdesk.js` knows a file by it. */
const MARK = 'fdcode 1';

/**
 * Keeps what this start compiled, for the next ones: made at the end of a call, so that it holds every function the
 * call used, and those that earlier calls did. Nothing is kept of files that are not the ones that were built
 * together (while a package is being replaced), nor where other users could write. Throws when it cannot be written.
 */
export function keepCompiled(code: CompiledCode, nowMs: number): void {
  if (code.keyPath === undefined || !isOfOneBuild(code)) return;
  if (code.folder === undefined && !makeKey(code.keyPath)) return;
  const { folder, above = [], reason } = code.look();
  if (folder === undefined || reason !== undefined || !makeFolders(above, folder, nowMs)) return;
  // What was made meanwhile, or by another, has to pass the same checks as at a start.
  if (!code.look().usable) return;
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

/** Returns false, with nothing written, for a call that used no function that is not kept yet. */
function write(file: number, { script, state, bytes, refusals }: LoadedChunk): boolean {
  const data = script.createCachedData();
  if (state === 'used' && data.length <= bytes) return false;
  const header = Buffer.alloc(16, MARK, 'latin1');
  header.writeUInt32LE(data.length, 8);
  header.writeUInt32LE(state === 'refused' ? refusals + 1 : refusals, 12);
  const copy = Buffer.concat([header, data]);
  const both = Buffer.concat([copy, copy]);
  for (let written = 0; written < both.length; ) written += writeSync(file, both, written);
  return true;
}

/** V8 only compares the length of the source, so what is kept must be of the very files that the build wrote. */
function isOfOneBuild({ dist, chunks }: CompiledCode): boolean {
  const digest = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');
  const list = readFileSync(`${dist}/chunks.json`, 'latin1');
  if (digest(list).slice(0, 16) !== readFileSync(`${dist}/build-id`, 'latin1')) return false;
  const digests: unknown = JSON.parse(list);
  if (typeof digests !== 'object' || digests === null) return false;
  return [...chunks].every(([name, { source }]) => Reflect.get(digests, name) === digest(source));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Makes something; another start that made it meanwhile has done the same. */
function makeOnce(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!isThere(path)) throw error;
  }
}

/** `sudo` keeps the home of its caller: a folder of root there would keep the home's owner from making it. */
function makeFolder(path: string): boolean {
  if (isThere(path)) return true;
  if (process.getuid !== undefined && lstatSync(dirname(path)).uid !== process.getuid()) return false;
  makeOnce(path, () => mkdirSync(path, { mode: 0o700 }));
  return true;
}

/** Makes the random word that the name of the folder depends on, whole under its name; returns whether it is there. */
function makeKey(path: string): boolean {
  const folder = dirname(path);
  if (!makeFolder(dirname(folder)) || !makeFolder(folder)) return false;
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  writeFileSync(temporary, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    makeOnce(path, () => linkSync(temporary, path));
  } finally {
    unlinkSync(temporary);
  }
  return true;
}

/** Makes the folders that are missing; returns whether they are there. */
function makeFolders(above: readonly string[], folder: string, nowMs: number): boolean {
  if (!above.every(makeFolder)) return false;
  return (isThere(folder) || makeSpace(dirname(folder), nowMs)) && makeFolder(folder);
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

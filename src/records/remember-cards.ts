import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClockPort } from '../base/context.ts';
import { errnoOf, ignoreErrors } from '../base/files/io-failure.ts';
import { requireOwnState } from '../base/files/own-state.ts';

/**
 * The cards of a base URL that this machine has read, changed or imported, in `cards/<encoded base URL>.ndjson` of
 * the state folder: a line says when it began, each further one what was seen of a card, and the last line of a card
 * counts. Lines are appended without a sync, because a card that is forgotten can be read again. docs/reference/history.md.
 */

/** Where cards are remembered, and by whom. */
export interface KnownCardsPlace {
  readonly stateDir: string;
  readonly url: string;
  readonly pid: number;
  readonly clock: ClockPort;
}

/** Old lines up to this size are left in the file. */
export const SLACK_BYTES = 4 * 1024 * 1024;

/** How a file of known cards is opened to be appended to. */
export const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

/** The folder of the known cards of all base URLs. */
export function cardsFolder(stateDir: string): string {
  return join(stateDir, 'cards');
}

/** Characters of a file's name: file systems take 255 bytes. Of a longer one so many of its beginning and its end stay. */
const [LONGEST_NAME, KEPT] = [230, 100];

/** `url`: the base URL, or `sandbox`. The name is no digest: a read would load the crypto module, which takes 5 ms. */
export function knownCardsPath(stateDir: string, url: string): string {
  const name = encodeURIComponent(url);
  const short = `${name.slice(0, KEPT)}~${name.length}~${name.slice(-KEPT)}`;
  return join(cardsFolder(stateDir), `${name.length > LONGEST_NAME ? short : name}.ndjson`);
}

/** The first line. `bytes`: the size of the file when old lines were last removed. */
export function headOf(since: string, bytes: number): string {
  return `{"since":${JSON.stringify(since)},"bytes":${String(bytes).padStart(12)}}\n`;
}

/** Makes the file of a base URL, unless another process makes it at that moment. Rejects with the system's error. */
async function makeFile({ stateDir, url, pid }: KnownCardsPlace, now: string): Promise<void> {
  const { ensurePrivateFolder, putInNewPlace } = await import('../base/files/atomic.ts');
  const { temporaryName } = await import('../base/files/process-identity.ts');
  await ensurePrivateFolder(stateDir);
  await ensurePrivateFolder(cardsFolder(stateDir));
  const temporary = join(cardsFolder(stateDir), temporaryName(pid));
  const made = await open(temporary, 'wx', 0o600);
  try {
    await made.write(headOf(now, 0));
  } finally {
    await made.close();
  }
  if (!(await putInNewPlace(temporary, knownCardsPath(stateDir, url)))) await ignoreErrors(unlink(temporary));
}

/**
 * Appends the lines of cards that were seen; `since`: when the first was. Rejects with AUTH if others could have written the folder, else with the system's error.
 * Synchronous where there is a file: by the thread pool it takes a read 3 ms, and no disk is waited for. Returns the bytes
 * of the file.
 */
export async function rememberCards(place: KnownCardsPlace, lines: Uint8Array, since: string): Promise<number> {
  const path = knownCardsPath(place.stateDir, place.url);
  requireOwnState(place.stateDir, path);
  const bytes = append(path, lines);
  if (bytes !== undefined) return bytes;
  await makeFile(place, since);
  return append(path, lines) ?? 0;
}

/** Returns the bytes of the file; undefined: there is none. */
function append(path: string, lines: Uint8Array): number | undefined {
  let file: number;
  try {
    file = openSync(path, APPENDING);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    // One write: the lines of two processes do not mix.
    writeSync(file, lines);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

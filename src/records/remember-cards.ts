import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreErrors } from '../base/files/io-failure.ts';
import { requireOwnState } from '../base/files/own-state.ts';

/**
 * The cards of a base URL that this machine has read, changed or imported, in `cards/<encoded base URL>.ndjson` of
 * the state folder: a line says when it began, each further one what was seen of a card, and the last line of a card
 * counts. Lines are appended without a sync, because a card that is forgotten can be read again. docs/reference/history.md.
 */

/** A card as it was seen: only this is remembered of it. */
export interface SeenCard {
  readonly cardId: string;
  readonly clientReference: string | undefined;
  /** Undefined: not known, so a known one stays. */
  readonly status: string | undefined;
  /** When that was, in ISO 8601: the status, if one is known. */
  readonly seenAt: string;
}

/** Where cards are remembered, and by whom. */
export interface KnownCardsPlace {
  readonly stateDir: string;
  readonly url: string;
  readonly pid: number;
}

/** How a file of known cards is opened to be appended to. */
export const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

/** The folder of the known cards of all base URLs. */
export function cardsFolder(stateDir: string): string {
  return join(stateDir, 'cards');
}

/** `url`: the base URL, or `sandbox`. The name is no digest: a read would load the crypto module, which takes 5 ms. */
export function knownCardsPath(stateDir: string, url: string): string {
  return join(cardsFolder(stateDir), `${encodeURIComponent(url)}.ndjson`);
}

/** The ID and the reference stand first, in lower case, so that a search compares bytes at a fixed place. */
export function lineOf({ cardId, clientReference, status, seenAt }: SeenCard): string {
  const line = {
    id: cardId.toLowerCase(),
    ref: clientReference?.toLowerCase() ?? null,
    cardId,
    clientReference: clientReference ?? null,
    seenAt,
    status: status ?? null,
  };
  return `${JSON.stringify(line)}\n`;
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
 * Appends cards that were seen. Rejects with AUTH if others could have written the folder, else with the system's error.
 * Synchronous where there is a file: by the thread pool it takes a read 3 ms, and no disk is waited for.
 */
export async function rememberCards(place: KnownCardsPlace, cards: readonly SeenCard[]): Promise<void> {
  const path = knownCardsPath(place.stateDir, place.url);
  requireOwnState(place.stateDir, path);
  if (append(path, cards)) return;
  await makeFile(place, cards[0]?.seenAt ?? '');
  append(path, cards);
}

/** Returns whether there is a file. */
function append(path: string, cards: readonly SeenCard[]): boolean {
  let file: number;
  try {
    file = openSync(path, APPENDING);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  try {
    // One write: the lines of two processes do not mix.
    writeSync(file, cards.map(lineOf).join(''));
  } finally {
    closeSync(file);
  }
  return true;
}

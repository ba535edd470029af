import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { errnoOf, ioFailure } from './io-failure.ts';
import { currentUid, folderStep, newFolderStep, octal } from './safety.ts';
import { removeCommand, shellQuote } from './shell-quote.ts';

/**
 * Refuses what others could have put into the state folder (AUTH, with one command that fixes the whole folder, or, if
 * it is not frontdesk's alone, with the step to another one). The
 * folder itself and each one on the way to `path` must belong to this user, be no link, and not be writable by others.
 * If `path` is a folder, so must all that is in it. Readable is fine, and folders above do not count. Call it before
 * anything there is believed. LOCAL_IO if it cannot be checked.
 */
export function requireOwnState(stateDir: string, path: string): void {
  const parts = relative(stateDir, path)
    .split(sep)
    .filter((part) => part !== '');
  let place = stateDir;
  try {
    let facts = statOf(stateDir, place);
    for (const part of parts) {
      place = join(place, part);
      facts = statOf(stateDir, place);
    }
    // The folder of a run: its files are opened in many places.
    if (parts.length < 2 || facts?.isDirectory() !== true) return;
    for (const name of readdirSync(place)) statOf(stateDir, join(place, name));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return;
    throw ioFailure(`could not read ${place}`, error, 'unsent');
  }
}

/** The names in a folder there, once it may be believed; none if it does not exist. */
export function namesInOwn(stateDir: string, folder: string): readonly string[] {
  requireOwnState(stateDir, folder);
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The facts of a path, which must belong to this user; undefined if it does not exist. */
function statOf(stateDir: string, place: string): Stats | undefined {
  const facts = lstatSync(place, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  const uid = currentUid();
  // A run looks before each group of its rows: no word is made of what is in order.
  const isOrdinary = facts.isFile() || facts.isDirectory();
  if (isOrdinary && (uid === undefined || (facts.uid === uid && (facts.mode & 0o022) === 0))) return facts;
  const folder = shellQuote(stateDir);
  const anew = newFolderStep('FRONTDESK_STATE_DIR');
  const step = folderStep(stateDir, anew);
  if (facts.isSymbolicLink()) {
    const followed = 'set FRONTDESK_STATE_DIR to the folder that it leads to';
    throw foreign(place, 'it is a symbolic link', place === stateDir ? followed : step(removeCommand([place])));
  }
  if (!isOrdinary) {
    throw foreign(place, 'it is not an ordinary file', step(removeCommand([place])));
  }
  if (facts.uid !== uid) {
    const fix = step(`sudo chown -R ${uid} ${folder} && chmod -R go-w ${folder}`);
    const more = fix === anew ? [] : ['delete it instead if another user may have written it'];
    throw foreign(place, `it belongs to another user (uid ${facts.uid})`, fix, more);
  }
  throw foreign(place, `others can write to it (mode ${octal(facts.mode)})`, step(`chmod -R go-w ${folder}`));
}

function foreign(place: string, problem: string, fix: string, more: readonly string[] = []): Failure {
  return Failure.unsent('AUTH', `${place} was not used: ${problem}`, {
    hints: [fix, ...more],
    cause: new Error(problem),
  });
}

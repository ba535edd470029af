import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { ensurePrivateFolder, writeFileAtomic } from '../../base/files/atomic.ts';
import { NewerFileFailure } from '../../base/files/document.ts';
import { errnoOf, ioFailure } from '../../base/files/io-failure.ts';
import { withLock } from '../../base/files/lock.ts';
import { refuseUnsafeFolder } from '../../base/files/safety.ts';
import { sweepLeftovers } from '../../base/files/sweep.ts';
import type { Family } from '../../service/api/operation.ts';
import {
  CREDENTIALS_VERSION,
  CREDENTIALS_WHAT,
  type CredentialEntry,
  type CredentialPlace,
  credentialsPath,
  parseEntries,
  readCredentialBytes,
  readCredentials,
} from './store.ts';

/** Does the work under the lock of the store. `save` replaces its entries. */
async function withCredentialLock<Result>(
  place: CredentialPlace,
  work: (save: (entries: readonly CredentialEntry[]) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { configDir, platform, pid } = place;
  const [path, what] = [credentialsPath(configDir), CREDENTIALS_WHAT];
  await ensurePrivateFolder(configDir);
  await refuseUnsafeFolder(configDir, platform);
  return withLock(`${path}.lock`, { ...place, what }, async (assertStillHeld) => {
    await sweepLeftovers(configDir, place);
    return work((entries) => {
      const text = `${JSON.stringify({ version: CREDENTIALS_VERSION, entries }, null, 2)}\n`;
      return writeFileAtomic(path, text, { pid, what, assertStillHeld });
    });
  });
}

/** Copies a damaged file with its mode 0600 to a free name. */
async function keepCopy(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = number === 1 ? `${path}.bad` : `${path}.bad-${number}`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' && number < 1000) continue;
      throw ioFailure(`could not keep a copy of ${CREDENTIALS_WHAT} ${path}`, error);
    }
  }
}

/** The entries, or the copy of a file whose entries cannot be read. */
async function readOrKeep(place: CredentialPlace) {
  const bytes = await readCredentialBytes(place);
  const path = credentialsPath(place.configDir);
  try {
    return { entries: bytes === undefined ? [] : parseEntries(bytes, path), keptCopy: undefined };
  } catch (error) {
    if (error instanceof NewerFileFailure) throw error;
    return { entries: [], keptCopy: await keepCopy(path) };
  }
}

/** AUTH if the folder or the file of credentials is not safe, before anything is changed. */
export async function refuseUnsafeStore(place: CredentialPlace): Promise<void> {
  await ensurePrivateFolder(place.configDir);
  await refuseUnsafeFolder(place.configDir, place.platform);
  await readCredentialBytes(place);
}

/** Stores a credential in place of the one of its profile and family. `keptCopy`: a copy of a damaged file. */
export function storeCredential(place: CredentialPlace, entry: CredentialEntry) {
  return withCredentialLock(place, async (save) => {
    const { entries, keptCopy } = await readOrKeep(place);
    const others = entries.filter(({ profile, family }) => profile !== entry.profile || family !== entry.family);
    await save([...others, entry]);
    return { keptCopy };
  });
}

/** Removes the credentials of a profile, or of one family. Returns them. The tokens stay valid at the service. */
export async function removeCredentials(
  place: CredentialPlace,
  { profile, family }: { readonly profile: string; readonly family?: Family | undefined },
): Promise<readonly CredentialEntry[]> {
  const isMeant = (entry: CredentialEntry) =>
    entry.profile === profile && (family === undefined || entry.family === family);
  return withCredentialLock(place, async (save) => {
    const entries = await readCredentials(place);
    const removed = entries.filter(isMeant);
    if (removed.length > 0) await save(entries.filter((entry) => !isMeant(entry)));
    return removed;
  });
}

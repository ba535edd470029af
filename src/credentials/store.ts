import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Family } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../files/atomic.ts';
import { type DocumentKind, damagedFile, NewerFileFailure, parseDocument } from '../files/document.ts';
import { errnoOf, ioFailure } from '../files/io-failure.ts';
import { withLock } from '../files/lock.ts';
import { readPrivateFile, refuseUnsafeFolder } from '../files/safety.ts';
import { sweepLeftovers } from '../files/sweep.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../json/value.ts';

/** What is kept of a credential: the token itself, a command that prints it, or the path of a file with it. */
export type CredentialKind = 'token' | 'command' | 'file';

export interface CredentialEntry {
  readonly profile: string;
  readonly family: Family;
  /** scheme://host[:port]. The credential is used for this origin and for no other. */
  readonly origin: string;
  readonly kind: CredentialKind;
  /** The token, the command line, or the absolute path. */
  readonly value: string;
}

export interface CredentialPlace {
  readonly configDir: string;
  readonly platform: string;
  readonly pid: number;
  readonly clock: ClockPort;
}

const VERSION = 1;
const WHAT = 'the credentials file';

export function credentialsPath(configDir: string): string {
  return join(configDir, 'credentials.json');
}

const FAMILIES: readonly Family[] = ['cards', 'calendar'];
const KINDS: readonly CredentialKind[] = ['token', 'command', 'file'];

function readEntry(value: JsonValue): CredentialEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = (key: string) => {
    const member = value.get(key);
    return typeof member === 'string' ? member : undefined;
  };
  const [profile, origin, secret] = [text('profile'), text('origin'), text('value')];
  const family = FAMILIES.find((candidate) => candidate === text('family'));
  const kind = KINDS.find((candidate) => candidate === text('kind'));
  if (profile === undefined || origin === undefined || secret === undefined) return undefined;
  return family === undefined || kind === undefined ? undefined : { profile, family, origin, kind, value: secret };
}

function parseEntries(bytes: Uint8Array, path: string): readonly CredentialEntry[] {
  const kind: DocumentKind = { path, what: WHAT, version: VERSION, quotesText: false };
  const list = parseDocument(bytes, kind).get('entries');
  if (!isJsonArray(list)) throw damagedFile(kind, 'entries is not an array');
  return list.map((value, index) => {
    const entry = readEntry(value);
    if (entry === undefined) throw damagedFile(kind, `entries.${index} is not a credential`);
    return entry;
  });
}

type ReadPlace = Pick<CredentialPlace, 'platform'> & { readonly configDir: string | undefined };

async function readBytes({ configDir, platform }: ReadPlace): Promise<Uint8Array | undefined> {
  if (configDir === undefined) return undefined;
  return readPrivateFile(credentialsPath(configDir), { platform, what: WHAT });
}

/**
 * All stored credentials; none when there is no file. AUTH with the command that mends it when the file is
 * not safe to use, USAGE when it is damaged or from a newer frontdesk. Changes nothing.
 */
export async function readCredentials(place: ReadPlace): Promise<readonly CredentialEntry[]> {
  const bytes = await readBytes(place);
  return bytes === undefined ? [] : parseEntries(bytes, credentialsPath(place.configDir ?? ''));
}

async function save(place: CredentialPlace, entries: readonly CredentialEntry[]): Promise<void> {
  const text = `${JSON.stringify({ version: VERSION, entries }, null, 2)}\n`;
  await writeFileAtomic(credentialsPath(place.configDir), text, { pid: place.pid, what: WHAT });
}

async function withCredentialLock<Result>(place: CredentialPlace, work: () => Promise<Result>): Promise<Result> {
  const { configDir, platform, pid, clock } = place;
  await ensurePrivateFolder(configDir);
  await refuseUnsafeFolder(configDir, platform);
  return withLock(`${credentialsPath(configDir)}.lock`, { pid, clock, what: WHAT }, async () => {
    await sweepLeftovers(configDir, place);
    return work();
  });
}

/** Copies a damaged file (its mode 0600 comes along) to a name that nothing else has. */
async function keepCopy(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = number === 1 ? `${path}.bad` : `${path}.bad-${number}`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' && number < 1000) continue;
      throw ioFailure(`cannot keep a copy of ${WHAT} ${path}`, error);
    }
  }
}

/** The entries, or the copy that was kept of a file whose entries cannot be read any more. */
async function readOrKeep(place: CredentialPlace): Promise<{ entries: readonly CredentialEntry[]; copy?: string }> {
  const bytes = await readBytes(place);
  const path = credentialsPath(place.configDir);
  if (bytes === undefined) return { entries: [] };
  try {
    return { entries: parseEntries(bytes, path) };
  } catch (error) {
    if (error instanceof NewerFileFailure) throw error;
    return { entries: [], copy: await keepCopy(path) };
  }
}

/**
 * Stores a credential in the place of the one that this profile and family had. A damaged file is replaced,
 * after a copy of it was kept beside it; the answer names the copy. AUTH when file or folder are not safe,
 * LOCAL_IO when it cannot be written: then what was there is unchanged.
 */
export async function storeCredential(
  place: CredentialPlace,
  entry: CredentialEntry,
): Promise<{ readonly keptCopy: string | undefined }> {
  return withCredentialLock(place, async () => {
    const { entries, copy } = await readOrKeep(place);
    const others = entries.filter(({ profile, family }) => profile !== entry.profile || family !== entry.family);
    await save(place, [...others, entry]);
    return { keptCopy: copy };
  });
}

/**
 * Removes the credentials of a profile (of one family, if given) and whatever killed processes left behind;
 * answers what was removed. The tokens themselves stay valid at the service.
 */
export async function removeCredentials(
  place: CredentialPlace,
  { profile, family }: { readonly profile: string; readonly family?: Family | undefined },
): Promise<readonly CredentialEntry[]> {
  const isMeant = (entry: CredentialEntry) =>
    entry.profile === profile && (family === undefined || entry.family === family);
  return withCredentialLock(place, async () => {
    const entries = await readCredentials(place);
    const removed = entries.filter(isMeant);
    if (removed.length > 0)
      await save(
        place,
        entries.filter((entry) => !isMeant(entry)),
      );
    return removed;
  });
}

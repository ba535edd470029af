import { join } from 'node:path';
import { type DocumentKind, damagedFile, parseDocument } from '../../base/files/document.ts';
import type { LockPorts } from '../../base/files/lock.ts';
import { readPrivateFile } from '../../base/files/safety.ts';
import { isJsonArray, type JsonValue, textAt } from '../../base/json/value.ts';
import { FAMILIES, type Family } from '../../service/api/operation.ts';

/** A stored credential: the token itself, a command that prints it, the path of a file with it, or the system's store. */
export const CREDENTIAL_KINDS = ['token', 'command', 'file', 'keychain'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export interface CredentialEntry {
  readonly profile: string;
  readonly family: Family;
  /** scheme://host[:port]. The credential is used for this origin only. */
  readonly origin: string;
  readonly kind: CredentialKind;
  /** The token, the command line, or the absolute path; empty for the system's store. */
  readonly value: string;
}

export interface CredentialPlace extends LockPorts {
  readonly configDir: string;
  readonly platform: string;
}

export const CREDENTIALS_VERSION = 1;
export const CREDENTIALS_WHAT = 'the credentials file';

export function credentialsPath(configDir: string): string {
  return join(configDir, 'credentials.json');
}

function readEntry(value: JsonValue): CredentialEntry | undefined {
  const [profile, origin, secret] = [textAt(value, 'profile'), textAt(value, 'origin'), textAt(value, 'value')];
  const family = FAMILIES.find((candidate) => candidate === textAt(value, 'family'));
  const kind = CREDENTIAL_KINDS.find((candidate) => candidate === textAt(value, 'kind'));
  if (profile === undefined || origin === undefined || secret === undefined) return undefined;
  return family === undefined || kind === undefined ? undefined : { profile, family, origin, kind, value: secret };
}

/** The entries in the file's bytes. USAGE if it is damaged or from a newer frontdesk. */
export function parseEntries(bytes: Uint8Array, path: string): readonly CredentialEntry[] {
  const kind: DocumentKind = { path, what: CREDENTIALS_WHAT, version: CREDENTIALS_VERSION, quotesText: false };
  const list = parseDocument(bytes, kind).get('entries');
  if (!isJsonArray(list)) throw damagedFile(kind, 'entries is not an array');
  return list.map((value, index) => {
    const entry = readEntry(value);
    if (entry === undefined) throw damagedFile(kind, `entries.${index} is not a credential`);
    return entry;
  });
}

type ReadPlace = Pick<CredentialPlace, 'platform'> & { readonly configDir: string | undefined };

/** The file's bytes; undefined without a file. AUTH if it is not safe. */
export async function readCredentialBytes({ configDir, platform }: ReadPlace): Promise<Uint8Array | undefined> {
  if (configDir === undefined) return undefined;
  return readPrivateFile(credentialsPath(configDir), { platform, what: CREDENTIALS_WHAT });
}

/** All stored credentials. AUTH with a fix for an unsafe file, USAGE for a damaged or newer one. */
export async function readCredentials(place: ReadPlace): Promise<readonly CredentialEntry[]> {
  const bytes = await readCredentialBytes(place);
  return bytes === undefined ? [] : parseEntries(bytes, credentialsPath(place.configDir ?? ''));
}

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../base/failure.ts';
import { type DocumentKind, damagedFile, parseDocument } from '../base/files/document.ts';
import { describeIoError, errnoOf, ifPossible } from '../base/files/io-failure.ts';
import { type GuardedFile, readGuardedFile } from '../base/files/safety.ts';
import type { JsonSchema } from '../base/json/shape.ts';
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../base/json/value.ts';
import type { Reading } from '../input/options/read-value.ts';
import { didYouMean } from '../screen/nearest.ts';
import {
  NO_SETTINGS,
  PREFERENCES,
  PROFILE_SETTINGS,
  type Preferences,
  type ProfileKey,
  type ProfileSetting,
  profileNameProblem,
  readPreference,
  SANDBOX,
  SETTINGS_VERSION,
  type Settings,
  type StoredProfile,
} from './settings.ts';

export function settingsPath(configDir: string): string {
  return join(configDir, 'settings.json');
}

type Fault = (where: string) => Failure;

const TOP_KEYS = ['version', 'currentProfile', 'profiles', 'preferences'];

/** A misspelt `readOnly` that is ignored would send what it should hold back. */
function refuseUnknownKeys(object: JsonObject, known: readonly string[], at: string, fault: Fault): void {
  for (const key of object.keys()) {
    if (known.includes(key)) continue;
    throw fault(`${at}${key} is not a setting${didYouMean(key, known)}`);
  }
}

function objectAt(value: JsonValue | undefined, at: string, fault: Fault): JsonObject {
  if (value === undefined) return new Map();
  if (isJsonObject(value)) return value;
  throw fault(`${at} is not an object`);
}

/** The members of an object that one table describes, in its order. No others are allowed. */
function readTable<Key extends string>(
  value: JsonValue | undefined,
  table: Readonly<Record<Key, { readonly shape: JsonSchema }>>,
  read: (key: Key, text: string) => Reading<unknown>,
  at: string,
  fault: Fault,
): Readonly<Record<string, unknown>> {
  const object = objectAt(value, at, fault);
  // Object.keys returns string[]. The table is a constant, so these are all keys.
  const keys = Object.keys(table) as Key[];
  refuseUnknownKeys(object, keys, `${at}.`, fault);
  const members: Record<string, unknown> = {};
  for (const key of keys) {
    const member = object.get(key);
    if (member === undefined) continue;
    const { shape } = table[key];
    const text = textOfKind(member, shape);
    if (text === undefined) throw fault(`${at}.${key} is not ${KINDS[String(shape['type'])] ?? 'a text'}`);
    const reading = read(key, text);
    if (!reading.ok) throw fault(`${at}.${key}: ${reading.problem}`);
    members[key] = reading.value;
  }
  return members;
}

const KINDS: Readonly<Record<string, string>> = { boolean: 'true or false', integer: 'a number' };

/** A value of settings.json as the text that a user would type; undefined if it has another type than the setting. */
function textOfKind(value: JsonValue, shape: JsonSchema): string | undefined {
  if (shape['type'] === 'boolean') return typeof value === 'boolean' ? String(value) : undefined;
  if (shape['type'] === 'integer') return value instanceof JsonNumber ? value.text : undefined;
  return typeof value === 'string' ? value : undefined;
}

function readProfiles(value: JsonValue | undefined, fault: Fault): ReadonlyMap<string, StoredProfile> {
  const profiles = new Map<string, StoredProfile>();
  const readSetting = (key: ProfileKey, text: string) => {
    const { read, readStored = read }: ProfileSetting<unknown> = PROFILE_SETTINGS[key];
    return readStored(text);
  };
  for (const [name, profile] of objectAt(value, 'profiles', fault)) {
    const problem = name === SANDBOX ? 'is built in, and cannot be stored' : profileNameProblem(name);
    if (problem !== undefined) throw fault(`profiles: the name "${name}" ${problem}`);
    // Read by the rows that the type follows from.
    profiles.set(name, readTable(profile, PROFILE_SETTINGS, readSetting, `profiles.${name}`, fault) as StoredProfile);
  }
  return profiles;
}

/** Settings from the bytes of settings.json. USAGE if they are damaged or from a newer frontdesk. */
function parseSettings(bytes: Uint8Array, path: string): Settings {
  const kind: DocumentKind = { path, what: 'the settings file', version: SETTINGS_VERSION, quotesText: true };
  const document = parseDocument(bytes, kind);
  const fault: Fault = (where) => damagedFile(kind, where);
  refuseUnknownKeys(document, TOP_KEYS, '', fault);
  const currentProfile = document.get('currentProfile');
  const profiles = readProfiles(document.get('profiles'), fault);
  if (currentProfile !== undefined && currentProfile !== null) {
    if (typeof currentProfile !== 'string') throw fault('currentProfile is not a text');
    const isKnown = currentProfile === SANDBOX || profiles.has(currentProfile);
    if (!isKnown) throw fault(`currentProfile "${currentProfile}" is not among the profiles`);
  }
  const preferences = readTable(document.get('preferences'), PREFERENCES, readPreference, 'preferences', fault);
  // Read by the rows that the type follows from.
  return { currentProfile, profiles, preferences: preferences as Preferences };
}

/** Absent, or in a folder that this user cannot open: then it holds nothing of this user's. */
function isOutOfReach(path: string, error: unknown): boolean {
  const errno = errnoOf(error) ?? '';
  if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(errno)) return false;
  const entry = ifPossible(() => lstatSync(path));
  // A link to nowhere is there: its `readOnly` is on a drive that is away. A file may have been made just after the read.
  return entry === undefined || (errno === 'ENOENT' && !entry.isSymbolicLink());
}

/**
 * The settings of this user; empty without a folder or file. Changes nothing. USAGE for a file that is damaged, newer
 * or unreadable, because ignoring it would drop its `readOnly`. AUTH for one that others can write to, because it says
 * where a token goes.
 */
export async function readSettings(configDir: string | undefined): Promise<Settings> {
  if (configDir === undefined) return NO_SETTINGS;
  const path = settingsPath(configDir);
  const what = `the settings file ${path}`;
  let file: GuardedFile;
  try {
    // Synchronous: every call reads this small file, and starting Node's threads takes longer.
    file = readGuardedFile(path);
  } catch (error) {
    if (isOutOfReach(path, error)) return NO_SETTINGS;
    throw Failure.unsent('USAGE', `could not read ${what}: ${describeIoError(error)}`, { cause: error });
  }
  if ('bytes' in file) return parseSettings(file.bytes, path);
  const { problem, fix } = file;
  if (fix === undefined) throw Failure.unsent('USAGE', `${what} was not used: ${problem}`);
  throw Failure.unsent('AUTH', `${what} was not used: ${problem}`, { hints: [fix] });
}

import { Failure } from '../../../base/failure.ts';
import { BOOLEAN, jsonOf, object, shapesOf, TEXT } from '../../../base/json/shape.ts';
import type { JsonValue } from '../../../base/json/value.ts';
import type { Session } from '../../../command/session.ts';
import { currentProfileName, knownProfiles } from '../../../profile/resolve.ts';
import { PROFILE_SETTINGS, type Settings, type StoredProfile } from '../../../profile/settings.ts';
import { type Column, columnsOf } from '../../../screen/column.ts';

export const COLUMNS: readonly Column[] = [
  { name: 'name', header: 'NAME' },
  { name: 'current', header: 'CURRENT' },
  ...columnsOf(PROFILE_SETTINGS),
];

export const NAME = {
  text: 'name of the profile: 1 to 64 of A-Z a-z 0-9 . _ -',
  required: true,
  isOwnQuestion: true,
  names: 'profile',
} as const;

export const CREATE_FIRST = { do: 'log in', words: 'create one' } as const;

/** `current`: it is used if none is named. */
export const PROFILE = object({ name: TEXT, current: BOOLEAN }, shapesOf(PROFILE_SETTINGS));

export function profileJson(name: string, profile: StoredProfile, current: string | undefined): JsonValue {
  return jsonOf(PROFILE, { name, current: current === name, ...profile });
}

/** The name of a stored profile, or one of `others`. */
export async function nameOf(session: Session, name: string | undefined, others: readonly string[]): Promise<string> {
  if (name !== undefined) return name;
  const known = [...session.settings().profiles.keys(), ...others];
  if (!session.prompt.available) throw new Failure('USAGE', `<name>: is required: ${known.join(', ')}`);
  if (known.length === 0) throw new Failure('USAGE', 'there is no profile yet', { hints: [CREATE_FIRST] });
  const choices = known.map((value) => ({ value, text: value }));
  return session.prompt.choose('Which profile?', choices);
}

export async function printProfile(session: Session, settings: Settings, name: string): Promise<void> {
  const { env } = session.context;
  const profile = knownProfiles(settings, env).get(name) ?? {};
  const current = currentProfileName(settings, env);
  await session.print({ kind: 'resource', resource: profileJson(name, profile, current), columns: COLUMNS });
}

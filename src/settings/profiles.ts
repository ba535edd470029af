import { Failure, type Fault, usageFailure } from '../failure.ts';
import { didYouMean } from '../output/nearest.ts';
import {
  checkProfileName,
  PROFILE_KEYS,
  PROFILE_OPTIONS,
  PROFILE_SETTINGS,
  type ProfileKey,
  SANDBOX,
  type Settings,
  type StoredProfile,
} from './settings.ts';

/** What `profile set` and `auth login` were given, as typed. An empty text takes the setting away. */
export type ProfileChanges = { readonly [Key in ProfileKey]?: string | undefined };

/** The error for a profile that is not there, with the nearest name and the list of those that are. */
export function unknownProfile(settings: Settings, name: string, where: string): Failure {
  const names = [...settings.profiles.keys(), SANDBOX];
  return new Failure('USAGE', `${where}: there is no profile "${name}"${didYouMean(name, names)}`, {
    hints: [`choose one of ${names.join(', ')}, or create it: frontdesk auth login -p ${name}`],
  });
}

function refuseSandbox(name: string, attempt: string): void {
  if (name !== SANDBOX) return;
  throw Failure.unchanged('USAGE', `the profile sandbox was not ${attempt}: it is built in`);
}

/**
 * The settings with one profile created or changed. URLs are kept as origin and path prefix. USAGE names
 * every fault at once; changing nothing on an existing profile is one.
 */
export function changeProfile(settings: Settings, name: string, changes: ProfileChanges): Settings {
  checkProfileName(name, '<name>');
  refuseSandbox(name, 'changed');
  const faults: Fault[] = [];
  const before = settings.profiles.get(name);
  const given = PROFILE_KEYS.filter((key) => changes[key] !== undefined);
  let profile: StoredProfile = before ?? {};
  for (const key of given) {
    const { [key]: _old, ...others } = profile;
    const text = changes[key] ?? '';
    const reading = text === '' ? undefined : PROFILE_SETTINGS[key].read(text);
    if (reading?.ok === false) faults.push({ where: `--${PROFILE_OPTIONS[key].long}`, problem: reading.problem });
    else profile = reading === undefined ? others : { ...others, [key]: reading.value };
  }
  if (faults.length > 0) throw usageFailure(faults);
  if (before !== undefined && given.length === 0) {
    const known = Object.values(PROFILE_OPTIONS).map(({ long }) => `--${long}`);
    throw new Failure('USAGE', `profile ${name}: nothing to change`, { hints: [`give one of ${known.join(', ')}`] });
  }
  return { ...settings, profiles: new Map([...settings.profiles, [name, profile]]) };
}

/** The settings with that profile as the one used when none is named. */
export function useProfile(settings: Settings, name: string): Settings {
  if (name !== SANDBOX && !settings.profiles.has(name)) throw unknownProfile(settings, name, '<name>');
  return { ...settings, currentProfile: name };
}

/** The settings without that profile. Its credentials are the caller's to remove (`removeCredentials`). */
export function removeProfile(settings: Settings, name: string): Settings {
  refuseSandbox(name, 'removed');
  if (!settings.profiles.has(name)) throw unknownProfile(settings, name, '<name>');
  const profiles = new Map(settings.profiles);
  profiles.delete(name);
  const currentProfile = settings.currentProfile === name ? undefined : settings.currentProfile;
  return { ...settings, currentProfile, profiles };
}

import { resolve } from 'node:path';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import { meantBy } from '../output/nearest.ts';
import { parseBaseUrl } from '../wire/base-url.ts';
import { readOutput } from './preferences.ts';
import { checkProfileName, readApprovals, reasonPatternProblem } from './profile-name.ts';
import { PROFILE_FLAGS, PROFILE_KEYS, SANDBOX, type Settings, type StoredProfile } from './settings.ts';

/** What `profile set` and `auth login` were given, as typed. An empty text takes the setting away. */
export type ProfileChanges = { readonly [Key in keyof StoredProfile]?: string | undefined };

/** One setting from its text, as a part of a profile, or what is wrong with it. */
function readChange(key: keyof StoredProfile, text: string): StoredProfile | string {
  if (key === 'cardsUrl' || key === 'calendarUrl') {
    const base = parseBaseUrl(text);
    if (base.kind === 'ok') return { [key]: base.baseUrl.origin + base.baseUrl.pathPrefix };
    const withScheme = /^[a-z0-9.-]+(?::\d+)?(?:\/|$)/i.test(text) && parseBaseUrl(`https://${text}`).kind === 'ok';
    return withScheme ? `${base.problem}; did you mean https://${text}?` : base.problem;
  }
  if (key === 'readOnly') {
    return text === 'true' || text === 'false' ? { readOnly: text === 'true' } : `"${text}" is not true or false`;
  }
  if (key === 'requireReason') return reasonPatternProblem(text) ?? { requireReason: text };
  if (key === 'requireReasonHint') return { requireReasonHint: text };
  if (key === 'approvers') return { approvers: resolve(text) };
  if (key === 'approvals') {
    const approvals = readApprovals(text);
    return approvals === undefined ? `"${text}" is not a number from 1 to 9` : { approvals };
  }
  const reading = readOutput(text);
  return reading.ok ? { output: reading.value } : reading.problem;
}

/** The error for a profile that is not there, with the nearest name and the list of those that are. */
export function unknownProfile(settings: Settings, name: string, where: string): Failure {
  const names = [...settings.profiles.keys(), SANDBOX];
  return new Failure('USAGE', `${where}: there is no profile "${name}"${meantBy(name, names)}`, {
    hints: [`choose one of ${names.join(', ')}, or create it with: frontdesk profile set ${name} --cards-url <url>`],
  });
}

function refuseSandbox(name: string, attempt: string): void {
  if (name !== SANDBOX) return;
  throw new Failure('USAGE', `the profile sandbox was not ${attempt}: it is built in; nothing was changed`);
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
  let profile: StoredProfile = before ?? {};
  let changed = 0;
  for (const key of PROFILE_KEYS) {
    const text = changes[key];
    if (text === undefined) continue;
    changed += 1;
    const change = text === '' ? {} : readChange(key, text);
    if (typeof change === 'string') {
      faults.push({ where: `--${PROFILE_FLAGS[key]}`, problem: change });
      continue;
    }
    const { [key]: _old, ...others } = profile;
    profile = { ...others, ...change };
  }
  if (faults.length > 0) throw usageFailure(faults);
  if (before !== undefined && changed === 0) {
    throw new Failure('USAGE', `profile ${name}: nothing to change`, {
      hints: [`give one of --${Object.values(PROFILE_FLAGS).join(', --')}`],
    });
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

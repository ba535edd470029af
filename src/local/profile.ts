import { localCommand } from '../command/command.ts';
import { Failure, note } from '../failure.ts';
import { BOOLEAN, jsonOf, list, object, shapesOf, TEXT } from '../json/shape.ts';
import type { JsonValue } from '../json/value.ts';
import { YES } from '../options/common.ts';
import { type Column, columnsOf } from '../output/column.ts';
import type { Session } from '../session.ts';
import { changeProfile, removeProfile, unknownProfile, useProfile } from '../settings/profiles.ts';
import { currentProfileName, knownProfiles } from '../settings/resolve.ts';
import {
  PROFILE_OPTIONS,
  PROFILE_SETTINGS,
  profileNameProblem,
  SANDBOX,
  type Settings,
  type StoredProfile,
} from '../settings/settings.ts';
import { confirmLoss, missingText } from './missing.ts';

const COLUMNS: readonly Column[] = [
  { name: 'name', header: 'NAME' },
  { name: 'current', header: 'CURRENT' },
  ...columnsOf(PROFILE_SETTINGS),
];

const NAME = {
  text: 'name of the profile: 1 to 64 of A-Z a-z 0-9 . _ -',
  required: true,
  isOwnQuestion: true,
  names: 'profile',
} as const;

const CREATE_HINT = 'create one: frontdesk auth login';

/** `current`: it is used when none is named. */
const PROFILE = object({ name: TEXT, current: BOOLEAN }, shapesOf(PROFILE_SETTINGS));
const REMOVED = object({ removed: TEXT });

function profileJson(name: string, profile: StoredProfile, current: string | undefined): JsonValue {
  return jsonOf(PROFILE, { name, current: current === name, ...profile });
}

/** The name of a profile that is stored, or one of the others that may be meant. */
async function nameOf(session: Session, name: string | undefined, others: readonly string[]): Promise<string> {
  if (name !== undefined) return name;
  const known = [...session.settings().profiles.keys(), ...others];
  if (!session.prompt.available) throw new Failure('USAGE', `<name>: is required: ${known.join(', ')}`);
  if (known.length === 0) throw new Failure('USAGE', 'there is no profile yet', { hints: [CREATE_HINT] });
  const choices = known.map((value) => ({ value, text: value }));
  return session.prompt.choose('Which profile?', choices);
}

async function printProfile(session: Session, settings: Settings, name: string): Promise<void> {
  const { env } = session.context;
  const profile = knownProfiles(settings, env).get(name) ?? {};
  const current = currentProfileName(settings, env);
  await session.print({ kind: 'resource', resource: profileJson(name, profile, current), columns: COLUMNS });
}

export const profileListCommand = localCommand({
  columns: COLUMNS,
  description:
    'Lists the stored profiles; without any, `default` is what the environment says. `sandbox` is built in and always there. Tokens are never shown.',
  examples: { 'See what there is': 'profile list', 'Names only': "profile list --json --query '[].name'" },
  output: () => list(PROFILE),
  async run(session) {
    const settings = session.settings();
    const { env } = session.context;
    const current = currentProfileName(settings, env);
    const profiles = knownProfiles(settings, env);
    const all = [...profiles, [SANDBOX, {}] as const];
    const rows = all.map(([name, profile]) => profileJson(name, profile, current));
    await session.print({ kind: 'list', rows, columns: COLUMNS });
    if (profiles.size === 0 && session.context.stdout.isTerminal) {
      await session.notify(note('NO_PROFILE', `no profile is stored yet; ${CREATE_HINT}`));
    }
  },
});

export const profileShowCommand = localCommand({
  columns: COLUMNS,
  description: 'Shows one profile, or the one in use. Tokens are never shown; see `frontdesk auth status`.',
  arguments: { name: { ...NAME, required: false } },
  examples: { 'Show where a profile points': 'profile show live', 'Show the one in use': 'profile show' },
  output: () => PROFILE,
  async run(session, given) {
    const settings = session.settings();
    const name = given.name ?? session.profile.name;
    const profiles = knownProfiles(settings, session.context.env);
    const isKnown = profiles.has(name) || name === SANDBOX || given.name === undefined;
    if (!isKnown) throw unknownProfile(settings, name, '<name>');
    await printProfile(session, settings, name);
  },
});

export const profileSetCommand = localCommand({
  columns: COLUMNS,
  description:
    'Creates a profile or changes one; an empty value takes a setting away. Changing a URL to another host leaves stored tokens behind: log in again. A read-only profile refuses every write; --require-reason is a regular expression that must be found in --reason, wherever a command has one.',
  arguments: { name: NAME },
  options: PROFILE_OPTIONS,
  examples: {
    'Create a profile':
      'profile set live --cards-url https://cards.example.com --calendar-url https://calendar.example.com',
    'Ask for a ticket number wherever a reason is given': "profile set live --require-reason '[A-Z]+-[0-9]+'",
  },
  output: () => PROFILE,
  async run(session, given) {
    const name = given.name ?? (await missingText(session, '<name>', 'Name of the profile', profileNameProblem));
    const settings = await session.changeSettings((before) => changeProfile(before, name, given));
    await printProfile(session, settings, name);
    const { requireReason, requireReasonHint } = settings.profiles.get(name) ?? {};
    if ((given.requireReason ?? '') === '' || requireReason === undefined || requireReasonHint !== undefined) return;
    const say = `say in words what a reason has to hold, for those who are asked, with --require-reason-hint`;
    await session.notify(note('REASON_HINT', say));
  },
});

export const profileUseCommand = localCommand({
  columns: COLUMNS,
  description: 'Makes a profile the one that is used when none is named.',
  arguments: { name: NAME },
  examples: {
    'Use the profile live from now on': 'profile use live',
    'Use the sandbox from now on': 'profile use sandbox',
  },
  output: () => PROFILE,
  async run(session, given) {
    const name = await nameOf(session, given.name, [SANDBOX]);
    const settings = await session.changeSettings((before) => useProfile(before, name));
    await printProfile(session, settings, name);
  },
});

export const profileRemoveCommand = localCommand({
  description:
    'Removes a profile and the credentials stored for it. Asks first; elsewhere than on a terminal it needs --yes. The tokens themselves stay valid at the service.',
  arguments: { name: NAME },
  options: { yes: YES },
  examples: { 'Remove a profile without a question': 'profile remove old --yes', 'Ask first': 'profile remove old' },
  output: () => REMOVED,
  async run(session, given) {
    const name = await nameOf(session, given.name, []);
    const settings = session.settings();
    removeProfile(settings, name);
    await confirmLoss(session, given.yes, `Remove profile ${name} and its credentials?`);
    const { removeCredentials } = await import('../credentials/store-change.ts');
    // First: a store that is refused must not keep the token of a profile that is gone.
    await removeCredentials(session.credentialPlace(), { profile: name });
    await session.changeSettings((before) => removeProfile(before, name));
    await session.print({
      kind: 'text',
      text: `Profile ${name} is removed.`,
      json: jsonOf(REMOVED, { removed: name }),
    });
  },
});

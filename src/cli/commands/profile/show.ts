import { localCommand } from '../../../command/command.ts';
import { knownProfiles } from '../../../profile/resolve.ts';
import { SANDBOX, unknownProfile } from '../../../profile/settings.ts';
import { COLUMNS, NAME, PROFILE, printProfile } from './profile.ts';

export const command = localCommand({
  columns: COLUMNS,
  description:
    'Without a name, shows the current profile. Tokens are never shown. For credentials, run `frontdesk auth status`.',
  arguments: { name: { ...NAME, required: false } },
  examples: { 'Show where a profile points': 'profile show live', 'Show the current profile': 'profile show' },
  output: () => PROFILE,
  async run(session, values) {
    const settings = session.settings();
    const name = values.name ?? session.selectedProfile().name;
    const profiles = knownProfiles(settings, session.context.env);
    const isKnown = profiles.has(name) || name === SANDBOX || values.name === undefined;
    if (!isKnown) throw unknownProfile(settings, name, '<name>');
    await printProfile(session, settings, name);
  },
});

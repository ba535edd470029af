import { localCommand } from '../../../command/command.ts';
import { changeProfile, PROFILE_OPTIONS, profileNameProblem } from '../../../profile/settings.ts';
import { missingText } from '../../../writes/ask/missing.ts';
import { COLUMNS, NAME, PROFILE, printProfile } from './profile.ts';

export const command = localCommand({
  columns: COLUMNS,
  description:
    'An empty value removes a setting. If you change a URL to another host, log in again: stored tokens belong to the old one. A read-only profile refuses every change. Each --reason must match the regular expression of --require-reason.',
  arguments: { name: NAME },
  options: PROFILE_OPTIONS,
  examples: {
    'Create a profile':
      'profile set live --cards-url https://cards.example.com --calendar-url https://calendar.example.com',
    'Require a ticket number in each reason': "profile set live --require-reason '[A-Z]+-[0-9]+'",
  },
  output: () => PROFILE,
  async run(session, values) {
    const name =
      values.name ?? (await missingText(session, '<name>', 'Name of the profile, such as live', profileNameProblem));
    const settings = await session.changeSettings((before) => changeProfile(before, name, values));
    session.done.push('the setting is saved');
    await printProfile(session, settings, name);
  },
});

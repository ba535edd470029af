import { localCommand } from '../../../command/command.ts';
import { overrideNotice, overridesOf } from '../../../profile/resolve.ts';
import { SANDBOX, useProfile } from '../../../profile/settings.ts';
import { FAMILIES } from '../../../service/api/operation.ts';
import { COLUMNS, NAME, nameOf, PROFILE, printProfile } from './profile.ts';

export const command = localCommand({
  columns: COLUMNS,
  description: 'Commands without --profile and FRONTDESK_PROFILE use the current profile. `profile list` marks it.',
  arguments: { name: NAME },
  examples: {
    'Use the profile live from now on': 'profile use live',
    'Use the sandbox from now on': 'profile use sandbox',
  },
  output: () => PROFILE,
  async run(session, values) {
    const name = await nameOf(session, values.name, [SANDBOX]);
    const settings = await session.changeSettings((before) => useProfile(before, name));
    session.done.push('the setting is saved');
    await printProfile(session, settings, name);
    const overrides = overridesOf(name, FAMILIES, settings, session.context.env);
    if (overrides.length > 0) await session.notify(overrideNotice(overrides));
  },
});

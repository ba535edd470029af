import { note } from '../../../base/failure.ts';
import { list } from '../../../base/json/shape.ts';
import { commandOf } from '../../../base/next-step.ts';
import { localCommand } from '../../../command/command.ts';
import { currentProfileName, knownProfiles } from '../../../profile/resolve.ts';
import { SANDBOX } from '../../../profile/settings.ts';
import { COLUMNS, CREATE_FIRST, PROFILE, profileJson } from './profile.ts';

export const command = localCommand({
  columns: COLUMNS,
  description:
    'Without stored profiles, `default` is what the environment says. `sandbox` is built in. Tokens are never shown.',
  examples: { 'See all profiles': 'profile list', 'Names only': "profile list --json --query '[].name' --raw" },
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
      await session.notify(note('NO_PROFILE', `no profiles yet. Create one: ${commandOf(CREATE_FIRST)}`));
    }
  },
});

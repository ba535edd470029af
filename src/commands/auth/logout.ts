import { FAMILIES, familyAdjective } from '../../api/operation.ts';
import { FAMILY, NEVER_ASKS } from '../../ask/missing.ts';
import { localCommand } from '../../command/command.ts';
import { removeCredentials } from '../../credentials/store-change.ts';
import { jsonOf, list, object, oneOf, TEXT } from '../../json/shape.ts';

const LOGOUT = object({ profile: TEXT, removed: list(object({ family: oneOf(FAMILIES), origin: TEXT })) });

export const command = localCommand({
  description:
    'Deletes both credentials of a profile, or one of them, from this machine. The tokens stay valid at the service. Environment variables are not changed.',
  options: { family: FAMILY, yes: NEVER_ASKS },
  examples: {
    'Remove both credentials of a profile': 'auth logout -p live',
    'Only that of the calendars': 'auth logout -p live --family calendar',
  },
  output: () => LOGOUT,
  async run(session, { family }) {
    const profile = session.profile.name;
    const removed = await removeCredentials(session.credentialPlace(), { profile, family });
    const names = removed.map((entry) => `the ${familyAdjective(entry.family)} credential for ${entry.origin}`);
    const text =
      names.length === 0
        ? `Profile ${profile} had no stored credential.`
        : `Removed from this machine: ${names.join(', ')}. The tokens stay valid at the service.`;
    const places = removed.map((entry) => ({ family: entry.family, origin: entry.origin }));
    const json = jsonOf(LOGOUT, { profile, removed: places });
    await session.print({ kind: 'text', text, json, isProse: true });
  },
});

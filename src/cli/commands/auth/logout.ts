import { warning } from '../../../base/failure.ts';
import { jsonOf, list, object, oneOf, TEXT } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { environmentToken } from '../../../profile/credentials/resolve.ts';
import { TOKEN_VARIABLES } from '../../../profile/resolve.ts';
import { FAMILIES, familyAdjective } from '../../../service/api/operation.ts';
import { FAMILY, NEVER_ASKS } from '../../../writes/ask/missing.ts';
import { forgetCredentials } from '../../credential-request.ts';

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
    const profile = session.selectedProfile().name;
    const removed = await forgetCredentials(session, { profile, family });
    const names = removed.map((entry) => `the ${familyAdjective(entry.family)} credential for ${entry.origin}`);
    if (names.length > 0) session.done.push(`removed ${names.join(' and ')}`);
    const text =
      names.length === 0
        ? `Profile ${profile} had no stored credential.`
        : `Removed from this machine: ${names.join(', ')}. The tokens stay valid at the service.`;
    const places = removed.map((entry) => ({ family: entry.family, origin: entry.origin }));
    const json = jsonOf(LOGOUT, { profile, removed: places });
    await session.print({ kind: 'text', text, json, isProse: true });
    const { env } = session.context;
    const left = FAMILIES.filter((own) => (family ?? own) === own && environmentToken(env, own) !== undefined);
    const variables = left.map((own) => TOKEN_VARIABLES[own]).join(', ');
    const message = `${variables} of the environment still give${left.length === 1 ? 's' : ''} a token, which is used`;
    if (left.length > 0 && !session.selectedProfile().isSandbox)
      await session.notify(warning('ENVIRONMENT_OVERRIDES', message));
  },
});

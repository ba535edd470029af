import { confirmLoss } from '../../ask/missing.ts';
import { localCommand } from '../../command/command.ts';
import { jsonOf, object, TEXT } from '../../json/shape.ts';
import { YES } from '../../options/common.ts';
import { removeProfile } from '../../settings/settings.ts';
import { NAME, nameOf } from './profile.ts';

const REMOVED = object({ removed: TEXT });

export const command = localCommand({
  description: 'Asks first. Outside a terminal, it needs --yes. The tokens stay valid at the service.',
  arguments: { name: NAME },
  options: { yes: YES },
  examples: { 'Remove a profile without a question': 'profile remove old --yes', 'Ask first': 'profile remove old' },
  output: () => REMOVED,
  async run(session, given) {
    const name = await nameOf(session, given.name, []);
    const settings = session.settings();
    removeProfile(settings, name);
    await confirmLoss(session, given.yes, `Remove profile ${name} and its credentials?`);
    const { removeCredentials } = await import('../../credentials/store-change.ts');
    // First: a refused credential store must not keep the token of a deleted profile.
    const removed = await removeCredentials(session.credentialPlace(), { profile: name });
    if (removed.length > 0) session.done.push('its credentials are removed');
    await session.changeSettings((before) => removeProfile(before, name));
    const text = `Profile ${name} is removed.`;
    await session.print({ kind: 'text', text, json: jsonOf(REMOVED, { removed: name }) });
  },
});

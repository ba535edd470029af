import { note } from '../../../base/failure.ts';
import { jsonOf, object, TEXT } from '../../../base/json/shape.ts';
import { commandOf } from '../../../base/next-step.ts';
import { localCommand } from '../../../command/command.ts';
import { YES } from '../../../input/options/common.ts';
import { currentProfileName, placeOfUrl } from '../../../profile/resolve.ts';
import { removeProfile, type Settings, type StoredProfile } from '../../../profile/settings.ts';
import { confirmLoss } from '../../../writes/ask/missing.ts';
import { forgetCredentials } from '../../credential-request.ts';
import { NAME, nameOf } from './profile.ts';

const REMOVED = object({ removed: TEXT });

export const command = localCommand({
  description: 'Asks first. Outside a terminal, it needs --yes. The tokens stay valid at the service.',
  arguments: { name: NAME },
  options: { yes: YES },
  examples: { 'Remove a profile without a question': 'profile remove old --yes', 'Ask first': 'profile remove old' },
  output: () => REMOVED,
  async run(session, values) {
    const name = await nameOf(session, values.name, []);
    const settings = session.settings();
    const { FRONTDESK_PROFILE: _, ...env } = session.context.env;
    const isCurrent = (among: Settings) => currentProfileName(among, env) === name;
    const left = removeProfile(settings, name, isCurrent(settings));
    await confirmLoss(session, values.yes, `Remove profile ${name} and its credentials?`);
    // First: a refused credential store must not keep the token of a deleted profile.
    const removed = await forgetCredentials(session, { profile: name });
    if (removed.length > 0) session.done.push('its credentials are removed');
    await session.changeSettings((before) => removeProfile(before, name, isCurrent(before)));
    session.done.push('the profile is removed');
    const placeOf = ({ cardsUrl }: StoredProfile = {}) => cardsUrl && placeOfUrl(cardsUrl);
    const url = placeOf(settings.profiles.get(name));
    const isShared = [...left.profiles.values()].some((other) => placeOf(other) === url);
    const { stateDir } = session.places;
    if (url !== undefined && !isShared && stateDir !== undefined) {
      await (await import('../../../records/known-cards.ts')).forgetCards({ stateDir, url });
    }
    const text = `Profile ${name} is removed.`;
    await session.print({ kind: 'text', text, json: jsonOf(REMOVED, { removed: name }) });
    if (isCurrent(settings) && left.currentProfile === null) {
      await session.notify(
        note('NO_CURRENT', `no profile is current now. Choose one: ${commandOf({ do: 'choose the current profile' })}`),
      );
    }
  },
});

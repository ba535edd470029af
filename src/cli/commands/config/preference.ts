import { collect } from '../../../base/failure.ts';
import { jsonOf, type Shape } from '../../../base/json/shape.ts';
import type { Session } from '../../../command/session.ts';
import { resolvePreferences } from '../../../profile/resolve.ts';
import { PREFERENCE_KEYS, PREFERENCES, type PreferenceKey, type Settings } from '../../../profile/settings.ts';

export const KEY = {
  kind: 'choice',
  choices: PREFERENCE_KEYS,
  required: true,
  text: 'which preference',
  question: 'Which preference?',
} as const;

/** null: it is not set. */
export const PREFERENCE: Shape<string | number | null> = { type: ['string', 'integer', 'null'] };

/** The preferences as a call without options would have them. */
export async function preferencesInForce(session: Session, settings: Settings) {
  const { env, timeZone } = session.context;
  // An unknown profile has no preference.
  const profile = await collect([], () => session.selectedProfile());
  const known = resolvePreferences({ flags: {}, env, profile, settings });
  return PREFERENCE_KEYS.map((key) => {
    const { value, source } = known[key === 'timeout' ? 'timeoutMs' : key];
    const { builtIn } = PREFERENCES[key];
    if (key === 'timeZone') {
      const machine = timeZone?.machine() ?? 'UTC';
      return { key, value: value === '' ? machine : value, source, default: machine };
    }
    // A duration is shown as typed.
    const duration = source === 'environment' ? env['FRONTDESK_TIMEOUT'] : settings.preferences.timeout;
    const isNumber = typeof value === 'number' && key !== 'timeout';
    return {
      key,
      value: key === 'timeout' ? (duration ?? builtIn) : value,
      source,
      default: isNumber ? Number(builtIn) : builtIn,
    };
  });
}

export async function printPreference(session: Session, settings: Settings, key: PreferenceKey): Promise<void> {
  const value = (await preferencesInForce(session, settings)).find((row) => row.key === key)?.value ?? null;
  await session.print({ kind: 'text', text: String(value), json: jsonOf(PREFERENCE, value) });
}

import type { Format } from '../output/options.ts';
import type { StoredProfile } from './profile-settings.ts';

/** What `frontdesk config` keeps. Members not set are absent. */
export interface Preferences {
  readonly output?: Format;
  /** As typed (`30s`), so that `config get` gives back what was set. */
  readonly timeout?: string;
  readonly retries?: number;
  readonly concurrency?: number;
}

/** Everything in settings.json, checked. Profiles are a Map: `__proto__` is a legal name. */
export interface Settings {
  readonly currentProfile: string | undefined;
  readonly profiles: ReadonlyMap<string, StoredProfile>;
  readonly preferences: Preferences;
}

export const NO_SETTINGS: Settings = { currentProfile: undefined, profiles: new Map(), preferences: {} };

/** Layout of settings.json. A higher number is refused: it was written by a newer frontdesk. */
export const SETTINGS_VERSION = 1;

/** The profile that is always there and is never stored. */
export const SANDBOX = 'sandbox';

/** Its base URL where one is shown or kept: the port is chosen when it starts, so it is another each time. */
export const SANDBOX_URL = 'http://127.0.0.1';

import type { Format } from '../output/options.ts';

/** What a profile can hold besides its credentials. Members not set are absent or undefined, and are not saved. */
export interface StoredProfile {
  /** Base URL of the gift-card API: origin and path prefix. */
  readonly cardsUrl?: string | undefined;
  readonly calendarUrl?: string | undefined;
  /** True: no write is sent with this profile. */
  readonly readOnly?: boolean | undefined;
  /** Source of a regular expression that `--reason` must match somewhere. */
  readonly requireReason?: string | undefined;
  /** What a person reads in the place of that pattern. */
  readonly requireReasonHint?: string | undefined;
  readonly output?: Format | undefined;
  /** Absolute path of an OpenSSH allowed-signers file: who may approve plans. It or `approvals` alone demands it. */
  readonly approvers?: string | undefined;
  /** How many of them must, 1 to 9. */
  readonly approvals?: number | undefined;
}

/** What sets each of them at the command line. */
export const PROFILE_FLAGS = {
  cardsUrl: 'cards-url',
  calendarUrl: 'calendar-url',
  readOnly: 'read-only',
  requireReason: 'require-reason',
  requireReasonHint: 'require-reason-hint',
  output: 'output',
  approvers: 'approvers',
  approvals: 'approvals',
} as const satisfies Readonly<Record<keyof StoredProfile, string>>;

// Object.keys answers string[]; the table is a constant, so its own keys are all there are.
export const PROFILE_KEYS = Object.keys(PROFILE_FLAGS) as (keyof StoredProfile)[];

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

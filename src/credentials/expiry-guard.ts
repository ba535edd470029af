import { type Family, familyAdjective } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { Failure, type Notice, note, warning } from '../failure.ts';
import { describeExpiry, type JwtTimes, judgeExpiry, readJwtTimes } from './token.ts';

interface GuardOptions {
  readonly family: Family;
  readonly clock: ClockPort;
  /** `--ignore-expiry`. */
  readonly ignoreExpiry: boolean;
  readonly onNotice: (notice: Notice) => void;
  /** What to do about an expired token; the first line of the hint. */
  readonly hint: string;
}

/** Watches over the life of one credential's tokens. */
export interface ExpiryGuard {
  /** AUTH when the token says that it is expired; else a notice, once per token, when it soon will be. */
  check(token: string, sourceName: string): void;
  isExpired(token: string): boolean;
  /** Milliseconds, negative when expired; undefined when the token does not tell. */
  remainingMs(token: string): number | undefined;
}

const CLOCK_SKEW_MS = 60_000;

/** Only the gift-card API declares its token as a JWT; a key of the calendar API is never taken apart. */
export function makeExpiryGuard(options: GuardOptions): ExpiryGuard {
  const { family, clock, ignoreExpiry, onNotice, hint } = options;
  let known: { readonly token: string; readonly times: JwtTimes } | undefined;
  let noticedToken: string | undefined;

  function timesOf(token: string): JwtTimes {
    if (known?.token !== token) known = { token, times: family === 'cards' ? readJwtTimes(token) : {} };
    return known.times;
  }

  function notice(what: string, { expiresAtMs, notBeforeMs }: JwtTimes): void {
    const nowMs = clock.now();
    if (expiresAtMs !== undefined && judgeExpiry({ expiresAtMs }, nowMs) === 'soon') {
      onNotice(note('TOKEN_EXPIRES_SOON', `${what} ${describeExpiry(expiresAtMs, nowMs)}`));
    }
    if (notBeforeMs !== undefined && notBeforeMs > nowMs + CLOCK_SKEW_MS) {
      const message = `${what} says that it is not valid before ${new Date(notBeforeMs).toISOString()}`;
      onNotice(warning('TOKEN_NOT_YET_VALID', message));
    }
  }

  const isExpired = (token: string) => !ignoreExpiry && judgeExpiry(timesOf(token), clock.now()) === 'expired';

  return {
    isExpired,
    check(token, sourceName) {
      const times = timesOf(token);
      const what = `the ${familyAdjective(family)} token of ${sourceName.replace(/^environment/, 'the environment')}`;
      if (isExpired(token) && times.expiresAtMs !== undefined) {
        const message = `${what} ${describeExpiry(times.expiresAtMs, clock.now())}; nothing was sent`;
        throw new Failure('AUTH', message, { hints: [hint, 'if this clock is wrong, add --ignore-expiry'] });
      }
      if (noticedToken === token) return;
      noticedToken = token;
      notice(what, times);
    },
    remainingMs(token) {
      const { expiresAtMs } = timesOf(token);
      return expiresAtMs === undefined ? undefined : expiresAtMs - clock.now();
    },
  };
}

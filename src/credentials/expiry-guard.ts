import type { Family } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { Failure, type Hint, type Notice, note, warning } from '../failure.ts';
import { describeExpiry, type JwtTimes, judgeExpiry, timesOf } from './token.ts';

export interface GuardOptions {
  readonly family: Family;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly ignoreExpiry: boolean;
  readonly onNotice: (notice: Notice) => void;
  /** What to do about an expired token. */
  readonly hints: readonly Hint[];
}

const CLOCK_SKEW_MS = 60_000;

/** Watches over the life of one credential's tokens. */
export class ExpiryGuard {
  readonly #options: GuardOptions;
  #known: { readonly token: string; readonly times: JwtTimes } | undefined;
  #noticedToken: string | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** AUTH when the token, which `what` names, says that it is expired; else a notice, once, when it soon will be. */
  check(token: string, what: string): void {
    const { clock, hints } = this.#options;
    const times = this.#timesOf(token);
    if (this.isExpired(token) && times.expiresAtMs !== undefined) {
      throw Failure.unsent('AUTH', `${what} ${describeExpiry(times.expiresAtMs, clock.now())}`, { hints });
    }
    if (this.#noticedToken !== token) this.#notice(what, times);
    this.#noticedToken = token;
  }

  isExpired(token: string): boolean {
    const { ignoreExpiry, clock } = this.#options;
    return !ignoreExpiry && judgeExpiry(this.#timesOf(token), clock.now()) === 'expired';
  }

  /** Milliseconds, negative when expired; undefined when the token does not say. */
  remainingMs(token: string): number | undefined {
    const { expiresAtMs } = this.#timesOf(token);
    return expiresAtMs === undefined ? undefined : expiresAtMs - this.#options.clock.now();
  }

  #timesOf(token: string): JwtTimes {
    if (this.#known?.token !== token) this.#known = { token, times: timesOf(this.#options.family, token) };
    return this.#known.times;
  }

  #notice(what: string, { expiresAtMs, notBeforeMs }: JwtTimes): void {
    const { clock, onNotice } = this.#options;
    const nowMs = clock.now();
    if (expiresAtMs !== undefined && judgeExpiry({ expiresAtMs }, nowMs) === 'soon') {
      onNotice(note('TOKEN_EXPIRES_SOON', `${what} ${describeExpiry(expiresAtMs, nowMs)}`));
    }
    if (notBeforeMs !== undefined && notBeforeMs > nowMs + CLOCK_SKEW_MS) {
      const message = `${what} says that it is not valid before ${new Date(notBeforeMs).toISOString()}`;
      onNotice(warning('TOKEN_NOT_YET_VALID', message));
    }
  }
}

import type { Family } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { Failure, type Hint, type Notice, note, warning } from '../failure.ts';
import type { CredentialPort, TokenPlace } from '../http/call.ts';
import { describeExpiry, type JwtTimes, judgeExpiry, timesOf } from './token.ts';

/** One place that gives a token. */
export interface TokenSource extends TokenPlace {
  /** How messages call its token: `the gift card token of profile demo`. */
  readonly what: string;
  /** `abort` aborted: the token is no longer wanted. */
  token(abort?: AbortSignal): Promise<string>;
}

/** Asks once, however many callers there are. */
export function once(ask: TokenSource['token']): TokenSource['token'] {
  let asked: Promise<string> | undefined;
  return (abort) => {
    asked ??= ask(abort);
    return asked;
  };
}

/** What a credential needs to find tokens and to judge them. */
export interface CredentialOptions {
  readonly family: Family;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly ignoreExpiry: boolean;
  readonly onNotice: (notice: Notice) => void;
  readonly hints: readonly Hint[];
  /** Looks for the place: when the first token is asked for, and once more after a 401. */
  choose(): Promise<TokenSource>;
  /** One process serves call after call: each token that is refused or has expired is asked for anew. */
  readonly isLasting?: boolean;
}

const CLOCK_SKEW_MS = 60_000;

/**
 * The tokens of one credential. Nothing is read, run or checked before the first one is asked for; then AUTH when
 * there is none or it says that it has expired, and USAGE for one that is no visible ASCII.
 */
export class Credential implements CredentialPort {
  source: TokenSource | undefined;
  readonly #options: CredentialOptions;
  #known: { readonly token: string; readonly times: JwtTimes } | undefined;
  #noticedToken: string | undefined;
  #chosen: Promise<TokenSource> | undefined;
  /** The place whose token was refused last. */
  #refused: Promise<TokenSource> | undefined;
  #hasWarned = false;

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  async token(abort?: AbortSignal): Promise<string> {
    const { isLasting = false } = this.#options;
    for (let isAgain = false; ; isAgain = true) {
      const used = this.#choose();
      try {
        const source = await used;
        this.source = source;
        const token = await source.token(abort);
        if (!isLasting || isAgain || !this.#isExpired(token)) {
          this.#check(token, source.what);
          return token;
        }
        this.forget(used);
      } catch (error) {
        if (isLasting) this.forget(used);
        // A call that was ended took along the command that this one waited for too.
        const isOfAnother = error instanceof Failure && error.code === 'CANCELLED' && abort?.aborted !== true;
        if (!isLasting || !isOfAnother) throw error;
      }
    }
  }

  /** The 401 stays what the caller reports; why no other token could be had is worth one warning beside it. */
  async renew(refused: string, abort?: AbortSignal): Promise<string | undefined> {
    const { isLasting = false, onNotice } = this.#options;
    const used = this.#chosen;
    try {
      const known = await this.token(abort);
      if (known !== refused) return known;
      // Of several calls that met it the first one has it asked for anew.
      if (this.#chosen === used) {
        if (this.#refused !== undefined && !isLasting) return undefined;
        this.#refused = used;
        this.forget();
      }
      const fresh = await this.token(abort);
      if (fresh !== refused) return fresh;
      // There may have been a login before the next call.
      if (isLasting) this.forget();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!isLasting) this.#chosen = this.#refused;
      if (!this.#hasWarned) onNotice(warning('TOKEN_NOT_RENEWED', error.message));
      this.#hasWarned = true;
    }
    return undefined;
  }

  /** Gives this token until it is refused or has ended. */
  use(token: string): void {
    const what = 'the token that was given';
    const place = { name: 'given at a question', words: what, remedy: 'log in again with another token' };
    this.#chosen = Promise.resolve({ ...place, what, token: async () => token });
  }

  /** The next token is asked for anew. */
  forget(used = this.#chosen): void {
    if (this.#chosen === used) this.#chosen = undefined;
  }

  /** Remaining life by the token's own word, in milliseconds (negative: expired); undefined: not known. */
  async remainingMs(): Promise<number | undefined> {
    const { expiresAtMs } = this.#timesOf(await (await this.#choose()).token());
    return expiresAtMs === undefined ? undefined : expiresAtMs - this.#options.clock.now();
  }

  #choose(): Promise<TokenSource> {
    this.#chosen ??= this.#options.choose();
    return this.#chosen;
  }

  #timesOf(token: string): JwtTimes {
    if (this.#known?.token !== token) this.#known = { token, times: timesOf(this.#options.family, token) };
    return this.#known.times;
  }

  #isExpired(token: string): boolean {
    const { ignoreExpiry, clock } = this.#options;
    return !ignoreExpiry && judgeExpiry(this.#timesOf(token), clock.now()) === 'expired';
  }

  /** AUTH when the token, which `what` names, says that it is expired; else a notice, once, when it soon will be. */
  #check(token: string, what: string): void {
    const { clock, hints, onNotice } = this.#options;
    const { expiresAtMs, notBeforeMs } = this.#timesOf(token);
    const nowMs = clock.now();
    const life = () => `${what} ${describeExpiry(expiresAtMs ?? nowMs, nowMs)}`;
    if (this.#isExpired(token)) throw Failure.unsent('AUTH', life(), { hints });
    if (this.#noticedToken === token) return;
    this.#noticedToken = token;
    if (judgeExpiry({ expiresAtMs }, nowMs) === 'soon') onNotice(note('TOKEN_EXPIRES_SOON', life()));
    if (notBeforeMs !== undefined && notBeforeMs > nowMs + CLOCK_SKEW_MS) {
      const message = `${what} says that it is not valid before ${new Date(notBeforeMs).toISOString()}`;
      onNotice(warning('TOKEN_NOT_YET_VALID', message));
    }
  }
}

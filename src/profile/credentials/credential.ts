import type { ClockPort } from '../../base/context.ts';
import { Failure, type Hint, type Notice, note, warning } from '../../base/failure.ts';
import type { Family } from '../../service/api/operation.ts';
import type { CredentialPort, TokenPlace } from '../../service/http/call.ts';
import { describeExpiry, type JwtTimes, judgeExpiry, timesOf } from './token.ts';

export interface TokenSource extends TokenPlace {
  /** Its token in messages: `the gift card token of profile demo`. */
  readonly what: string;
  /** `abort`: the token is no longer needed. */
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

/** What a credential needs to find and judge tokens. */
export interface CredentialOptions {
  readonly family: Family;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly ignoreExpiry: boolean;
  readonly onNotice: (notice: Notice) => void;
  readonly hints: readonly Hint[];
  /** Finds the source, for the first token and once more after a 401. */
  choose(): Promise<TokenSource>;
  /** The process serves call after call: each refused or expired token is asked for anew. */
  readonly isLasting?: boolean;
}

const CLOCK_SKEW_MS = 60_000;

/** The tokens of one credential, the first read when it is asked for. AUTH without a valid one. */
export class Credential implements CredentialPort {
  source: TokenSource | undefined;
  readonly #options: CredentialOptions;
  #known: { readonly token: string; readonly times: JwtTimes } | undefined;
  #noticedToken: string | undefined;
  #chosen: Promise<TokenSource> | undefined;
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
        // Another call that was ended also ended the command that this one waited for.
        const isOfAnother = error instanceof Failure && error.code === 'CANCELLED' && abort?.aborted !== true;
        if (!isLasting || !isOfAnother) throw error;
      }
    }
  }

  /** The caller reports the 401. Why there is no other token is a warning beside it. */
  async renew(refused: string, abort?: AbortSignal): Promise<string | undefined> {
    const { isLasting = false, onNotice } = this.#options;
    const used = this.#chosen;
    try {
      const known = await this.token(abort);
      if (known !== refused) return known;
      // The first of several calls with a 401 asks for a new token.
      if (this.#chosen === used) {
        if (this.#refused !== undefined && !isLasting) return undefined;
        this.#refused = used;
        this.forget();
      }
      const fresh = await this.token(abort);
      if (fresh !== refused) return fresh;
      // The user may log in before the next call.
      if (isLasting) this.forget();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!isLasting) this.#chosen = this.#refused;
      if (!this.#hasWarned) onNotice(warning('TOKEN_NOT_RENEWED', error.statement));
      this.#hasWarned = true;
    }
    return undefined;
  }

  /** Gives this token until it is refused or has expired. */
  use(token: string): void {
    const what = 'the token that was given';
    const place = { name: 'given at a question', words: what, remedy: 'log in again with another token' };
    this.#chosen = Promise.resolve({ ...place, what, token: async () => token });
  }

  /** Asks for the next token anew. */
  forget(used = this.#chosen): void {
    if (this.#chosen === used) this.#chosen = undefined;
  }

  /** Milliseconds until the token expires (negative: expired) by its own claim; undefined: not known. */
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

  /** AUTH for an expired token, which `what` names; a notice, once, for one that expires soon. */
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

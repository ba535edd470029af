import type { Family } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { checkTokenText, describeExpiry, judgeExpiry, readJwtTimes } from '../credentials/token.ts';
import { Failure } from '../failure.ts';
import type { CredentialPort } from '../http/call.ts';
import type { Signal, Token } from './types.ts';

interface CredentialOptions {
  readonly family: Family;
  readonly token: Token;
  readonly clock: ClockPort;
  /** How long a token function may take: as long as the whole call. */
  readonly timeoutMs: number;
  /** Hears every token in use, so that none is ever shown. */
  readonly heard: (token: string) => void;
}

/**
 * The credential of one API. A token function is asked once for all calls; after a 401 it is asked once
 * more, also when several calls met it. Its token is asked for anew as well when it says that it has expired.
 */
export class LibraryCredential {
  readonly #options: CredentialOptions;
  readonly #name: string;
  #current: Promise<string> | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
    this.#name = `${options.family}.token`;
  }

  /** The credential as one call sees it: `signal` ends its waiting for a token. */
  forCall(signal: Signal | undefined): CredentialPort {
    let used: Promise<string> | undefined;
    const use = (token: Promise<string>): Promise<string> => {
      used = token;
      return this.#awaited(token, signal);
    };
    return {
      source: this.#name,
      token: async () => {
        if (signal?.aborted === true) throw ended();
        const token = await use(this.#known());
        if (this.#expiry(token) === undefined) return token;
        const fresh = await use(this.#after(used));
        const problem = this.#expiry(fresh);
        if (problem !== undefined) throw Failure.unsent('AUTH', `${this.#name}: the token ${problem}`);
        return fresh;
      },
      renew: async () => {
        if (used === undefined || typeof this.#options.token === 'string') return undefined;
        const refused = await used;
        const fresh = await use(this.#after(used));
        return fresh === refused || this.#expiry(fresh) !== undefined ? undefined : fresh;
      },
    };
  }

  #known(): Promise<string> {
    if (this.#current !== undefined) return this.#current;
    const asked = this.#ask();
    this.#current = asked;
    // The next call may have more luck.
    asked.catch(() => this.#forget(asked));
    return asked;
  }

  #forget(asked: Promise<string>): void {
    if (this.#current === asked) this.#current = undefined;
  }

  /** The token after `used`: another call may have asked for it already. */
  #after(used: Promise<string> | undefined): Promise<string> {
    if (this.#current === used) this.#current = undefined;
    return this.#known();
  }

  async #ask(): Promise<string> {
    const { token, heard } = this.#options;
    const checked = this.#check(typeof token === 'string' ? token : await this.#call(token));
    heard(checked);
    return checked;
  }

  async #call(token: () => string | Promise<string>): Promise<unknown> {
    try {
      return await token();
    } catch {
      // What the function threw is not shown: it may hold a secret.
      throw this.#failed('threw an error, which is not shown');
    }
  }

  #check(text: unknown): string {
    if (typeof text !== 'string') throw this.#failed('gave no text');
    try {
      return checkTokenText(text, this.#name);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure('AUTH', error.message);
    }
  }

  #failed(problem: string): Failure {
    return Failure.unsent('AUTH', `${this.#name}: the function ${problem}`);
  }

  /** Why the token is refused before it is sent: only the gift-card API declares its tokens as JWTs. */
  #expiry(token: string): string | undefined {
    const { family, clock } = this.#options;
    const times = family === 'cards' ? readJwtTimes(token) : {};
    if (times.expiresAtMs === undefined || judgeExpiry(times, clock.now()) !== 'expired') return undefined;
    return describeExpiry(times.expiresAtMs, clock.now());
  }

  /**
   * The token, unless the call is ended or has waited too long. The time is that of each call: a call that is ended
   * takes its timer along, which would keep the program alive.
   */
  async #awaited(token: Promise<string>, signal: Signal | undefined): Promise<string> {
    const { clock, timeoutMs } = this.#options;
    const over = new AbortController();
    const tooLate = clock.sleep(timeoutMs, over.signal).then((): Promise<string> => {
      if (over.signal.aborted) return token;
      this.#forget(token);
      throw this.#failed(`gave no token within ${timeoutMs / 1000} s`);
    });
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(ended());
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([token, tooLate, aborted]);
    } finally {
      over.abort();
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** The call knows that it was ended, and says so itself. */
function ended(): Failure {
  return new Failure('CANCELLED', 'the call was ended before it had a token');
}

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
 * The credential of one interface. A token function is asked once for all calls; after a 401 it is asked once
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
      return this.#endedBy(signal, token);
    };
    return {
      source: this.#name,
      token: async () => {
        if (signal?.aborted === true) throw ended();
        const token = await use(this.#known());
        if (this.#expiry(token) === undefined) return token;
        const fresh = typeof this.#options.token === 'string' ? token : await use(this.#after(used));
        const problem = this.#expiry(fresh);
        if (problem !== undefined) throw new Failure('AUTH', `${this.#name}: the token ${problem}; nothing was sent`);
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
    this.#current ??= this.#ask();
    return this.#current;
  }

  /** The token after `used`: another call may have asked for it already. */
  #after(used: Promise<string> | undefined): Promise<string> {
    if (this.#current === used) this.#current = undefined;
    return this.#known();
  }

  async #ask(): Promise<string> {
    const { token, heard } = this.#options;
    try {
      const text: unknown = typeof token === 'string' ? token : await this.#inTime(token);
      const checked = this.#check(text);
      heard(checked);
      return checked;
    } catch (error) {
      // The next call may have more luck.
      this.#current = undefined;
      throw error;
    }
  }

  async #inTime(token: () => string | Promise<string>): Promise<unknown> {
    const { clock, timeoutMs } = this.#options;
    const over = new AbortController();
    const tooLate = clock.sleep(timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) throw this.#failed(`gave no token within ${timeoutMs / 1000} s`);
    });
    // What the function threw is not shown: it may hold a secret.
    const asked = (async (): Promise<unknown> => token())().catch(() => {
      throw this.#failed('threw an error, which is not shown');
    });
    return Promise.race([asked, tooLate]).finally(() => over.abort());
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
    return new Failure('AUTH', `${this.#name}: the function ${problem}; nothing was sent`);
  }

  /** Why the token is refused before it is sent: only the gift-card interface declares its tokens as JWTs. */
  #expiry(token: string): string | undefined {
    const { family, clock } = this.#options;
    const times = family === 'cards' ? readJwtTimes(token) : {};
    if (times.expiresAtMs === undefined || judgeExpiry(times, clock.now()) !== 'expired') return undefined;
    return describeExpiry(times.expiresAtMs, clock.now());
  }

  #endedBy(signal: Signal | undefined, token: Promise<string>): Promise<string> {
    if (signal === undefined) return token;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(ended());
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
      token.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}

/** The call knows that it was ended, and says so itself. */
function ended(): Failure {
  return new Failure('CANCELLED', 'the call was ended before it had a token');
}

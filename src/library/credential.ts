import type { Family } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import { Credential, once } from '../credentials/credential.ts';
import { checkTokenText } from '../credentials/token.ts';
import { Failure } from '../failure.ts';
import type { CredentialPort, TokenPlace } from '../http/call.ts';
import type { Token } from './types.ts';

interface CredentialOptions {
  readonly family: Family;
  readonly token: Token;
  readonly clock: ClockPort;
  /** A token function may take as long as the whole call. */
  readonly timeoutMs: number;
  /** Gets every token, so that none is ever shown. */
  readonly heard: (token: string) => void;
}

/** The credential of one API. A token function is asked once, once more after a 401, and when it has expired. */
export function libraryCredential({ family, token, clock, timeoutMs, heard }: CredentialOptions): CredentialPort {
  const name = `${family}.token`;
  const source: TokenPlace = { name, words: `the credential (${name})`, remedy: 'give a valid token' };
  const failed = (problem: string) => Failure.unsent('AUTH', `${name}: the function ${problem}`);

  const ask = async (): Promise<string> => {
    let given: unknown = token;
    try {
      if (typeof token === 'function') given = await token();
    } catch {
      // The error is not shown, because it may hold a secret.
      throw failed('threw an error, which is not shown');
    }
    if (typeof given !== 'string') throw failed('gave no text');
    const checked = checkTokenText(given, name, 'AUTH');
    heard(checked);
    return checked;
  };

  const credential = new Credential({
    family,
    clock,
    ignoreExpiry: false,
    onNotice: () => undefined,
    hints: [],
    isLasting: typeof token === 'function',
    choose: async () => ({ ...source, what: `${name}: the token`, token: once(ask) }),
  });

  if (typeof token === 'string') return credential;

  /** The result of `asking`, unless the call ends or waits too long. A timer left over would keep the program alive. */
  const awaited = async <Given>(asking: () => Promise<Given>, signal: AbortSignal | undefined): Promise<Given> => {
    if (signal?.aborted === true) throw ended();
    const over = new AbortController();
    const end = () => over.abort();
    signal?.addEventListener('abort', end);
    const unanswered = clock.sleep(timeoutMs, over.signal).then((): never => {
      if (over.signal.aborted) throw ended();
      credential.forget();
      throw failed(`gave no token within ${timeoutMs / 1000} s`);
    });
    try {
      return await Promise.race([asking(), unanswered]);
    } finally {
      end();
      signal?.removeEventListener('abort', end);
    }
  };
  return {
    source,
    token: (signal) => awaited(() => credential.token(), signal),
    // The 401 is reported, whatever prevents another token.
    renew: (refused, signal) => awaited(() => credential.renew(refused), signal).catch(() => undefined),
  };
}

/** The call knows that it was ended, and says so itself. */
function ended(): Failure {
  return new Failure('CANCELLED', 'the call was ended before it had a token');
}

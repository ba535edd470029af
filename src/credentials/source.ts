import { familyAdjective } from '../api/operation.ts';
import { type Notice, warning } from '../failure.ts';
import type { CredentialEntry } from './store.ts';
import { checkTokenText, readTokenFile } from './token.ts';
import { runTokenCommand } from './token-command.ts';

/** One place that gives a token, chosen for this process. */
export interface TokenSource {
  readonly name: string;
  /** `abort` aborted: the token is no longer wanted. */
  token(abort?: AbortSignal): Promise<string>;
  /** Another token than the one that was refused, if the place has one now. */
  renew(refused: string, abort?: AbortSignal): Promise<string | undefined>;
}

/** A stored credential, and what is needed to read it. */
interface Stored {
  readonly entry: CredentialEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly onNotice: (notice: Notice) => void;
  readonly commandTimeoutMs: number;
}

/** How messages call the place of a stored credential. */
export function nameOfStored({ kind, profile, value }: CredentialEntry): string {
  if (kind === 'command') return `token command of profile ${profile}`;
  return kind === 'file' ? `token file ${value}` : `profile ${profile}`;
}

/** A token that is at hand. `where`: how messages call its place. */
export function fixedSource(name: string, text: string, where: string): TokenSource {
  return { name, token: async () => checkTokenText(text, where), renew: async () => undefined };
}

/** Run once per process however many callers there are, and once more in all after a 401. */
function commandSource({ entry, env, commandTimeoutMs }: Stored): TokenSource {
  const what = `the ${familyAdjective(entry.family)} token command of profile ${entry.profile}`;
  const run = (abort: AbortSignal | undefined) =>
    runTokenCommand({ command: entry.value, what, env, timeoutMs: commandTimeoutMs, abort });
  let first: Promise<string> | undefined;
  let second: Promise<string | undefined> | undefined;

  const runAgain = async (abort: AbortSignal | undefined): Promise<string | undefined> => {
    const [old, fresh] = [await first, await run(abort)];
    return fresh === old ? undefined : fresh;
  };
  return {
    name: nameOfStored(entry),
    async token(abort) {
      const renewed = await second?.catch(() => undefined);
      if (renewed !== undefined) return renewed;
      first ??= run(abort);
      return first;
    },
    async renew(_, abort) {
      second ??= runAgain(abort);
      return second;
    },
  };
}

/** Read at each use, so that a secret that is rotated under a long run is noticed. */
function fileSource({ entry, platform, onNotice }: Stored): TokenSource {
  let warned = false;
  const read = async (): Promise<string> => {
    const { token, isWorldReadable } = await readTokenFile(entry.value, 'the token file', platform);
    const message = `every user of this machine can read the token file ${entry.value}`;
    if (isWorldReadable && !warned) onNotice(warning('TOKEN_FILE_WORLD_READABLE', message));
    warned ||= isWorldReadable;
    return token;
  };
  return {
    name: nameOfStored(entry),
    token: read,
    async renew(refused) {
      const fresh = await read();
      return fresh === refused ? undefined : fresh;
    },
  };
}

/** Where a stored credential's token comes from. Nothing is read or run before it is asked for. */
export function storedSource(stored: Stored): TokenSource {
  const { kind, family, profile, value } = stored.entry;
  if (kind === 'command') return commandSource(stored);
  if (kind === 'file') return fileSource(stored);
  const where = `the stored ${familyAdjective(family)} credential of profile ${profile}`;
  return fixedSource(nameOfStored(stored.entry), value, where);
}

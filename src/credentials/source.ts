import { type Family, familyAdjective } from '../api/operation.ts';
import { type Notice, warning } from '../failure.ts';
import { once, type TokenSource } from './credential.ts';
import type { CredentialEntry } from './store.ts';
import { checkTokenText, readTokenFile } from './token.ts';
import { runTokenCommand } from './token-command.ts';

/** A stored credential, and what is needed to read it. */
interface Stored {
  readonly entry: CredentialEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly onNotice: (notice: Notice) => void;
  readonly commandTimeoutMs: number;
}

/** Names of the variables that carry the tokens. */
export const TOKEN_VARIABLES = { cards: 'FRONTDESK_CARDS_TOKEN', calendar: 'FRONTDESK_CALENDAR_TOKEN' } as const;

/** The environment as the place of a family's token. */
export function environmentSource(family: Family, text: string): TokenSource {
  const variable = TOKEN_VARIABLES[family];
  return {
    name: `environment (${variable})`,
    what: `the ${familyAdjective(family)} token of the environment (${variable})`,
    words: `the token in ${variable}`,
    remedy: `put a valid token into ${variable}`,
    token: async () => checkTokenText(text, variable),
  };
}

/** Where a stored credential's token comes from. Nothing is read or run before it is asked for. */
export function storedSource(stored: Stored): TokenSource {
  const { kind, family, profile, value } = stored.entry;
  const named = (name: string) => ({ name, what: `the ${familyAdjective(family)} token of ${name}` });
  if (kind === 'token') {
    const where = `the stored ${familyAdjective(family)} credential of profile ${profile}`;
    return {
      ...named(`profile ${profile}`),
      words: `the stored login of ${profile}`,
      remedy: { text: `log in again: frontdesk auth login -p ${profile} --family ${family}` },
      token: async () => checkTokenText(value, where),
    };
  }
  const what = `the ${familyAdjective(family)} token command of profile ${profile}`;
  const run = (abort: AbortSignal | undefined) =>
    runTokenCommand({ command: value, what, env: stored.env, timeoutMs: stored.commandTimeoutMs, abort });
  const name = kind === 'command' ? `token command of profile ${profile}` : `token file ${value}`;
  return {
    ...named(name),
    words: `the credential of profile ${profile} (${name})`,
    remedy: `check what the ${name} gives`,
    token: kind === 'command' ? once(run) : readAtEachUse(stored),
  };
}

/** Read at each use, so that a secret that is rotated under a long run is noticed. */
function readAtEachUse({ entry, platform, onNotice }: Stored): TokenSource['token'] {
  let warned = false;
  return async () => {
    const { token, isWorldReadable } = await readTokenFile(entry.value, 'the token file', platform);
    const message = `every user of this machine can read the token file ${entry.value}`;
    if (isWorldReadable && !warned) onNotice(warning('TOKEN_FILE_WORLD_READABLE', message));
    warned ||= isWorldReadable;
    return token;
  };
}

import { resolve } from 'node:path';
import type { PromptPort } from '../../../base/context.ts';
import { Failure, type Fault, usageFailure, warning, warningOf } from '../../../base/failure.ts';
import { messageOf } from '../../../base/files/io-failure.ts';
import { goneProblem } from '../../../base/files/paths.ts';
import { jsonOf, object, oneOf, TEXT } from '../../../base/json/shape.ts';
import { commandOf } from '../../../base/next-step.ts';
import { ANSWERED, localCommand } from '../../../command/command.ts';
import type { Ports, Session } from '../../../command/session.ts';
import type { OptionValues } from '../../../input/options/option.ts';
import { readTextFile } from '../../../input/text-file.ts';
import {
  CREDENTIAL_KINDS,
  type CredentialEntry,
  type CredentialKind,
  readCredentials,
} from '../../../profile/credentials/store.ts';
import { refuseUnsafeStore, removeCredentials, storeCredential } from '../../../profile/credentials/store-change.ts';
import {
  checkTokenText,
  describeExpiry,
  judgeExpiry,
  lastFour,
  readTokenFile,
  timesOf,
} from '../../../profile/credentials/token.ts';
import { currentProfileName, overrideNotice, overridesOf, resolveTarget, urlKey } from '../../../profile/resolve.ts';
import { changeProfile, useProfile } from '../../../profile/settings.ts';
import { FAMILIES, type Family, familyWords } from '../../../service/api/operation.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import type { CallInput } from '../../../service/http/call.ts';
import { parseBaseUrl, readBaseUrl } from '../../../service/wire/base-url.ts';
import { askFamily, FAMILY } from '../../../writes/ask/missing.ts';
import { callService, cardRead } from '../../../writes/resource.ts';
import { deleteKept, keychainRequest } from '../../credential-request.ts';

const LOGIN_OPTIONS = {
  family: FAMILY,
  cardsUrl: { kind: 'text', value: 'url', text: 'base URL of the gift cards' },
  calendarUrl: { kind: 'text', value: 'url', text: 'base URL of the calendars' },
  tokenStdin: { excludes: { 'token-command': '', 'token-file': '' }, text: 'read the token from stdin' },
  tokenCommand: {
    kind: 'text',
    value: 'cmd',
    excludes: { 'token-file': '' },
    text: 'run this command when a token is needed; store nothing',
  },
  tokenFile: { kind: 'path', value: 'path', text: 'read the token from this file at each use' },
  keychain: {
    excludes: { 'token-command': '', 'token-file': '' },
    text: "keep the token in the system's keychain, not in a file",
  },
  check: { kind: 'text', value: 'id', text: 'test the credential: read this card or calendar' },
} as const;

type LoginValues = Partial<OptionValues<typeof LOGIN_OPTIONS>>;

/** `--family`, or the family of the only given URL. */
function familyOf({ family, cardsUrl, calendarUrl }: LoginValues): Family | undefined {
  if (family !== undefined) return family;
  if ((cardsUrl === undefined) === (calendarUrl === undefined)) return undefined;
  return cardsUrl === undefined ? 'calendar' : 'cards';
}

/** USAGE for what is missing and cannot be asked for. */
function checkLogin(values: LoginValues, { prompt }: Ports): void {
  const faults: Fault[] = [];
  if (familyOf(values) === undefined && !prompt.available) {
    faults.push({ where: '--family', problem: 'is required without a terminal to ask on: cards or calendar' });
  }
  const { tokenStdin, tokenCommand, tokenFile } = values;
  if (!tokenStdin && (tokenCommand ?? tokenFile) === undefined && !prompt.available) {
    faults.push({
      where: '--token-stdin',
      problem: 'is required without a terminal to ask on (or --token-command, --token-file)',
    });
  }
  if (faults.length > 0) throw usageFailure(faults);
}

type Urls = { -readonly [Family in 'cardsUrl' | 'calendarUrl']?: string | undefined };

/** `cards.example.com` with the missing scheme. Another text stays. */
function withScheme(text: string): string {
  const trimmed = text.trim();
  return /^[a-z0-9[][^/:\s]*(?::\d+)?(?:\/|$)/i.test(trimmed) ? `https://${trimmed}` : trimmed;
}

/** The URLs that the login sets: from options, environment or a question; checked, not stored yet. */
async function readUrls(session: Session, values: LoginValues, family: Family): Promise<Urls> {
  const { prompt } = session;
  const profile = session.selectedProfile();
  const urls: Urls = { cardsUrl: values.cardsUrl, calendarUrl: values.calendarUrl };
  const key = urlKey(family);
  const known = profile[key];
  if (known?.source === 'environment') urls[key] ??= known.url;
  if (urls[key] === undefined && known === undefined && prompt.available) {
    const question = `Base URL of the ${familyWords(family)}, such as https://${family}.example.com`;
    const judge = (text: string) => {
      const base = parseBaseUrl(withScheme(text));
      return text.trim() === '' ? 'is required' : base.kind === 'ok' || base.problem;
    };
    urls[key] = withScheme(await prompt.text(question, judge, { show: withScheme }));
  }
  // Refused now, before a token is typed for a URL that cannot be used.
  if (isUnset(urls)) resolveTarget(profile, family);
  else changeProfile(session.settings(), profile.name, urls);
  return urls;
}

function isUnset({ cardsUrl, calendarUrl }: Urls): boolean {
  return (cardsUrl ?? calendarUrl) === undefined;
}

async function storeUrls(session: Session, urls: Urls): Promise<void> {
  if (isUnset(urls)) return;
  const profile = session.selectedProfile();
  await session.changeSettings((before) => {
    const changed = changeProfile(before, profile.name, urls);
    // The first profile stays the current one until another is chosen.
    return before.profiles.size === 0 && before.currentProfile === undefined
      ? useProfile(changed, profile.name)
      : changed;
  });
  session.done.push(`the profile ${profile.name} and its URL are saved`);
}

/** A token without surrounding blanks and the word before it in a header. */
function pastedToken(text: string): string {
  return text.trim().replace(/^Bearer\s+/i, '');
}

/** The credential to keep: the token, the command, or the path of its file. */
async function readSecret(
  session: Session,
  { tokenCommand, tokenFile, tokenStdin, keychain }: LoginValues,
  family: Family,
  urls: Urls,
): Promise<{ kind: CredentialKind; value: string }> {
  if (tokenCommand !== undefined) {
    if (tokenCommand.trim() === '') throw new Failure('USAGE', '--token-command: is empty');
    return { kind: 'command', value: tokenCommand };
  }
  if (tokenFile !== undefined) {
    const problem = goneProblem(tokenFile);
    if (problem !== undefined) throw usageFailure([{ where: '--token-file', problem }]);
    const value = resolve(tokenFile);
    await readTokenFile(value, 'the token file', session.context.platform);
    return { kind: 'file', value };
  }
  const kind = keychain === true ? 'keychain' : 'token';
  if (tokenStdin === true) {
    const text = await readTextFile('-', session.context.stdin, '--token-stdin');
    return { kind, value: checkTokenText(pastedToken(text), 'stdin') };
  }
  const url = urls[urlKey(family)] ?? session.baseUrl(family);
  return { kind, value: await askToken(session, session.prompt, family, new URL(url).host) };
}

/** Asks for a token. The question names its owner, so that a test token does not replace the live one. */
export async function askToken(session: Session, prompt: PromptPort, family: Family, host: string): Promise<string> {
  const question = `Token of the ${familyWords(family)} (profile ${session.selectedProfile().name}, ${host})`;
  const typed = await prompt.secret(question, (text) => {
    try {
      refuseExpired(session, family, checkTokenText(pastedToken(text), 'the answer'));
      return true;
    } catch (error) {
      return messageOf(error);
    }
  });
  return checkTokenText(pastedToken(typed), 'the answer');
}

/** AUTH for an expired card token. Returns its expiry, if it has one. */
function refuseExpired(session: Session, family: Family, token: string): string | undefined {
  const { expiresAtMs } = timesOf(family, token);
  if (expiresAtMs === undefined) return undefined;
  const nowMs = session.context.clock.now();
  if (judgeExpiry({ expiresAtMs }, nowMs) === 'expired' && !session.common.ignoreExpiry) {
    throw new Failure('AUTH', `this token ${describeExpiry(expiresAtMs, nowMs)}, so it was not stored`, {
      hints: ['get a new one. If this clock is wrong, add --ignore-expiry'],
    });
  }
  return new Date(expiresAtMs).toISOString();
}

/** The read of `--check`. USAGE for an ID that none has, and where the environment decides which token is tried. */
async function readCheck(session: Session, family: Family, id: string): Promise<CallInput> {
  const overrides = overridesOf(session.selectedProfile().name, [family], session.settings(), session.context.env);
  const used = overrides.find((variable) => variable !== 'FRONTDESK_PROFILE');
  const problem = `would try what ${used} says instead: unset it, or leave --check out`;
  if (used !== undefined) throw usageFailure([{ where: '--check', problem }]);
  const { checkFieldTexts } = await import('../../../input/fields.ts');
  const list = { operation: OPERATIONS.subscribersList, params: { id }, query: { limit: '1' }, body: undefined };
  const call: CallInput = family === 'cards' ? cardRead(id) : list;
  const source = { nameOf: () => '--check', source: 'flag' } as const;
  const { faults } = checkFieldTexts(call.operation.params, new Map(Object.entries(call.params)), source);
  if (faults.length > 0) throw usageFailure(faults);
  return call;
}

/**
 * Puts the token into the system's store, before anything else of the login is kept. Returns how to take it out again, in
 * favor of the one that was there.
 */
async function keepToken(session: Session, entry: CredentialEntry, token: string, before: CredentialEntry | undefined) {
  if (entry.kind !== 'keychain') return undefined;
  const { keepInKeychain, readKeychain } = await import('../../../profile/credentials/keychain.ts');
  const request = keychainRequest(session, entry);
  const isSame = before?.kind === 'keychain' && before.origin === entry.origin;
  const old = isSame ? await readKeychain(request).catch(() => undefined) : undefined;
  await keepInKeychain(request, token);
  session.done.push('the token is in the keychain');
  return () => (old === undefined ? deleteKept(session, entry) : keepInKeychain(request, old));
}

/** Deletes a token of the system's store that no entry names any more. */
async function dropReplaced(session: Session, entry: CredentialEntry, before: CredentialEntry | undefined) {
  if (before === undefined || (entry.kind === 'keychain' && before.origin === entry.origin)) return;
  await deleteKept(session, before).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    return session.notify(warningOf(error));
  });
}

interface Refused {
  readonly before: CredentialEntry | undefined;
  readonly takeOut: (() => Promise<void>) | undefined;
}

/** Reads with the new credential. A refused one is not kept, and the one `before` it is restored. */
async function checkWithRead(
  session: Session,
  family: Family,
  call: CallInput,
  { before, takeOut }: Refused,
): Promise<void> {
  const result = await callService(session, call);
  if (result.kind !== 'failed') return;
  const { failure } = result;
  if (failure.details.http?.status === 401) {
    const place = session.credentialPlace();
    await takeOut?.();
    if (before === undefined) await removeCredentials(place, { profile: session.selectedProfile().name, family });
    else await storeCredential(place, before);
    const kept = before === undefined ? 'is not kept' : 'is not kept, and the one before it is in its place again';
    const { name } = session.selectedProfile();
    // The hint says what is left of the steps.
    throw failure.but({
      after: { done: [] },
      hints: [
        `the credential ${kept}. The profile ${name} and its URL are saved`,
        {
          do: takeOut === undefined ? 'log in' : 'log in with the keychain',
          words: 'log in with another token',
          profile: name,
          family,
        },
      ],
    });
  }
  await session.notify(warning('NOT_TRIED', 'the credential is stored, but it could not be tried'));
  throw failure;
}

const LOGIN = object(
  { profile: TEXT, family: oneOf(FAMILIES), origin: TEXT, kind: oneOf(CREDENTIAL_KINDS) },
  { lastFour: TEXT, expiresAt: TEXT, checked: TEXT },
);

export const command = localCommand({
  description:
    'Creates the profile if it is new. In a terminal, frontdesk asks for what is missing and hides the token. No option takes a token, because other programs can read arguments. A stored token is sent only to the scheme, host and port of the URL. Nothing is sent unless you add --check.',
  options: LOGIN_OPTIONS,
  exitCodes: [...ANSWERED, 10],
  examples: {
    'Log in on a terminal': 'auth login -p live --cards-url https://cards.example.com',
    'From a secret manager': "auth login -p live --family cards --token-command 'pass show cards'",
    'From a file that is mounted': 'auth login -p live --family calendar --token-file /run/secrets/calendar',
  },
  output: () => LOGIN,
  check: checkLogin,
  async run(session, values) {
    if (session.selectedProfile().isSandbox) {
      throw new Failure('USAGE', 'the sandbox needs no login', { hints: ['name another profile with --profile'] });
    }
    const family = familyOf(values) ?? (await askFamily(session, 'Gift cards or calendars?'));
    const { check } = values;
    const checkCall = check === undefined ? undefined : await readCheck(session, family, check);
    // Everything is asked for first, so that Ctrl-C leaves no half-made profile.
    const urls = await readUrls(session, values, family);
    const chosen = await readSecret(session, values, family, urls);
    const isToken = chosen.kind === 'token' || chosen.kind === 'keychain';
    const expiry = isToken ? refuseExpired(session, family, chosen.value) : undefined;
    // Before the first step: a profile without its credential would be half a login.
    await refuseUnsafeStore(session.credentialPlace());
    const { origin } = readBaseUrl(urls[urlKey(family)] ?? session.baseUrl(family));
    const profile = session.selectedProfile().name;
    const entry = { profile, family, origin, ...chosen, ...(chosen.kind === 'keychain' && { value: '' }) };
    // A file that cannot be read is replaced as a whole.
    const stored = await readCredentials(session.credentialPlace()).catch(() => []);
    const before = stored.find((own) => own.profile === profile && own.family === family);
    const takeOut = await keepToken(session, entry, chosen.value, before);
    await storeUrls(session, urls);
    const { keptCopy } = await storeCredential(session.credentialPlace(), entry);
    session.done.push('the credential is stored');
    if (keptCopy !== undefined) {
      const message = `the credentials file was damaged. A copy of it is kept in ${keptCopy}`;
      await session.notify(warning('CREDENTIALS_DAMAGED', message));
    }
    if (checkCall !== undefined) await checkWithRead(session, family, checkCall, { before, takeOut });
    await dropReplaced(session, entry, before);
    const shown = isToken ? lastFour(chosen.value) : undefined;
    const facts = { profile, family, origin, kind: chosen.kind, lastFour: shown, expiresAt: expiry, checked: check };
    // The current profile needs no name.
    const isCurrent = currentProfileName(session.settings(), session.context.env) === profile;
    const next = commandOf({
      do: family === 'cards' ? 'show a card' : 'list the subscribers of a calendar',
      profile: isCurrent ? undefined : profile,
    });
    const text = [
      `${check === undefined ? 'Stored, not tried yet' : 'Stored; the service accepted it'}: ${familyWords(family)} at ${origin}, profile ${profile}.`,
      ...(shown === undefined ? [] : [`Token: ends with ${shown}`]),
      `Try: ${next}`,
    ].join('\n');
    await session.print({ kind: 'text', text, json: jsonOf(LOGIN, facts), isProse: true });
    const overrides = overridesOf(profile, [family], session.settings(), session.context.env);
    if (overrides.length > 0) await session.notify(overrideNotice(overrides));
  },
});

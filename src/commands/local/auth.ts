import type { Family, Operation } from '../../api/operation.ts';
import { OPERATIONS } from '../../api/operations.ts';
import { tokenVariable } from '../../credentials/resolve.ts';
import type { CredentialKind } from '../../credentials/store.ts';
import { checkTokenText, describeExpiry, judgeExpiry, lastFour, readJwtTimes } from '../../credentials/token.ts';
import { Failure, type Fault, usageFailure } from '../../failure.ts';
import { hasOption, lastValue, type RawInput } from '../../input/raw-input.ts';
import { fromPlain } from '../../json/plain.ts';
import type { Column } from '../../output/column.ts';
import { changeProfile } from '../../settings/profiles.ts';
import { resolveProfile, resolveTarget, type Target } from '../../settings/resolve.ts';
import { localCommand } from '../command.ts';
import type { Session } from '../session.ts';

const FAMILIES = ['cards', 'calendar'] as const;
const FAMILY_OPTION = {
  long: 'family',
  value: 'cards|calendar',
  choices: FAMILIES,
  text: 'which of the two interfaces',
} as const;

/** A shell's own quoting is not undone here, so the longest line that a person would type is plenty. */
const STDIN_LIMIT = 1_000_000;

async function readAll(session: Session): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of session.context.stdin.read()) {
    parts.push(part);
    size += part.length;
    if (size > STDIN_LIMIT) throw new Failure('USAGE', '--token-stdin: more than 1 MB came, which is no token');
  }
  return Buffer.concat(parts).toString('latin1');
}

function readFamily(input: RawInput, faults: Fault[]): Family | undefined {
  const given = lastValue(input, 'family');
  const known = FAMILIES.find((family) => family === given);
  if (given !== undefined && known === undefined) {
    faults.push({ where: '--family', problem: `must be cards or calendar, not "${given}"` });
  }
  if (given !== undefined) return known;
  // One URL alone says which interface is meant.
  const hasCards = hasOption(input, 'cards-url');
  return hasCards === hasOption(input, 'calendar-url') ? undefined : hasCards ? 'cards' : 'calendar';
}

async function askFamily(session: Session): Promise<Family> {
  const answer = await session.prompt.choose('Which interface?', [
    { value: 'cards', text: 'gift cards' },
    { value: 'calendar', text: 'calendars' },
  ]);
  return answer === 'calendar' ? 'calendar' : 'cards';
}

const SOURCES = ['token-stdin', 'token-command', 'token-file'] as const;

/** The family, and how the token is given; all faults together. Asks on a terminal for what is missing. */
async function readLogin(
  session: Session,
  input: RawInput,
): Promise<{ family: Family; source: (typeof SOURCES)[number] | undefined }> {
  const faults: Fault[] = [];
  const given = SOURCES.filter((source) => hasOption(input, source));
  if (given.length > 1) {
    faults.push({ where: given.map((source) => `--${source}`).join(' and '), problem: 'exclude each other' });
  }
  const family = readFamily(input, faults);
  const canAsk = session.prompt.available;
  if (family === undefined && !canAsk && faults.length === 0) {
    faults.push({ where: '--family', problem: 'is required where nobody can be asked: cards or calendar' });
  }
  if (given.length === 0 && !canAsk) {
    faults.push({
      where: '--token-stdin',
      problem: 'is required where nobody can be asked (or --token-command, --token-file)',
    });
  }
  if (faults.length > 0) throw usageFailure(faults);
  return { family: family ?? (await askFamily(session)), source: given[0] };
}

type Urls = { readonly cardsUrl: string | undefined; readonly calendarUrl: string | undefined };

/** The URLs that the login sets: from the flags or the environment, or asked for; checked, and not stored yet. */
async function readUrls(session: Session, input: RawInput, family: Family): Promise<Urls> {
  const { profile } = session;
  const settings = await session.settings();
  const urls = { cards: lastValue(input, 'cards-url'), calendar: lastValue(input, 'calendar-url') };
  const known = family === 'cards' ? profile.cardsUrl : profile.calendarUrl;
  if (urls[family] === undefined && known === undefined && session.prompt.available) {
    urls[family] = await session.prompt.text(`Base URL of the ${family} interface (https://…)`, (text) => {
      try {
        changeProfile(settings, profile.name, { [family === 'cards' ? 'cardsUrl' : 'calendarUrl']: text });
        return text === '' ? 'is required' : true;
      } catch (error) {
        return error instanceof Error ? error.message : 'cannot be used';
      }
    });
  }
  const fromEnvironment = known?.source === 'environment' ? known.url : undefined;
  const cardsUrl = urls.cards ?? (family === 'cards' ? fromEnvironment : undefined);
  const calendarUrl = urls.calendar ?? (family === 'calendar' ? fromEnvironment : undefined);
  // Refused now: nobody should type a token for a URL that cannot be used.
  if (cardsUrl === undefined && calendarUrl === undefined) resolveTarget(profile, family);
  else changeProfile(settings, profile.name, { cardsUrl, calendarUrl });
  return { cardsUrl, calendarUrl };
}

/** Where the credential will belong, with the URLs stored in the profile. */
async function storeTarget(session: Session, family: Family, urls: Urls): Promise<Target> {
  const { profile } = session;
  if (urls.cardsUrl === undefined && urls.calendarUrl === undefined) return resolveTarget(profile, family);
  const settings = await session.changeSettings((before) => changeProfile(before, profile.name, urls));
  return resolveTarget(resolveProfile({ flagProfile: profile.name, env: {}, settings }), family);
}

async function readSecret(
  session: Session,
  input: RawInput,
  family: Family,
  source: (typeof SOURCES)[number] | undefined,
): Promise<{ kind: CredentialKind; value: string }> {
  if (source === 'token-command') {
    const value = lastValue(input, 'token-command') ?? '';
    if (value.trim() === '') throw new Failure('USAGE', '--token-command: is empty');
    return { kind: 'command', value };
  }
  if (source === 'token-file') {
    const { resolve } = await import('node:path');
    const value = resolve(lastValue(input, 'token-file') ?? '');
    const { readTokenFile } = await import('../../credentials/token-file.ts');
    await readTokenFile(value, 'the token file', session.context.platform);
    return { kind: 'file', value };
  }
  if (source === 'token-stdin') return { kind: 'token', value: checkTokenText(await readAll(session), 'stdin') };
  const typed = await session.prompt.secret(`Token of the ${family} interface`, (text) => {
    try {
      refuseExpired(session, family, checkTokenText(text, 'the answer'));
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : 'cannot be used';
    }
  });
  return { kind: 'token', value: checkTokenText(typed, 'the answer') };
}

function refuseExpired(session: Session, family: Family, token: string): string | undefined {
  const { expiresAtMs } = family === 'cards' ? readJwtTimes(token) : {};
  if (expiresAtMs === undefined) return undefined;
  const nowMs = session.context.clock.now();
  if (judgeExpiry({ expiresAtMs }, nowMs) === 'expired' && !session.common.ignoreExpiry) {
    throw new Failure('AUTH', `this token ${describeExpiry(expiresAtMs, nowMs)}; it was not stored`, {
      hints: ['get a new one; if this clock is wrong, add --ignore-expiry'],
    });
  }
  return new Date(expiresAtMs).toISOString();
}

function checkOperation(family: Family): Operation {
  return family === 'cards' ? OPERATIONS.cardGet : OPERATIONS.subscribersList;
}

/** What is wrong with an id to check with; none: it may be sent. */
async function checkIdFaults(family: Family, id: string): Promise<readonly Fault[]> {
  const { checkFieldTexts } = await import('../../input/check-fields.ts');
  const { params } = checkOperation(family);
  const [param = 'id'] = Object.keys(params.shape);
  return checkFieldTexts(params, new Map([[param, id]]), { nameOf: () => '--check', source: 'flag' }).faults;
}

/** Whether the person is led through the login: nothing was said on the command line but the profile. */
function isGuided(session: Session, input: RawInput): boolean {
  const said = ['family', 'cards-url', 'calendar-url', 'check', ...SOURCES];
  return session.prompt.available && !said.some((long) => hasOption(input, long));
}

/** Offers to try the new credential at once. Undefined: not wanted. */
async function askCheckId(session: Session, family: Family): Promise<string | undefined> {
  const { cleanCardId } = await import('../../input/card-id.ts');
  const clean = (text: string) => (family === 'cards' ? (cleanCardId(text) ?? text) : text);
  const { checkFields } = await import('../../input/check-fields.ts');
  const { params } = checkOperation(family);
  const [param = 'id'] = Object.keys(params.shape);
  const problemOf = (text: string) => checkFields(params, { [param]: clean(text) }, () => '')[0]?.problem;
  const noun = family === 'cards' ? 'card' : 'calendar';
  const answer = await session.prompt.text(
    `Id of a ${noun} to check with (Enter = none)`,
    (text) => (text === '' ? true : (problemOf(text) ?? true)),
    clean,
  );
  return answer === '' ? undefined : clean(answer);
}

/** Reads with the new credential, so that a person knows at once whether it is accepted. */
async function checkWithRead(session: Session, family: Family, id: string): Promise<void> {
  const service = await session.service(family);
  const operation = checkOperation(family);
  const [param = 'id'] = Object.keys(operation.params.shape);
  const query = operation.query === null ? {} : { limit: '1' };
  const result = await service.client.call(
    { operation, params: { [param]: id }, query, body: undefined },
    { policy: session.policy, listener: session.listener },
  );
  if (result.kind !== 'failed') return;
  const message = 'the credential is stored, but the read to check it failed';
  await session.notify({ code: 'CHECK_FAILED', level: 'warning', message });
  throw result.failure;
}

export const authLoginCommand = localCommand({
  path: ['auth', 'login'],
  description:
    'Stores a credential for one interface of a profile, and creates the profile if it is new. On a terminal it asks for what is missing. The token is typed hidden or read from stdin; there is no option that takes it, because other programs can read arguments. A stored token belongs to the scheme, host and port of the URL and goes nowhere else. Nothing is sent unless --check names something to read.',
  options: [
    FAMILY_OPTION,
    { long: 'cards-url', value: 'url', text: 'base URL of the gift-card interface' },
    { long: 'calendar-url', value: 'url', text: 'base URL of the calendar interface' },
    { long: 'token-stdin', text: 'read the token from stdin' },
    { long: 'token-command', value: 'cmd', text: 'run this command whenever a token is needed; nothing is kept' },
    { long: 'token-file', value: 'path', isFile: true, text: 'read the token from this file at each use' },
    { long: 'check', value: 'id', text: 'read this card or calendar with the new credential' },
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 16, 130],
  examples: [
    { text: 'Log in on a terminal', line: 'auth login -p live --cards-url https://cards.example.com' },
    { text: 'From a secret manager', line: "auth login -p live --family cards --token-command 'pass show cards'" },
    {
      text: 'From a file that is mounted',
      line: 'auth login -p live --family calendar --token-file /run/secrets/calendar',
    },
  ],
  async run(session, input) {
    if (session.profile.isSandbox) {
      throw new Failure('USAGE', 'the sandbox needs no login', { hints: ['name another profile with --profile'] });
    }
    const { family, source } = await readLogin(session, input);
    const given = lastValue(input, 'check');
    const checkFaults = given === undefined ? [] : await checkIdFaults(family, given);
    if (checkFaults.length > 0) throw usageFailure(checkFaults);
    // Everything is asked for first, so that Ctrl-C at any question leaves no half-made profile behind.
    const urls = await readUrls(session, input, family);
    const chosen = await readSecret(session, input, family, source);
    const expiry = chosen.kind === 'token' ? refuseExpired(session, family, chosen.value) : undefined;
    const check = given ?? (isGuided(session, input) ? await askCheckId(session, family) : undefined);
    const target = await storeTarget(session, family, urls);
    const { storeCredential } = await import('../../credentials/store-change.ts');
    const { keptCopy } = await storeCredential(session.credentialPlace(), {
      profile: session.profile.name,
      family,
      origin: target.base.origin,
      ...chosen,
    });
    if (keptCopy !== undefined) {
      const message = `the credentials file was damaged; a copy of it is kept in ${keptCopy}`;
      await session.notify({ code: 'CREDENTIALS_DAMAGED', level: 'warning', message });
    }
    const profileName = session.profile.name;
    if (check !== undefined) await checkWithRead(session, family, check);
    const shown = chosen.kind === 'token' ? lastFour(chosen.value) : undefined;
    const facts = {
      profile: profileName,
      family,
      origin: target.base.origin,
      kind: chosen.kind,
      ...(shown === undefined ? {} : { lastFour: shown }),
      ...(expiry === undefined ? {} : { expiresAt: expiry }),
      ...(check === undefined ? {} : { checked: check }),
    };
    const next =
      family === 'cards'
        ? `frontdesk -p ${profileName} card get <cardId>`
        : `frontdesk -p ${profileName} calendar subscribers list <calendarId>`;
    const checked = check === undefined ? '' : ` The service accepted it: ${check} was read.`;
    const ending = shown === undefined ? '' : ` (a token that ends with ${shown})`;
    const text = `Logged in to ${family} at ${target.base.origin} with profile ${profileName}${ending}.${checked}\nTry: ${next}`;
    await session.print({ kind: 'text', text, json: fromPlain(facts) });
    return 0;
  },
});

const STATUS_COLUMNS: readonly Column[] = [
  { name: 'family', header: 'FAMILY' },
  { name: 'origin', header: 'ORIGIN' },
  { name: 'source', header: 'SOURCE' },
  { name: 'lastFour', header: 'LAST FOUR' },
  { name: 'expiresAt', header: 'EXPIRES' },
  { name: 'problem', header: 'PROBLEM' },
];

export const authStatusCommand = localCommand({
  path: ['auth', 'status'],
  usesProfile: true,
  description:
    'Shows for each interface of the profile where its credential comes from, for which host, its last four characters and when it says that it expires. Exit 4 when an interface has a URL but no usable credential. Nothing is sent; a token command is run.',
  exitCodes: [0, 1, 2, 4, 16, 130],
  examples: [
    { text: 'See how the current profile stands', line: 'auth status' },
    { text: 'In a script', line: 'auth status -p live --json' },
  ],
  async run(session) {
    const { profile, context } = session;
    const { describeCredential } = await import('../../credentials/status.ts');
    const { readCredentials } = await import('../../credentials/store.ts');
    const families = FAMILIES.filter((family) =>
      profile.isSandbox ? false : (family === 'cards' ? profile.cardsUrl : profile.calendarUrl) !== undefined,
    );
    const rows = [];
    for (const family of families) {
      const { base } = resolveTarget(profile, family);
      rows.push(
        await describeCredential({
          family,
          origin: base.origin,
          profile: profile.name,
          env: context.env,
          platform: context.platform,
          clock: context.clock,
          stored: () => readCredentials({ configDir: session.places.configDir, platform: context.platform }),
          ignoreExpiry: session.common.ignoreExpiry,
          isInteractive: session.prompt.available,
          onNotice: (notice) => void session.notify(notice),
        }),
      );
    }
    const shown = rows.map((row) => fromPlain(row));
    await session.print({ kind: 'list', document: shown, rows: shown, columns: STATUS_COLUMNS });
    if (profile.isSandbox) {
      await session.notify({ code: 'SANDBOX', level: 'note', message: 'the sandbox needs no credential' });
      return 0;
    }
    const missing = rows.filter((row) => row.problem !== null);
    if (missing.length === 0) return 0;
    throw new Failure('AUTH', missing.map((row) => `${row.family}: ${row.problem ?? ''}`).join('; '), {
      hints: missing
        .map(
          (row) =>
            `log in: frontdesk auth login -p ${profile.name} --family ${row.family}, or set ${tokenVariable(row.family)}`,
        )
        .slice(0, 2),
    });
  },
});

export const authLogoutCommand = localCommand({
  path: ['auth', 'logout'],
  description:
    'Removes the stored credentials of a profile from this machine, or those of one interface. The tokens stay valid at the service, and variables of the environment are not touched.',
  options: [FAMILY_OPTION],
  examples: [
    { text: 'Remove both credentials of a profile', line: 'auth logout -p live' },
    { text: 'Only that of the calendar interface', line: 'auth logout -p live --family calendar' },
  ],
  async run(session, input) {
    const faults: Fault[] = [];
    const family = readFamily(input, faults);
    if (faults.length > 0) throw usageFailure(faults);
    const { removeCredentials } = await import('../../credentials/store-change.ts');
    const profile = session.profile.name;
    const removed = await removeCredentials(session.credentialPlace(), { profile, family });
    const names = removed.map((entry) => `${entry.family} at ${entry.origin}`);
    const text =
      names.length === 0
        ? `Profile ${profile} had no stored credential.`
        : `Removed from this machine: ${names.join(', ')}. The tokens stay valid at the service.`;
    await session.print({
      kind: 'text',
      text,
      json: fromPlain({ profile, removed: removed.map((entry) => ({ family: entry.family, origin: entry.origin })) }),
    });
    return 0;
  },
});

import { FAMILIES, familyAdjective, familyWords } from '../api/operation.ts';
import { localCommand } from '../commands/command.ts';
import { type CredentialReport, describeCredential, STATUS_OUTPUT } from '../credentials/status.ts';
import { CREDENTIAL_KINDS } from '../credentials/store.ts';
import { removeCredentials, storeCredential } from '../credentials/store-change.ts';
import { lastFour } from '../credentials/token.ts';
import { credentialRequest } from '../engine/session/credential-request.ts';
import { Failure, note, usageFailure, warning } from '../failure.ts';
import { fromPlain } from '../json/plain.ts';
import { jsonOf, list, object, oneOf, TEXT } from '../json/shape.ts';
import type { Column } from '../output/column.ts';
import { breakLine, widthOf } from '../output/line-break.ts';
import { currentProfileName, resolveTarget, urlKey } from '../settings/resolve.ts';
import {
  askCheckId,
  checkIdFaults,
  checkLogin,
  checkWithRead,
  familyOf,
  isGuided,
  LOGIN_OPTIONS,
  readSecret,
  readUrls,
  refuseExpired,
  storeTarget,
} from './login-steps.ts';
import { askFamily, FAMILY, NEVER_ASKS } from './missing.ts';

const LOGIN = object(
  { profile: TEXT, family: oneOf(FAMILIES), origin: TEXT, kind: oneOf(CREDENTIAL_KINDS) },
  { lastFour: TEXT, expiresAt: TEXT, checked: TEXT },
);

export const authLoginCommand = localCommand({
  description:
    'Stores a credential of a profile, for gift cards or calendars, and creates the profile if it is new. On a terminal it asks for what is missing. The token is typed hidden or read from stdin; there is no option that takes it, because other programs can read arguments. A stored token belongs to the scheme, host and port of the URL and goes nowhere else. Nothing is sent unless --check names something to read.',
  options: LOGIN_OPTIONS,
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 16, 130],
  examples: {
    'Log in on a terminal': 'auth login -p live --cards-url https://cards.example.com',
    'From a secret manager': "auth login -p live --family cards --token-command 'pass show cards'",
    'From a file that is mounted': 'auth login -p live --family calendar --token-file /run/secrets/calendar',
  },
  output: () => LOGIN,
  check: checkLogin,
  async run(session, given) {
    if (session.profile.isSandbox) {
      throw new Failure('USAGE', 'the sandbox needs no login', { hints: ['name another profile with --profile'] });
    }
    const family = familyOf(given) ?? (await askFamily(session, 'Gift cards or calendars?'));
    const checkFaults = given.check === undefined ? [] : await checkIdFaults(family, given.check);
    if (checkFaults.length > 0) throw usageFailure(checkFaults);
    // Everything is asked for first, so that Ctrl-C at any question leaves no half-made profile behind.
    const urls = await readUrls(session, given, family);
    const chosen = await readSecret(session, given, family, urls);
    const expiry = chosen.kind === 'token' ? refuseExpired(session, family, chosen.value) : undefined;
    const check = given.check ?? (isGuided(session, given) ? await askCheckId(session, family) : undefined);
    const { origin } = (await storeTarget(session, family, urls)).base;
    const profile = session.profile.name;
    const entry = { profile, family, origin, ...chosen };
    const { keptCopy } = await storeCredential(session.credentialPlace(), entry);
    if (keptCopy !== undefined) {
      const message = `the credentials file was damaged; a copy of it is kept in ${keptCopy}`;
      await session.notify(warning('CREDENTIALS_DAMAGED', message));
    }
    if (check !== undefined) await checkWithRead(session, family, check);
    const shown = chosen.kind === 'token' ? lastFour(chosen.value) : undefined;
    const facts = { profile, family, origin, kind: chosen.kind, lastFour: shown, expiresAt: expiry, checked: check };
    // The profile in use needs no name.
    const isCurrent = currentProfileName(session.settings(), session.context.env) === profile;
    const program = isCurrent ? 'frontdesk' : `frontdesk -p ${profile}`;
    const next =
      family === 'cards' ? `${program} card get <cardId>` : `${program} calendar subscribers list <calendarId>`;
    const text = [
      `Logged in to ${familyWords(family)} at ${origin} with profile ${profile}.`,
      ...(shown === undefined ? [] : [`Token: ends with ${shown}`]),
      ...(check === undefined ? [] : [`The service accepted it: ${check} was read.`]),
      `Try: ${next}`,
    ].join('\n');
    await session.print({ kind: 'text', text, json: jsonOf(LOGIN, facts) });
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
  columns: STATUS_COLUMNS,
  usesProfile: true,
  description:
    'Shows where the credentials of the profile come from, for gift cards and for calendars, for which host, its last four characters and when it says that it expires. Exit 4 when there is a URL without a usable credential. Nothing is sent; a token command is run.',
  exitCodes: [0, 1, 2, 4, 16, 130],
  examples: { 'See how the current profile stands': 'auth status', 'In a script': 'auth status -p live --json' },
  output: () => STATUS_OUTPUT,
  async run(session) {
    const { profile } = session;
    const reports: CredentialReport[] = [];
    for (const family of FAMILIES) {
      // The sandbox has none.
      if (profile[urlKey(family)] === undefined) continue;
      const { base } = resolveTarget(profile, family);
      reports.push(await describeCredential(credentialRequest(session, family, base.origin)));
    }
    const rows = reports.map(({ status }) => fromPlain(status));
    const none = profile.isSandbox
      ? 'The sandbox needs no credential.'
      : `Profile ${profile.name} has no URL yet. Log in:\n  frontdesk auth login -p ${profile.name}`;
    await session.print({ kind: 'list', rows, columns: STATUS_COLUMNS, whenEmpty: none });
    if (profile.isSandbox) await session.notify(note('SANDBOX', 'the sandbox needs no credential'));
    const missing = reports.filter(({ status }) => status.problem !== null);
    if (missing.length === 0) return 0;
    // One file may be in the way of both families: what to do about it is said once.
    const hints = [...new Set(missing.flatMap((report) => report.hints.slice(0, 1)))];
    const message = missing.map(({ status }) => `${familyWords(status.family)}: ${status.problem ?? ''}`).join('; ');
    throw new Failure('AUTH', message, { hints });
  },
});

const LOGOUT = object({ profile: TEXT, removed: list(object({ family: oneOf(FAMILIES), origin: TEXT })) });

export const authLogoutCommand = localCommand({
  description:
    'Removes the stored credentials of a profile from this machine, or one of the two. The tokens stay valid at the service, and variables of the environment are not touched.',
  options: { family: FAMILY, yes: NEVER_ASKS },
  examples: {
    'Remove both credentials of a profile': 'auth logout -p live',
    'Only that of the calendars': 'auth logout -p live --family calendar',
  },
  output: () => LOGOUT,
  async run(session, { family }) {
    const profile = session.profile.name;
    const removed = await removeCredentials(session.credentialPlace(), { profile, family });
    const names = removed.map((entry) => `the ${familyAdjective(entry.family)} credential for ${entry.origin}`);
    const text =
      names.length === 0
        ? `Profile ${profile} had no stored credential.`
        : `Removed from this machine: ${names.join(', ')}. The tokens stay valid at the service.`;
    const places = removed.map((entry) => ({ family: entry.family, origin: entry.origin }));
    const lines = breakLine(text, widthOf(session.context.stdout));
    await session.print({ kind: 'text', text: lines.join('\n'), json: jsonOf(LOGOUT, { profile, removed: places }) });
  },
});

import { Failure } from '../../base/failure.ts';
import { hintText } from '../../base/next-step.ts';
import type { Ports, Session } from '../../command/session.ts';
import { environmentToken, findStored, openCredential } from '../../profile/credentials/resolve.ts';
import { describeCredential } from '../../profile/credentials/status.ts';
import { describeExpiry, judgeExpiry } from '../../profile/credentials/token.ts';
import { readSettings } from '../../profile/read.ts';
import { resolveTarget, TOKEN_VARIABLES, URL_VARIABLES, urlKey } from '../../profile/resolve.ts';
import { formatDuration } from '../../screen/text.ts';
import { FAMILIES, type Family, familyWords } from '../../service/api/operation.ts';
import { OPERATIONS } from '../../service/api/operations.ts';
import { readErrorReply } from '../../service/http/error-reply.ts';
import { TokenMask } from '../../service/http/mask.ts';
import { hasErrorBody } from '../../service/http/not-the-service.ts';
import { buildRequest } from '../../service/http/request.ts';
import { parseHttpDate } from '../../service/http/retry-after.ts';
import { type BaseUrl, chooseProxy } from '../../service/wire/base-url.ts';
import { type Exchange, headerValues } from '../../service/wire/exchange.ts';
import { lazyTransport } from '../../service/wire/lazy-transport.ts';
import { readCaFile } from '../ca-file.ts';
import { credentialRequest, storedCredentials } from '../credential-request.ts';
import { attempt, type Check, ok, problem, warning } from './check.ts';

/** A larger clock difference makes valid tokens look expired (docs/faults.md H29). */
const MAX_SKEW_MS = 5 * 60_000;

async function checkProfile(session: Session): Promise<Check> {
  try {
    await readSettings(session.places.configDir);
  } catch (error) {
    if (error instanceof Failure) return warning('profile', 'is not known before the settings file is fixed');
    throw error;
  }
  const { name, isSandbox, stored, readOnly, requireReason } = session.selectedProfile();
  const facts = [
    isSandbox ? 'built in' : stored ? 'stored' : 'from the environment alone',
    ...(readOnly ? ['read-only'] : []),
    ...(requireReason === undefined ? [] : [`requires a reason with ${requireReason}`]),
  ];
  return ok('profile', `${name} (${facts.join(', ')})`);
}

function loginFix(session: Session, family: Family, variable: string = TOKEN_VARIABLES[family]): string {
  const { name } = session.selectedProfile();
  return hintText({ do: 'log in', words: `set ${variable}, or log in`, profile: name, family });
}

/** Does a token command give the token? It may ask the user to unlock something, so doctor does not run it. */
async function isFromCommand(session: Session, family: Family, { origin }: BaseUrl): Promise<boolean> {
  if (environmentToken(session.context.env, family) !== undefined) return false;
  const { name: profile } = session.selectedProfile();
  return findStored(await storedCredentials(session), { profile, family, origin })?.kind === 'command';
}

async function checkCredential(session: Session, family: Family, base: BaseUrl): Promise<Check> {
  const { context } = session;
  const name = `${family}-credential`;
  const { origin } = base;
  if (await isFromCommand(session, family, base))
    return ok(name, 'a token command, not run here (`frontdesk auth status` runs it)');
  const request = credentialRequest(session, family, origin);
  const { status } = await describeCredential({ ...request, onNotice: () => undefined });
  const login = loginFix(session, family);
  if (status.problem !== null) return problem(name, status.problem, login);
  const expiresAtMs = status.expiresAt === null ? undefined : Date.parse(status.expiresAt);
  const nowMs = context.clock.now();
  const ending = status.lastFour === null ? '' : `, ends with ${status.lastFour}`;
  const expiry = expiresAtMs === undefined ? '' : `, ${describeExpiry(expiresAtMs, nowMs)}`;
  const text = `${status.source ?? 'unknown source'}${ending}${expiry}`;
  const isSoon = expiresAtMs !== undefined && judgeExpiry({ expiresAtMs }, nowMs) === 'soon';
  return isSoon ? warning(name, text, login) : ok(name, text);
}

/** IDs that no card and no calendar has, so that 404 is the healthy response. */
const PROBES = {
  cards: { operation: OPERATIONS.cardGet, params: { cardId: '00000000-0000-0000-0000-000000000000' } },
  calendar: { operation: OPERATIONS.subscribersList, params: { id: 'frontdesk-doctor-no-such-calendar' } },
} as const;

/** The token that a check may send. */
async function tokenToTry(session: Session, family: Family, base: BaseUrl): Promise<string | undefined> {
  if (await isFromCommand(session, family, base)) return undefined;
  const request = credentialRequest(session, family, base.origin);
  // What is wrong with it has its own finding.
  return openCredential({ ...request, isLasting: false, onNotice: () => undefined })
    .token()
    .catch(() => undefined);
}

async function askForAnswer(
  session: Ports,
  family: Family,
  base: BaseUrl,
  { token, caFile }: { readonly token: string | undefined; readonly caFile: string | undefined },
): Promise<Exchange> {
  const { clock, env, version } = session.context;
  const trustPems = caFile ? await readCaFile(caFile, env) : [];
  const transport = lazyTransport({ baseUrl: base, clock, proxy: chooseProxy(base, env), trustPems });
  const request = buildRequest({ ...PROBES[family], query: {}, body: undefined }, base, version);
  const headers =
    token === undefined ? request.headers : [...request.headers, ['Authorization', `Bearer ${token}`] as const];
  try {
    return await transport.exchange({ ...request, headers }, { timeoutMs: session.policy.timeoutMs });
  } finally {
    await transport.close();
  }
}

async function checkConnection(session: Session, family: Family, base: BaseUrl, caFile: string | undefined) {
  const token = await tokenToTry(session, family, base);
  const exchange = await askForAnswer(session, family, base, { token, caFile });
  const name = `${family}-connection`;
  const { status, headers } = exchange;
  if (status === undefined || headers === undefined) {
    const what = exchange.kind === 'broken' ? exchange.breakage.text : 'no answer came';
    return problem(name, `${base.origin}: ${what}`, 'check the base URL, the network and the proxy');
  }
  const error = readErrorReply([...(exchange.body ?? [])], new TokenMask());
  const isHealthy = status === 404 && hasErrorBody({ family }, error);
  const tokenChecks = token === undefined ? [] : tokenCheck(session, family, status, isHealthy);
  const connection = [answerCheck(name, base.origin, status, isHealthy), ...tokenChecks];
  const serviceMs = parseHttpDate(headerValues(headers, 'date')[0] ?? '');
  if (serviceMs === undefined) return [...connection, warning(`${family}-clock`, 'the service did not say its time')];
  const skewMs = serviceMs - session.context.clock.now();
  const text = `the service's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return [...connection, ok(`${family}-clock`, text)];
  return [...connection, warning(`${family}-clock`, text, "set this machine's clock")];
}

/** What the response to that ID says of the service. */
function answerCheck(name: string, origin: string, status: number, isHealthy: boolean): Check {
  const text = `${origin} answered the GET of an id that cannot exist with ${status}`;
  if (isHealthy) return ok(name, `${text}, as it should`);
  if (status === 404) {
    return warning(
      name,
      `${text}, but without an error of the service: this may not be the service`,
      'check the base URL',
    );
  }
  if (status >= 500)
    return problem(name, `${text}: the service, or a proxy before it, has a problem`, 'try again later');
  // Without a token, or with a refused one, nothing more can be known.
  if (status === 401 || status === 403) return ok(name, text);
  return warning(name, `${text}, but 404 was expected`, 'check the base URL');
}

function tokenCheck(session: Session, family: Family, status: number, isHealthy: boolean): readonly Check[] {
  const name = `${family}-token`;
  if (status === 401) return [problem(name, 'the service refused it with 401', loginFix(session, family))];
  // Something else than the service says nothing of the token.
  if (status === 404 && !isHealthy) return [];
  return [ok(name, isHealthy ? 'the service accepted it' : `not known: the service returned ${status}`)];
}

async function checkFamily(session: Session, family: Family, connect: boolean, caFile: string | undefined) {
  const { context } = session;
  const profile = session.selectedProfile();
  const name = `${family}-url`;
  if (profile[urlKey(family)] === undefined) {
    const fix = loginFix(session, family, URL_VARIABLES[family]);
    return [warning(name, `profile ${profile.name} has no base URL for ${familyWords(family)}`, fix)];
  }
  const { base, url, source } = resolveTarget(profile, family);
  const checks = [
    ok(name, `${url} (${source})`),
    ...(await attempt(`${family}-credential`, () => checkCredential(session, family, base))),
  ];
  if (!connect) {
    return [...checks, ok(`${family}-clock`, 'not checked (--connect sends one GET of an ID that cannot exist)')];
  }
  const connection = () =>
    context.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? problem(`${family}-connection`, 'not checked while certificates are not verified')
      : checkConnection(session, family, base, caFile);
  return [...checks, ...(await attempt(`${family}-connection`, connection))];
}

/** The profile, and for each API its URL, credential, proxy and, if asked for, whether it responds. */
export async function checkService(session: Session, connect: boolean, caFile: string | undefined) {
  const checks = [...(await attempt('profile', () => checkProfile(session)))];
  if (checks.some(({ status }) => status !== 'ok')) return checks;
  if (session.selectedProfile().isSandbox)
    return [...checks, ok('sandbox', 'needs no URL, no credential and no network')];
  for (const family of FAMILIES) {
    checks.push(...(await attempt(`${family}-url`, () => checkFamily(session, family, connect, caFile))));
  }
  return checks;
}

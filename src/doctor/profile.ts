import { FAMILIES, type Family, familyWords } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { environmentToken, findStored, TOKEN_VARIABLES } from '../credentials/resolve.ts';
import { describeCredential } from '../credentials/status.ts';
import { describeExpiry, judgeExpiry } from '../credentials/token.ts';
import { readCaFile } from '../engine/session/ca-file.ts';
import { credentialRequest, storedCredentials } from '../engine/session/credential-request.ts';
import { Failure } from '../failure.ts';
import { buildRequest } from '../http/request.ts';
import { parseHttpDate } from '../http/retry-after.ts';
import { formatDuration } from '../output/duration.ts';
import type { Session } from '../session.ts';
import { readSettings } from '../settings/read.ts';
import { resolveTarget, URL_VARIABLES, urlKey } from '../settings/resolve.ts';
import type { BaseUrl } from '../wire/base-url.ts';
import { type Exchange, headerValues } from '../wire/exchange.ts';
import { lazyTransport } from '../wire/lazy-transport.ts';
import { chooseProxy } from '../wire/proxy.ts';
import { type Check, look, ok, problem, warning } from './check.ts';

/** A clock that is further off makes valid tokens look expired (docs/faults.md H29). */
const MAX_SKEW_MS = 5 * 60_000;

export interface ServiceCheckOptions {
  /** Make one request without a token to each base URL. */
  readonly connect: boolean;
  readonly caFile: string | undefined;
}

async function checkProfile(session: Session): Promise<Check> {
  try {
    await readSettings(session.places.configDir);
  } catch (error) {
    if (error instanceof Failure) return warning('profile', 'is not known before the settings file is fixed');
    throw error;
  }
  const { name, isSandbox, stored, readOnly, requireReason } = session.profile;
  const facts = [
    isSandbox ? 'built in' : stored ? 'stored' : 'from the environment alone',
    ...(readOnly ? ['read-only'] : []),
    ...(requireReason === undefined ? [] : [`requires a reason with ${requireReason}`]),
  ];
  return ok('profile', `${name} (${facts.join(', ')})`);
}

async function checkCredential(session: Session, family: Family, base: BaseUrl): Promise<Check> {
  const { context, profile } = session;
  const name = `${family}-credential`;
  const { origin } = base;
  if (environmentToken(context.env, family) === undefined) {
    const entry = findStored(await storedCredentials(session), { profile: profile.name, family, origin });
    // It may ask a person to unlock something, so it is run only where a token is really wanted.
    if (entry?.kind === 'command') return ok(name, 'a token command, not run here; `frontdesk auth status` runs it');
  }
  const request = credentialRequest(session, family, origin);
  const { status } = await describeCredential({ ...request, onNotice: () => undefined });
  const login = `frontdesk auth login -p ${profile.name} --family ${family}; or set ${TOKEN_VARIABLES[family]}`;
  if (status.problem !== null) return problem(name, status.problem, login);
  const expiresAtMs = status.expiresAt === null ? undefined : Date.parse(status.expiresAt);
  const nowMs = context.clock.now();
  const ending = status.lastFour === null ? '' : `, ends with ${status.lastFour}`;
  const expiry = expiresAtMs === undefined ? '' : `, ${describeExpiry(expiresAtMs, nowMs)}`;
  const text = `${status.source ?? 'unknown source'}${ending}${expiry}`;
  const isSoon = expiresAtMs !== undefined && judgeExpiry({ expiresAtMs }, nowMs) === 'soon';
  return isSoon ? warning(name, text, login) : ok(name, text);
}

function checkProxy({ context }: Session, family: Family, base: BaseUrl): Check {
  const proxy = chooseProxy(base, context.env);
  const text =
    proxy === undefined ? 'none; requests go straight to the service' : `requests go through ${proxy.hostPort}`;
  return ok(`${family}-proxy`, text);
}

/** One GET to the base URL itself, without a token: its path is no operation, so nothing can come of it. */
async function askForAnswer(session: Session, base: BaseUrl, caFile: string | undefined): Promise<Exchange> {
  const { clock, env, version } = session.context;
  const transport = lazyTransport({
    baseUrl: base,
    clock,
    proxy: chooseProxy(base, env),
    trustPems: caFile === undefined || caFile === '' ? [] : await readCaFile(caFile, env),
  });
  const call = { operation: OPERATIONS.cardGet, params: {}, query: {}, body: undefined, target: '/' };
  try {
    return await transport.exchange(buildRequest(call, base, version), { timeoutMs: session.policy.timeoutMs });
  } finally {
    await transport.close();
  }
}

async function checkConnection(session: Session, family: Family, base: BaseUrl, caFile: string | undefined) {
  const exchange = await askForAnswer(session, base, caFile);
  const name = `${family}-connection`;
  const { status, headers } = exchange;
  if (status === undefined || headers === undefined) {
    const what = exchange.kind === 'broken' ? exchange.breakage.text : 'no answer came';
    return problem(name, `${base.origin}: ${what}`, 'check the base URL, the network and the proxy');
  }
  const connection = ok(name, `${base.origin} answered a request without a token with ${status}`);
  const serviceMs = parseHttpDate(headerValues(headers, 'date')[0] ?? '');
  if (serviceMs === undefined) return [connection, warning(`${family}-clock`, 'the service did not say its time')];
  const skewMs = serviceMs - session.context.clock.now();
  const text = `the service's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return [connection, ok(`${family}-clock`, text)];
  return [connection, warning(`${family}-clock`, text, "set this machine's clock")];
}

async function checkFamily(session: Session, family: Family, options: ServiceCheckOptions): Promise<readonly Check[]> {
  const { profile, context } = session;
  const name = `${family}-url`;
  if (profile[urlKey(family)] === undefined) {
    const fix = `frontdesk auth login -p ${profile.name} --family ${family}; or set ${URL_VARIABLES[family]}`;
    return [warning(name, `profile ${profile.name} has no base URL for ${familyWords(family)}`, fix)];
  }
  const { base, url, source } = resolveTarget(profile, family);
  const checks = [
    ok(name, `${url} (${source})`),
    ...(await look(`${family}-credential`, () => checkCredential(session, family, base))),
    ...(await look(`${family}-proxy`, () => checkProxy(session, family, base))),
  ];
  if (!options.connect) {
    return [...checks, ok(`${family}-clock`, 'not checked; --connect makes one request without a token')];
  }
  const connection = () =>
    context.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? problem(`${family}-connection`, 'not checked while certificates are not verified')
      : checkConnection(session, family, base, options.caFile);
  return [...checks, ...(await look(`${family}-connection`, connection))];
}

/** The profile, and for each API its URL, credential, proxy and, when asked for, whether it answers. */
export async function checkService(session: Session, options: ServiceCheckOptions): Promise<readonly Check[]> {
  const checks = [...(await look('profile', () => checkProfile(session)))];
  if (checks.some(({ status }) => status !== 'ok')) return checks;
  if (session.profile.isSandbox) return [...checks, ok('sandbox', 'needs no URL, no credential and no network')];
  for (const family of FAMILIES) {
    checks.push(...(await look(`${family}-url`, () => checkFamily(session, family, options))));
  }
  return checks;
}

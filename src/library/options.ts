import { X509Certificate } from 'node:crypto';
import type { Family } from '../api/operation.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { CallPolicy } from '../http/call.ts';
import { didYouMean } from '../output/nearest.ts';
import { type BaseUrl, chooseProxy, type ProxyServer, parseBaseUrl } from '../wire/base-url.ts';
import type { CallOptions, ClientOptions, Signal, Token } from './types.ts';

/** The options of a client, checked. */
export type CheckedOptions = ReturnType<typeof checkOptions>;

/** The members of an object argument. A TypeError for anything else. */
export function membersOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new TypeError(`${where}: must be an object`);
}

/** The same for an object with only these members. */
function optionsOf(value: unknown, where: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  const members = membersOf(value, where);
  for (const name of Object.keys(members)) {
    if (names.includes(name)) continue;
    throw new TypeError(`${where}: ${name} is not an option${didYouMean(name, names)}`);
  }
  return members;
}

function numberOf(value: unknown, where: string, limits: { readonly min: number; readonly max: number }): number {
  const { min, max } = limits;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`createClient: ${where}: must be a whole number from ${min} to ${max}, not ${String(value)}`);
}

function policyOf(given: Readonly<Record<string, unknown>>): CallPolicy {
  const ms = { min: 1, max: 7 * 86_400_000 };
  const timeoutMs = numberOf(given['timeoutMs'] ?? 30_000, 'timeoutMs', ms);
  return {
    timeoutMs,
    retries: numberOf(given['retries'] ?? 2, 'retries', { min: 0, max: 100 }),
    // One attempt may always take its own limit.
    retryMaxTimeMs: numberOf(given['retryMaxTimeMs'] ?? Math.max(60_000, timeoutMs), 'retryMaxTimeMs', ms),
  };
}

/** The proxy for an address, from the usual variables. */
function proxyOf(baseUrl: BaseUrl, env: Context['env']): ProxyServer | undefined {
  try {
    return chooseProxy(baseUrl, env);
  } catch (error) {
    if (error instanceof Failure) throw new TypeError(`createClient: ${error.message}`);
    throw error;
  }
}

function familyOf(value: unknown, family: Family, env: Context['env']) {
  if (value === undefined) return undefined;
  const { url, token } = optionsOf(value, `createClient: ${family}`, ['url', 'token']);
  const parsed = typeof url === 'string' ? parseBaseUrl(url) : { kind: 'bad' as const, problem: 'must be a text' };
  if (parsed.kind === 'bad') throw new TypeError(`createClient: ${family}.url: ${parsed.problem}`);
  if (typeof token !== 'string' && typeof token !== 'function') {
    throw new TypeError(`createClient: ${family}.token: must be a text or a function that gives one`);
  }
  if (typeof token === 'string' && !/^[\u0021-\u007e]+$/.test(token)) {
    throw new TypeError(`createClient: ${family}.token: must be visible ASCII, without spaces or line breaks`);
  }
  // A function's token is checked when it was asked.
  return { baseUrl: parsed.baseUrl, proxy: proxyOf(parsed.baseUrl, env), token: token as Token };
}

/** TLS silently skips what it cannot read, and the certificate would not be trusted for no visible reason. */
function certificatesOf(ca: unknown): readonly string[] {
  if (ca === undefined) return [];
  try {
    if (typeof ca === 'string' && ca.includes('-----BEGIN CERTIFICATE-----') && new X509Certificate(ca)) return [ca];
  } catch {
    // It is no certificate.
  }
  throw new TypeError('createClient: ca: must be the text of certificates in PEM form');
}

type Option = keyof ClientOptions;
const OPTION_NAMES: readonly Option[] = ['cards', 'calendar', 'timeoutMs', 'retries', 'retryMaxTimeMs', 'ca'];

/** Reads the options of `createClient`. A TypeError names what cannot be used; no message holds a token. */
export function checkOptions(options: unknown, env: Context['env']) {
  const given = optionsOf(options, 'createClient', OPTION_NAMES);
  const [cards, calendar] = [familyOf(given['cards'], 'cards', env), familyOf(given['calendar'], 'calendar', env)];
  return { families: { cards, calendar }, policy: policyOf(given), trustPems: certificatesOf(given['ca']) };
}

/** The signal among the options of one call. */
export function signalOf(options: unknown, method: string): Signal | undefined {
  if (options === undefined) return undefined;
  const { signal } = optionsOf(options, method, ['signal'] satisfies (keyof CallOptions)[]);
  if (signal === undefined) return undefined;
  const isSignal = typeof signal === 'object' && signal !== null && 'aborted' in signal && 'addEventListener' in signal;
  if (!isSignal) throw new TypeError(`${method}: signal: must be an AbortSignal`);
  // It has the two members that are used.
  return signal as Signal;
}

import { BlockList, isIP } from 'node:net';
import { type Fault, usageFailure } from '../failure.ts';
import type { BaseUrl } from './base-url.ts';

/** A proxy that https requests are tunnelled through with CONNECT. */
export interface ProxyServer {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** `HOST:PORT` for messages: never the user name or password. */
  readonly hostPort: string;
  /** The variable that names it. */
  readonly variable: string;
  /** Value of the Proxy-Authorization header, or undefined. A secret. */
  readonly authorization: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy for a base URL, by the environment; never for loopback. USAGE repeats no URL: it may hold a password. */
export function chooseProxy(baseUrl: BaseUrl, env: Env): ProxyServer | undefined {
  if (baseUrl.scheme !== 'https' || baseUrl.isLoopback) return undefined;
  const name = firstSet(env, ['https_proxy', 'HTTPS_PROXY']);
  if (name === undefined) return undefined;
  const exceptions = firstSet(env, ['no_proxy', 'NO_PROXY']);
  if (exceptions !== undefined && isException(env[exceptions] ?? '', baseUrl)) return undefined;
  return parseProxy(name, env[name] ?? '');
}

function firstSet(env: Env, names: readonly string[]): string | undefined {
  return names.find((name) => (env[name] ?? '').trim() !== '');
}

function parseProxy(name: string, text: string): ProxyServer {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  if (!URL.canParse(withScheme)) throw bad({ where: name, problem: 'is not the URL of a proxy' });
  const url = new URL(withScheme);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw bad({
      where: name,
      problem: `names a ${url.protocol}// proxy, but frontdesk knows only http:// and https:// proxies`,
    });
  }
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port);
  return {
    scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    hostPort: `${url.hostname}:${port}`,
    variable: name,
    authorization: authorizationOf(name, url),
  };
}

function authorizationOf(name: string, url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
  } catch {
    throw bad({ where: name, problem: 'has a user name or password that is not percent-encoded correctly' });
  }
}

function bad(fault: Fault): Error {
  return usageFailure([fault], ['set it to http://HOST:PORT, or unset it']);
}

/** Entries of NO_PROXY: `*`, a name (with its subdomains), `host:port`, an address, or a range in CIDR form. */
function isException(list: string, baseUrl: BaseUrl): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry.toLowerCase(), baseUrl));
}

function matches(entry: string, baseUrl: BaseUrl): boolean {
  if (entry.includes('/')) return isInRange(entry, baseUrl.host);
  const { host, port } = splitPort(entry);
  if (port !== undefined && port !== baseUrl.port) return false;
  const name = host.replace(/^\*?\./, '').replace(/\.$/, '');
  if (name === baseUrl.host) return true;
  return isIP(baseUrl.host) === 0 && name !== '' && baseUrl.host.endsWith(`.${name}`);
}

function splitPort(entry: string): { host: string; port: number | undefined } {
  if (isIP(entry) === 6) return { host: entry, port: undefined };
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry);
  const host = (match?.[1] ?? entry).replace(/^\[|\]$/g, '');
  return { host, port: match?.[2] === undefined ? undefined : Number(match[2]) };
}

function isInRange(entry: string, host: string): boolean {
  const [address = '', bits = ''] = entry.split('/');
  const version = isIP(host);
  if (version === 0 || isIP(address) !== version || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  const type = version === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(address, Number(bits), type);
  return range.check(host, type);
}

import { BlockList, isIP } from 'node:net';
import { usageFailure } from '../../base/failure.ts';

/** The address of one family of the service, checked and normalized. */
export interface BaseUrl {
  /** Scheme, host and port, to which a credential is bound: `https://api.example.com`, `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly scheme: 'http' | 'https';
  /** Lower-case name or address, an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
  /** `HOST:PORT` for messages, always with the port. */
  readonly hostPort: string;
  /** Path put before every path of the spec: empty, or `/gateway/cards` (no slash at its end). */
  readonly pathPrefix: string;
  readonly isLoopback: boolean;
}

type BaseUrlResult =
  | { readonly kind: 'ok'; readonly baseUrl: BaseUrl }
  | { readonly kind: 'bad'; readonly problem: string };

const CONTROL_OR_SPACE = /[\u0000-\u0020\u007f-\u00a0]/;
const SHAPE = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/i;
const AUTHORITY = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const PATH = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;

class Problem extends Error {}

/**
 * Reads a base URL by hand. A URL parser repairs what must be refused: it folds backslashes, deletes control
 * characters, turns `0x7f.1` into a loopback address and look-alike letters into other names. A problem never repeats a
 * password.
 */
export function parseBaseUrl(text: string): BaseUrlResult {
  try {
    return { kind: 'ok', baseUrl: readBaseUrl(text) };
  } catch (error) {
    if (error instanceof Problem) return { kind: 'bad', problem: error.message };
    throw error;
  }
}

/** Reads a base URL that was checked before. Throws for a bad one. */
export function readBaseUrl(text: string): BaseUrl {
  const [schemeText, authority, path] = split(text);
  const scheme = schemeText.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') throw new Problem(`must begin with https://, not ${schemeText}://`);
  const usualPort = scheme === 'https' ? 443 : 80;
  const { host, port = usualPort } = readAuthority(authority);
  const bracketed = host.includes(':') ? `[${host}]` : host;
  // The only hosts that may be reached over http, and never through a proxy.
  const isLoopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  if (scheme === 'http' && !isLoopback) {
    throw new Problem('must be https: over http the token would be readable on the way (http only to loopback)');
  }
  return {
    origin: `${scheme}://${bracketed}${port === usualPort ? '' : `:${port}`}`,
    scheme,
    host,
    port,
    hostPort: `${bracketed}:${port}`,
    pathPrefix: readPathPrefix(path),
    isLoopback,
  };
}

function split(text: string): [scheme: string, authority: string, path: string] {
  if (CONTROL_OR_SPACE.test(text)) throw new Problem('has a space or a control character');
  if (text.includes('\\')) throw new Problem('has a backslash');
  if (text.includes('?')) throw new Problem('has a query (?)');
  if (text.includes('#')) throw new Problem('has a fragment (#)');
  const match = SHAPE.exec(text);
  if (match === null) throw new Problem('must begin with https:// (or http:// for loopback)');
  return [match[1] ?? '', match[2] ?? '', match[3] ?? ''];
}

function readAuthority(authority: string): { host: string; port: number | undefined } {
  if (authority.includes('@')) throw new Problem('has a user name or password (a token is kept apart from the URL)');
  const match = AUTHORITY.exec(authority);
  if (match === null) throw new Problem('has no readable host and port');
  const name = (match[1] ?? '').toLowerCase();
  const port = readPort(match[2]);
  if (name.startsWith('[')) {
    const address = name.slice(1, -1);
    if (isIP(address) !== 6) throw new Problem('has brackets without an IPv6 address');
    if (address.includes('%')) throw new Problem('has an IPv6 address with a zone (%), which no URL can have');
    // A URL parser only here: it knows the shortest spelling of an IPv6 address.
    return { host: new URL(`http://[${address}]/`).hostname.slice(1, -1), port };
  }
  checkName(name);
  return { host: name, port };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text === '' || port < 1 || port > 65_535) throw new Problem('has a port outside 1 to 65535');
  return port;
}

function checkName(name: string): void {
  if (name === '') throw new Problem('has no host');
  if (/[^\u0021-\u007e]/.test(name)) {
    throw new Problem('has a host with letters outside ASCII: write it in its punycode form (xn--…)');
  }
  if (name.endsWith('.')) throw new Problem('has a host that ends with a dot');
  if (name.length > 253) throw new Problem('has a host longer than 253 characters');
  const labels = name.split('.');
  if (!labels.every((label) => label.length <= 63 && LABEL.test(label))) throw new Problem('has no valid host name');
  const last = labels.at(-1) ?? '';
  // `127.1`, `0x7f.1` and `2130706433` are addresses to some resolvers and names to others.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(last) && isIP(name) !== 4) throw new Problem('has no valid IPv4 address');
}

function readPathPrefix(path: string): string {
  if (!PATH.test(path)) throw new Problem('has a path with characters that must be percent-encoded');
  const prefix = path.replace(/\/+$/, '');
  const segments = prefix.split('/').slice(1);
  if (segments.some((segment) => segment === '')) throw new Problem('has an empty path segment (//)');
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new Problem('has a dot segment in its path');
  }
  // `%76` is a v too.
  if (/^(?:v|%76)(?:1|%31)$/i.test(segments.at(-1) ?? '')) {
    throw new Problem('must not end in /v1: every path begins with it already');
  }
  return prefix;
}

/** A proxy that https requests are tunnelled through with CONNECT. */
export type ProxyServer = ReturnType<typeof parseProxy>;

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy for a base URL by the environment; none for loopback. USAGE without the URL, which may hold a password. */
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

function parseProxy(name: string, text: string) {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  const user = withScheme.slice(withScheme.indexOf('://') + 3, Math.max(0, withScheme.lastIndexOf('@')));
  const [odd] = /[#?/\\]/.exec(user) ?? [];
  if (odd !== undefined) {
    const code = `%${odd.charCodeAt(0).toString(16).toUpperCase()}`;
    throw bad(name, `has ${odd} in its user name or password: write it percent-encoded (${code})`);
  }
  if (!URL.canParse(withScheme)) throw bad(name, 'is not the URL of a proxy');
  const url = new URL(withScheme);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw bad(name, `names a ${url.protocol}// proxy, but frontdesk knows only http:// and https:// proxies`);
  }
  const scheme: BaseUrl['scheme'] = url.protocol === 'https:' ? 'https' : 'http';
  const port = url.port === '' ? (scheme === 'https' ? 443 : 80) : Number(url.port);
  return {
    scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    /** `HOST:PORT` for messages: never the user name or password. */
    hostPort: `${url.hostname}:${port}`,
    variable: name,
    /** Value of the Proxy-Authorization header, or undefined. A secret. */
    authorization: authorizationOf(name, url),
  };
}

function authorizationOf(name: string, url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
  } catch {
    throw bad(name, 'has a user name or password that is not percent-encoded correctly');
  }
}

function bad(where: string, problem: string): Error {
  return usageFailure([{ where, problem }], ['set it to http://HOST:PORT, or unset it']);
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

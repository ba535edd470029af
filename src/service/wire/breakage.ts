import type { BaseUrl } from './base-url.ts';
import type { Breakage, BreakLabel, Phase } from './exchange.ts';

/** Thrown by frontdesk's own parts of the transport. The label is what was seen, not guessed from a code. */
export class BreakError extends Error {
  readonly label: BreakLabel;
  /** The environment variable to check. */
  readonly variable: string | undefined;
  constructor(label: BreakLabel, message: string, variable?: string) {
    super(message);
    this.name = 'BreakError';
    this.label = label;
    this.variable = variable;
  }
}

/** A limit in words. The rest of a time for all attempts is no round number. */
export function secondsText(limitMs: number): string {
  const seconds = limitMs / 1000;
  return `${seconds < 10 ? Number(seconds.toFixed(seconds < 0.1 ? 3 : 2)) : Math.round(seconds)} s`;
}

type Endpoint = Pick<BaseUrl, 'host' | 'hostPort'>;

/** What a failed TLS handshake showed of the certificate. */
export interface SeenCertificate {
  readonly names: string;
  readonly validFrom: string;
  readonly validTo: string;
}

function withoutCertificate(hostPort: string): string {
  return `${hostPort} asks for a client certificate and ended the connection, and frontdesk has none`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** How a connection ends whose client shows no certificate. */
const ENDED = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|EPROTO|ERR_SSL_\w*ALERT\w*)$/;
const UNTRUSTED =
  /^(?:(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?|CERT_(?:UNTRUSTED|REJECTED|REVOKED)|INVALID_(?:CA|PURPOSE))$/;
/** OpenSSL's names for bytes that are no TLS: a plain-text service returned text. */
const UNSAFE = /^(?:CA|EE)_(?:MD_TOO_WEAK|KEY_TOO_SMALL)$|^ERR_SSL_(?:CA|EE)_/;
const INCOMPLETE = /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?)$/;
const NOT_TLS = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;
const UNROUTABLE = /^(?:E(?:NET|HOST)(?:UNREACH|DOWN)|EADDRNOTAVAIL|EACCES|EPERM)$/;

/** What went wrong before the first byte of the request, by the error's code. The first row that fits counts. */
const CONNECTING: readonly (readonly [codes: RegExp, label: BreakLabel, text: string])[] = [
  [/^ECONNREFUSED$/, 'refused', 'cannot connect to {hostPort} (refused)'],
  [/^ENOTFOUND$/, 'not_found', 'cannot resolve {host} (no such host)'],
  [/^EAI_AGAIN$/, 'lookup_failed', 'cannot resolve {host} (the name server did not answer)'],
  [/^EAI_/, 'not_found', 'cannot resolve {host} ({code})'],
  [UNROUTABLE, 'unroutable', 'cannot connect to {hostPort} (no route: {code})'],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'connect_timeout', 'cannot connect to {hostPort} (no answer)'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/, 'connect_reset', 'cannot connect to {hostPort} (reset while connecting)'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'wrong_name', 'the certificate of {hostPort} is for {names}, not for {host}'],
  [/^CERT_HAS_EXPIRED$/, 'certificate_dates', 'the certificate of {hostPort} has expired{dates}'],
  [/^CERT_NOT_YET_VALID$/, 'certificate_dates', 'the certificate of {hostPort} is not valid yet{dates}'],
  [
    INCOMPLETE,
    'untrusted',
    'the certificate of {hostPort} is not trusted: its chain does not lead to a known authority. A certificate between them may be missing ({code})',
  ],
  [
    UNSAFE,
    'unsafe',
    'the certificate of {hostPort} has a signature or key that is no longer safe, such as SHA-1 ({code})',
  ],
  [UNTRUSTED, 'untrusted', 'the certificate of {hostPort} is not trusted ({code})'],
  [NOT_TLS, 'not_tls', '{hostPort} does not speak TLS'],
  [
    /^(?:EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|HOSTNAME_)/,
    'tls',
    'the TLS handshake with {hostPort} failed ({code})',
  ],
];

const OTHER = [/^/, 'other', 'cannot connect to {hostPort} ({error})'] as const;

/** Names what went wrong before the first byte of the request, without OpenSSL's words. */
export function connectBreakage(
  error: unknown,
  { host, hostPort }: Endpoint,
  seen: SeenCertificate | undefined,
  timeIs: string,
  wantsCertificate = false,
): Breakage {
  if (wantsCertificate && ENDED.test(codeOf(error)))
    return { label: 'no_certificate', text: withoutCertificate(hostPort) };
  if (error instanceof BreakError) return { label: error.label, text: error.message, variable: error.variable };
  const code = codeOf(error);
  const names = seen === undefined || seen.names === '' ? 'another name' : seen.names;
  const valid = seen === undefined ? '' : ` (valid ${seen.validFrom} to ${seen.validTo})`;
  const dates = `${valid}, and this machine's clock says ${timeIs}`;
  const facts = new Map(Object.entries({ host, hostPort, code, names, dates, error: describe(error) }));
  const [, label, text] = CONNECTING.find(([codes]) => codes.test(code)) ?? OTHER;
  return { label, text: text.replace(/\{(\w+)\}/g, (whole, name: string) => facts.get(name) ?? whole) };
}

/** Name and code only: messages of foreign errors may quote what was sent. */
function describe(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const code = codeOf(error);
  return code === '' ? name : `${name} ${code}`;
}

/** Names what broke an exchange that may have left. It does not tell whether the service acted (measured). */
export function sentBreakage(error: unknown, to: Endpoint, phase: Phase, wantsCertificate = false): Breakage {
  if (error instanceof BreakError) return { label: error.label, text: error.message };
  const isEnded = wantsCertificate && phase === 'awaiting_headers' && ENDED.test(codeOf(error));
  if (isEnded) return { label: 'broken', text: withoutCertificate(to.hostPort) };
  return { label: 'broken', text: sentText(error, to, phase === 'reading_body') };
}

function sentText(error: unknown, { hostPort }: Endpoint, inBody: boolean): string {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  // undici's parser errors carry no usable code in some versions: the class name says it (docs/faults.md H23).
  if (name === 'HTTPParserError') {
    return inBody
      ? 'the response broke the rules of HTTP while its body was read'
      : `${hostPort} did not answer with HTTP`;
  }
  if (/bad upgrade|bad response/.test(message)) return 'the response is one that was not asked for (1xx)';
  switch (codeOf(error)) {
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'the response has too many headers';
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return 'the response does not have the length that it declares';
    case 'UND_ERR_SOCKET':
      return inBody ? 'the response was cut off' : 'the connection closed before a reply';
    case 'ECONNRESET':
    case 'EPIPE':
      return inBody ? 'the response was cut off (reset)' : 'the connection was reset before a reply';
    default:
      return `the connection failed (${describe(error)})`;
  }
}

import type { BaseUrl } from './base-url.ts';
import type { Breakage, BreakLabel, Phase } from './exchange.ts';

/** Raised by our own parts of the transport; the label is what was seen, not guessed from a code. */
export class BreakError extends Error {
  readonly label: BreakLabel;
  constructor(label: BreakLabel, message: string) {
    super(message);
    this.name = 'BreakError';
    this.label = label;
  }
}

/** A limit as a person set it: what was left of the time for all attempts is no round number. */
export function secondsText(limitMs: number): string {
  const seconds = limitMs / 1000;
  return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`;
}

/** What is known about the far end, for messages. */
type Endpoint = Pick<BaseUrl, 'host' | 'hostPort'>;

/** What a failed TLS handshake had shown of the certificate, when it got that far. */
export interface SeenCertificate {
  readonly names: string;
  readonly validFrom: string;
  readonly validTo: string;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'INVALID_CA',
  'INVALID_PURPOSE',
]);

/** OpenSSL's names for bytes that are no TLS record: a plain-text service answers a ClientHello with text. */
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST']);

const UNROUTABLE = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);

/** Names what went wrong before the first byte of the request. OpenSSL's own wording is kept out of messages. */
export function connectBreakage(
  error: unknown,
  to: Endpoint,
  certificate: SeenCertificate | undefined,
  timeIs: string,
): Breakage {
  if (error instanceof BreakError) return { label: error.label, text: error.message };
  const code = codeOf(error);
  const known = tcpBreakage(code, to) ?? tlsBreakage(code, to, certificate, timeIs);
  return known ?? { label: 'other', text: `cannot connect to ${to.hostPort} (${describe(error)})` };
}

function tcpBreakage(code: string, to: Endpoint): Breakage | undefined {
  if (code === 'ECONNREFUSED') return { label: 'refused', text: `cannot connect to ${to.hostPort} (refused)` };
  if (code === 'ENOTFOUND') return { label: 'not_found', text: `cannot resolve ${to.host} (no such host)` };
  if (code === 'EAI_AGAIN') {
    return { label: 'lookup_failed', text: `cannot resolve ${to.host} (the name server did not answer)` };
  }
  if (code.startsWith('EAI_')) return { label: 'not_found', text: `cannot resolve ${to.host} (${code})` };
  if (UNROUTABLE.has(code))
    return { label: 'unroutable', text: `cannot connect to ${to.hostPort} (no route: ${code})` };
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return { label: 'connect_timeout', text: `cannot connect to ${to.hostPort} (no answer)` };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') {
    return { label: 'connect_reset', text: `cannot connect to ${to.hostPort} (reset while connecting)` };
  }
  return undefined;
}

function tlsBreakage(
  code: string,
  to: Endpoint,
  seen: SeenCertificate | undefined,
  timeIs: string,
): Breakage | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = seen === undefined || seen.names === '' ? 'another name' : seen.names;
    return { label: 'wrong_name', text: `the certificate of ${to.hostPort} is for ${names}, not for ${to.host}` };
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const what = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    const dates = seen === undefined ? '' : ` (valid ${seen.validFrom} to ${seen.validTo})`;
    const clock = `this machine's clock says ${timeIs}`;
    return { label: 'certificate_dates', text: `the certificate of ${to.hostPort} ${what}${dates}; ${clock}` };
  }
  if (UNTRUSTED.has(code)) {
    return { label: 'untrusted', text: `the certificate of ${to.hostPort} is not trusted (${code})` };
  }
  if (NOT_TLS.has(code)) return { label: 'not_tls', text: `${to.hostPort} does not speak TLS` };
  if (code === 'EPROTO' || /^(?:ERR_SSL_|ERR_TLS_|CERT_|CRL_|UNABLE_TO_|HOSTNAME_)/.test(code)) {
    return { label: 'tls', text: `the TLS handshake with ${to.hostPort} failed (${code})` };
  }
  return undefined;
}

/** Name and code only: messages of foreign errors may quote what was sent. */
function describe(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const code = codeOf(error);
  return code === '' ? name : `${name} ${code}`;
}

/**
 * Names what broke an exchange after its first byte may have left. None of these says whether the service
 * acted: it had processed the whole request in several measured runs of each.
 */
export function sentBreakage(error: unknown, to: Endpoint, phase: Phase): Breakage {
  if (error instanceof BreakError) return { label: error.label, text: error.message };
  const code = codeOf(error);
  const inBody = phase === 'reading_body';
  // undici's parser errors carry no usable code in some versions: the class name says it (docs/faults.md H23).
  if (error instanceof Error && error.name === 'HTTPParserError') {
    const early = `${to.hostPort} did not answer with HTTP`;
    return { label: 'not_http', text: inBody ? 'the answer broke the rules of HTTP while its body was read' : early };
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return { label: 'headers_too_large', text: 'the answer has too many headers' };
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return { label: 'length_mismatch', text: 'the answer does not have the length that it declares' };
  }
  if (error instanceof Error && /bad upgrade|bad response/.test(error.message)) {
    return { label: 'upgrade', text: 'the answer is one that was not asked for (1xx)' };
  }
  if (code === 'UND_ERR_SOCKET') {
    return { label: 'closed', text: inBody ? 'the answer was cut off' : 'the connection closed before a reply' };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return {
      label: 'reset',
      text: inBody ? 'the answer was cut off (reset)' : 'the connection was reset before a reply',
    };
  }
  return { label: 'other', text: `the connection failed (${describe(error)})` };
}

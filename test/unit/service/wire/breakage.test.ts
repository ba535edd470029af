import { expect, it } from 'vitest';
import {
  BreakError,
  connectBreakage,
  type SeenCertificate,
  secondsText,
  sentBreakage,
} from '../../../../src/service/wire/breakage.ts';
import type { Phase } from '../../../../src/service/wire/exchange.ts';

const TO = { host: 'cards.example', hostPort: 'cards.example:443' };
const NOW = '2026-05-01T12:00:00.000Z';

/** An error as Node and undici raise them. Its message may hold what was sent, and must not be repeated. */
const coded = (code: unknown, message = 'secret'): Error => Object.assign(new Error(message), { code });

function connecting(error: unknown, seen?: SeenCertificate): string {
  const { label, text } = connectBreakage(error, TO, seen, NOW);
  return `${label}: ${text}`;
}

const CONNECT = 'cannot connect to cards.example:443';
const OF = 'the certificate of cards.example:443';
const HANDSHAKE = 'the TLS handshake with cards.example:443 failed';
const CHAIN = 'its chain does not lead to a known authority. A certificate between them may be missing';
const UNCHAINED = `untrusted: ${OF} is not trusted: ${CHAIN}`;
const UNSAFE = `unsafe: ${OF} has a signature or key that is no longer safe, such as SHA-1`;

it.each<[codes: readonly string[], text: string]>([
  [['ECONNREFUSED'], 'refused: cannot connect to cards.example:443 (refused)'],
  [['ENOTFOUND'], 'not_found: cannot resolve cards.example (no such host)'],
  [['EAI_AGAIN'], 'lookup_failed: cannot resolve cards.example (the name server did not answer)'],
  [['EAI_NODATA'], 'not_found: cannot resolve cards.example (CODE)'],
  [['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN'], `unroutable: ${CONNECT} (no route: CODE)`],
  [['EADDRNOTAVAIL', 'EACCES', 'EPERM'], `unroutable: ${CONNECT} (no route: CODE)`],
  [['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'], 'connect_timeout: cannot connect to cards.example:443 (no answer)'],
  [['ECONNRESET', 'EPIPE', 'ECONNABORTED'], `connect_reset: ${CONNECT} (reset while connecting)`],
  [['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'], `untrusted: ${OF} is not trusted (CODE)`],
  [
    ['CERT_UNTRUSTED', 'CERT_REJECTED', 'CERT_REVOKED', 'INVALID_CA', 'INVALID_PURPOSE'],
    `untrusted: ${OF} is not trusted (CODE)`,
  ],
  [['UNABLE_TO_VERIFY_LEAF_SIGNATURE'], `${UNCHAINED} (CODE)`],
  [['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'], `${UNCHAINED} (CODE)`],
  [['CA_MD_TOO_WEAK', 'EE_KEY_TOO_SMALL'], `${UNSAFE} (CODE)`],
  [['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'], 'not_tls: cards.example:443 does not speak TLS'],
  [['ERR_SSL_HTTP_REQUEST'], 'not_tls: cards.example:443 does not speak TLS'],
  [['EPROTO', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_TLS_HANDSHAKE_TIMEOUT'], `tls: ${HANDSHAKE} (CODE)`],
  [['CERT_SIGNATURE_FAILURE', 'CRL_HAS_EXPIRED', 'UNABLE_TO_GET_CRL', 'HOSTNAME_MISMATCH'], `tls: ${HANDSHAKE} (CODE)`],
])('what broke before the first byte: %j', (codes, text) => {
  for (const code of codes) expect(connecting(coded(code))).toBe(text.replace('CODE', code));
});

const SEEN = { names: 'pay.example', validFrom: 'Jan 1 2025', validTo: 'Jan 1 2026' };

it.each<[string, SeenCertificate | undefined, string]>([
  ['that was seen', SEEN, 'pay.example'],
  ['that was not seen', undefined, 'another name'],
  ['without a name', { ...SEEN, names: '' }, 'another name'],
])('what broke before the first byte: a certificate of another name %s', (_what, seen, name) => {
  expect(connecting(coded('ERR_TLS_CERT_ALTNAME_INVALID'), seen)).toBe(
    `wrong_name: the certificate of cards.example:443 is for ${name}, not for cards.example`,
  );
});

it.each<[string, SeenCertificate | undefined, string]>([
  ['CERT_HAS_EXPIRED', SEEN, 'has expired (valid Jan 1 2025 to Jan 1 2026)'],
  ['CERT_HAS_EXPIRED', undefined, 'has expired'],
  ['CERT_NOT_YET_VALID', SEEN, 'is not valid yet (valid Jan 1 2025 to Jan 1 2026)'],
])('what broke before the first byte: a certificate out of its time: %s', (code, seen, what) => {
  expect(connecting(coded(code), seen)).toBe(
    `certificate_dates: the certificate of cards.example:443 ${what}, and this machine's clock says ${NOW}`,
  );
});

it.each<[string, unknown, string]>([
  ['an error of another code, by name and code', coded('ERR_OTHER'), 'Error ERR_OTHER'],
  // Only the beginning of a code says that it is one of TLS.
  ['a code that only holds a name of TLS', coded('NO_CERT_HERE'), 'Error NO_CERT_HERE'],
  ['an error without a code, by its name', new TypeError('secret'), 'TypeError'],
  // `code` of a DOMException, such as TimeoutError, is a number.
  ['an error whose code is a number, by its name', coded(23), 'Error'],
  ['no error at all', { code: 'ECONNREFUSED' }, 'object'],
  ['nothing', undefined, 'undefined'],
])('what broke before the first byte: %s, and without its message', (_what, error, shown) => {
  expect(connecting(error)).toBe(`other: cannot connect to cards.example:443 (${shown})`);
});

it('what broke before the first byte: what the connector saw, in its own words', () => {
  const error = Object.assign(new BreakError('proxy_auth', 'the proxy wants a password'), { code: 'ECONNREFUSED' });
  expect(connecting(error)).toBe('proxy_auth: the proxy wants a password');
  expect([error.name, error.message]).toEqual(['BreakError', 'the proxy wants a password']);
});

class HTTPParserError extends Error {
  override readonly name = 'HTTPParserError';
}

const NO_HTTP = 'cards.example:443 did not answer with HTTP';
const BROKE_RULES = 'the response broke the rules of HTTP while its body was read';
const PARSER = Object.assign(new HTTPParserError('secret'), { code: 'ECONNRESET' });
const [OVERFLOW, LENGTH] = ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'];
const socket = (message: string) => coded('UND_ERR_SOCKET', message);
const NO_ERROR = { name: 'HTTPParserError', message: 'bad upgrade' };
const INTERIM = 'the response is one that was not asked for (1xx)';
const [RESET, CUT] = ['the connection was reset before a reply', 'the response was cut off'];

it.each<[title: string, error: unknown, beforeReply: string, inBody?: string]>([
  ['a parser error, whatever its code', PARSER, NO_HTTP, BROKE_RULES],
  ['too many headers', coded(OVERFLOW), 'the response has too many headers'],
  ['another length', coded(LENGTH), 'the response does not have the length that it declares'],
  ['an upgrade that was not asked for', socket('bad upgrade'), INTERIM],
  ['an interim answer that was not asked for', socket('bad response: 100'), INTERIM],
  ['a connection that closed', socket('other side closed'), 'the connection closed before a reply', CUT],
  ['a reset', coded('ECONNRESET'), RESET, `${CUT} (reset)`],
  ['a broken pipe', coded('EPIPE'), RESET, `${CUT} (reset)`],
  ['anything else', coded('ETIMEDOUT'), 'the connection failed (Error ETIMEDOUT)'],
  ['what is no error, whatever it is called', NO_ERROR, 'the connection failed (object)'],
])('what broke after the first byte: %s', (_what, error, beforeReply, inBody = beforeReply) => {
  const phases: Phase[] = ['awaiting_headers', 'reading_body'];
  expect(phases.map((phase) => sentBreakage(error, TO, phase))).toEqual([
    { label: 'broken', text: beforeReply },
    { label: 'broken', text: inBody },
  ]);
});

it('what broke after the first byte: what the transport saw, in its own words', () => {
  const seen = new BreakError('broken', 'no answer within 30 s');
  expect(sentBreakage(seen, TO, 'awaiting_headers')).toEqual({ label: 'broken', text: 'no answer within 30 s' });
});

it.each<[Phase, string]>([
  [
    'awaiting_headers',
    'cards.example:443 asks for a client certificate and ended the connection, and frontdesk has none',
  ],
  ['reading_body', 'the response was cut off (reset)'],
])('what broke after the first byte, where a certificate was asked for: %s', (phase, text) => {
  expect(sentBreakage(coded('ECONNRESET'), TO, phase, true)).toEqual({ label: 'broken', text });
});

it.each([
  [150, '0.15 s'],
  [2000, '2 s'],
  [9876, '9.88 s'],
  [29_594, '30 s'],
])('a limit of %i ms reads %s', (limitMs, text) => expect(secondsText(limitMs)).toBe(text));

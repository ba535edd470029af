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
function coded(code: unknown, message = 'secret'): Error {
  return Object.assign(new Error(message), { code });
}

function connecting(error: unknown, seen?: SeenCertificate): string {
  const { label, text } = connectBreakage(error, TO, seen, NOW);
  return `${label}: ${text}`;
}

it.each([
  ['ECONNREFUSED', 'refused: cannot connect to cards.example:443 (refused)'],
  ['ENOTFOUND', 'not_found: cannot resolve cards.example (no such host)'],
  ['EAI_AGAIN', 'lookup_failed: cannot resolve cards.example (the name server did not answer)'],
  ['EAI_NODATA', 'not_found: cannot resolve cards.example (EAI_NODATA)'],
  ['ENETUNREACH', 'unroutable: cannot connect to cards.example:443 (no route: ENETUNREACH)'],
  ['EHOSTUNREACH', 'unroutable: cannot connect to cards.example:443 (no route: EHOSTUNREACH)'],
  ['ENETDOWN', 'unroutable: cannot connect to cards.example:443 (no route: ENETDOWN)'],
  ['EHOSTDOWN', 'unroutable: cannot connect to cards.example:443 (no route: EHOSTDOWN)'],
  ['EADDRNOTAVAIL', 'unroutable: cannot connect to cards.example:443 (no route: EADDRNOTAVAIL)'],
  ['EACCES', 'unroutable: cannot connect to cards.example:443 (no route: EACCES)'],
  ['EPERM', 'unroutable: cannot connect to cards.example:443 (no route: EPERM)'],
  ['ETIMEDOUT', 'connect_timeout: cannot connect to cards.example:443 (no answer)'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout: cannot connect to cards.example:443 (no answer)'],
  ['ECONNRESET', 'connect_reset: cannot connect to cards.example:443 (reset while connecting)'],
  ['EPIPE', 'connect_reset: cannot connect to cards.example:443 (reset while connecting)'],
  ['ECONNABORTED', 'connect_reset: cannot connect to cards.example:443 (reset while connecting)'],
])('what broke before the first byte: %s', (code, expected) => {
  expect(connecting(coded(code))).toBe(expected);
});

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'INVALID_CA',
  'INVALID_PURPOSE',
])('what broke before the first byte: a certificate that is not trusted: %s', (code) => {
  expect(connecting(coded(code))).toBe(`untrusted: the certificate of cards.example:443 is not trusted (${code})`);
});

it.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'])(
  'what broke before the first byte: a certificate whose chain is incomplete: %s',
  (code) => {
    expect(connecting(coded(code))).toBe(
      `untrusted: the certificate of cards.example:443 is not trusted: its chain does not lead to a known authority. A certificate between them may be missing (${code})`,
    );
  },
);

it.each(['CA_MD_TOO_WEAK', 'EE_KEY_TOO_SMALL'])(
  'what broke before the first byte: an unsafe certificate: %s',
  (code) => {
    expect(connecting(coded(code))).toBe(
      `unsafe: the certificate of cards.example:443 has a signature or key that is no longer safe, such as SHA-1 (${code})`,
    );
  },
);

it.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'])(
  'what broke before the first byte: an answer that is no TLS: %s',
  (code) => {
    expect(connecting(coded(code))).toBe('not_tls: cards.example:443 does not speak TLS');
  },
);

it.each([
  'EPROTO',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
  'CERT_SIGNATURE_FAILURE',
  'CRL_HAS_EXPIRED',
  'UNABLE_TO_GET_CRL',
  'HOSTNAME_MISMATCH',
])('what broke before the first byte: any other failure of TLS: %s', (code) => {
  expect(connecting(coded(code))).toBe(`tls: the TLS handshake with cards.example:443 failed (${code})`);
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

it.each<[string, unknown, string, string]>([
  [
    'a parser error, whatever its code',
    Object.assign(new HTTPParserError('secret'), { code: 'ECONNRESET' }),
    'broken: cards.example:443 did not answer with HTTP',
    'broken: the response broke the rules of HTTP while its body was read',
  ],
  [
    'too many headers',
    coded('UND_ERR_HEADERS_OVERFLOW'),
    'broken: the response has too many headers',
    'broken: the response has too many headers',
  ],
  [
    'another length',
    coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
    'broken: the response does not have the length that it declares',
    'broken: the response does not have the length that it declares',
  ],
  [
    'an upgrade that was not asked for',
    coded('UND_ERR_SOCKET', 'bad upgrade'),
    'broken: the response is one that was not asked for (1xx)',
    'broken: the response is one that was not asked for (1xx)',
  ],
  [
    'an interim answer that was not asked for',
    coded('UND_ERR_SOCKET', 'bad response: 100'),
    'broken: the response is one that was not asked for (1xx)',
    'broken: the response is one that was not asked for (1xx)',
  ],
  [
    'a connection that closed',
    coded('UND_ERR_SOCKET', 'other side closed'),
    'broken: the connection closed before a reply',
    'broken: the response was cut off',
  ],
  [
    'a reset',
    coded('ECONNRESET'),
    'broken: the connection was reset before a reply',
    'broken: the response was cut off (reset)',
  ],
  [
    'a broken pipe',
    coded('EPIPE'),
    'broken: the connection was reset before a reply',
    'broken: the response was cut off (reset)',
  ],
  [
    'anything else',
    coded('ETIMEDOUT'),
    'broken: the connection failed (Error ETIMEDOUT)',
    'broken: the connection failed (Error ETIMEDOUT)',
  ],
  [
    'what is no error, whatever it is called',
    { name: 'HTTPParserError', message: 'bad upgrade' },
    'broken: the connection failed (object)',
    'broken: the connection failed (object)',
  ],
])('what broke after the first byte: %s', (_what, error, beforeReply, inBody) => {
  const text = (phase: Phase) => {
    const breakage = sentBreakage(error, TO, phase);
    return `${breakage.label}: ${breakage.text}`;
  };
  expect(text('awaiting_headers')).toBe(beforeReply);
  expect(text('reading_body')).toBe(inBody);
});

it('what broke after the first byte: what the transport saw, in its own words', () => {
  expect(sentBreakage(new BreakError('broken', 'no answer within 30 s'), TO, 'awaiting_headers')).toEqual({
    label: 'broken',
    text: 'no answer within 30 s',
  });
});

it.each([
  [150, '0.15 s'],
  [2000, '2 s'],
  [9876, '9.88 s'],
  [29_594, '30 s'],
])('a limit of %i ms reads %s', (limitMs, text) => {
  expect(secondsText(limitMs)).toBe(text);
});

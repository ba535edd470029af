import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import {
  checkTokenText,
  describeExpiry,
  judgeExpiry,
  lastFour,
  readJwtTimes,
} from '../../../../src/profile/credentials/token.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');

const segment = (value: string) => Buffer.from(value, 'utf8').toString('base64url');

function jwt(payload: string, header = '{"alg":"RS256"}', signature = 'c2ln'): string {
  return `${segment(header)}.${segment(payload)}.${signature}`;
}

it.each([
  ['abc.DEF-_~+/=', 'abc.DEF-_~+/='],
  ['abc\n', 'abc'],
  ['abc\r\n', 'abc'],
  ['!~', '!~'],
  ['a$b{c}"', 'a$b{c}"'],
])('C5 checkTokenText takes %j as %j', (text, token) => expect(checkTokenText(text, 'stdin')).toBe(token));

it.each([
  ...['hunter2\n\n', 'hunter2\r', ' hunter2', 'hunter2 ', 'hunter2\tx', 'hunter2\nX-Evil: 1', 'hunter2\0'],
  ...['hunter2é', 'hunter2🙂', 'hunter2\u200b', 'hunter2\u007f', '\ufeffhunter2', `hunter2${'x'.repeat(65_536)}`],
])('C5 checkTokenText refuses %j with USAGE and repeats no part of it', (text) => {
  const act = () => checkTokenText(text, 'FRONTDESK_CARDS_TOKEN');
  expect(act).toThrow(expect.objectContaining({ code: 'USAGE', exitCode: 2 }));
  expect(act).toThrow(/^FRONTDESK_CARDS_TOKEN holds /);
  expect(act).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
});

it.each([
  ...['', '\n', '\r\n'].map((text) => [text, 'an empty token']),
  ...['"abc"', "'abc'", '`abc`'].map((text) => [text, 'a text in quotes']),
  ...['$TOKEN', '{"t":1}'].map((text) => [text, 'a variable or an object']),
  ['HTTPS://cards.example', 'a URL'],
])('checkTokenText refuses %j as %s', (text, what) => {
  expect(() => checkTokenText(text, 'stdin')).toThrow(`stdin holds ${what}`);
});

it('checkTokenText lets through nothing but visible ASCII, whatever it is given', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      try {
        const token = checkTokenText(text, 'stdin');
        return /^[\x21-\x7e]+$/.test(token) && (text === token || text === `${token}\n` || text === `${token}\r\n`);
      } catch (error) {
        return error instanceof Failure && error.code === 'USAGE' && !error.message.includes(`"${text}"`);
      }
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['"hunter2"', 'in quotes'],
  ["'hunter2'", 'in quotes'],
  ['$(hunter2)', 'it begins with $'],
  ['{"token":"hunter2"}', 'it begins with {'],
])('checkTokenText refuses %s, which is no token', (text, problem) => {
  const act = () => checkTokenText(text, 'stdin');
  expect(act).toThrow(problem);
  expect(act).not.toThrow('hunter2');
});

it('checkTokenText lets every text of visible ASCII through unchanged that no quote, $ or { begins', () => {
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.string({ unit: visible, maxLength: 200 }), (rest) => {
      const text = `t${rest}`;
      expect(checkTokenText(`${text}\n`, 'stdin')).toBe(text);
    }),
  );
});

it.each([
  ['exp and nbf', jwt('{"exp":1777,"nbf":1776.5}'), { expiresAtMs: 1_777_000, notBeforeMs: 1_776_500 }],
  ['exp with alg none and no signature', jwt('{"exp":1}', '{"alg":"none"}', ''), { expiresAtMs: 1000 }],
  ['exp 0 and negative', jwt('{"exp":0,"nbf":-5}'), { expiresAtMs: 0, notBeforeMs: -5000 }],
  ['exp as a text', jwt('{"exp":"1"}'), {}],
  ['exp null', jwt('{"exp":null}'), {}],
  ['exp past what a number holds', jwt('{"exp":1e400}'), {}],
  ['exp past what a date holds', jwt('{"exp":1e15}'), {}],
  ['no exp', jwt('{"sub":"x"}'), {}],
  ['an array', jwt('[1]'), {}],
  ['no JSON', jwt('exp'), {}],
  ['a header that is none', jwt('{"exp":1}', 'x'), {}],
  ['a key of the calendar API', 'sk_live_0123456789', {}],
  ['two segments', 'e30.eyJleHAiOjF9', {}],
  ['four segments', `${jwt('{"exp":1}')}.x`, {}],
  ['base64 that is none', `e30.eyJleHAiOjF9!.x`, {}],
  ['bytes that are no UTF-8', `e30.${Buffer.from([0x7b, 0xff]).toString('base64url')}.x`, {}],
  ['deep nesting', jwt(`{"exp":1,"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), { expiresAtMs: 1000 }],
  ['a __proto__ with exp', jwt('{"__proto__":{"exp":1}}'), {}],
])('C18 readJwtTimes reads %s', (_what, token, times) => expect(readJwtTimes(token)).toEqual(times));

it('readJwtTimes never fails', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((payload) => jwt(payload)),
      ),
      (token) => void readJwtTimes(token),
    ),
  );
});

it.each([
  [-1, 'expired'],
  [0, 'expired'],
  [1, 'soon'],
  [86_399_999, 'soon'],
  [86_400_000, 'valid'],
])('C17 judgeExpiry calls a token that ends %d ms from now %s', (leftMs, verdict) => {
  expect(judgeExpiry({ expiresAtMs: NOW + leftMs }, NOW)).toBe(verdict);
});

it('judgeExpiry knows nothing of a token without exp', () => expect(judgeExpiry({}, NOW)).toBe('unknown'));

it('an expired token is reported with its expiry and the local time', () => {
  expect(describeExpiry(NOW - 7_200_000, NOW)).toBe(
    "expired 2 h ago (at 2026-05-01T10:00:00Z, and this machine's clock says 2026-05-01T12:00:00Z)",
  );
  expect(describeExpiry(NOW + 18_000_000, NOW)).toBe('expires in 5 h (at 2026-05-01T17:00:00Z)');
});

it('the last four characters are shown of long tokens only', () => {
  expect(lastFour('0123456789012345WXYZ')).toBe('WXYZ');
  expect(lastFour('012345678901234WXYZ')).toBeUndefined();
});

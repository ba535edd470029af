import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { maskTexts, namesSecret, TokenMask, withoutSecretsInText } from '../../../../src/service/http/mask.ts';

const TOKEN = 'tok/en+of~ours=1234?é';
const base64 = (text: string, code: BufferEncoding = 'utf8') => Buffer.from(text, code).toString('base64');

const maskOf = (token: string) => new TokenMask([token]);

it.each(['', 'a', 'ab', 'user:'])('the token of the call is masked in base64 behind "%s"', (before) => {
  const encoded = base64(`${before}${TOKEN}:more`);
  const folded = ['\r\n', String.raw`\n`].map((end) => encoded.replace(/.{9}(?=.)/g, `$&${end}`));
  for (const text of [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_'), ...folded])
    expect(maskOf(TOKEN).text(text)).toMatch(/^(?=.*\*{3}).{1,19}$/);
  expect(maskOf(JWT).text(base64(`${before}${JWT}:more`, 'utf16le'))).toMatch(/^(?=.*\*{3}).{1,34}$/);
});

it.each(['secret', 'secret-1'])('the token of the call is masked where base64 ends with it, padded: %s', (token) => {
  expect(maskOf(token).text(base64(token))).toBe('***');
});

it('the token of the call in what comes back is masked percent-encoded, in either case and twice', () => {
  const once = encodeURIComponent(TOKEN);
  const lower = once.replace(/%../g, (code) => code.toLowerCase());
  for (const text of [once, lower, encodeURIComponent(once), encodeURIComponent(lower)]) {
    expect(maskOf(TOKEN).text(`a=${text}&b`)).toBe('a=***&b');
  }
});

it.each([
  ['s3cret', '%73%33%63%72%65%74'],
  ['tok/Zé', '%74%6f%6b%2f%5a%c3%a9'],
  ['tok/Zé', '%74%6F%6B%2F%5A%C3%A9'],
  ['tok/Zé', '%2574%256F%256B%252F%255A%25C3%25A9'],
])('the token %s is masked with every character percent-encoded: %s', (token, text) => {
  expect(maskOf(token).text(`refused: ${text}!`)).toBe('refused: ***!');
});

const KEY = 'Zm9v/bar+QUJD=';

it.each([
  ['by .NET', String.raw`rejected {"auth":"Zm9v\u002Fbar\u002BQUJD\u003D"}`, 'rejected {"auth":"***"}'],
  ['by PHP', String.raw`rejected {"auth":"Zm9v\/bar+QUJD="}`, 'rejected {"auth":"***"}'],
  ['in JSON that is cut', String.raw`{"auth":"Zm9v/bar\u002bQUJD=","ro`, '{"auth":"***","ro'],
  ['in the second of two documents', String.raw`{} {"auth":"Zm9v\u002Fbar+QUJD="}`, '{} {"auth":"***"}'],
  ['in JSONP', String.raw`cb({"auth":"Zm9v/bar\u002BQUJD="});`, 'cb({"auth":"***"});'],
  ['in single quotes', String.raw`{'auth':'Zm9v\x2fbar\x2bQUJD\x3d'}`, "{'auth':'***'}"],
  ['in JSON within a string', String.raw`\"auth\":\"Zm9v\\\/bar\\u002BQUJD\\\\u003D\"`, String.raw`\"auth\":\"***\"`],
  ['letter by letter', String.raw`"\u005a\u006D\u0039\u0076/bar+QUJD="`, '"***"'],
  ['as HTML', 'key Zm9v&#x2F;bar&#43;QUJD&#061; is unknown', 'key *** is unknown'],
  ['as HTML with names', 'key Zm9v&sol;bar&plus;QUJD&equals; is unknown', 'key *** is unknown'],
  ['as HTML twice', 'key Zm9v/bar&amp;#x2b;QUJD= is unknown', 'key *** is unknown'],
  ['as HTML in JSON', String.raw`"Zm9v/bar\u0026#43;QUJD="`, '"***"'],
  ['as JSON in a URL', 'q=Zm9v%5Cu002Fbar%5Cu002BQUJD=', 'q=***'],
  ['beside the token itself', String.raw`Zm9v/bar+QUJD= Zm9v\u002Fbar+QUJD=`, '*** ***'],
])('a token is masked escaped %s', (_, text, masked) => expect(maskOf(KEY).text(text)).toBe(masked));

it('a token with a backslash, a quote and an é is masked escaped', () => {
  const token = String.raw`s3c\ret"é`;
  for (const text of [token, JSON.stringify(token).slice(1, -1), String.raw`s3c\u005cret\u0022\u00e9`]) {
    expect(maskOf(token).text(`<${text}>`)).toBe('<***>');
  }
});

it('a text with other escapes stays as it is', () => {
  const text = String.raw`{"path":"C:\\new\u002Bold\/","html":"&#43;&amp;","url":"a%20b%2Fc"}`;
  expect(maskOf(KEY).text(text)).toBe(text);
});

it.each(['\\', '\\u00', '%', '%25', '&', '&#0', '&amp;', 'Zm9v\\', 'Zm9v\\u002F'])(
  'a text full of %s is searched in a time that grows with its length alone',
  (part) => {
    const text = part.repeat(1_000_000 / part.length);
    expect([maskOf(KEY).text(text), namesSecret(text)]).toEqual([text, false]);
  },
);

const [HEADER, PAYLOAD] = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJvcGVyYXRvciJ9'];
const SIGNATURE = 'Zm9yLXRoaXMtdGVzdC1vbmx5_-A';
const JWT = `${HEADER}.${PAYLOAD}.${SIGNATURE}`;

it.each([
  ['the whole of it', JWT, '***'],
  ['its signature and what it signs', `${SIGNATURE} is not of ${HEADER}.${PAYLOAD}`, `*** is not of ${HEADER}.***`],
  ['its signature in the other alphabet', `sig=${SIGNATURE.replace('_', '/').replace('-', '+')}`, 'sig=***'],
  ['in hexadecimal', Buffer.from(JWT).toString('hex'), '***'],
  ['in upper-case hexadecimal', Buffer.from(JWT).toString('hex').toUpperCase(), '***'],
  ['its header alone', HEADER, HEADER],
])('a JWT is masked in messages: %s', (_what, text, masked) => expect(maskOf(JWT).text(text)).toBe(masked));

it('the parts of a token that is no JWT are words', () => {
  expect(maskOf('demo.sandbox.token').text('the sandbox has no token')).toBe('the sandbox has no token');
});

it('a token of digits is masked in an error also as a number', () => {
  const body = parseJson('{"token":98765432101,"next":[98765432101.5],"balance":10.10}');
  expect(printJson(maskOf('98765432101').json(body))).toBe('{"token":"***","next":["***.5"],"balance":10.10}');
});

it.each([
  ['base64', base64],
  ['hexadecimal', (token: string) => Buffer.from(token).toString('hex')],
  ['escapes', (token: string) => encodeURIComponent(token.replaceAll('a', '+'))],
])('a token in %s that was cut is masked up to its mark', (_, formOf) => {
  const token = 'k7Qw9-a-token-of-more-than-a-hundred-characters-'.repeat(3).replaceAll('a', '+');
  const mask = maskOf(token);
  for (const length of [6, 50, 130]) {
    expect(mask.text(`status ${formOf(token).slice(0, length)}… (cut from 300 characters)`)).toMatch(
      /^status \*{3}… \(cut/,
    );
  }
  expect(mask.text('status ACTIVE…')).toBe('status ACTIVE…');
});

it('in data only the whole token is masked', () => {
  const hex = Buffer.from(JWT).toString('hex');
  const body = parseJson(`{"a":"x ${JWT} y","b":"${SIGNATURE}","c":"${hex}","d":10.10}`);
  expect(printJson(maskOf(JWT).data(body))).toBe(`{"a":"x *** y","b":"${SIGNATURE}","c":"${hex}","d":10.10}`);
  const digits = parseJson('{"a":98765432101,"b":98765432101.50}');
  expect(printJson(maskOf('98765432101').data(digits))).toBe('{"a":"***","b":98765432101.50}');
});

it.each([
  ['{"activationData":"s3cret', '{"activationData ***'],
  ['{\\"authenticationData\\":\\"s3cret\\"}', '{\\"authenticationData ***'],
  ['<ENCRYPTEDPAYMENTINSTRUMENT>s3cret</ENCRYPTEDPAYMENTINSTRUMENT>', '<ENCRYPTEDPAYMENTINSTRUMENT ***'],
  ['<field name="activationData" value="s3cret"/>', '<field name="activationData ***'],
  ['q=1&activationData=s3cret&x=2', 'q=1&activationData ***'],
  ['q%3D1%26activationData%3Ds3cret', 'q=1&activationData ***'],
  ['{"\\u0061ctivation\\u0044ata":"s3cret', '{"activationData ***'],
  ['&quot;activationData&quot;&#58;&quot;s3cret', '&quot;activationData ***'],
  ['"activationData"\n  : "s3cret"', '"activationData ***'],
  ['activationData must not be empty. See: the manual', 'activationData must not be empty. See: the manual'],
])('a text shows no one-time secret: %j', (text, hidden) => expect(withoutSecretsInText(text)).toBe(hidden));

const mask = (text: string) => text.replaceAll('s3cret', '***');

it.each([
  ['{"a":"x s3cret y","b":1.50}', '{"a":"x *** y","b":1.50}'],
  ['{"s3cret":{"b":["s3cret"]}}', '{"***":{"b":["***"]}}'],
  ['{"a":"s3c\\u0072et"}', '{"a":"***"}'],
])('maskTexts masks texts and names, also of an answer that remembers its text: %s', (text, masked) => {
  for (const remembers of [false, true]) {
    expect(printJson(maskTexts(parseJson(text, { remembers }), mask))).toBe(masked);
  }
});

it('maskTexts does not copy an answer in which there is nothing to mask', () => {
  for (const remembers of [false, true]) {
    const value = parseJson('{"a":[{"b":"c"}]}', { remembers });
    expect(maskTexts(value, mask)).toBe(value);
  }
});

it('maskTexts is not misled by a token that the punctuation between texts makes up', () => {
  const value = parseJson('{"a":"b","c":"d"}', { remembers: true });
  expect(printJson(maskTexts(value, (text) => text.replaceAll('b","c', '***')))).toBe('{"a":"b","c":"d"}');
});

import { expect, it } from 'vitest';
import { TokenMask } from '../../../src/http/mask.ts';

const TOKEN = 'tok/en+of~ours=1234?é';

function maskOf(token: string): TokenMask {
  const mask = new TokenMask();
  mask.add(token);
  return mask;
}

it.each(['', 'a', 'ab', 'user:'])(
  'the token of the call in what comes back is masked in base64 behind "%s"',
  (before) => {
    const encoded = Buffer.from(`${before}${TOKEN}:more`).toString('base64');
    for (const text of [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')]) {
      expect(maskOf(TOKEN).text(text)).toContain('***');
      expect(maskOf(TOKEN).text(text).length).toBeLessThan(20);
    }
  },
);

it('the token of the call in what comes back is masked where base64 ends with it, padded', () => {
  expect(maskOf('secret').text(Buffer.from('secret').toString('base64'))).toBe('***');
  expect(maskOf('secret-1').text(Buffer.from('secret-1').toString('base64'))).toBe('***');
});

it('the token of the call in what comes back is masked percent-encoded, in either case and twice', () => {
  const once = encodeURIComponent(TOKEN);
  const lower = once.replace(/%../g, (code) => code.toLowerCase());
  for (const text of [once, lower, encodeURIComponent(once), encodeURIComponent(lower)]) {
    expect(maskOf(TOKEN).text(`a=${text}&b`)).toBe('a=***&b');
  }
});

import { describe, expect, it } from 'vitest';
import { breakLine } from '../../../src/output/line-break.ts';

describe('a line that is too long for the terminal', () => {
  it('is broken between words, further lines under the first word', () => {
    expect(breakLine('  one two three four', 12)).toEqual(['  one two', '  three four']);
  });

  it('goes on under the text beside a label', () => {
    expect(breakLine('  That means     ACTIVE is not BLOCKED: not done yet', 36)).toEqual([
      '  That means     ACTIVE is not',
      '                 BLOCKED: not done',
      '                 yet',
    ]);
  });

  it('has no label that takes more than half of the room', () => {
    expect(breakLine('  Label of many words  text that follows it', 24)).toEqual([
      '  Label of many words ',
      '  text that follows it',
    ]);
  });

  it('keeps its indent behind a command', () => {
    expect(breakLine('    fix: frontdesk auth login; or set FRONTDESK_CARDS_URL', 40)).toEqual([
      '    fix:',
      '      frontdesk auth login',
      '    or set FRONTDESK_CARDS_URL',
    ]);
  });

  it('keeps a number and its unit together', () => {
    expect(breakLine('8 requests, 0 retries, 1 s', 25)).toEqual(['8 requests, 0 retries,', '1 s']);
  });

  it('keeps whole what is to be pasted, and a word that is longer than the line', () => {
    expect(breakLine('run `frontdesk card get x` now', 16)).toEqual(['run', '`frontdesk card get x`', 'now']);
  });

  it('is measured in columns, of which a character of Japanese or Korean and an emoji take two', () => {
    expect(breakLine('新しい 名前は 長い', 14)).toEqual(['新しい 名前は', '長い']);
    expect(breakLine('한국어 이름', 10)).toEqual(['한국어', '이름']);
    expect(breakLine('✅✅ ✅✅ x', 9)).toEqual(['✅✅ ✅✅', 'x']);
    expect(breakLine('naïve café', 10)).toEqual(['naïve café']);
  });

  it('is left alone where it fits, and off a terminal', () => {
    expect(breakLine('one two', 7)).toEqual(['one two']);
    expect(breakLine('one two three', undefined)).toEqual(['one two three']);
  });
});

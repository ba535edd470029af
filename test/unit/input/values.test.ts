import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  cardIdProblem,
  cellAt,
  idWarnings,
  packCells,
  quotePath,
  readCardId,
  unpackCells,
} from '../../../src/input/values.ts';

const ID = '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11';
const OTHER = '6f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a22';

it('a card ID is taken as it is, of any case and variant', () => {
  const others = ['00000000-0000-0000-0000-000000000000', '12345678-02d3-0456-0789-0123456789ab'];
  for (const id of [ID, ID.toUpperCase(), 'ffffffff-ffff-ffff-ffff-ffffffffffff', ...others]) {
    expect(readCardId(id)).toEqual({ kind: 'id', id });
  }
});

test.each([
  `https://desk.example.com/cards/${ID}?tab=log`,
  '5f0c6a2e 8d3b 4c57 9a41 1b7e2d9f0a11',
  '5f0c6a2e8d3b4c579a411b7e2d9f0a11',
  '5f0c6a2e8d3b-4c57-9a411b7e2d9f0a11',
  ID.replaceAll('-', '–'),
  ID.replaceAll('-', '‑'),
  `"${ID}",`,
  `“${ID}”,`,
  ` ${ID}\n`,
  `\u200b${ID}`,
  `urn:uuid:${ID}`,
  `Card: ${ID}`,
  `Card-${ID}.`,
  `${ID}/block`,
  `Please block ${ID}, the customer lost it.`,
  // The same card twice is one card.
  `${ID} (${ID})`,
])('a card ID that was pasted: the one ID in %j is found', (text) =>
  expect(readCardId(text)).toEqual({ kind: 'holds', id: ID }),
);

it('a card ID keeps its case where that it finds', () =>
  expect(readCardId(`{${ID.toUpperCase()}}`)).toEqual({ kind: 'holds', id: ID.toUpperCase() }));

test.each([`https://x/${ID}/${OTHER}`, `${ID} ${OTHER}`, `${ID}\n${OTHER}\n${ID}`])(
  'a card ID that was pasted: both IDs in %j are found',
  (text) => expect(readCardId(text)).toEqual({ kind: 'several', ids: [ID, OTHER] }),
);

// A part of a longer word is no id: which card is meant cannot be told.
test.each([
  ...['', 'abc', 'x'.repeat(10_000), `${ID}55`, `1${ID}`, 'g'.repeat(36), `ab-${ID}`, `${ID}-ab12`, 'e'.repeat(64)],
  ...[ID.slice(0, -1)],
])('a card ID that was pasted: none is found in %j', (text) => expect(readCardId(text)).toEqual({ kind: 'none' }));

test.each([
  ['cal_1', []],
  ['日本語', []],
  ['a b', []],
  ['cal\u200b1', ['the id "cal<U+200B>1" has invisible characters, and is sent as given']],
  ['cal\u202e1', ['the id "cal<U+202E>1" has invisible characters, and is sent as given']],
  ['cal_1 ', ['the id "cal_1 " begins or ends with a space, and is sent as given']],
])('I11 a card ID: the warning about %j: %j', (id, warnings) => expect(idWarnings(id)).toEqual(warnings));

const LOOK = 'A card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

test.each([
  [ID, undefined],
  ['', `is empty. ${LOOK}`],
  ['card-1', `"card-1" is not a card ID. ${LOOK}`],
  [ID.slice(0, -1), `"${ID.slice(0, -1)}" is not a card ID (31 digits, not 32). ${LOOK}`],
  [`${ID}a`, `"${ID}a" is not a card ID (33 digits, not 32). ${LOOK}`],
  [`<${ID}>`, `"<${ID}>" is not a card ID: did you mean ${ID}?`],
  ['5f0c6a2e-8d3b', `"5f0c6a2e-8d3b" is not a card ID. ${LOOK}`],
])('a card ID: of %j is said: %j', (text, problem) => expect(cardIdProblem(text)).toBe(problem));

it('both IDs are named of a text that holds two', () =>
  expect(cardIdProblem(`${ID} ${OTHER}`)).toContain(`holds 2 card IDs: ${ID}, ${OTHER}`));

it('cells of which many are empty take no room', () => {
  const cells = ['id', ...Array.from({ length: 16_382 }, () => ''), 'lost'];
  expect([packCells(cells.entries()), unpackCells(['id', 16_382, 'lost'])]).toEqual([['id', 16_382, 'lost'], cells]);
  expect([0, 1, 16_382, 16_383, 16_384].map((place) => cellAt(['id', 16_382, 'lost'], place))).toEqual([
    'id',
    '',
    '',
    'lost',
    '',
  ]);
});

it('a column that is not there has no cell', () => expect(cellAt(['id', 'lost'], -1)).toBeUndefined());

it('packed cells are the same in every place, and end at the last that is not empty', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', '', 'a', '7'), { maxLength: 12 }), (cells) => {
      const packed = packCells(cells.entries());
      expect(cells.map((_, place) => cellAt(packed, place))).toEqual(cells);
      expect(unpackCells(packed)).toEqual(cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1));
    }),
  );
});

it.each([
  ['rows.xlsx', '"rows.xlsx"'],
  [`${'a'.repeat(57)}/😀1`, `"${'a'.repeat(57)}/😀1"`],
  [`${'a'.repeat(58)}/😀1`, `"…${'a'.repeat(56)}/😀1"`],
])('the path %s is %s in a message, which keeps its end', (path, quoted) => expect(quotePath(path)).toBe(quoted));

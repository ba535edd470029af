import { expect, it, test } from 'vitest';
import {
  checkFields,
  checkFieldTexts,
  describeFields,
  type FieldSpec,
  flagOf,
  readFieldText,
} from '../../../src/input/fields.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';

const EVENT = OPERATIONS.eventCreate.body;
const LIST = OPERATIONS.subscribersList.query;
const CALENDAR = OPERATIONS.calendarUpdate.body;
const CARD_PARAMS = OPERATIONS.cardBlock.params;
const SUBSCRIBER_PARAMS = OPERATIONS.subscriberUpdate.params;
const CARD = '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11';

function fieldOf(fields: readonly FieldSpec[], name: string): FieldSpec | undefined {
  return fields.find((field) => field.name === name);
}

test.each([
  ['clientDeviceID', 'client-device-id'],
  ['clientWalletAccountID', 'client-wallet-account-id'],
  ['first_name', 'first-name'],
  ['reason', 'reason'],
])('describeFields names the option of %s --%s', (name, flag) => {
  expect(flagOf(name)).toBe(flag);
});

it('describeFields reads names, types, limits and texts from the schema, in its order', () => {
  const fields = describeFields(EVENT);
  expect(fields.map((field) => [field.name, field.type, field.required, field.nullable, field.maxLength])).toEqual([
    ['calendar', 'text', true, false, 5000],
    ['name', 'text', true, false, 5000],
    ['start', 'date', true, false, undefined],
    ['end', 'date', false, false, undefined],
    ['location', 'text', false, false, 5000],
    ['description', 'text', false, false, 40_000],
    ['url', 'url', false, true, 2048],
    ['active', 'boolean', false, false, undefined],
  ]);
  expect(fieldOf(fields, 'location')?.description).toBe('physical or virtual place');
});

it('describeFields knows the range of an integer', () => {
  expect(fieldOf(describeFields(LIST), 'limit')).toMatchObject({
    type: 'integer',
    required: false,
    minimum: 1,
    maximum: 100,
    description: 'number of objects returned',
  });
});

const limit = fieldOf(describeFields(LIST), 'limit');
const active = fieldOf(describeFields(LIST), 'active');
if (limit === undefined || active === undefined) throw new Error('the list has no limit or no active');

test.each(['1.5', '1e2', '', '0x10', 'Infinity', ' 5', '5 ', '+5', '5.0', '٥', '1_0', 'ten', '9999999999999999'])(
  'I12 readFieldText refuses the limit %j, which is no plain whole number',
  (text) => {
    expect(readFieldText(limit, text, 'flag')).toEqual({
      problem: `must be a whole number from 1 to 100, not "${text}"`,
    });
  },
);

test.each(['yes', 'no', '1', '0', 'TRUE', 'True', '', 'true '])(
  'I13 readFieldText refuses %j as a boolean option',
  (text) => {
    expect(readFieldText(active, text, 'flag')).toEqual({ problem: `must be true or false, not "${text}"` });
  },
);

test.each([
  ['TRUE', true],
  ['True', true],
  ['false', false],
  ['FALSE', false],
])('I13 readFieldText takes %s in a CSV cell for %s', (text, value) => {
  expect(readFieldText(active, text, 'csv')).toEqual({ value });
});

const flags = { nameOf: (field: string) => `--${flagOf(field)}`, source: 'flag' as const };

it('checkFieldTexts reports all faults together, each with its option, its limit and what was given', () => {
  const given = new Map([
    ['name', 'x'.repeat(5001)],
    ['url', 'javascript:alert(1)'],
    ['active', 'yes'],
  ]);
  const { faults } = checkFieldTexts(CALENDAR, given, flags);
  expect(faults).toMatchObject([
    { where: '--active', field: 'active', problem: 'must be true or false, not "yes"' },
    { where: '--name', field: 'name', problem: `has 5001 characters, but the limit is 5000: "${'x'.repeat(59)}…"` },
    {
      where: '--url',
      field: 'url',
      problem: 'must begin with http:// or https:// (or be empty): "javascript:alert(1)"',
    },
  ]);
});

test.each([
  ['https://h/a b', 'must not contain a blank: write it as %20: "https://h/a b"'],
  [' https://h/', 'must begin with http:// or https:// (or be empty): " https://h/"'],
  ['https://h/\u00a0', 'must not contain a blank: write it as %20: "https://h/\u00a0"'],
  ['https://h/\n', 'has a control character: "https://h/\\n"'],
  ['https://h/\u0001', 'has a control character: "https://h/\\x01"'],
  ['ftp://h/', 'must begin with http:// or https:// (or be empty): "ftp://h/"'],
  ['https://ada@h/', 'must not contain a user name or password: "https://ada@h/"'],
])('I18 checkFieldTexts refuses the URL %j', (url, problem) => {
  for (const field of ['url', 'image']) {
    const { faults } = checkFieldTexts(CALENDAR, new Map([[field, url]]), flags);
    expect(faults).toMatchObject([{ where: `--${field}`, field, problem }]);
  }
});

test.each([
  ['0', 'must be a whole number from 1 to 100, not 0'],
  ['101', 'must be a whole number from 1 to 100, not 101'],
  ['-1', 'must be a whole number from 1 to 100, not -1'],
])('checkFieldTexts refuses a limit of %s', (text, problem) => {
  const { faults } = checkFieldTexts(LIST, new Map([['limit', text]]), flags);
  expect(faults).toMatchObject([{ where: '--limit', field: 'limit', problem }]);
});

test.each([
  ['name', '\u{1f3ab}'.repeat(5000), '\u{1f3ab}'.repeat(5001)],
  ['description', 'é'.repeat(40_000), 'é'.repeat(40_001)],
  ['url', `https://h/${'a'.repeat(2038)}`, `https://h/${'a'.repeat(2039)}`],
])('I14 checkFieldTexts counts the characters of %s as code points, up to its limit', (name, longest, tooLong) => {
  expect(checkFieldTexts(CALENDAR, new Map([[name, longest]]), flags).faults).toEqual([]);
  expect(checkFieldTexts(CALENDAR, new Map([[name, tooLong]]), flags).faults).toHaveLength(1);
});

it('I16 checkFieldTexts keeps empty, null and not given apart', () => {
  const given = new Map([
    ['calendar', 'cal_1'],
    ['name', ''],
    ['start', '2026-05-01'],
    ['url', null],
  ]);
  expect(checkFieldTexts(EVENT, given, flags)).toEqual({
    values: { calendar: 'cal_1', name: '', start: '2026-05-01', url: null },
    faults: [],
  });
});

it('checkFieldTexts names a required option that is missing, unless rows of a file may bring it', () => {
  const given = new Map([['name', 'Concert']]);
  expect(checkFieldTexts(EVENT, given, flags).faults).toMatchObject([
    { where: '--calendar', field: 'calendar', problem: 'is required' },
    { where: '--start', field: 'start', problem: 'is required' },
  ]);
  expect(checkFieldTexts(EVENT, given, { ...flags, partial: true }).faults).toEqual([]);
});

it('checkFieldTexts shows what was given without letting it act on the terminal', () => {
  const { faults } = checkFieldTexts(EVENT, new Map([['start', '\u001b[2J\u202e']]), { ...flags, partial: true });
  expect(faults[0]?.problem).toContain('"\\x1b[2J<U+202E>"');
});

const same = (field: string) => field;

test.each([
  ['00000000-0000-0000-0000-000000000000'],
  ['5F0C6A2E-8D3B-4C57-9A41-1B7E2D9F0A11'],
  ['12345678-02d3-0456-0789-0123456789ab'],
])('I9 checkFields accepts the card id %s, any variant and case', (cardId) => {
  expect(checkFields(CARD_PARAMS, { cardId }, same)).toEqual([]);
});

test.each([
  [`{${CARD}}`],
  [`"${CARD}"`],
  [` ${CARD} `],
  [`urn:uuid:${CARD}`],
  [`${CARD}\n`],
  [`\u200b${CARD}`],
  ['5f0c6a2e8d3b4c579a411b7e2d9f0a11'],
  [`“${CARD}”,`],
  [CARD.replaceAll('-', '–')],
])('I9 I11 checkFields refuses the card id %j and suggests the one that was meant', (cardId) => {
  const [fault] = checkFields(CARD_PARAMS, { cardId }, same);
  expect(fault?.problem).toMatch(/^".+" is not a card ID: did you mean 5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11\?$/);
});

test.each([['abc'], [`${CARD}0`], [CARD.slice(1)], ['g'.repeat(36)]])(
  'checkFields refuses %j without a suggestion',
  (cardId) => {
    const [fault] = checkFields(CARD_PARAMS, { cardId }, same);
    expect(fault?.problem).toMatch(/^".+" is not a card ID/);
    expect(fault?.problem).not.toContain('did you mean');
  },
);

test.each([
  ['', 'is empty'],
  ['.', 'would name another resource in a URL: "."'],
  ['..', 'would name another resource in a URL: ".."'],
  ['a\nb', 'has a control character: "a\\nb"'],
  ['a\u0085b', 'has a control character: "a\\x85b"'],
  ['a\u007fb', 'has a control character: "a\\x7fb"'],
  ['a\ud800b', 'has half of a surrogate pair, which a URL cannot contain: "a\ufffdb"'],
])('I1 I4 I5 I6 checkFields refuses the id %j: %s', (id, problem) => {
  expect(checkFields(SUBSCRIBER_PARAMS, { id }, same)).toMatchObject([{ where: 'id', field: 'id', problem }]);
});

it('I8 checkFields counts an id in code points', () => {
  expect(checkFields(SUBSCRIBER_PARAMS, { id: '😀'.repeat(5000) }, same)).toEqual([]);
  expect(checkFields(SUBSCRIBER_PARAMS, { id: 'x'.repeat(5001) }, same)[0]?.problem).toMatch(
    /^has 5001 characters, but the limit is 5000: /,
  );
});

it('checkFields names the nearest field for one that does not exist', () => {
  expect(checkFields(CALENDAR, { nmae: 'x' }, same)).toEqual([
    { where: 'nmae', field: 'nmae', problem: 'is not a field of this operation: did you mean name?' },
  ]);
});

it('checkFields refuses null where the spec does not let a field be null', () => {
  expect(checkFields(CALENDAR, { url: null }, same)).toMatchObject([
    { where: 'url', field: 'url', problem: 'must not be null: omit the field, or give an empty text to clear it' },
  ]);
});

import { expect, it, test } from 'vitest';
import { boolean, object } from 'zod/mini';
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
const CARD = '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11';

const fieldOf = (fields: readonly FieldSpec[], name: string) => fields.find((field) => field.name === name);

const limit = fieldOf(describeFields(LIST), 'limit');
const active = fieldOf(describeFields(LIST), 'active');
if (limit === undefined || active === undefined) throw new Error('the list has no limit or no active');

test.each([
  ['clientDeviceID', 'client-device-id'],
  ['clientWalletAccountID', 'client-wallet-account-id'],
  ['first_name', 'first-name'],
  ['reason', 'reason'],
])('describeFields names the option of %s --%s', (name, flag) => expect(flagOf(name)).toBe(flag));

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

it('describeFields has no limit of what is limited only in responses', () => {
  const texts = [...describeFields(OPERATIONS.subscriberUpdate.body), fieldOf(describeFields(CALENDAR), 'image')];
  expect(texts.map((field) => field?.maxLength)).toEqual(texts.map(() => undefined));
});

it('describeFields knows the range of an integer', () => {
  const limited = { type: 'integer', required: false, minimum: 1, maximum: 100 };
  expect(limit).toMatchObject({ ...limited, description: 'number of objects returned' });
});

test.each(['1.5', '1e2', '', '0x10', 'Infinity', ' 5', '5 ', '+5', '5.0', '٥', '1_0', 'ten', '9999999999999999'])(
  'I12 readFieldText refuses the limit %j, which is no plain whole number',
  (text) => {
    expect(readFieldText(limit, text, 'flag')).toEqual({
      problem: `must be a whole number from 1 to 100, not "${text}"`,
    });
  },
);

test.each(['yes', 'no', '1', '0', 'TRUE', 'True', '', 'true '])('I13 readFieldText refuses %j as a boolean', (text) => {
  expect(readFieldText(active, text, 'flag')).toEqual({ problem: `must be true or false, not "${text}"` });
});

test.each([
  ['TRUE', true],
  ['True', true],
  ['false', false],
  ['FALSE', false],
])('I13 readFieldText takes %s in a CSV cell for %s', (text, value) => {
  expect(readFieldText(active, text, 'csv')).toEqual({ value });
});

const flags = { nameOf: (field: string) => `--${flagOf(field)}`, source: 'flag' as const };

const faultsOf = (fields: Parameters<typeof checkFieldTexts>[0], given: Readonly<Record<string, string>>) =>
  checkFieldTexts(fields, new Map(Object.entries(given)), flags).faults.map(({ where, field, problem }) => [
    where,
    field,
    problem,
  ]);

it('checkFieldTexts reports all faults together, each with its option, its limit and what was given', () => {
  expect(faultsOf(CALENDAR, { name: 'x'.repeat(5001), url: 'javascript:alert(1)', active: 'yes' })).toEqual([
    ['--active', 'active', 'must be true or false, not "yes"'],
    ['--name', 'name', `has 5001 characters, but the limit is 5000: "${'x'.repeat(59)}…"`],
    ['--url', 'url', 'must begin with http:// or https:// (or be empty): "javascript:alert(1)"'],
  ]);
});

it('checkFieldTexts does not miss a value that it could not read', () => {
  const problem = 'must be true or false, not "yes"';
  expect(faultsOf(object({ active: boolean() }), { active: 'yes' })).toEqual([['--active', 'active', problem]]);
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
    expect(faultsOf(CALENDAR, { [field]: url })).toEqual([[`--${field}`, field, problem]]);
  }
});

test.each(['0', '101', '-1'])('checkFieldTexts refuses a limit of %s', (given) => {
  const problem = `must be a whole number from 1 to 100, not ${given}`;
  expect(faultsOf(LIST, { limit: given })).toEqual([['--limit', 'limit', problem]]);
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
  const values = { calendar: 'cal_1', name: '', start: '2026-05-01', url: null };
  expect(checkFieldTexts(EVENT, new Map(Object.entries(values)), flags)).toEqual({ values, faults: [] });
});

it('checkFieldTexts names a required option that is missing, unless rows of a file may bring it', () => {
  expect(faultsOf(EVENT, { name: 'Concert' })).toEqual([
    ['--calendar', 'calendar', 'is required'],
    ['--start', 'start', 'is required'],
  ]);
  expect(checkFieldTexts(EVENT, new Map([['name', 'Concert']]), { ...flags, partial: true }).faults).toEqual([]);
});

it('checkFieldTexts shows what was given without letting it act on the terminal', () => {
  const { faults } = checkFieldTexts(EVENT, new Map([['start', '\u001b[2J\u202e']]), { ...flags, partial: true });
  expect(faults[0]?.problem).toContain('"\\x1b[2J<U+202E>"');
});

const same = (field: string) => field;
const A_CARD = OPERATIONS.cardBlock.params;
const A_SUBSCRIBER = OPERATIONS.subscriberUpdate.params;
const NOT_CARD =
  '"abc" is not a card ID. A card ID has 36 characters with dashes, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

it.each([
  ['cardId', ` ${CARD}`, A_CARD, `" ${CARD}" is not a card ID: did you mean ${CARD}?`],
  ['cardId', 'abc', A_CARD, NOT_CARD],
  ['id', '', A_SUBSCRIBER, 'is empty'],
  ['id', '.', A_SUBSCRIBER, 'would name another resource in a URL: "."'],
  ['id', '..', A_SUBSCRIBER, 'would name another resource in a URL: ".."'],
  ['id', 'a\nb', A_SUBSCRIBER, 'has a control character: "a\\nb"'],
  ['id', 'a\u0085b', A_SUBSCRIBER, 'has a control character: "a\\x85b"'],
  ['id', 'a\u007fb', A_SUBSCRIBER, 'has a control character: "a\\x7fb"'],
  ['id', 'a\ud800b', A_SUBSCRIBER, 'has half of a surrogate pair, which a URL cannot contain: "a\ufffdb"'],
  ['id', 'x'.repeat(5001), A_SUBSCRIBER, `has 5001 characters, but the limit is 5000: "${'x'.repeat(59)}…"`],
  ['url', null, CALENDAR, 'must not be null: omit the field, or give an empty text to clear it'],
  ['nmae', 'x', CALENDAR, 'is not a field of this operation: did you mean name?'],
])('I1 I4 I5 I6 I8 checkFields refuses the %s %j', (field, value, fields, problem) => {
  expect(checkFields(fields, { [field]: value }, same)).toMatchObject([{ where: field, field, problem }]);
});

it('I8 I9 checkFields takes a card ID of any case, and an ID of 5000 code points', () => {
  expect(checkFields(A_CARD, { cardId: CARD.toUpperCase() }, same)).toEqual([]);
  expect(checkFields(A_SUBSCRIBER, { id: '😀'.repeat(5000) }, same)).toEqual([]);
});

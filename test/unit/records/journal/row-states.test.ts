import { expect, it } from 'vitest';
import type { IntentRecord, JournalRecord, ResultRecord } from '../../../../src/records/journal/record.ts';
import { type RowState, RowStates } from '../../../../src/records/journal/row-states.ts';

type RowRecord = IntentRecord | ResultRecord;

const record = (s: RowRecord['s'], more: Partial<ResultRecord> = {}): RowRecord => ({ n: 1, t: 1, a: 1, ...more, s });

const intent = record('intent');

/** Records that bring a row into each state. */
const WAY_TO: Readonly<Record<RowState, readonly RowRecord[]>> = {
  none: [],
  intent: [intent],
  applied: [intent, record('applied')],
  confirmed_by_read: [intent, record('confirmed_by_read')],
  skipped: [record('skipped')],
  rejected: [intent, record('rejected')],
  not_sent: [intent, record('not_sent')],
  unknown: [intent, record('unknown')],
  resolved_applied: [intent, record('unknown'), record('resolved_applied')],
  resolved_not_applied: [intent, record('unknown'), record('resolved_not_applied')],
};

const { unknown } = WAY_TO;

/** The states of three rows, of which the first has these records. */
function statesAfter(records: readonly RowRecord[]): RowStates {
  const states = new RowStates(3);
  for (const each of records) expect(states.apply(each)).toBe(true);
  return states;
}

const SENT: readonly RowRecord['s'][] = ['intent', 'applied', 'confirmed_by_read', 'rejected', 'not_sent', 'unknown'];
const FOUND: readonly RowRecord['s'][] = ['resolved_applied', 'resolved_not_applied'];
const RECORDS = [...SENT, ...FOUND, 'skipped'] as const;
/** `+` in the columns of RECORDS: believed. */
const table: readonly (readonly [RowState, string])[] = [
  ['none', '+..++...+'],
  ['intent', '++++++...'],
  ['applied', '.........'],
  ['confirmed_by_read', '.........'],
  ['skipped', '.........'],
  ['rejected', '+..++...+'],
  ['not_sent', '+..++...+'],
  ['unknown', '+.+++++++'],
  ['resolved_applied', '......++.'],
  ['resolved_not_applied', '+..++.+++'],
];
const pairs = table.flatMap(([from, answers]) =>
  RECORDS.map((to, column) => [from, to, answers[column] === '+'] as const),
);

it.each(pairs)('which record may follow which state: %s, then a record of %s: believed %s', (from, to, isBelieved) => {
  const states = statesAfter(WAY_TO[from]);
  expect(states.state(1)).toBe(from);
  expect(states.apply(record(to))).toBe(isBelieved);
  const isForgetful = from === 'unknown' && (to === 'rejected' || to === 'not_sent' || to === 'skipped');
  expect(states.state(1)).toBe(isForgetful ? 'unknown' : isBelieved ? to : from);
});

it.each([0, -1, 4])('which record may follow which state: none of row %d, which the run does not have', (n) => {
  const states = new RowStates(3);
  expect([states.apply({ ...intent, n }), states.apply(record('applied', { n }))]).toEqual([false, false]);
  expect([[1, 2, 3].map((row) => states.state(row)), states.state(n)]).toEqual([['none', 'none', 'none'], 'none']);
  expect(states.attempts(n)).toBe(0);
});

it('which record may follow which state of the last row', () => {
  const states = new RowStates(3);
  expect(states.apply({ ...intent, n: 3 }, 10)).toBe(true);
  expect([states.state(3), states.attempts(3), states.intentAt(3)]).toEqual(['intent', 1, 10]);
  expect(states.apply(record('applied', { n: 3 }), 20)).toBe(true);
  expect([states.state(3), states.resultAt(3)]).toEqual(['applied', 20]);
});

it.each<[string, readonly RowRecord[], boolean, number?]>([
  ['does a row without a record', WAY_TO.none, true],
  ['leaves a row under way', WAY_TO.intent, false],
  ['leaves an applied row', WAY_TO.applied, false, 1],
  ['leaves a row confirmed by reading', WAY_TO.confirmed_by_read, false, 1],
  ['leaves a rejected row', WAY_TO.rejected, false, 1],
  ['does a row again that a 401 rejected', [intent, record('rejected', { again: 1 })], true],
  ['does a row again whose card could not be read', [record('not_sent', { code: 'UNREACHABLE', again: 1 })], true],
  ['does a row that was not sent', WAY_TO.not_sent, true],
  ['leaves a row that --expect held back', [record('not_sent', { code: 'PRECONDITION' })], false, 1],
  ['does a row that was held back unread', [record('not_sent', { code: 'NOT_FOUND', again: 1 })], true],
  ['leaves an unknown row', WAY_TO.unknown, false],
  ['leaves a row that the user found applied', WAY_TO.resolved_applied, false],
  ['does a row that the user found not applied', WAY_TO.resolved_not_applied, true],
  ['leaves a row that was applied after a 401', [record('rejected', { again: 1 }), ...WAY_TO.applied], false, 1],
])('a resume: %s', (_what, records, isToDo, ended = 0) => {
  const states = statesAfter(records);
  expect([states.isToDo(1), states.toDo]).toEqual([isToDo, isToDo ? 3 : 2]);
  expect(states.progress).toEqual({ rows: Math.min(records.length, 1), ended });
});

const foundOut = (rid?: string) => record('resolved_applied', { rid });

it.each<[string, readonly RowRecord[], string | undefined]>([
  ['the one that the user recorded last', [...unknown, foundOut('c1'), foundOut('c2')], 'c2'],
  ['none where the user withdrew it', [...unknown, foundOut('c1'), foundOut()], undefined],
  ['none of a response', [intent, record('applied', { rid: 'c1' })], undefined],
])('the id that was found for a row is %s', (_what, records, id) => expect(statesAfter(records).foundId(1)).toBe(id));

it.each<[string, readonly RowRecord[], boolean]>([
  ['is none in a row under way', WAY_TO.intent, false],
  ['is none in a row that was not sent', WAY_TO.not_sent, false],
  ['begins with it', unknown, true],
  ['stays when it is sent again', [...unknown, intent], true],
  ['stays when it could not be sent again', [...unknown, intent, record('not_sent')], true],
  ['ends when reading shows it applied', [...unknown, record('confirmed_by_read')], false],
  ['ends when it is applied', [...unknown, intent, record('applied')], false],
  ['stays when the repeat is rejected', [...unknown, intent, record('rejected')], true],
])('the doubt of an unknown row: %s', (_what, records, isDoubtful) => {
  expect(statesAfter(records).isDoubtful(1)).toBe(isDoubtful);
});

it('the states of a run count the attempts of a row, at most as many as two bytes hold', () => {
  const states = statesAfter([{ ...intent, a: 2 }]);
  expect([states.attempts(1), states.apply(record('applied', { a: 70_000 }))]).toEqual([2, true]);
  expect([states.attempts(1), states.attempts(2)]).toEqual([65_535, 0]);
});

it('where a row stands in the journal is where its last intent and its last result begin', () => {
  const states = new RowStates(3);
  expect([states.intentAt(1), states.resultAt(1)]).toEqual([-1, -1]);
  states.apply(intent, 10);
  expect([states.intentAt(1), states.resultAt(1)]).toEqual([10, -1]);
  states.apply(record('not_sent'), 20);
  states.apply(intent, 30);
  expect([states.intentAt(1), states.resultAt(1)]).toEqual([30, 20]);
  expect([states.intentAt(2), states.resultAt(2)]).toEqual([-1, -1]);
  expect([states.intentAt(4), states.resultAt(4)]).toEqual([-1, -1]);
});

it('where a row stands in the journal stays for a resolution and for a record that is only being written', () => {
  const states = new RowStates(3);
  for (const [offset, each] of WAY_TO.resolved_applied.entries()) states.apply(each, offset);
  states.apply(intent);
  expect([states.intentAt(1), states.resultAt(1)]).toEqual([0, 1]);
});

it('the states of a run find rows by their state, lowest first, and counts those that succeeded', () => {
  const states = new RowStates(6);
  const ends = ['applied', 'unknown', 'confirmed_by_read', 'applied', 'rejected'] as const;
  for (const [index, s] of ends.entries()) {
    states.apply({ ...intent, n: index + 1 });
    states.apply(record(s, { n: index + 1 }));
  }
  expect([[...states.in('applied')], [...states.in('unknown')]]).toEqual([[1, 4], [2]]);
  expect([[...states.in('none')], [...states.in('intent')]]).toEqual([[6], []]);
  expect(states.count('applied', 'confirmed_by_read')).toBe(3);
  states.apply({ ...intent, n: 6 });
  states.apply(record('applied', { n: 6 }));
  expect([[...states.in('applied')], states.count('applied', 'confirmed_by_read')]).toEqual([[1, 4, 6], 4]);
});

const of = (epoch: number | undefined, s: RowRecord['s'], more: Partial<ResultRecord> = {}) => ({
  ...record(s, more),
  ...(epoch === undefined ? {} : { e: epoch }),
});
const RESUMED: JournalRecord = { s: 'resumed', t: 2, by: 'ada', e: 2 };

it.each<[string, readonly JournalRecord[], readonly boolean[], RowState, number]>([
  [
    'the newest: what an earlier one writes behind it is passed over, whatever it says',
    [of(1, 'intent'), of(2, 'intent'), of(1, 'applied'), of(2, 'rejected')],
    [true, true, true, true],
    'rejected',
    2,
  ],
  ['newest, from a record of no row on', [of(1, 'intent'), RESUMED, of(1, 'applied')], [true, true, true], 'intent', 2],
  ['one if records follow', [of(2, 'intent'), of(2, 'applied'), of(2, 'applied')], [true, true, false], 'applied', 2],
  ['an epoch', [of(undefined, 'intent'), of(2, 'intent'), of(undefined, 'applied')], [true, true, true], 'intent', 2],
  ['none yet, where nothing was recorded', [], [], 'none', 0],
])('which holder of the run is believed: %s', (_what, records, answers, state, epoch) => {
  const states = new RowStates(3);
  expect(records.map((each, offset) => states.applyRecord(each, offset))).toEqual(answers);
  expect([states.state(1), states.epoch]).toEqual([state, epoch]);
});

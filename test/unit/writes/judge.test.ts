import { expect, it } from 'vitest';
import { Failure, type FailureCode } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import type { JsonObject } from '../../../src/base/json/value.ts';
import type { OpenWrite } from '../../../src/records/open-files.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import {
  type Held,
  isForNow,
  judge,
  judgeRecords,
  needsCard,
  skipText,
  type Write,
} from '../../../src/writes/judge.ts';
import { NOTHING, type OpenBefore } from '../../../src/writes/open-guard.ts';

const unread = (code: FailureCode): Held => ({ why: 'unread', failure: new Failure(code, 'x') });

it.each<[string, Held, boolean]>([
  ['an open write', { why: 'repeats', before: NOTHING }, true],
  ['records that cannot be read', { why: 'records', failure: new Failure('LOCAL_IO', 'x') }, true],
  ['a busy service', unread('BUSY'), true],
  ['an answer that makes no sense', unread('BAD_REPLY'), true],
  ['a card that is not there', unread('NOT_FOUND'), false],
  ['another status than expected', { why: 'expected', text: 'x' }, false],
  ['another status than planned', { why: 'planned', text: 'x' }, false],
  ['another status than shown', { why: 'shown', text: 'x' }, false],
])('a row that is held back because of %s is sent by a resume, or not', (_what, held, expected) => {
  expect(isForNow(held)).toBe(expected);
});

const card = (text: string) => parseJson(text) as JsonObject;
const block = (more: Partial<Write>): Write => ({
  call: { operation: OPERATIONS.cardBlock, params: { cardId: 'c' }, query: {}, body: undefined },
  id: 'c',
  expects: [],
  ...more,
});

it.each<[string, string, Partial<Write>, string | undefined]>([
  [
    'one of its values',
    '{"status":"BLOCKED"}',
    { skipIf: [{ field: 'status', values: ['REISSUED', 'BLOCKED'] }] },
    'the card is BLOCKED already',
  ],
  ['none of them', '{"status":"ACTIVE"}', { skipIf: [{ field: 'status', values: ['BLOCKED'] }] }, undefined],
  ['another case', '{"status":"Blocked"}', { skipIf: [{ field: 'status', values: ['BLOCKED'] }] }, undefined],
  [
    'a number of the same value',
    '{"currentBalance":0.00}',
    { skipIf: [{ field: 'currentBalance', values: ['0'] }] },
    'its currentBalance is 0 already',
  ],
  [
    'null',
    '{"cancelledAt":null}',
    { skipIf: [{ field: 'cancelledAt', values: ['null'] }] },
    'its cancelledAt is null already',
  ],
  [
    'an empty text, of a field that is null',
    '{"cancelledAt":null}',
    { skipIf: [{ field: 'cancelledAt', values: [''] }] },
    undefined,
  ],
  ['an empty text, of a field that is absent', '{}', { skipIf: [{ field: 'metadata.done', values: [''] }] }, undefined],
  [
    'all of several',
    '{"status":"BLOCKED","currentBalance":0}',
    {
      skipIf: [
        { field: 'status', values: ['BLOCKED'] },
        { field: 'currentBalance', values: ['0'] },
      ],
    },
    'the card is BLOCKED and its currentBalance is 0 already',
  ],
  [
    'not all of several',
    '{"status":"BLOCKED","currentBalance":1}',
    {
      skipIf: [
        { field: 'status', values: ['BLOCKED'] },
        { field: 'currentBalance', values: ['0'] },
      ],
    },
    undefined,
  ],
])('a change is left out where --skip-if names %s', (_what, text, more, said) => {
  expect(skipText(block(more), card(text))).toBe(said);
  expect(judge(block(more), { card: card(text) })).toEqual(said === undefined ? 'go' : { skipped: card(text) });
});

it('what is expected counts before --skip-if, which counts before the status that a question showed', () => {
  const skipIf = [{ field: 'status', values: ['BLOCKED'] }];
  const look = { card: card('{"status":"BLOCKED"}') };
  const expects = [{ field: 'status', value: 'ACTIVE' }];
  expect(judge(block({ expects, skipIf }), look)).toEqual({
    held: { why: 'expected', text: 'status is "BLOCKED", not "ACTIVE"' },
  });
  expect(judge(block({ skipIf, shown: 'ACTIVE' }), look)).toEqual({ skipped: look.card });
});

const STATUS = { field: 'status', value: 'ACTIVE' };

it.each<[string, Partial<Write>, boolean]>([
  ['nothing is asked of its card', {}, false],
  ['something is expected', { expects: [STATUS] }, true],
  ['something is left out', { skipIf: [{ field: 'status', values: ['BLOCKED'] }] }, true],
  ['it was planned', { planned: { before: undefined, about: undefined } }, true],
  ['a question showed a status', { shown: 'ACTIVE' }, true],
  ['it is planned now', { mustRead: true }, true],
])('a change needs its card, or not, where %s', (_what, more, expected) => {
  expect(needsCard(block(more))).toBe(expected);
});

it.each<[FailureCode, 'go' | 'held']>([
  ['AUTH', 'held'],
  ['CANCELLED', 'held'],
  ['FORBIDDEN', 'held'],
  ['NOT_FOUND', 'held'],
  ['BUSY', 'go'],
  ['UNREACHABLE', 'go'],
  ['BAD_REPLY', 'go'],
])('a card whose read failed with %s holds a change that needs it, and one that does not: %s', (code, otherwise) => {
  const look = { failure: new Failure(code, 'x') };
  const held = { held: { why: 'unread', ...look } };
  expect(judge(block({ expects: [STATUS] }), look)).toEqual(held);
  expect(judge(block({}), look)).toEqual(otherwise === 'held' ? held : 'go');
});

it('a card that is not as planned, or as a question showed, holds its change', () => {
  const look = { card: card('{"status":"BLOCKED","updatedAt":"b","clientReference":"r"}') };
  const before = card('{"status":"ACTIVE","updatedAt":"b"}');
  expect(judge(block({ planned: { before, about: card('{"clientReference":"r"}') } }), look)).toEqual({
    held: { why: 'planned', text: 'status is BLOCKED, was ACTIVE when planned' },
  });
  expect(judge(block({ planned: { before: card('{"status":"BLOCKED"}'), about: undefined } }), look)).toEqual({
    held: {
      why: 'planned',
      text: 'updatedAt is b, was absent when planned; clientReference is r, was absent when planned',
    },
  });
  expect(judge(block({ shown: 'ACTIVE' }), look)).toEqual({
    held: { why: 'shown', text: 'the card changed before you answered: its status was ACTIVE, and is BLOCKED' },
  });
  expect(judge(block({ shown: 'BLOCKED' }), look)).toBe('go');
});

it('records hold a change that cannot be compared with them, or that they have and nobody was told of', () => {
  const [open, sent] = ['open', 'sent'].map((entry) => ({ entry }) as OpenWrite);
  const before = { ...NOTHING, repeated: [open], same: [sent] } as OpenBefore;
  const unread = new Failure('LOCAL_IO', 'x');
  expect(judgeRecords(block({}), NOTHING)).toBeUndefined();
  expect(judgeRecords(block({ isAgain: true }), { ...NOTHING, unread })).toEqual({ why: 'records', failure: unread });
  expect(judgeRecords(block({}), before)).toEqual({ why: 'repeats', before });
  expect(judgeRecords(block({ named: ['open'] }), before)).toEqual({
    why: 'repeats',
    before: { ...before, repeated: [] },
  });
  expect(judgeRecords(block({ named: ['open', 'sent'] }), before)).toBeUndefined();
  expect(judgeRecords(block({ isAgain: true }), before)).toBeUndefined();
});

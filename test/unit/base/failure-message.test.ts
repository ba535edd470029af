import { expect, it } from 'vitest';
import { messageOf, rowMessageOf } from '../../../src/base/failure-message.ts';

type Parts = Parameters<typeof messageOf>[0];
const PARTS: Parts = { code: 'LOCAL_IO', problem: 'full', attempted: undefined, after: 'silent', also: [] };
const told = (parts: Partial<Parts>) => messageOf({ ...PARTS, ...parts });
const block = { attempted: 'block card c' };
const earlier = { also: [{ kind: 'earlier' }] } as const;

it.each<[Parts['after'], string]>([
  ['unsent', '. Nothing was sent.'],
  ['unchanged', '. Nothing was changed.'],
  ['silent', ''],
  ['applied', '. The change WAS applied.'],
  ['confirmed', '. The change counts as applied: checking the card showed it.'],
  ['rejected', '. The change was rejected. Nothing was changed.'],
  ['unknown', '. The outcome is unknown: check before you run it again.'],
  ['underWay', '. A change was in progress and may have been applied.'],
  ['untouched', '. Nothing was sent or changed.'],
  ['kept', '. The earlier content is unchanged.'],
  ['partly', '. A part of it may be left.'],
  ['unremoved', '. It was not removed.'],
  ['recorded', ". What was sent is in the run's record."],
  ['results', '. The results so far are kept in the run.'],
  ['handedOver', '. Nothing more of it is sent from here.'],
  ['unopened', '. Whether an earlier change is open is not known.'],
  [{ done: ['a is stored', 'b is made'] }, '. Done before that: a is stored and b is made.'],
  [{ done: [] }, ''],
])('what a failure leaves behind is a sentence: %j', (after, sentence) => {
  expect(told({ after })).toBe(`full${sentence}`);
});

it.each<[Partial<Parts>, string]>([
  [block, 'could not block card c: full'],
  [{ problem: '' }, 'cancelled'],
  [{ problem: '', ...block }, 'cancelled: block card c'],
  [{ code: 'OUTCOME_UNKNOWN', ...block }, 'OUTCOME UNKNOWN - block card c. full'],
  [{ after: 'applied', ...block }, 'block card c: this change WAS applied, but full'],
  [
    { after: 'confirmed', ...block },
    'block card c: this change counts as applied, as checking the card showed, but full',
  ],
  [{ after: 'unsent', ...block }, 'could not block card c: full. Nothing was sent.'],
  [{ after: { done: ['a is stored'] }, ...block }, 'could not block card c: full. Done before that: a is stored.'],
  [{ after: 'unsent', ...earlier }, 'full. This request was not sent. An earlier one may have been applied.'],
  [{ also: [{ kind: 'record', problem: 'full' }] }, 'full. The end of its record could not be written: full.'],
  [{ after: 'unsent', also: [{ kind: 'result', id: 'n1' }] }, 'full. Nothing was sent. The ID in the response is n1.'],
  [{ also: [{ kind: 'response', where: 'is in a' }] }, 'full. The response is in a.'],
  [{ also: [{ kind: 'response', where: 'is in a', problem: 'x' }] }, 'full. A response came, but x. It is in a.'],
  [{ problem: 'why?', after: 'unsent' }, 'why? Nothing was sent.'],
])('the message of a failure says what was attempted, why it failed, and what else is true: %j', (parts, text) => {
  expect(told(parts)).toBe(text);
});

it('beside the ID of a row nothing is said of what was attempted', () => {
  expect(rowMessageOf({ ...PARTS, ...block, after: 'applied' })).toBe('full. The change WAS applied.');
});

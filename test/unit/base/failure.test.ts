import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cancelledExitCode, Failure, note, usageFailure, warning, warningOf } from '../../../src/base/failure.ts';
import { messageOf, rowMessageOf } from '../../../src/base/failure-message.ts';
import { textAt } from '../../../src/base/json/value.ts';
import { joinFailures } from '../../../src/command/faults.ts';
import { errorObject, renderFailure } from '../../../src/screen/failure-text.ts';

const PIPE = { argv: [], env: {}, stderr: { isTerminal: false, columns: undefined } };

it('a failure says after the problem the state of the request', () => {
  const failure = Failure.unsent('AUTH', 'the token has expired', { hints: ['log in'] });
  expect(failure.problem).toBe('the token has expired');
  expect(renderFailure(failure, 'table', PIPE)).toBe(
    'frontdesk: the token has expired. Nothing was sent.\nhint: log in\n',
  );
  expect(failure.with({ operation: 'card.get' }).message).toBe('the token has expired. Nothing was sent.');
});

it.each([
  'nothing was sent',
  'Nothing was sent.',
  'card gone, nothing was sent',
  'x; nothing was changed',
  'this change WAS applied, but nothing was sent',
  '2 faults, nothing was sent:',
  'Nothing was changed?',
])('what a failure leaves behind is said whatever words its problem holds: %s', (words) => {
  const end = (text: string) => (/[.?]$/.test(text) ? '' : '.');
  expect(Failure.unsent('USAGE', words).message).toBe(`${words}${end(words)} Nothing was sent.`);
  expect(Failure.unchanged('REJECTED', words).message).toBe(`${words}${end(words)} Nothing was changed.`);
  expect(Failure.unsent('USAGE', words).ofRead().message).toBe(words);
  expect(new Failure('USAGE', words).ofUnsent().message).toBe(`${words}${end(words)} Nothing was sent.`);
  expect(Failure.unchanged('LOCAL_IO', words).ofUnsent().message).toBe(`${words}${end(words)} Nothing was sent.`);
  const row = Failure.unsent('PRECONDITION', words, { attempted: 'block card nothing was sent: x' });
  expect(row.message).toBe(`could not block card nothing was sent: x: ${words}${end(words)} Nothing was sent.`);
  expect(textAt(errorObject(row, true), 'message')).toBe(`${words}${end(words)} Nothing was sent.`);
});

it('a failure whose outcome is known keeps it', () => {
  expect(new Failure('USAGE', 'no id').ofUnsent().details).toEqual({ outcome: 'not_sent' });
  const details = { outcome: 'rejected' } as const;
  expect(new Failure('NOT_FOUND', 'no card', { details }).ofUnsent()).toMatchObject({ message: 'no card', details });
});

it('a failure beside an earlier change speaks of its own request alone, unless that may have been applied too', () => {
  const [rejected, unknown] = [{ outcome: 'rejected' }, { outcome: 'unknown' }] as const;
  const failures = [
    Failure.unsent('UNREACHABLE', 'refused'),
    Failure.unchanged('REJECTED', '409', { details: rejected }),
    new Failure('LOCAL_IO', 'full', { after: 'rejected', details: rejected }),
    new Failure('OUTCOME_UNKNOWN', '500', { after: 'unknown', details: unknown }),
  ];
  const earlier = 'An earlier one may have been applied.';
  expect(failures.map((failure) => failure.beside([warning('STILL_OPEN', '')]).ofUnsent().message)).toEqual([
    `refused. This request was not sent. ${earlier}`,
    `409. This request changed nothing. ${earlier}`,
    `full. This request was rejected, and changed nothing. ${earlier}`,
    '500. The outcome is unknown: check before you run it again.',
  ]);
});

it('a failure says of several faults once that nothing was sent, and of a read not', () => {
  const joined = joinFailures([
    Failure.unsent('USAGE', '--ca-file: a.pem holds no certificate'),
    usageFailure([{ where: '--limit', problem: 'must be a whole number' }]),
  ]);
  const [first, second] = ['--ca-file: a.pem holds no certificate', '--limit: must be a whole number'];
  expect(joined.message).toBe(`${first}; ${second}. Nothing was sent.`);
  const lines = `:\n  ${first}\n  ${second}\n`;
  expect(renderFailure(joined, 'table', PIPE)).toBe(`frontdesk: 2 faults, nothing was sent${lines}`);
  expect(renderFailure(joined, 'json', PIPE)).toContain(`"message":"${joined.message}"`);
  expect(renderFailure(joined.ofRead(), 'table', PIPE)).toBe(`frontdesk: 2 faults${lines}`);
});

it('an abort by a signal exits with its code, and by anything else as Ctrl-C', () => {
  expect(['SIGINT', 'SIGTERM', 'SIGHUP', 'EPIPE', undefined].map(cancelledExitCode)).toEqual([130, 143, 129, 130, 130]);
});

it('a failure has what it was given, and of the rest what its code says, or nothing', () => {
  const bare = new Failure('BUSY', 'x');
  const nothing = { hints: [], steps: [], details: {}, also: [], faults: [], faultCount: 0 };
  expect({ ...bare }).toMatchObject({ name: 'Failure', exitCode: 11, after: 'silent', ...nothing });
  expect([bare.statement, 'cause' in bare]).toEqual(['x', false]);
  const fault = { where: 'a', problem: 'b' };
  const given = { cause: new Error('c'), exitCode: 143, hints: ['h'], steps: ['s'], faults: [fault], faultCount: 7 };
  const full = new Failure('CANCELLED', 'x', { attempted: 'block card c', ...given });
  expect({ ...full, cause: full.cause }).toMatchObject(given);
  expect(full.statement).toBe('could not block card c: x');
  expect(full.but({}).cause).toBe(given.cause);
  const one = { faults: [fault], faultCount: 1, hints: ['h'], parts: undefined };
  expect(usageFailure([fault], ['h'])).toMatchObject(one);
  expect(usageFailure([fault, fault]).parts).toEqual({ heading: '2 faults', problems: ['a: b', 'a: b'] });
});

it('a failure gets more details, of which those that are not known change none', () => {
  const failure = new Failure('BUSY', 'x', { details: { id: 'a', attempts: 1 }, hints: ['h'] });
  const more = failure.with({ id: undefined, attempts: 2, operation: undefined });
  expect([more.details, more.hints]).toEqual([{ id: 'a', attempts: 2 }, ['h']]);
  expect([Object.keys(more.details), failure.with({}, ['other']).hints]).toEqual([['id', 'attempts'], ['other']]);
});

it('a notice has its level, and what failed besides a call is a warning that says nothing of a request', () => {
  expect(note('A', 'b')).toEqual({ code: 'A', message: 'b', level: 'note' });
  expect(warning('A', 'b')).toEqual({ code: 'A', message: 'b', level: 'warning' });
  expect(warningOf(Failure.unsent('AUTH', 'x'))).toEqual({ code: 'AUTH', message: 'x', level: 'warning' });
});

const AFTERS = ['unsent', 'unchanged', 'silent', 'applied', 'rejected', 'unknown', 'kept'] as const;

it('the failure of a read keeps how a change ended, and the steps that are named first stay', () => {
  const read = AFTERS.map((after) => new Failure('USAGE', 'x', { after }).ofRead().after);
  expect(read).toEqual(['silent', 'silent', 'silent', 'applied', 'rejected', 'unknown', 'kept']);
  const failure = Failure.unchanged('LOCAL_IO', 'x');
  const named = failure.afterSteps(['a is stored']);
  expect(named.message).toBe('x. Done before that: a is stored.');
  expect(failure.afterSteps([])).toBe(failure);
  expect(named.afterSteps(['b is stored'])).toBe(named);
});

const HOSTILE = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.constantFrom('nothing was sent', 'Nothing was changed', 'x. Nothing was sent. y', 'this change WAS applied, but'),
  fc.constantFrom('OUTCOME UNKNOWN - block card x. y', 'could not block card x: ', 'row 3: ', 'cancelled'),
);

const OPTIONAL = fc.option(HOSTILE, { nil: undefined });

it('texts from outside change nothing of what a failure says itself', () => {
  fc.assert(
    fc.property(
      fc.record({ problem: HOSTILE, attempted: OPTIONAL, record: HOSTILE, where: HOSTILE }),
      fc.constantFrom(...AFTERS),
      fc.constantFrom('USAGE', 'CANCELLED', 'OUTCOME_UNKNOWN', 'LOCAL_IO'),
      fc.boolean(),
      (texts, after, code, isRow) => {
        const { problem, attempted, record, where } = texts;
        // A period or a question mark at its end is not doubled.
        fc.pre(!/[.?]$/.test(problem) && !/[.?]$/.test(attempted ?? ''));
        const messageOf = (words: typeof texts) => {
          const also = [
            { kind: 'record', problem: words.record },
            { kind: 'response', where: words.where },
          ] as const;
          const failure = new Failure(code, words.problem, { attempted: words.attempted, after, also });
          return textAt(errorObject(failure, isRow), 'message') ?? '';
        };
        const marked = attempted === undefined ? undefined : '\u0001';
        const frame = messageOf({ problem: '\u0002', attempted: marked, record: '\u0003', where: '\u0004' });
        const parts = [undefined, attempted, problem, record, where];
        expect(messageOf(texts)).toBe([...frame].map((letter) => parts[letter.charCodeAt(0)] ?? letter).join(''));
      },
    ),
    { numRuns: 2000 },
  );
});

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

import { expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { printJson } from '../../../src/base/json/print.ts';
import type { Service } from '../../../src/command/session.ts';
import type { Operation } from '../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import type { SingleCall } from '../../../src/writes/read-call.ts';
import {
  askReason,
  guardWrite,
  isReadOnly,
  notConfirmed,
  reasonProblem,
  reasonProblems,
  refuseReadOnly,
  requirePerson,
  takesReason,
  type WriteScope,
  whereText,
} from '../../../src/writes/write-guards.ts';
import { openBench } from '../../support/session-bench.ts';

type Facts = Parameters<typeof openBench>[0];

const { cardBlock, calendarUpdate, cardGet } = OPERATIONS;
const PLAIN: WriteScope = { kind: 'one', reason: undefined };
const rows = (count: number): WriteScope => ({ kind: 'rows', rows: count });
const PLAN: WriteScope = { kind: 'plan' };

/** What the guard says of a way: exit code, message and hints; undefined: it may be sent. */
function guarded(way: WriteScope, facts: Facts = {}, operation: Operation = cardBlock) {
  const { session } = openBench(facts);
  const permitted: string[] = [];
  session.permitWrites = ({ name }) => void permitted.push(name);
  try {
    guardWrite(session, operation, way);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(permitted).toEqual([]);
    return [error.exitCode, error.message, ...error.hints];
  }
  expect(permitted).toEqual([operation.name]);
  return undefined;
}

const WAYS = [PLAIN, rows(1), rows(5), PLAN];

const readOnly = (value: string) => ({ env: { FRONTDESK_READ_ONLY: value } });

it.each(['1', 'true', 'TRUE', 'yes', 'On'])('FRONTDESK_READ_ONLY: %j forbids writes, with no way around', (value) => {
  const refusal = [5, 'changes are not allowed in this environment. Nothing was sent.'];
  for (const way of WAYS) expect(guarded(way, readOnly(value))).toEqual(refusal);
  expect(isReadOnly(openBench(readOnly(value)).session)).toBe(true);
});

it.each(['', '0', 'false', 'False', 'no', 'OFF'])('FRONTDESK_READ_ONLY: %j forbids nothing', (value) => {
  expect(guarded(PLAIN, readOnly(value))).toBeUndefined();
  expect(isReadOnly(openBench(readOnly(value)).session)).toBe(false);
});

it.each(['ja', ' ', '2'])('FRONTDESK_READ_ONLY: %j is neither: a write is refused, and the variable named', (value) => {
  const problem = 'must be 1, true, yes or on, or 0, false, no, off or empty';
  expect(guarded(PLAIN, readOnly(value))).toEqual([2, `FRONTDESK_READ_ONLY: ${problem}. Nothing was sent.`]);
  expect(isReadOnly(openBench(readOnly(value)).session)).toBe(true);
});

const one = (reason: string): WriteScope => ({ kind: 'one', reason });
const READ_ONLY = { profile: { readOnly: true } };
const LIFT = {
  do: 'allow changes',
  words: 'use another profile with --profile, or allow changes',
  about: 'demo',
} as const;
const OPS = { profile: { requireReason: 'OPS-\\d' } };
const OPS_TICKET = { profile: { ...OPS.profile, requireReasonHint: 'a ticket' } };
const NO_REASON = '--reason: this profile requires a reason that matches OPS-\\d. Nothing was sent.';
const NO_MATCH = '--reason: it does not match OPS-\\d, as this profile requires. Nothing was sent.';
const GIVE = 'give it with --reason';
const NO_HISTORY = { common: { noHistory: true } };
const NEEDED = 'FRONTDESK_NO_HISTORY is set, but a run needs its record. Nothing was sent.';
const THREE = { profile: { maxRows: 3 } };
const MANY = 'profile demo allows at most 3 rows at once (maxRows), but the input has 4,000. Nothing was sent.';
const REVIEW = 'check that this is the right input, then make a plan (--plan <file>), review it, and apply it';

it.each<[string, readonly WriteScope[], Facts, ReturnType<typeof guarded>, Operation?]>([
  ['let pass where nothing forbids it', WAYS, {}, undefined],
  ['refused if the profile is read-only', WAYS, READ_ONLY, [5, 'profile demo is read-only. Nothing was sent.', LIFT]],
  ['refused without a required reason', [PLAIN], OPS, [2, NO_REASON, GIVE]],
  [
    'refused in the words of its profile',
    [PLAIN],
    OPS_TICKET,
    [2, '--reason: this profile requires: a ticket. Nothing was sent.', GIVE],
  ],
  ['refused with another reason', [one('lost')], OPS, [2, NO_MATCH, GIVE]],
  ['let pass with a required reason', [one('OPS-1')], OPS, undefined],
  ['let pass if its operation has no reason', [PLAIN], OPS, undefined, calendarUpdate],
  ['let pass if its reason was checked before', [rows(5), PLAN], OPS, undefined],
  ['refused without a record', [rows(1), rows(5), PLAN], NO_HISTORY, [2, NEEDED, 'unset FRONTDESK_NO_HISTORY']],
  ['let pass without history', [PLAIN], NO_HISTORY, undefined],
  ['let pass with as many rows as may be, or a plan', [rows(3), PLAN, PLAIN], THREE, undefined],
  ['refused with more rows', [rows(4000)], THREE, [5, MANY, REVIEW]],
])('a write is %s', (_what, ways, facts, said, operation) => {
  for (const way of ways) expect(guarded(way, facts, operation)).toEqual(said);
});

it('a read-only profile is one to read from, and a refusal sent nothing', () => {
  const { session } = openBench(READ_ONLY);
  expect(isReadOnly(session)).toBe(true);
  const forbidden = { code: 'FORBIDDEN', details: { outcome: 'not_sent' } };
  expect(() => refuseReadOnly(session)).toThrow(expect.objectContaining(forbidden));
});

it('a reason is one of blocks and reissues', () => {
  expect([cardBlock, OPERATIONS.cardReissue].map(takesReason)).toEqual([true, true]);
  expect([OPERATIONS.cardActivate, cardGet, calendarUpdate].map(takesReason)).toEqual([false, false, false]);
});

it('I27 a person has to be there where --yes is missing', () => {
  const nobody = openBench().session;
  const message =
    'could not block card 1: it needs confirmation, and there is no terminal to ask on. Nothing was sent.';
  const refusal = { code: 'USAGE', message, hints: ['add --yes to confirm without a prompt'] };
  expect(() => requirePerson(nobody, 'block card 1')).toThrow(expect.objectContaining(refusal));
  expect(() => requirePerson(openBench({ answer: () => true }).session, 'x')).not.toThrow();
});

it('a person who does not say yes ends the call with 130, and nothing was sent', () => {
  const message = 'did not block card 1: not confirmed. Nothing was sent.';
  const said = { message, screen: ['not confirmed. Nothing was sent.'], details: { outcome: 'not_sent' } };
  expect(notConfirmed('block card 1')).toMatchObject({ code: 'CANCELLED', exitCode: 130, ...said });
});

it('a person learns where the write goes, in the sandbox too', () => {
  // What the words are made of.
  const service = { host: 'cards.example.com' } as Service;
  expect(whereText(openBench().session, service)).toBe(' at cards.example.com (demo)');
  expect(whereText(openBench({ profile: { isSandbox: true } }).session, service)).toBe(' (SANDBOX)');
});

const single = (reason: string | undefined, operation: Operation = cardBlock): SingleCall => ({
  call: { operation, params: {}, query: {}, body: new Map([['note', 'kept']]) },
  id: 'card-1',
  reason,
  expects: [],
  warnings: [],
});

/** The call after a person was asked, the questions, and what was said of two answers. */
async function asked(call: SingleCall, facts: Facts = {}) {
  const { session } = openBench({ answer: () => true, ...facts });
  const questions: string[] = [];
  const judged: unknown[] = [];
  const prompt = {
    ...session.prompt,
    text: async (question: string, judge: (answer: string) => unknown) => {
      questions.push(question);
      judged.push(judge('lost'), judge('OPS-1'));
      return 'OPS-1';
    },
  };
  return { result: await askReason({ ...session, prompt }, call), questions, judged };
}
const REQUIRES_OPS = { requireReason: 'OPS' };

it('a required reason that is missing is asked of a person, and goes into the body beside what is there', async () => {
  const { result, questions, judged } = await asked(single(undefined), { profile: REQUIRES_OPS });
  expect(questions).toEqual(['Reason (OPS must be found in it)']);
  expect(judged).toEqual(['it does not match OPS, as this profile requires', true]);
  expect([result.reason, printJson(result.call.body ?? null)]).toEqual(['OPS-1', '{"note":"kept","reason":"OPS-1"}']);
});

it('a required reason that is missing is asked for in the words of the profile', async () => {
  const { questions } = await asked(single(undefined), { profile: { ...REQUIRES_OPS, requireReasonHint: 'a ticket' } });
  expect(questions).toEqual(['Reason (a ticket)']);
});

it.each<[string, SingleCall, Facts]>([
  ['there is one', single('OPS-7'), { profile: REQUIRES_OPS }],
  ['none is required', single(undefined), {}],
  ['the operation has none', single(undefined, calendarUpdate), { profile: REQUIRES_OPS }],
  ['nothing is sent', single(undefined), { profile: REQUIRES_OPS, common: { dryRun: true } }],
])('a reason is not asked for where %s', async (_what, call, facts) => {
  const { result, questions } = await asked(call, facts);
  expect([result, questions]).toEqual([call, []]);
});

it('a required reason that is missing is not asked for where nobody is', async () => {
  const call = single(undefined);
  expect(await askReason(openBench({ profile: REQUIRES_OPS }).session, call)).toBe(call);
});

const ENDLESS = { requireReason: '(\\w+\\s?)+$' };
const SENTENCE = 'The customer told us at the desk that the card was stolen yesterday!';
const REFUSAL = {
  code: 'USAGE',
  message: expect.stringContaining('takes longer than 200 ms. Nothing was sent.'),
  hints: ['give the profile a simpler pattern: `frontdesk profile set --help`'],
};

it('T25 a pattern that would search a reason for years is given up after 200 ms', async () => {
  const startMs = performance.now();
  expect(() => reasonProblem(ENDLESS, SENTENCE)).toThrow(expect.objectContaining(REFUSAL));
  await expect(reasonProblems(ENDLESS, ['fine', SENTENCE, 'fine'])).rejects.toMatchObject(REFUSAL);
  expect(performance.now() - startMs).toBeLessThan(5_000);
  expect(reasonProblem(ENDLESS, 'stolen')).toBeUndefined();
});

it('every pattern means what it means to JavaScript, alone and among many', async () => {
  const rules = [
    ['(?<=#)\\d+(?!\\d)', 'see #123', 'see 123'],
    ['^\\p{Lu}', 'Ärger', 'ärger'],
    ['(a)\\1', 'aa', 'ab'],
    ['.', '😀', ''],
    ['^$|e', 'e', 'a'],
  ] as const;
  for (const [requireReason, good, bad] of rules) {
    const rule = { requireReason };
    expect(reasonProblem(rule, good)).toBeUndefined();
    expect(reasonProblem(rule, bad)).toBe(`it does not match ${requireReason}, as this profile requires`);
    expect(reasonProblem(rule, undefined)).toBe(`this profile requires a reason that matches ${requireReason}`);
    expect(await reasonProblems(rule, [good, bad, undefined, good])).toEqual([
      undefined,
      reasonProblem(rule, bad),
      reasonProblem(rule, undefined),
      undefined,
    ]);
  }
});

it('without a pattern nothing is asked of a reason', async () => {
  expect(reasonProblem({}, undefined)).toBeUndefined();
  expect(await reasonProblems({}, [undefined, 'x'])).toEqual([undefined, undefined]);
});

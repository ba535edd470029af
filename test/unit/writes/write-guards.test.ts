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

it.each(WAYS)('a write that nothing forbids is let pass: %o', (way) => {
  expect(guarded(way)).toBeUndefined();
});

it.each(['1', 'true', 'TRUE', 'yes', 'On'])(
  'FRONTDESK_READ_ONLY: %j forbids every write, and shows no way around',
  (value) => {
    for (const way of WAYS) {
      expect(guarded(way, { env: { FRONTDESK_READ_ONLY: value } })).toEqual([
        5,
        'changes are not allowed in this environment. Nothing was sent.',
      ]);
    }
    expect(isReadOnly(openBench({ env: { FRONTDESK_READ_ONLY: value } }).session)).toBe(true);
  },
);

it.each(['', '0', 'false', 'False', 'no', 'OFF'])('FRONTDESK_READ_ONLY: %j forbids nothing', (value) => {
  expect(guarded(PLAIN, { env: { FRONTDESK_READ_ONLY: value } })).toBeUndefined();
  expect(isReadOnly(openBench({ env: { FRONTDESK_READ_ONLY: value } }).session)).toBe(false);
});

it.each(['ja', ' ', '2'])('FRONTDESK_READ_ONLY: %j is neither: a write is refused, and the variable named', (value) => {
  expect(guarded(PLAIN, { env: { FRONTDESK_READ_ONLY: value } })).toEqual([
    2,
    'FRONTDESK_READ_ONLY: must be 1, true, yes or on, or 0, false, no, off or empty. Nothing was sent.',
  ]);
  expect(isReadOnly(openBench({ env: { FRONTDESK_READ_ONLY: value } }).session)).toBe(true);
});

it('a profile that is only to read forbids every write, and says how to lift it', () => {
  for (const way of WAYS) {
    expect(guarded(way, { profile: { readOnly: true } })).toEqual([
      5,
      'profile demo is read-only. Nothing was sent.',
      { do: 'allow changes', words: 'use another profile with --profile, or allow changes', about: 'demo' },
    ]);
  }
  const { session } = openBench({ profile: { readOnly: true } });
  expect(isReadOnly(session)).toBe(true);
  expect(() => refuseReadOnly(session)).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN', details: { outcome: 'not_sent' } }),
  );
});

const OPS = { profile: { requireReason: 'OPS-\\d' } };
const PROBLEM = 'this profile requires a reason that matches OPS-\\d';

it('a reason that the profile requires is asked of one write', () => {
  expect(guarded(PLAIN, OPS)).toEqual([2, `--reason: ${PROBLEM}. Nothing was sent.`, 'give it with --reason']);
  expect(guarded({ kind: 'one', reason: 'lost' }, OPS)?.[0]).toBe(2);
  expect(guarded({ kind: 'one', reason: 'OPS-1' }, OPS)).toBeUndefined();
});

it('a reason that the profile requires is asked of no operation without one', () => {
  expect(guarded(PLAIN, OPS, calendarUpdate)).toBeUndefined();
  expect(
    [cardBlock, OPERATIONS.cardReissue, OPERATIONS.cardActivate, cardGet, calendarUpdate].map(takesReason),
  ).toEqual([true, true, false, false, false]);
});

it('a reason that the profile requires was asked of rows and plans when they were checked', () => {
  expect([guarded(rows(5), OPS), guarded(PLAN, OPS)]).toEqual([undefined, undefined]);
});

it('the record of a run is kept of rows and plans, whatever the environment says', () => {
  const none = { common: { noHistory: true } };
  for (const way of [rows(1), rows(5), PLAN]) {
    expect(guarded(way, none)).toEqual([
      2,
      'FRONTDESK_NO_HISTORY is set, but a run needs its record. Nothing was sent.',
      'unset FRONTDESK_NO_HISTORY',
    ]);
  }
  expect(guarded(PLAIN, none)).toBeUndefined();
});

const THREE = { profile: { maxRows: 3 } };

it('a profile that allows 3 rows refuses longer inputs, and no plan: it was reviewed', () => {
  expect([guarded(rows(3), THREE), guarded(PLAN, THREE)]).toEqual([undefined, undefined]);
  expect(guarded(PLAIN, THREE)).toBeUndefined();
  expect(guarded(rows(4000), THREE)).toEqual([
    5,
    'profile demo allows at most 3 rows at once (maxRows), but the input has 4,000. Nothing was sent.',
    'check that this is the right input, then make a plan (--plan <file>), review it, and apply it',
  ]);
});

it('I27 a person has to be there where --yes is missing', () => {
  const nobody = openBench().session;
  expect(() => requirePerson(nobody, 'block card 1')).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: 'could not block card 1: it needs confirmation, and there is no terminal to ask on. Nothing was sent.',
      hints: ['add --yes to confirm without a prompt'],
    }),
  );
  expect(() => requirePerson(openBench({ answer: () => true }).session, 'x')).not.toThrow();
});

it('a person who does not say yes ends the call with 130, and nothing was sent', () => {
  expect(notConfirmed('block card 1')).toMatchObject({
    code: 'CANCELLED',
    exitCode: 130,
    message: 'did not block card 1: not confirmed. Nothing was sent.',
    details: { outcome: 'not_sent' },
  });
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
  const result = await askReason({ ...session, prompt }, call);
  return { result, questions, judged };
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

import { expect, it } from 'vitest';
import type { Operation } from '../../../src/api/operation.ts';
import { OPERATIONS } from '../../../src/api/operations.ts';
import type { SingleCall } from '../../../src/call/read-call.ts';
import {
  askReason,
  demandedApprovals,
  guardWrite,
  isReadOnly,
  notConfirmed,
  refuseReadOnly,
  requirePerson,
  takesReason,
  type WriteWay,
  whereText,
} from '../../../src/call/write-guards.ts';
import { Failure } from '../../../src/failure.ts';
import { printJson } from '../../../src/json/print.ts';
import { createSession, type Service } from '../../../src/session.ts';
import { openBench } from '../../support/session-bench.ts';

type Facts = Parameters<typeof openBench>[0];

const { cardBlock, calendarUpdate, cardGet } = OPERATIONS;
const PLAIN: WriteWay = { kind: 'one', reason: undefined };
const rows = (count: number, inputRows = count): WriteWay => ({ kind: 'rows', rows: count, inputRows });
const raw = (reason?: string): WriteWay => ({ kind: 'raw', reason, needsReason: true });
const plan = (approved: number, path?: string, count = 5): WriteWay => ({
  kind: 'plan',
  plan: 'abc',
  rows: count,
  approved,
  ...(path === undefined ? {} : { path }),
});

/** What the guard says of a way: exit code, message and hints; undefined: it may be sent. */
function guarded(way: WriteWay, facts: Facts = {}, operation: Operation = cardBlock) {
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

const WAYS = [PLAIN, rows(1), rows(5), raw(), plan(0)];

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
      'use another profile with --profile, or allow changes: frontdesk profile set demo --read-only false',
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

it('a reason that the profile requires is asked of a raw write that may be one with a reason, and of no other', () => {
  expect(guarded(raw(), OPS)).toEqual([
    2,
    `--data: reason: ${PROBLEM}. Nothing was sent.`,
    `give it in the body: --data '{"reason":"…"}'`,
  ]);
  expect(guarded(raw('OPS-1'), OPS)).toBeUndefined();
  expect(guarded({ kind: 'raw', reason: undefined, needsReason: false }, OPS)).toBeUndefined();
});

it('a reason that the profile requires was asked of rows and plans when they were checked', () => {
  expect([guarded(rows(5), OPS), guarded(plan(0), OPS)]).toEqual([undefined, undefined]);
});

it('the record of a run is kept of rows and plans, whatever the environment says', () => {
  const none = { common: { noHistory: true } };
  for (const way of [rows(1), rows(5), plan(0)]) {
    expect(guarded(way, none)).toEqual([
      2,
      'FRONTDESK_NO_HISTORY is set, but a run needs its record. Nothing was sent.',
      'unset FRONTDESK_NO_HISTORY',
    ]);
  }
  expect([guarded(PLAIN, none), guarded(raw(), none)]).toEqual([undefined, undefined]);
});

const THREE = { profile: { maxRows: 3 } };

it('a profile that allows 3 rows lets pass inputs of as many, and refuses longer ones and each of their parts', () => {
  expect([guarded(rows(3), THREE), guarded(plan(0, undefined, 3), THREE)]).toEqual([undefined, undefined]);
  expect([guarded(PLAIN, THREE), guarded(raw(), THREE)]).toEqual([undefined, undefined]);
  expect(guarded(rows(1, 4000), THREE)).toEqual([
    5,
    'profile demo allows at most 3 rows at once (maxRows), but the input has 4,000. Nothing was sent.',
    'check that this is the right input, then split it, or make a plan and have it approved',
  ]);
  expect(guarded(plan(0, undefined, 4), THREE)?.[1]).toContain('but the input has 4');
});

it('a profile that allows 3 rows lets pass a longer plan that others approved', () => {
  const both = { profile: { maxRows: 3, approvals: 1 } };
  expect(guarded(plan(1), both)).toBeUndefined();
  expect(guarded(plan(0), both)?.[1]).toContain('demands an approval');
  expect(guarded(rows(1, 4000), both)?.[1]).toContain('but the input has 4,000');
});

it.each([
  [{}, 0],
  [{ approvers: '/a' }, 1],
  [{ approvals: 2 }, 2],
  [{ approvers: '/a', approvals: 3 }, 3],
])('approvals are demanded as the profile %o says: %i', (profile, demanded) => {
  expect(demandedApprovals(openBench({ profile }).session.profile)).toBe(demanded);
});

const TWO = { profile: { approvals: 2 } };

it('approvals are not demanded of one write, of a single row, and of a dry run', () => {
  expect([guarded(PLAIN, TWO), guarded(rows(1), TWO)]).toEqual([undefined, undefined]);
  for (const way of WAYS) expect(guarded(way, { ...TWO, common: { dryRun: true } })).toBeUndefined();
});

it('approvals cannot be had by more rows without a plan', () => {
  expect(guarded(rows(2), TWO)).toEqual([
    5,
    'profile demo demands 2 approvals for more than one row, and only a plan can be approved. Nothing was sent.',
    'add --plan <file>, have the file approved, and apply it. See `frontdesk help plans`',
  ]);
});

it('approvals cannot be had by a raw write', () => {
  expect(guarded(raw(), { profile: { approvals: 1 } })).toEqual([
    5,
    'profile demo demands an approval for a raw write, and only a plan can be approved. Nothing was sent.',
    'use the command of that operation, with --plan <file> for several rows. See `frontdesk help plans`',
  ]);
});

it('approvals that are missing are counted, with the command that gives one', () => {
  expect(guarded(plan(2, 'my plan'), TWO)).toBeUndefined();
  expect(guarded(plan(3, 'my plan'), TWO)).toBeUndefined();
  expect(guarded(plan(1, 'my plan'), { ...TWO, output: { command: 'frontdesk -p demo' } })).toEqual([
    5,
    'profile demo demands 2 approvals, and plan abc has 1 valid one. Nothing was sent.',
    "have it approved: frontdesk -p demo plan approve 'my plan' --key <key> --as <name>",
    'see `frontdesk help plans`',
  ]);
  expect(guarded(plan(0, 'p'), { ...TWO, output: { command: undefined } })?.[2]).toBe(
    'have it approved: frontdesk plan approve p --key <key> --as <name>',
  );
});

it('approvals that are missing beside a run are those of its plan', () => {
  expect(guarded(plan(0), TWO)?.slice(1)).toEqual([
    'profile demo demands 2 approvals, and plan abc has 0 valid ones. Nothing was sent.',
    'use `plan apply` with the file of the plan, which has its approvals beside it',
    'see `frontdesk help plans`',
  ]);
});

it('a person has to be there where --yes is missing', () => {
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

it('a person learns where the write goes, unless it is the sandbox', () => {
  // What the words are made of.
  const service = { host: 'cards.example.com' } as Service;
  expect(whereText(openBench().session, service)).toBe(' on demo (cards.example.com)');
  expect(whereText(openBench({ profile: { isSandbox: true } }).session, service)).toBe('');
});

const single = (reason: string | undefined, operation: Operation = cardBlock): SingleCall => ({
  call: { operation, params: {}, query: {}, body: new Map([['note', 'kept']]) },
  id: 'card-1',
  reason,
  expectations: [],
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
  const result = await askReason(createSession(session, { ...session, prompt }), call);
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

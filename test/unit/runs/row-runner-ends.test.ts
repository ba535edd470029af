import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure, type FailureCode } from '../../../src/base/failure.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { RowMaker, type RowShape } from '../../../src/input/rows/row.ts';
import { type RowResult, sentResult } from '../../../src/records/row-outcome.ts';
import { printedRow, storedRow } from '../../../src/records/row-result.ts';
import { type FailedFileOptions, inputRow, openFailedFile } from '../../../src/runs/failed-file.ts';
import { Progress, type Underway } from '../../../src/runs/progress.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import { RunTally } from '../../../src/runs/run-tally.ts';
import { outage, StopRules } from '../../../src/runs/stop.ts';
import { summaryJson, summaryLines } from '../../../src/runs/summary.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { temporaryFolder } from '../base/files/place.ts';
import {
  admitting,
  answered,
  CARD_SHAPE,
  cardRow,
  FakeClock,
  FakeSignals,
  failed,
  heldBack,
  planOf,
  rejected,
  type TestRow,
  unknown,
  unreachable,
} from './fakes.ts';

/** A send that ends row n with the n-th of these, and admits each first. */
function script(ends: readonly (() => CallResult)[], sent: number[] = []) {
  return async (row: TestRow, slot: { pacer: { admit(purpose: 'send'): Promise<boolean> } }) => {
    if (!(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent', attempts: 0 });
    sent.push(row.row);
    return (ends[row.row - 1] ?? (() => answered()))();
  };
}

const ok = () => answered();
const denied = () => rejected(401);
const forbidden = () => rejected(403);
const missing = () => rejected(404);
const unread = (code: FailureCode) => () => failed(code);
const times = (count: number, end: () => CallResult) => Array.from({ length: count }, () => end);

it.each<[string, readonly (() => CallResult)[], number[], number]>([
  ['K6 at the first 401', [denied], [1], 4],
  ['at a 401 after successes', [ok, ok, denied], [1, 2, 3], 4],
  ['K6 at a 403 when no row has succeeded', [missing, forbidden], [1, 2], 5],
  ['at the fifth consecutive 403', [ok, ...times(5, forbidden)], [1, 2, 3, 4, 5, 6], 5],
  ['K7 at the fifth consecutive unsent row', [ok, ...times(5, unreachable)], [1, 2, 3, 4, 5, 6], 15],
  ['at the fifth row that could not be sent, when none could', times(5, unreachable), [1, 2, 3, 4, 5], 7],
  [
    'at five unsent rows, others held back between',
    [ok, unreachable, unreachable, heldBack, unreachable, unreachable, unreachable],
    [1, 2, 3, 4, 5, 6, 7],
    15,
  ],
  ['when the credential is bad', [() => failed('USAGE', { outcome: 'not_sent' })], [1], 2],
])('a run of many rows stops %s', async (_name, ends, sentRows, exitCode) => {
  const sent: number[] = [];
  const plan = planOf(9, script(ends, sent));
  const report = await runRows(plan);
  expect([sent, report.exitCode]).toEqual([sentRows, exitCode]);
  expect(report.state).toBe('stopped');
  expect(plan.printed.map((result) => result.row.row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(plan.printed[8]).toMatchObject({ callOutcome: { outcome: 'not_sent', attempts: 0 }, source: 'not_reached' });
});

it.each<[string, readonly (() => CallResult)[], number]>([
  ['at 403s about rows', [ok, ...times(4, forbidden), ok, ...times(3, forbidden)], 15],
  ['at rows held back', times(9, heldBack), 15],
  ['at rejected rows', times(9, () => rejected(404, 'CARD_NOT_FOUND')), 15],
  ['at unsent rows with an answer between them', [...times(4, unreachable), ok, ...times(4, unreachable)], 15],
  ['at 404s and a 403 after a success', [ok, ...times(4, missing), forbidden], 15],
  ['at 403s with a 404 between', [ok, ...times(4, forbidden), missing, ...times(3, forbidden)], 15],
  ['at unsent rows with a 404 between', [...times(4, unreachable), missing, ...times(4, unreachable)], 15],
  ['when all succeed', [], 0],
  ['at unknown rows', [unknown, ok, unknown], 8],
  ['at nine unknown rows', times(9, unknown), 8],
  ['at nine rows that are unknown or were not sent', [...times(4, unreachable), ...times(5, unknown)], 8],
  ['at a few unsent rows that are all there is to tell', [...times(2, unreachable), ...times(7, heldBack)], 15],
])('a run of many rows stops not %s', async (_name, ends, exitCode) => {
  const sent: number[] = [];
  const report = await runRows(planOf(9, script(ends, sent)));
  expect([sent, report.exitCode]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], exitCode]);
  expect(report.stop?.kind).toBeUndefined();
});

it.each<[string, readonly (() => CallResult)[], number, number, string | undefined]>([
  ['at the fifth read of a service that is not there', times(9, unread('UNREACHABLE')), 5, 7, 'unreachable'],
  [
    'at the fifth consecutive one, after reads that were answered',
    [ok, ...times(4, unread('UNREACHABLE')), ok, ...times(5, unread('UNREACHABLE'))],
    11,
    15,
    'unreachable',
  ],
  ['at a read with a bad credential', [unread('AUTH')], 1, 4, 'refused'],
  ['at a read that meets a bug', [ok, unread('INTERNAL')], 2, 1, 'broken'],
  ['at a read that cannot be kept', [ok, unread('LOCAL_IO')], 2, 16, 'broken'],
  ['not at reads of cards that are not there', times(12, unread('NOT_FOUND')), 12, 15, undefined],
])('a run of many rows stops %s', async (_name, ends, reads, exitCode, kind) => {
  const sent: number[] = [];
  const report = await runRows(planOf(12, script(ends, sent), { isWrite: false, command: 'card.get' }));
  expect(sent).toHaveLength(reads);
  expect(report).toMatchObject({ exitCode, state: kind === undefined ? 'finished' : 'stopped' });
  expect(report.stop?.kind).toBe(kind);
});

it('a run of many rows stops at the fifth consecutive row that was not sent, whatever kept it back', () => {
  const rules = new StopRules(undefined, 0);
  const about = { command: 'card.block', isWrite: true, mayHaveLeft: false };
  const busy = () => rules.ended(sentResult({ row: 1, id: 'card-1' }, failed('BUSY', { outcome: 'not_sent' }), about));
  expect([busy(), busy(), busy(), busy()]).toEqual([undefined, undefined, undefined, undefined]);
  expect(busy()).toMatchObject({ kind: 'unreachable' });
});

it('a run of many rows stops not at a 403 when rows of an earlier process and of this one have succeeded', () => {
  const rules = new StopRules(undefined, 1);
  const about = { command: 'card.block', isWrite: true, mayHaveLeft: true };
  const row = { row: 1, id: 'card-1' };
  expect(rules.ended(sentResult(row, answered(), about))).toBeUndefined();
  expect(rules.ended(sentResult(row, rejected(403), about))).toBeUndefined();
});

it.each<[string, readonly (() => CallResult)[], number, string]>([
  ['K7 at the tenth consecutive unknown row', times(20, unknown), 10, 'lost'],
  ['at the tenth after an answer', [...times(9, unknown), missing, ...times(12, unknown)], 20, 'lost'],
  ['at the tenth that is unknown or was not sent', [...times(4, unreachable), ...times(12, unknown)], 10, 'lost'],
  ['at the tenth unknown, one held back', [...times(5, unknown), heldBack, ...times(12, unknown)], 11, 'lost'],
  ['at the fifth not sent, unknown between', [...times(4, unreachable), unknown, unreachable], 6, 'unreachable'],
])('K8 a run of many rows stops %s, with exit code 8 and the rest to do', async (_name, ends, rows, kind) => {
  const sent: number[] = [];
  const report = await runRows(planOf(40, script(ends, sent)));
  expect(sent).toHaveLength(rows);
  expect(report).toMatchObject({ exitCode: 8, state: 'stopped', stop: { kind } });
});

it('a run of many rows stops with the rest refused for what is missing, and not as a service that cannot be reached', () => {
  const failure = new Failure('OUTCOME_UNKNOWN', 'no answer came');
  const codes = (['lost', 'unreachable'] as const).map((kind) => outage(kind, 10, failure).failure.code);
  expect(codes).toEqual(['PARTIAL', 'UNREACHABLE']);
});

it('a run of many rows stops at --max-failures, and not before', async () => {
  const sent: number[] = [];
  const ends = [missing, ok, unknown, heldBack];
  const { exitCode, stop } = await runRows(planOf(9, script(ends, sent), { maxFailures: 3 }));
  expect([sent, exitCode]).toEqual([[1, 2, 3, 4], 8]);
  expect(stop).toMatchObject({ kind: 'max_failures', reason: '3 rows failed (--max-failures)' });
});

it('a run of many rows stops when the service asks for a pause of more than fifteen minutes, that row not sent', async () => {
  const sent: number[] = [];
  const send = admitting(({ row }, { pacer }) => {
    sent.push(row);
    return pacer.refused(901_000, 901_000)
      ? answered()
      : failed('BUSY', { outcome: 'not_sent', http: { status: 429 } });
  });
  const plan = planOf(3, send);
  const { exitCode, stop } = await runRows(plan);
  expect([sent, exitCode]).toEqual([[1], 15]);
  expect(stop).toMatchObject({ kind: 'busy', reason: 'the service asked for a pause of 15 min 1 s' });
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['not_sent', 'not_sent', 'not_sent']);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a signal: %s lets the row in flight finish and ends with %d', async (signal, exitCode) => {
  const signals = new FakeSignals();
  const send = admitting(({ row }) => {
    if (row === 2) signals.send(signal);
    return answered();
  });
  const plan = planOf(3, send, { signals });
  expect((await runRows(plan)).exitCode).toBe(exitCode);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['applied', 'applied', 'not_sent']);
});

it('a signal that comes when every row is done still ends the run, so that a loop of the shell stops', async () => {
  const signals = new FakeSignals();
  const send = async () => {
    signals.send('SIGINT');
    return answered();
  };
  expect(await runRows(planOf(1, send, { signals }))).toMatchObject({ exitCode: 130, stop: undefined });
});

it('a signal gives a request in flight five seconds, then its outcome is unknown', async () => {
  const [clock, signals] = [new FakeClock(), new FakeSignals()];
  const send = admitting((_row, { abort }) => {
    const end = new Promise<CallResult>((resolve) => abort.addEventListener('abort', () => resolve(unknown())));
    signals.send('SIGINT');
    return end;
  });
  const plan = planOf(2, send, { signals, clock });
  expect([(await runRows(plan)).exitCode, clock.monotonic()]).toEqual([8, 5_000]);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['unknown', 'not_sent']);
});

it('a signal ends a pause, and the rows that wait in it are not reached', async () => {
  const signals = new FakeSignals();
  const send = admitting(async (_row, { pacer }) => {
    pacer.refused(60_000, 60_000);
    const again = pacer.admit('send');
    signals.send('SIGTERM');
    return (await again) ? answered() : failed('CANCELLED', { outcome: 'not_sent' });
  });
  const plan = planOf(2, send, { signals });
  expect((await runRows(plan)).exitCode).toBe(143);
  const ends = plan.printed.map(({ callOutcome: { outcome, attempts } }) => `${outcome} ${attempts}`);
  expect(ends).toEqual(['not_sent 1', 'not_sent 0']);
});

const gone = () => Promise.reject(new StreamFailure('EPIPE', 'write EPIPE'));

it('K11 stdout that cannot be written does not end a write when its reader went away', async () => {
  const sent: number[] = [];
  const report = await runRows(planOf(5, script([], sent), { emit: gone }));
  expect(report).toMatchObject({ exitCode: 0, isOutputLost: true, state: 'finished' });
  expect(sent).toEqual([1, 2, 3, 4, 5]);
});

it('a stdout that cannot be written is distinguished from a file of failed rows that cannot be written', async () => {
  const plan = planOf(500, script([]), { persist: () => Promise.reject(new Failure('LOCAL_IO', 'no space left')) });
  expect(await runRows(plan)).toMatchObject({ exitCode: 16, state: 'stopped', isOutputLost: false });
  expect(plan.printed).toHaveLength(500);
});

it.each([
  ['in a row that was sent leaves it unknown and stops the run', true, 8, 'unknown'],
  ['before anything was sent ends with 1', false, 1, 'not_sent'],
] as const)('a bug %s', async (_what, isSent, exitCode, outcome) => {
  const bug = () => {
    throw new TypeError('x is not a function');
  };
  const plan = planOf(3, isSent ? admitting(bug) : bug);
  expect((await runRows(plan)).exitCode).toBe(exitCode);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual([outcome, 'not_sent', 'not_sent']);
});

const about = { command: 'card.block', isWrite: true, mayHaveLeft: true };

it('a printed row has row, id, outcome, httpStatus, attempts and the resource', () => {
  const result = sentResult({ row: 1, id: 'c' }, answered(new Map([['cardId', 'c']])), about);
  const printed = '{"row":1,"id":"c","outcome":"applied","httpStatus":200,"attempts":1,"resource":{"cardId":"c"}}';
  expect(printJson(printedRow(result))).toBe(printed);
});

it('a printed row has the error in place of the resource, in the shape of any error', () => {
  const result = sentResult({ row: 7, id: 'card-7' }, rejected(404, 'CARD_NOT_FOUND'), about);
  expect(printJson(printedRow(result))).toBe(
    '{"row":7,"id":"card-7","outcome":"rejected","httpStatus":404,"attempts":1,"error":{"code":"NOT_FOUND",' +
      '"exitCode":3,"message":"could not block card card-7: it ended as NOT_FOUND. Nothing was changed.","operation":"card.block","id":"card-7","outcome":"rejected",' +
      '"http":{"status":404},"service":{"errorCode":"CARD_NOT_FOUND"},"attempts":1,"row":7}}',
  );
});

it('a printed row has the id in the answer that can be had nowhere else', () => {
  const result = sentResult({ row: 1, id: undefined }, answered(new Map(), 'event-9'), about);
  expect(printJson(printedRow(result))).toBe(
    '{"row":1,"id":null,"outcome":"applied","httpStatus":200,"attempts":1,"resource":{},"resultId":"event-9"}',
  );
  expect(printJson(storedRow(result))).toBe(
    '{"row":1,"id":null,"outcome":"applied","httpStatus":200,"attempts":1,"error":null,"resultId":"event-9"}',
  );
});

it('the summary says that results are kept only where they are: a read keeps nothing', async () => {
  const gone = () => Promise.reject(new StreamFailure('EPIPE', 'write EPIPE'));
  const report = await runRows(planOf(2, async () => answered(), { emit: gone }));
  const read = { operation: OPERATIONS.cardGet, stored: undefined };
  expect(summaryLines(read, report)).toContain('the program that reads the output stopped reading');
  expect(summaryLines({ ...read, stored: { header: { run: 'monday' } } }, report)).toContain(
    'the program that reads the output stopped reading. The results are kept in the run',
  );
});

async function summaryOf(ends: readonly CallResult[], stopAfter?: number) {
  const signals = new FakeSignals();
  const plan = planOf(
    ends.length,
    admitting((row, slot) => {
      if (ends[row.row - 1]?.callOutcome.outcome !== 'not_sent') slot.pacer.leaves?.();
      if (row.row === stopAfter) signals.send('SIGINT');
      return ends[row.row - 1] ?? answered();
    }),
    { signals },
  );
  return { operation: OPERATIONS.cardBlock, stored: { header: { run: 'may' } }, report: await runRows(plan) };
}

it('the summary has a line for each outcome with its causes, and one command that lists what did not succeed', async () => {
  const expired = rejected(422, 'CARD_EXPIRED');
  const input = await summaryOf([answered(), expired, expired, rejected(404, 'CARD_NOT_FOUND'), heldBack()]);
  expect(summaryLines(input, input.report)).toEqual([
    '5 cards, run may, 0 s',
    '  1 applied',
    '  3 rejected: 2 CARD_EXPIRED, 1 CARD_NOT_FOUND',
    '  1 not sent: 1 PRECONDITION',
    'All 4 rows: frontdesk runs results may --outcome rejected,not_sent',
  ]);
  expect(printJson(summaryJson(input, input.report))).toBe(
    '{"summary":{"run":"may","rows":5,"outcomes":{"applied":1,"rejected":3,"not_sent":1},"requests":4,"earlier":0,' +
      '"exitCode":15,"resume":null}}',
  );
});

it('the summary gives what the service said where an outcome has one cause, in the same words for all its rows', async () => {
  const service = new Map(Object.entries({ errorCode: 'TRY_LATER', message: 'Back at noon' }));
  const input = await summaryOf([
    rejected(409, 'CARD_EXPIRED', 'The card ended in May'),
    rejected(409, 'CARD_EXPIRED', 'The card ended in June'),
    failed('OUTCOME_UNKNOWN', { outcome: 'unknown', http: { status: 503 }, service }),
  ]);
  expect(summaryLines(input, input.report).slice(1, 3)).toEqual([
    '  2 rejected: 2 CARD_EXPIRED',
    '  1 UNKNOWN: 1 TRY_LATER: "Back at noon"; may have been applied',
  ]);
});

it('the summary names a command once that lists unknown rows and resumes', async () => {
  const input = { ...(await summaryOf([unknown()])), operation: OPERATIONS.cardReissue };
  expect(summaryLines(input, input.report).slice(1)).toEqual([
    '  1 UNKNOWN: 1 no response; may have been applied',
    'Next: frontdesk runs results may --outcome unknown',
  ]);
});

it('the summary gives the command that resumes a run that was stopped', async () => {
  const input = await summaryOf([answered(), answered(), answered()], 1);
  expect(summaryLines(input, input.report).slice(1)).toEqual([
    '  1 applied',
    '  2 not sent: 2 not reached',
    'stopped: Ctrl-C',
    'Next: frontdesk runs resume may',
    'All 2 rows: frontdesk runs results may --outcome not_sent',
  ]);
  expect(printJson(summaryJson(input, input.report))).toBe(
    '{"summary":{"run":"may","rows":3,"outcomes":{"applied":1,"not_sent":2},"requests":1,"earlier":0,' +
      '"exitCode":130,"resume":"frontdesk runs resume may"}}',
  );
});

it('the summary says what to do with unknown rows, and quotes codes from outside, which its writer makes safe', async () => {
  const input = await summaryOf([unknown(), rejected(400, 'A\u001b[31mB')]);
  const lines = summaryLines({ ...input, left: { emptyCells: new Map([['email', 12]]), unchanged: 3 } }, input.report);
  expect(lines.slice(1)).toEqual([
    '  1 rejected: 1 "A\u001b[31mB"',
    '  1 UNKNOWN: 1 no response; may have been applied',
    '3 rows without a change, not sent',
    'empty cells not sent: 12 in email',
    'Next, which reads 1 card and sends nothing: frontdesk runs resume may --reconcile',
    'All 2 rows: frontdesk runs results may --outcome rejected,unknown',
  ]);
});

const done = (call: CallResult, source: RowResult['source'] = 'sent'): RowResult => ({
  ...sentResult({ row: 1, id: 'x' }, call, about),
  source,
});

function progressOf(total: number, results: readonly RowResult[], more: Partial<Underway> = {}): Progress {
  const progress = new Progress(total, 0);
  const tally = new RunTally();
  for (const result of results) tally.add(result, false);
  progress.run = { tally, limiter: { askedUntilMs: 0 }, waitedFor: () => undefined, ...more };
  return progress;
}

it('progress shows done, rate, failures and the time left', () => {
  expect(new Progress(1000, 0).text(0)).toBe('0/1,000 rows (0 %)');
  const limiter = { askedUntilMs: 0 };
  const applied = Array.from({ length: 100 }, () => done(answered()));
  const progress = progressOf(1000, [...applied, done(rejected(404)), done(answered(), 'journal')], { limiter });
  expect(progress.text(2_000)).toBe('102/1,000 rows (10 %), 50.5 rows/s, 1 rejected, 18 s left');
  limiter.askedUntilMs = 14_000;
  expect(progress.text(2_000)).toBe(
    '102/1,000 rows (10 %), 50.5 rows/s, the service asked for a pause (429) of 12 s more, 1 rejected, 30 s left',
  );
  expect(progress.text(14_000)).toBe('102/1,000 rows (10 %), 7.2 rows/s, 1 rejected, 2 min 5 s left');
});

it('progress counts rejected and unknown rows by name, and rows that were not reached not at all', () => {
  const left = Array.from({ length: 7 }, () => done(unreachable(), 'not_reached'));
  const progress = progressOf(10, [done(rejected(409)), done(unknown()), done(unreachable()), ...left]);
  expect(progress.text(500)).toBe('3/10 rows (30 %), 1 UNKNOWN, 1 rejected, 1 not sent');
});

it('progress names the row that is waited for, and says why no more are sent', () => {
  const waited = { row: 1, ms: 12_900, inFlight: 3, isFull: false };
  const results = Array.from({ length: 996 }, () => done(answered()));
  const waiting = progressOf(1000, results, { waitedFor: () => waited });
  expect(waiting.text(10_000)).toBe('996/1,000 rows (99 %), 99.6 rows/s, waiting 12 s for row 1, 1 s left');
  const full = progressOf(1000, results, { waitedFor: () => ({ ...waited, inFlight: 4, isFull: true }) });
  expect(full.text(10_000)).toBe(
    '996/1,000 rows (99 %), 99.6 rows/s, waiting 12 s for row 1, no new rows until it ends, because the waiting results fill the memory',
  );
});

const source = (row: number, values: readonly string[]) => cardRow(row, values);
const names = ['cardId', 'reason', '_outcome'];

function optionsFor(path: string, more: Partial<FailedFileOptions> = {}): FailedFileOptions {
  const written = { inputFormat: 'csv', columns: names, shape: CARD_SHAPE, csvRaw: false };
  return { path, ...written, isStored: true, pid: process.pid, ...more };
}

it('--failed holds the rows that did not succeed with all their columns, once each', async () => {
  const path = join(temporaryFolder(), 'failed.csv');
  const file = await openFailedFile(optionsFor(path));
  await file.add(sentResult(source(1, ['card-1', 'ok', '']), answered(), about));
  await file.add(sentResult(source(2, ['card-2', '=lost, "twice"', 'rejected']), rejected(404), about));
  await file.add(sentResult(source(3, ['card-3', '', '']), unreachable(), about));
  expect(existsSync(path)).toBe(false);
  await file.keep();
  expect(readFileSync(path, 'utf8')).toBe(
    'cardId,reason,_row,_outcome,_error\r\n' +
      'card-2,"\'=lost, ""twice""",2,rejected,NOT_FOUND: could not block card card-2: it ended as NOT_FOUND. Nothing was changed.\r\n' +
      'card-3,,3,not_sent,UNREACHABLE: could not block card card-3: it ended as UNREACHABLE. Nothing was sent.\r\n',
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

const UNKNOWN =
  '{"cardId":"card-2","url":null,"_row":2,"_outcome":"unknown","_error":"OUTCOME_UNKNOWN: OUTCOME UNKNOWN - block card card-2. it ended as OUTCOME_UNKNOWN"}';

it.each([
  ['failed.ndjson', `${UNKNOWN}\n`],
  ['failed.json', `[\n${UNKNOWN}\n]\n`],
])('--failed keeps null and absent apart in %s', async (name, text) => {
  const path = join(temporaryFolder(), name);
  const shape: RowShape = { ...CARD_SHAPE, form: 'json', columns: [] };
  const file = await openFailedFile(optionsFor(path, { inputFormat: 'ndjson', shape }));
  const given = new Map(Object.entries({ cardId: 'card-2', url: null }));
  await file.add(sentResult(cardRow(2, given, shape), unknown(), about));
  await file.keep();
  expect(readFileSync(path, 'utf8')).toBe(text);
});

it('--failed replaces an old file only at the end, and not at all when it is discarded', async () => {
  const path = join(temporaryFolder(), 'failed.csv');
  const old = 'cardId,_row,_outcome,_error\n';
  writeFileSync(path, old);
  await (await openFailedFile(optionsFor(path))).discard();
  expect(readFileSync(path, 'utf8')).toBe(old);
  await (await openFailedFile(optionsFor(path))).keep();
  expect(readFileSync(path, 'utf8')).toBe('cardId,reason,_row,_outcome,_error\r\n');
  expect(readdirSync(join(path, '..'))).toEqual(['failed.csv']);
});

it('--failed writes into a device and does not replace it', async () => {
  const path = '/dev/null';
  const file = await openFailedFile(optionsFor(path));
  await file.add(sentResult(source(2, ['card-2', '', '']), unknown(), about));
  await file.keep();
  expect(statSync(path).isCharacterDevice()).toBe(true);
});

it.each([
  ['a JSON input into a CSV', { inputFormat: 'json' } as const, 'failed.csv', 'USAGE'],
  ['a CSV input into NDJSON', {}, 'failed.ndjson', 'USAGE'],
  ['a folder that is missing', {}, join('nowhere', 'failed.csv'), 'LOCAL_IO'],
])('--failed refuses %s before anything is sent', async (_what, more, name, code) => {
  await expect(openFailedFile(optionsFor(join(temporaryFolder(), name), more))).rejects.toMatchObject({ code });
});

it('--failed gives back an original row with its outcome for --as-input', () => {
  const result = sentResult(source(2, ['card-2', 'lost', 'rejected']), unknown(), about);
  expect(printJson(inputRow(result, new RowMaker(CARD_SHAPE), false))).toBe(
    '{"cardId":"card-2","reason":"lost","_outcome":"unknown"}',
  );
});

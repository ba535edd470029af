import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { RowMaker, type RowShape } from '../../../src/input/rows/row.ts';
import { type RowResult, sentResult } from '../../../src/records/row-outcome.ts';
import { printedRow, storedRow } from '../../../src/records/row-result.ts';
import { type FailedFileOptions, inputRow, openFailedFile } from '../../../src/runs/failed-file.ts';
import { Progress, type Underway } from '../../../src/runs/progress.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import { RunTally } from '../../../src/runs/run-tally.ts';
import { summaryJson, summaryLines } from '../../../src/runs/summary.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { temporaryFolder } from '../base/files/place.ts';
import {
  admitting,
  answered,
  CARD_SHAPE,
  cardRow,
  FakeSignals,
  failed,
  heldBack,
  planOf,
  rejected,
  unknown,
  unreachable,
} from './fakes.ts';

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
  const results = [...applied, done(rejected(404)), done(answered(), 'journal')];
  const progress = progressOf(1000, results, { limiter });
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
  const discarded = await openFailedFile(optionsFor(path));
  await discarded.discard();
  expect(readFileSync(path, 'utf8')).toBe(old);
  const kept = await openFailedFile(optionsFor(path));
  await kept.keep();
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
  const opening = openFailedFile(optionsFor(join(temporaryFolder(), name), more));
  await expect(opening).rejects.toMatchObject({ code });
});

it('--failed gives back an original row with its outcome for --as-input', () => {
  const result = sentResult(source(2, ['card-2', 'lost', 'rejected']), unknown(), about);
  expect(printJson(inputRow(result, new RowMaker(CARD_SHAPE), false))).toBe(
    '{"cardId":"card-2","reason":"lost","_outcome":"unknown"}',
  );
});

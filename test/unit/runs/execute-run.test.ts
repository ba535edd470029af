import { expect, it } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure } from '../../../src/base/failure.ts';
import type { Row } from '../../../src/input/rows/row.ts';
import { begin, doRows, executeRun } from '../../../src/runs/execute-run.ts';
import type { FailedFile } from '../../../src/runs/failed-file.ts';
import { runColumns } from '../../../src/runs/row-requests.ts';
import { type Run, startRun } from '../../../src/runs/run.ts';
import type { RowSlot } from '../../../src/runs/run-task.ts';
import { isWrite, type Operation } from '../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { type Bench, cardId, cardRows, failureOf, openBench } from '../../support/session-bench.ts';
import { answer, card } from '../service/http/fakes.ts';
import { answered, ended, failed, rejected, runPlan, unreachable } from './fakes.ts';

/** Rows of cards as they are sent without a look at the card. */
function rowsOf(count: number): readonly Row[] {
  return cardRows(count, { reason: 'lost' }).map((row) => ({
    ...row,
    drift: undefined,
    params: { cardId: row.id },
    expects: [],
    input: [row.id, 'lost'],
  })) as unknown as readonly Row[];
}

/** A file of failed rows that notes what is done with it. */
function failedFile(fails: Partial<FailedFile> = {}) {
  const done: string[] = [];
  const file: FailedFile = {
    add: async ({ row }) => void done.push(`add ${row.row}`),
    keep: async () => void done.push('keep'),
    discard: async () => void done.push('discard'),
    ...fails,
  };
  return { file, done };
}

/** A run of so many rows, or of these. Of a read nothing is kept. */
async function runOf(bench: Bench, of: number | readonly Row[], more: Partial<Run> = {}): Promise<Run> {
  const sent = typeof of === 'number' ? rowsOf(of) : of;
  const rowCount = sent.length;
  const { operation = OPERATIONS.cardBlock } = more;
  bench.session.permitWrites(operation);
  const place = { operation: operation.command, host: 'https://api.example.com' };
  const planned = runPlan({ rows: rowCount, inputRows: rowCount, ...place });
  const stored = isWrite(operation) ? await startRun(bench.session, { ...planned, name: 'r' }) : undefined;
  const rows = async function* () {
    yield sent;
  };
  return { operation, rows, rowCount, pace: {}, stored, columns: runColumns(operation), ...more };
}

/** As if an earlier process left the first row unknown. */
async function leaveUnknown({ stored }: Run): Promise<void> {
  const row = { row: 1, id: cardId(1) };
  await stored?.journal.intent(row);
  await stored?.journal.result(row, ended({ outcome: 'unknown' }));
}

const posts = (count: number) => rowsOf(count).map(({ id }) => `POST /v1/cards/${id}/block {"reason":"lost"}`);
const SUMMARY = { output: { format: 'json' } } as const;

const sending =
  (end: CallResult) =>
  async (_row: Row, { pacer }: RowSlot) => {
    await pacer.admit('send');
    return end;
  };

/** What was reported before the summary, if there is one. */
const noticesOf = (bench: Bench): readonly { readonly code: string; readonly message: string }[] =>
  [...bench.stderr().matchAll(/^{"notice":.*$/gm)].map(([line]) => JSON.parse(line).notice);
const summaryOf = (bench: Bench) => JSON.parse(bench.stderr().trimEnd().split('\n').at(-1) ?? '').summary;

it('a run sends its rows, keeps their record with its reasons, and says what they came to', async () => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  expect(await executeRun(bench.session, await runOf(bench, 2, { failedFile: file }))).toBe(0);
  expect([bench.sent, done]).toEqual([posts(2), ['add 1', 'add 2', 'keep']]);
  expect(summaryOf(bench)).toMatchObject({ rows: 2, exitCode: 0 });
  expect(bench.read('state', 'runs', 'r', 'journal.jsonl')).toContain('"reason":"lost"');
  expect(bench.names('state', 'runs', 'r')).not.toContain('lock');
  expect(JSON.parse(bench.stdout()).map(({ outcome }: { outcome: string }) => outcome)).toEqual(['applied', 'applied']);
});

it('a run stops at so many failures, and at that rate', async () => {
  const bench = openBench({ ...SUMMARY, respond: () => answer(422) });
  const run = await runOf(bench, 5, { pace: { maxFailures: { rows: 2 }, rate: 1 } });
  expect([await executeRun(bench.session, run), bench.sent]).toEqual([15, posts(2)]);
  expect(bench.clock.ms).toBeGreaterThanOrEqual(1000);
});

it('a run holds at most as many requests at once as it may', async () => {
  const bench = openBench({ ...SUMMARY, concurrency: 3 });
  let [inFlight, most] = [0, 0];
  const run = await runOf(bench, 6);
  const send = async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await bench.clock.sleep(10);
    inFlight -= 1;
    return answered();
  };
  await doRows(bench.session, run, { isWrite: true, send });
  expect(most).toBe(3);
});

function sendTwice({ signals }: Bench): void {
  for (let time = 0; time < 2; time += 1) signals.send('SIGINT');
}

it('P8 a signal during a run is announced once, and lets what is in flight finish', async () => {
  const respond = (_line: string, count: number) =>
    (count === 1 ? bench.signals.send('SIGTERM') : undefined) ?? undefined;
  const bench: Bench = openBench({ ...SUMMARY, respond });
  expect([await executeRun(bench.session, await runOf(bench, 3)), bench.sent]).toEqual([143, posts(1)]);
  const [first = ''] = bench.stderr().split('\n');
  const message = 'SIGTERM: starting no new rows. Waiting up to 5 s for requests in progress (again to stop at once)';
  expect(JSON.parse(first).notice).toEqual({ code: 'INTERRUPTED', message });
  expect(summaryOf(bench)).toMatchObject({ exitCode: 143 });
  // The summary waits for no reader that stands still: nobody may send a second signal.
  expect(bench.asked).toContain('drop stalled readers');
});

it('a signal that comes again is not announced again, and a loop of the shell is named where an outcome is unknown', async () => {
  const respond = () => {
    sendTwice(bench);
    return answer(500);
  };
  const bench = openBench({ ...SUMMARY, respond });
  await executeRun(bench.session, await runOf(bench, 2));
  expect(bench.stderr().split('Ctrl-C: starting no new rows')).toHaveLength(2);
  expect(bench.stderr()).toContain('a loop of the shell may go on after this');
  expect(bench.asked).toEqual(['drop stalled readers', 'drop stalled readers']);
});

it.each([
  ['a signal', 'SIGTERM', 143],
  ['an error that nothing caught', 'Ctrl-C', 130],
])('%s before the run listens prints no row behind its report, and gives the run back', async (_, words, exitCode) => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  const run = await runOf(bench, 2, { failedFile: file });
  // What an earlier process left as unknown would be printed, and the report of the signal ends with another code.
  await leaveUnknown(run);
  if (words === 'SIGTERM') bench.signals.send(words);
  else bench.state.isCrashing = true;
  const failure = await failureOf(executeRun(bench.session, run));
  expect(failure).toMatchObject({ code: 'CANCELLED', exitCode, message: `cancelled by ${words}. Nothing was sent.` });
  expect([bench.stdout(), bench.sent, done]).toEqual(['', [], ['discard']]);
  expect(bench.names('state', 'runs', 'r')).not.toContain('lock');
});

it.each([
  [0, 130],
  [8, 8],
])('a signal after the last row lets a run say that it exits with %i, a second with %i', async (code, atOnce) => {
  const { file } = failedFile();
  const bench = openBench({ ...SUMMARY, respond: () => (code === 8 ? answer(500) : undefined) });
  const run = await runOf(bench, 1, { failedFile: { ...file, keep: async () => sendTwice(bench) } });
  expect(await executeRun(bench.session, run)).toBe(code);
  expect(bench.stderr()).toContain('too late to cancel: the command has finished, and its result follows');
  expect(summaryOf(bench)).toMatchObject({ exitCode: code });
  expect(bench.asked).toContain(`exit with ${atOnce}`);
});

it('a second signal before it is known how a run ended counts an outcome as unknown (8)', async () => {
  const bench = openBench(SUMMARY);
  const run = await runOf(bench, 1);
  Object.assign(run.stored?.journal ?? {}, { end: async () => sendTwice(bench) });
  await executeRun(bench.session, run);
  expect(bench.asked).toContain('exit with 8');
});

const writeFails = (errno: string) => async () => {
  throw new StreamFailure(errno, `write ${errno}`);
};

it.each([
  ['results that cannot be written are in the run, as the message says, which exits with 16', true, 16],
  ['results of a read that cannot be written are reported as lost', false, 16],
  ['results that cannot be written do not hide that an outcome is unknown (8)', true, 8],
])('%s', async (_what, isKept, code) => {
  const respond = () => (code === 8 ? answer(500) : undefined);
  const bench = openBench({ ...SUMMARY, write: writeFails('ENOSPC'), respond });
  const run = await runOf(bench, 1, isKept ? {} : { operation: OPERATIONS.cardGet });
  expect(await executeRun(bench.session, run)).toBe(code);
  const told = 'could not write the results to stdout: no space left on the device (ENOSPC)';
  expect(bench.stderr().split(told)).toHaveLength(2);
  expect(bench.stderr().includes('The results so far are kept in the run.')).toBe(isKept);
  expect(bench.stderr()).not.toContain('stopped reading');
  expect(summaryOf(bench)).toMatchObject({ exitCode: code });
});

it('results that cannot be written for a reader that went away do not change how the run ends', async () => {
  const bench = openBench({ ...SUMMARY, write: writeFails('EPIPE') });
  expect(await executeRun(bench.session, await runOf(bench, 1))).toBe(0);
  expect(bench.stderr()).not.toContain('could not be written');
});

const lost = () => Promise.reject(new Failure('LOCAL_IO', 'there is no room'));

it('a row whose end cannot be recorded is named with its outcome and the ID in the response', async () => {
  const bench = openBench({ ...SUMMARY, respond: () => answer(200, card('ACTIVE', { cardId: cardId(9) })) });
  bench.session.permitWrites(OPERATIONS.cardReissue);
  const run = await runOf(bench, 1, { operation: OPERATIONS.cardReissue });
  if (run.stored !== undefined) run.stored.journal.result = lost;
  await executeRun(bench.session, run);
  const [first = ''] = bench.stderr().split('\n');
  const what = `row 1: card reissue of ${rowsOf(1)[0]?.id} ended applied`;
  const message = `${what}, and that could not be recorded. The ID in the response is ${cardId(9)}`;
  expect(JSON.parse(first).notice).toEqual({ code: 'UNRECORDED', message });
  expect(summaryOf(bench)).toMatchObject({ unrecorded: 1, outcomes: { unknown: 1 } });
});

it.each([
  ['ends the run with 16', 16],
  ['does not hide that an outcome is unknown (8)', 8],
])('a file of failed rows that cannot be put in its place %s', async (_what, code) => {
  const bench = openBench({ ...SUMMARY, respond: () => (code === 8 ? answer(500) : undefined) });
  const { file, done } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(code);
  expect(done).toEqual(['add 1']);
  expect(noticesOf(bench)).toContainEqual({ code: 'LOCAL_IO', message: 'there is no room' });
  expect(summaryOf(bench)).toMatchObject({ exitCode: code });
});

it('a file of failed rows and results that cannot be written are both reported, once', async () => {
  const bench = openBench({ ...SUMMARY, write: writeFails('EIO') });
  const { file } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(16);
  for (const told of ['(EIO)', 'there is no room']) expect(bench.stderr().split(told)).toHaveLength(2);
});

const full = new StreamFailure('ENOSPC', 'write ENOSPC');
const FULL = 'could not write the results to stdout: no space left on the device (ENOSPC)';
const KEPT = '. The results so far are kept in the run.';

it.each([
  ['a reader that went away changes nothing', answered(), new StreamFailure('EPIPE', ''), 0, []],
  ['a full disk is reported (16), and where the results are', answered(), full, 16, [`${FULL}${KEPT}`]],
  ['a full disk is reported of a read', answered(), full, 16, [FULL], false],
  ['a workbook without a row is reported (15)', answered(), new Failure('PARTIAL', 'a row'), 15, ['a row']],
  ['a workbook without a row counts less than rows (7)', unreachable(), new Failure('PARTIAL', 'a row'), 7, ['a row']],
  ['a lost file counts more than rows (16)', rejected(422), new Failure('LOCAL_IO', 'no room'), 16, ['no room']],
  ['a query that fits not everywhere counts (15)', answered(), undefined, 15, []],
  ['a query that fits not everywhere counts less than rows (7)', unreachable(), undefined, 7, []],
])('when the output ends, %s', async (_what, reply, error, exitCode, told, isKept = true) => {
  const bench = openBench(SUMMARY);
  const nothing = async () => undefined;
  const close = () => (error === undefined ? nothing() : Promise.reject(error));
  const printing = { sink: nothing, writer: { row: nothing, flush: nothing, close } };
  Object.assign(bench.session, { isPartial: () => error === undefined });
  const run = await runOf(bench, 1, isKept ? {} : { operation: OPERATIONS.cardGet });
  const report = await doRows(bench.session, run, { isWrite: isKept, send: sending(reply), printing });
  expect([report.exitCode, noticesOf(bench).map(({ message }) => message)]).toEqual([exitCode, told]);
});

it.each([
  [cardId(1), undefined, ` of ${cardId(1)} ended applied, and that could not be recorded`],
  [undefined, 'new-1', ' ended applied, and that could not be recorded. The ID in the response is new-1'],
])('a row whose end cannot be recorded is named with what it made (%#)', async (id, resultId, told) => {
  const bench = openBench(SUMMARY);
  const rows = rowsOf(1).map((row) => ({ ...row, id }));
  const run = await runOf(bench, rows);
  Object.assign(run.stored?.journal ?? {}, { result: lost });
  await doRows(bench.session, run, { isWrite: true, send: sending(answered(undefined, resultId)) });
  expect(noticesOf(bench)).toContainEqual({ code: 'UNRECORDED', message: `row 1: card block${told}` });
});

const bug = () => {
  throw new Failure('INTERNAL', 'bug');
};

it('a bug in what writes results, or keeps failed rows, is thrown', async () => {
  const typeError = () => Promise.reject(new TypeError('bug'));
  const writing = openBench({ ...SUMMARY, write: typeError });
  await expect(executeRun(writing.session, await runOf(writing, 0))).rejects.toThrow('bug');
  const keeping = openBench(SUMMARY);
  const { file } = failedFile({ keep: typeError });
  await expect(executeRun(keeping.session, await runOf(keeping, 1, { failedFile: file }))).rejects.toThrow('bug');
});

it.each([true, false])('a run that a bug breaks gives up its lock, and a file of failed rows: %s', async (isKept) => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  const run = await runOf(bench, 1, { failedFile: isKept ? file : undefined, rows: bug });
  expect((await failureOf(executeRun(bench.session, run))).message).toBe('bug');
  expect([done, bench.sent]).toEqual([isKept ? ['discard'] : [], []]);
  expect(bench.names('state', 'runs', 'r')).not.toContain('lock');
  const read = runOf(bench, 1, { operation: OPERATIONS.cardGet, rows: bug });
  expect((await failureOf(executeRun(bench.session, await read))).message).toBe('bug');
});

/** Another call begins a change of what the first row changes. */
async function beginOther({ session, clock }: Bench, { command, name, family }: Operation, afterMs = 1) {
  clock.ms += afterMs;
  const recorder = await session.recorder();
  const by = { profile: 'demo', host: 'api.example.com', url: session.placeOf(family), reason: undefined };
  return { recorder, entry: await recorder.begin({ ...by, operation: command, call: name, id: cardId(1) }) };
}

it.each([
  ['left as it is', OPERATIONS.cardBlock, undefined, 8, [], 1],
  ['sent again where that is wanted', OPERATIONS.cardBlock, 'resend', 0, posts(1), 1],
  ['left as it is where its object was changed since', OPERATIONS.subscriberUpdate, 'resend', 8, [], 1],
  ['left as it is where that was in the same millisecond', OPERATIONS.subscriberUpdate, 'resend', 8, [], 0],
] as const)('a row that an earlier process left unknown: %s', async (_what, operation, unknownRows, code, sent, ms) => {
  const bench = openBench(SUMMARY);
  const run = await runOf(bench, 1, unknownRows ? { operation, unknownRows } : { operation });
  await leaveUnknown(run);
  const { recorder, entry } = await beginOther(bench, OPERATIONS.subscriberUpdate, ms);
  await recorder.end(entry, ended({ outcome: 'applied' }));
  expect([await executeRun(bench.session, run), bench.sent]).toEqual([code, sent]);
});

it.each([
  [false, 15, 0, 'is in progress (entry '],
  [true, 0, 1, 'the first reissue, of 1 May 2026'],
])('a row that would repeat an open change is sent with --again alone: %s', async (again, code, sent, told) => {
  const bench = openBench(SUMMARY);
  await beginOther(bench, OPERATIONS.cardReissue);
  const run = await runOf(bench, 1, { operation: OPERATIONS.cardReissue, again });
  expect([await executeRun(bench.session, run), bench.sent.length]).toEqual([code, sent]);
  expect(bench.stdout() + bench.stderr()).toContain(told);
});

it('a row whose card has another balance than planned is sent, and says so', async () => {
  const bench = openBench(SUMMARY);
  const rows = cardRows(1).map((row) => ({ ...rowsOf(1)[0], ...row, about: row.about.set('currentBalance', 'none') }));
  await executeRun(bench.session, await runOf(bench, rows as unknown as readonly Row[]));
  expect([noticesOf(bench)[0]?.code, bench.sent.length]).toEqual(['BALANCE_CHANGED', 2]);
});

it.each([
  ['a change', OPERATIONS.cardBlock, 1, false, ['open', 'ask', 'keep run']],
  ['a dry run', OPERATIONS.cardBlock, 1, true, ['count']],
  ['a dry run of none', OPERATIONS.cardBlock, 0, true, []],
  ['a read', OPERATIONS.cardGet, 1, false, ['open', 'ask']],
  ['a read with --dry-run', OPERATIONS.cardGet, 1, true, ['open', 'ask']],
])('rows begin in this order: %s', async (_what, operation, rows, dryRun, steps) => {
  const bench = openBench({ ...SUMMARY, common: { dryRun } });
  const { file, done } = failedFile();
  const { stored, ...run } = await runOf(bench, rows, { operation });
  const step = async <Result>(what: string, result?: Result) => {
    done.push(what);
    return result as Result;
  };
  const begun = await begin(bench.session, {
    run,
    scope: isWrite(operation) ? { kind: 'rows', rows } : undefined,
    nothing: 'no rows',
    sayCounts: () => step('count'),
    openFailed: () => step('open', file),
    ask: () => step('ask'),
    keep: () => step('keep run', stored),
  });
  const isBegun = typeof begun !== 'number';
  expect([done, isBegun ? begun.failedFile : begun]).toEqual([steps, isBegun ? file : 0]);
});

const MOST = 224 * 1024 * 1024;
const cells = (text: string) => new Map(Object.entries({ id: '12345678', none: null, text }));

it.each([
  [1100, [1, 2, 3], cells],
  [1000, [1, 2], cells],
  [1000, [1, 2], (text: string) => `12345678${text}`],
])('a row behind one without an answer leaves %i bytes: %j are sent meanwhile', async (left, meanwhile, inputOf) => {
  const bench = openBench({ ...SUMMARY, concurrency: 2 });
  // What waits for the first row may have 224 MiB, and a row takes 1,024 bytes beside its texts.
  const rows = rowsOf(3).map((row) => ({ ...row, input: inputOf('x'.repeat(row.row === 2 ? MOST - left : 0)) }));
  const started: number[] = [];
  let seen: readonly number[] = [];
  const send = async ({ row }: Row) => {
    started.push(row);
    if (row !== 1) return failed('REJECTED', { outcome: 'rejected' });
    // As many turns of the loop as the rows behind it can want, whatever had to be loaded first.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    seen = [...started];
    return answered();
  };
  await doRows(bench.session, await runOf(bench, rows), { isWrite: true, send });
  expect(seen).toEqual(meanwhile);
});

it('a read may be ended by a signal after its last row', async () => {
  const bench = openBench(SUMMARY);
  const { file } = failedFile({ keep: async () => bench.signals.send('SIGINT') });
  const run = await runOf(bench, 1, { operation: OPERATIONS.cardGet, failedFile: file });
  expect(await executeRun(bench.session, run)).toBe(0);
  expect(bench.stderr()).not.toContain('too late to cancel');
});

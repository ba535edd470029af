import { expect, it } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure } from '../../../src/base/failure.ts';
import type { Row } from '../../../src/input/rows/row.ts';
import { doRows, executeRun } from '../../../src/runs/execute-run.ts';
import type { FailedFile } from '../../../src/runs/failed-file.ts';
import { runColumns } from '../../../src/runs/row-requests.ts';
import { type Run, startRun } from '../../../src/runs/run.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { type Bench, cardRows, failureOf, openBench } from '../../support/session-bench.ts';
import { answer } from '../service/http/fakes.ts';
import { answered, ended, failed, runPlan } from './fakes.ts';

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

async function runOf(bench: Bench, count: number, more: Partial<Run> = {}): Promise<Run> {
  bench.session.permitWrites(OPERATIONS.cardBlock);
  const planned = runPlan({ rows: count, inputRows: count, host: 'https://api.example.com' });
  const kept = await startRun(bench.session, { ...planned, name: 'r' });
  const rows = async function* () {
    yield rowsOf(count);
  };
  const operation = OPERATIONS.cardBlock;
  const how = { pace: {}, stored: kept, unknownRows: 'leave', failedFile: undefined } as const;
  return { operation, rows, rowCount: count, ...how, columns: runColumns(operation), ...more };
}

const posts = (count: number) => rowsOf(count).map(({ id }) => `POST /v1/cards/${id}/block {"reason":"lost"}`);
const SUMMARY = { output: { format: 'json' } } as const;
const summaryOf = (bench: Bench) => JSON.parse(bench.stderr().trimEnd().split('\n').at(-1) ?? '').summary;

it('a run sends its rows, keeps their record with its reasons, and says what they came to', async () => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  expect(await executeRun(bench.session, await runOf(bench, 2, { failedFile: file }))).toBe(0);
  expect(bench.sent).toEqual(posts(2));
  expect(done).toEqual(['add 1', 'add 2', 'keep']);
  expect(summaryOf(bench)).toMatchObject({ rows: 2, exitCode: 0 });
  expect(bench.read('state', 'runs', 'r', 'journal.jsonl')).toContain('"reason":"lost"');
  expect(bench.names('state', 'runs', 'r')).not.toContain('lock');
  expect(JSON.parse(bench.stdout()).map(({ outcome }: { outcome: string }) => outcome)).toEqual(['applied', 'applied']);
});

it('a run stops at so many failures, and at that rate', async () => {
  const bench = openBench({ ...SUMMARY, respond: () => answer(422) });
  const run = await runOf(bench, 5, { pace: { maxFailures: { rows: 2 }, rate: 1 } });
  expect(await executeRun(bench.session, run)).toBe(15);
  expect(bench.sent).toEqual(posts(2));
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

it('a signal during a run is announced once, and lets what is in flight finish', async () => {
  const respond = (_line: string, count: number) =>
    (count === 1 ? bench.signals.send('SIGTERM') : undefined) ?? undefined;
  const bench: Bench = openBench({ ...SUMMARY, respond });
  const run = await runOf(bench, 3);
  expect(await executeRun(bench.session, run)).toBe(143);
  expect(bench.sent).toEqual(posts(1));
  const [first = ''] = bench.stderr().split('\n');
  const message = 'SIGTERM: starting no new rows. Waiting up to 5 s for requests in progress (again to stop at once)';
  expect(JSON.parse(first).notice).toEqual({ code: 'INTERRUPTED', message });
  expect(summaryOf(bench)).toMatchObject({ exitCode: 143 });
  // The summary waits for no reader that stands still: nobody may send a second signal.
  expect(bench.asked).toContain('drop stalled readers');
});

it('a signal that comes again is not announced again', async () => {
  const respond = () => {
    for (let time = 0; time < 2; time += 1) bench.signals.send('SIGINT');
    return undefined;
  };
  const bench = openBench({ ...SUMMARY, respond });
  await executeRun(bench.session, await runOf(bench, 2));
  expect(bench.stderr().split('INTERRUPTED')).toHaveLength(2);
  expect(bench.stderr()).toContain('Ctrl-C: starting no new rows');
  expect(bench.asked).toContain('drop stalled readers');
});

it('a signal that came before the run listens prints no row behind its report, and gives the run back', async () => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  const run = await runOf(bench, 2, { failedFile: file });
  // What an earlier process left as unknown would be printed, and the report of the signal ends with another code.
  await run.stored?.journal.intent({ row: 1, id: rowsOf(1)[0]?.id ?? '' });
  await run.stored?.journal.result({ row: 1, id: rowsOf(1)[0]?.id ?? '' }, ended({ outcome: 'unknown' }));
  bench.signals.send('SIGTERM');
  const failure = await failureOf(executeRun(bench.session, run));
  const message = 'cancelled by SIGTERM. Nothing was sent.';
  expect(failure).toMatchObject({ code: 'CANCELLED', exitCode: 143, message });
  expect([bench.stdout(), bench.sent, done]).toEqual(['', [], ['discard']]);
  expect(bench.names('state', 'runs', 'r')).not.toContain('lock');
});

it('a signal after the last row does not end the program before its summary', async () => {
  const { file } = failedFile();
  const bench = openBench(SUMMARY);
  const keep = async () => bench.signals.send('SIGINT');
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: { ...file, keep } }))).toBe(0);
  expect(bench.stderr()).toContain('too late to cancel: the command has finished, and its result follows');
  expect(summaryOf(bench)).toMatchObject({ exitCode: 0 });
});

it('a second signal before it is known how a run ended counts an outcome as unknown (8)', async () => {
  const bench = openBench(SUMMARY);
  const run = await runOf(bench, 1);
  const sendTwice = () => [1, 2].forEach(() => void bench.signals.send('SIGINT'));
  Object.assign(run.stored?.journal ?? {}, { end: async () => sendTwice() });
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
  if (!isKept) await run.stored?.close();
  expect(await executeRun(bench.session, isKept ? run : { ...run, stored: undefined })).toBe(code);
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

it('a file of failed rows that cannot be put in its place ends the run with 16', async () => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(16);
  expect(done).toEqual(['add 1']);
  const notices = bench.stderr().trimEnd().split('\n');
  const notice = { code: 'LOCAL_IO', message: 'there is no room' };
  expect(notices.map((line) => JSON.parse(line).notice)).toContainEqual(notice);
});

it('a file of failed rows that cannot be put in its place does not hide that an outcome is unknown (8)', async () => {
  const bench = openBench({ ...SUMMARY, respond: () => answer(500) });
  const { file } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(8);
  expect(bench.stderr()).toContain('there is no room');
  expect(summaryOf(bench)).toMatchObject({ exitCode: 8 });
});

it('a file of failed rows and results that cannot be written are both reported, once', async () => {
  const bench = openBench({ ...SUMMARY, write: writeFails('EIO') });
  const { file } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(16);
  for (const told of ['(EIO)', 'there is no room']) expect(bench.stderr().split(told)).toHaveLength(2);
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
  const run = await runOf(keeping, 1, { failedFile: file });
  await expect(executeRun(keeping.session, run)).rejects.toThrow('bug');
});

it.each([true, false])('a run that a bug breaks gives up its lock, and a file of failed rows: %s', async (isKept) => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  const run = await runOf(bench, 1, { failedFile: isKept ? file : undefined, rows: bug });
  expect((await failureOf(executeRun(bench.session, run))).message).toBe('bug');
  expect([done, bench.sent]).toEqual([isKept ? ['discard'] : [], []]);
  expect(bench.names('state', 'runs', 'r')).not.toContain('lock');
});

const MOST = 224 * 1024 * 1024;

it.each([
  [1100, [1, 2, 3]],
  [1000, [1, 2]],
])('a row behind one without an answer leaves %i bytes to others: %j are sent meanwhile', async (left, meanwhile) => {
  const bench = openBench({ ...SUMMARY, concurrency: 2 });
  const run = await runOf(bench, 3);
  // What waits for the first row may have 224 MiB, and a row takes 1,024 bytes beside its texts.
  const rows = rowsOf(3).map((row) => ({
    ...row,
    input: new Map(Object.entries({ id: '12345678', none: null, text: 'x'.repeat(row.row === 2 ? MOST - left : 0) })),
  }));
  const started: number[] = [];
  let seen: readonly number[] = [];
  const batches = async function* () {
    yield rows;
  };
  await doRows(
    bench.session,
    { ...run, rows: batches },
    {
      isWrite: true,
      send: async ({ row }) => {
        started.push(row);
        if (row !== 1) return failed('REJECTED', { outcome: 'rejected' });
        // As many turns of the loop as the rows behind it can want, whatever had to be loaded first.
        for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        seen = [...started];
        return answered();
      },
    },
  );
  expect(seen).toEqual(meanwhile);
});

it('a read may be ended by a signal after its last row', async () => {
  const bench = openBench(SUMMARY);
  const { file } = failedFile({ keep: async () => bench.signals.send('SIGINT') });
  const run = await runOf(bench, 1, { operation: OPERATIONS.cardGet, failedFile: file });
  await run.stored?.close();
  expect(await executeRun(bench.session, { ...run, stored: undefined })).toBe(0);
  expect(bench.stderr()).not.toContain('too late to cancel');
});

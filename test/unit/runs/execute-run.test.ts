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
import { answered, CARD_SHAPE, ended, failed } from './fakes.ts';

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
  const kept = await startRun(bench.session, {
    name: 'r',
    operation: 'card.block',
    host: 'https://api.example.com',
    inputSha256: '0'.repeat(64),
    inputFormat: 'csv',
    spool: bench.file('spool', ''),
    stored: { sha256: '0'.repeat(64), shape: CARD_SHAPE, columns: ['cardId'] },
    rows: count,
    inputRows: count,
    options: {},
  });
  return {
    operation: OPERATIONS.cardBlock,
    rows: async function* () {
      yield rowsOf(count);
    },
    rowCount: count,
    pace: {},
    stored: kept,
    unknownRows: 'leave',
    failedFile: undefined,
    columns: runColumns(OPERATIONS.cardBlock),
    ...more,
  };
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
  await doRows(bench.session, run, {
    isWrite: true,
    send: async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await bench.clock.sleep(10);
      inFlight -= 1;
      return answered();
    },
  });
  expect(most).toBe(3);
});

it('a signal during a run is announced once, and lets what is in flight finish', async () => {
  const bench = openBench({
    ...SUMMARY,
    respond: (_line, count) => {
      if (count === 1) bench.signals.send('SIGTERM');
      return undefined;
    },
  });
  const run = await runOf(bench, 3);
  expect(await executeRun(bench.session, run)).toBe(143);
  expect(bench.sent).toEqual(posts(1));
  const [first = ''] = bench.stderr().split('\n');
  expect(JSON.parse(first).notice).toEqual({
    code: 'INTERRUPTED',
    message: 'SIGTERM: starting no new rows. Waiting up to 5 s for requests in progress (again to stop at once)',
  });
  expect(summaryOf(bench)).toMatchObject({ exitCode: 143 });
  // The summary waits for no reader that stands still: nobody may send a second signal.
  expect(bench.asked).toContain('drop stalled readers');
});

it('a signal that comes again is not announced again', async () => {
  const bench = openBench({
    ...SUMMARY,
    respond: () => {
      bench.signals.send('SIGINT');
      bench.signals.send('SIGINT');
      return undefined;
    },
  });
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
  expect([failure.code, failure.exitCode, failure.message]).toEqual([
    'CANCELLED',
    143,
    'cancelled by SIGTERM. Nothing was sent.',
  ]);
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

const fails = (errno: string) => async () => {
  throw new StreamFailure(errno, `write ${errno}`);
};

it('results that cannot be written are in the run, as the message says, which exits with 16', async () => {
  const bench = openBench({ ...SUMMARY, write: fails('ENOSPC') });
  expect(await executeRun(bench.session, await runOf(bench, 1))).toBe(16);
  const told = 'could not write the results to stdout: no space left on the device (ENOSPC)';
  expect(bench.stderr().split(told)).toHaveLength(2);
  expect(bench.stderr()).toContain('The results so far are kept in the run.');
  expect(bench.stderr()).not.toContain('stopped reading');
  expect(summaryOf(bench)).toMatchObject({ exitCode: 16 });
});

it('results of a read that cannot be written are reported as lost', async () => {
  const bench = openBench({ ...SUMMARY, write: fails('ENOSPC') });
  const run = await runOf(bench, 1, { operation: OPERATIONS.cardGet });
  await run.stored?.close();
  expect(await executeRun(bench.session, { ...run, stored: undefined })).toBe(16);
  const told = 'could not write the results to stdout: no space left on the device (ENOSPC)';
  expect(bench.stderr().split(told)).toHaveLength(2);
  expect(bench.stderr()).not.toContain('stopped reading');
  expect(bench.stderr()).not.toContain('kept in the run');
});

it('results that cannot be written for a reader that went away do not change how the run ends', async () => {
  const bench = openBench({ ...SUMMARY, write: fails('EPIPE') });
  expect(await executeRun(bench.session, await runOf(bench, 1))).toBe(0);
  expect(bench.stderr()).not.toContain('could not be written');
});

it('results that cannot be written because of a bug are thrown', async () => {
  const bug = async () => {
    throw new TypeError('bug');
  };
  const bench = openBench({ ...SUMMARY, write: bug });
  await expect(executeRun(bench.session, await runOf(bench, 0))).rejects.toThrow('bug');
});

const lost = () => Promise.reject(new Failure('LOCAL_IO', 'there is no room'));

it('a file of failed rows that cannot be put in its place ends the run with 16', async () => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(16);
  expect(done).toEqual(['add 1']);
  const notices = bench.stderr().trimEnd().split('\n');
  expect(notices.map((line) => JSON.parse(line).notice)).toContainEqual({
    code: 'LOCAL_IO',
    message: 'there is no room',
  });
});

it('a file of failed rows that cannot be put in its place does not hide that an outcome is unknown (8)', async () => {
  const bench = openBench({ ...SUMMARY, respond: () => answer(500) });
  const { file } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(8);
  expect(bench.stderr()).toContain('there is no room');
  expect(summaryOf(bench)).toMatchObject({ exitCode: 8 });
});

it('a file of failed rows and results that cannot be written are both reported, once', async () => {
  const bench = openBench({
    ...SUMMARY,
    write: async () => {
      throw new StreamFailure('EIO', 'write EIO');
    },
  });
  const { file } = failedFile({ keep: lost });
  expect(await executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).toBe(16);
  expect(bench.stderr().split('(EIO)')).toHaveLength(2);
  expect(bench.stderr().split('there is no room')).toHaveLength(2);
});

it('a file of failed rows that cannot be put in its place because of a bug is thrown', async () => {
  const bench = openBench(SUMMARY);
  const { file } = failedFile({ keep: () => Promise.reject(new TypeError('bug')) });
  await expect(executeRun(bench.session, await runOf(bench, 1, { failedFile: file }))).rejects.toThrow('bug');
});

it('a run that a bug breaks discards the file of failed rows, and gives up its lock', async () => {
  const bench = openBench(SUMMARY);
  const { file, done } = failedFile();
  const run = await runOf(bench, 1, { failedFile: file });
  const bug = () => {
    throw new Failure('INTERNAL', 'bug');
  };
  expect((await failureOf(executeRun(bench.session, { ...run, rows: bug }))).message).toBe('bug');
  expect([done, bench.sent, bench.names('state', 'runs', 'r').includes('lock')]).toEqual([['discard'], [], false]);
});

it('a run that a bug breaks is reported if there is no file of failed rows', async () => {
  const bench = openBench(SUMMARY);
  const bug = () => {
    throw new Failure('INTERNAL', 'bug');
  };
  const run = await runOf(bench, 1, { rows: bug });
  expect((await failureOf(executeRun(bench.session, run))).message).toBe('bug');
});

it.each([
  [1100, [1, 2, 3]],
  [1000, [1, 2]],
])(
  'a row behind one without an answer leaves %i bytes of 224 MiB to others: %j are sent meanwhile',
  async (left, meanwhile) => {
    const bench = openBench({ ...SUMMARY, concurrency: 2 });
    const run = await runOf(bench, 3);
    // What waits for the first row may have 224 MiB, and a row takes 1,024 bytes beside its texts.
    const rows = rowsOf(3).map((row) => ({
      ...row,
      input: new Map([
        ['id', '12345678'],
        ['none', null],
        ['text', 'x'.repeat(row.row === 2 ? 224 * 1024 * 1024 - left : 0)],
      ]),
    }));
    const started: number[] = [];
    let seen: readonly number[] = [];
    const task: Run = {
      ...run,
      rows: async function* () {
        yield rows;
      },
    };
    await doRows(bench.session, task, {
      isWrite: true,
      send: async ({ row }) => {
        started.push(row);
        if (row !== 1) return failed('REJECTED', { outcome: 'rejected' });
        // As many turns of the loop as the rows behind it can want, whatever had to be loaded first.
        for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        seen = [...started];
        return answered();
      },
    });
    expect(seen).toEqual(meanwhile);
  },
);

it('a read may be ended by a signal after its last row', async () => {
  const bench = openBench(SUMMARY);
  const { file } = failedFile({ keep: async () => bench.signals.send('SIGINT') });
  const run = await runOf(bench, 1, { operation: OPERATIONS.cardGet, failedFile: file });
  await run.stored?.close();
  expect(await executeRun(bench.session, { ...run, stored: undefined })).toBe(0);
  expect(bench.stderr()).not.toContain('too late to cancel');
});

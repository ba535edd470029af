import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { type AppendFile, openAppendFile } from '../../../../src/records/journal/append-file.ts';
import { RunJournal } from '../../../../src/records/journal/journal.ts';
import { scanJournal } from '../../../../src/records/journal/reader.ts';
import { isRowRecord } from '../../../../src/records/journal/record.ts';
import { RowStates } from '../../../../src/records/journal/row-states.ts';
import type { CallOutcome } from '../../../../src/service/call-outcome.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { ended, FakeClock, HELD } from '../../runs/fakes.ts';

const ROWS = 10;

/** Ten rows or fewer, each with an intent and a result: twenty lines. */
async function twentyLines(rows = ROWS): Promise<{ path: string; bytes: Buffer }> {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const journal = await RunJournal.create(path, ROWS, { ...HELD, clock: new FakeClock() });
  for (let row = 1; row <= rows; row += 1) {
    await journal.intent({ row, id: `card-${row}`, reason: 'lost' });
    await journal.result(
      { row, id: `card-${row}` },
      ended({ outcome: row % 2 === 0 ? 'rejected' : 'applied', httpStatus: 200 }),
    );
  }
  await journal.close();
  return { path, bytes: readFileSync(path) };
}

async function statesOf(path: string): Promise<string[]> {
  const states = new RowStates(ROWS);
  await scanJournal(path, (record) => !isRowRecord(record) || states.apply(record));
  return Array.from({ length: ROWS }, (_, index) => states.state(index + 1));
}

/** What the first `lines` lines of `twentyLines` mean. */
function meaning(lines: number): string[] {
  return Array.from({ length: ROWS }, (_, index) => {
    if (lines >= 2 * index + 2) return (index + 1) % 2 === 0 ? 'rejected' : 'applied';
    return lines === 2 * index + 1 ? 'intent' : 'none';
  });
}

it('a journal is a file of mode 0600 with one line per event', async () => {
  const { path, bytes } = await twentyLines();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(bytes.toString().split('\n')).toHaveLength(21);
});

it('K3 a journal cut at any byte means what its whole lines mean', async () => {
  // Two rows hold every kind of line.
  const { path, bytes } = await twentyLines(2);
  for (let length = 0; length <= bytes.length; length += 1) {
    writeFileSync(path, bytes.subarray(0, length));
    const wholeLines = bytes.subarray(0, length).toString().split('\n').length - 1;
    const lacksOnlyNewline = bytes[length] === 0x0a;
    expect(await statesOf(path)).toEqual(meaning(wholeLines + (lacksOnlyNewline ? 1 : 0)));
  }
}, 60_000);

it('K4 a journal with any bit flipped means the same or is refused', async () => {
  const { path, bytes } = await twentyLines(2);
  const expected = JSON.stringify(meaning(4));
  const file = openSync(path, 'r+');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const at = bit >> 3;
    writeSync(file, Buffer.of((bytes[at] ?? 0) ^ (1 << (bit & 7))), 0, 1, at);
    const found = await statesOf(path).then(JSON.stringify, (error: Error) => error.message);
    const isRefused = /^the run's record is damaged at line \d+ /.test(found);
    if (!isRefused && found !== expected) expect.fail(`bit ${bit} was read as ${found}`);
    writeSync(file, bytes, at, 1, at);
  }
  closeSync(file);
}, 60_000);

it('a journal names the damaged line', async () => {
  const { path, bytes } = await twentyLines();
  const lines = bytes.toString().split('\n');
  lines[6] = (lines[6] ?? '').replace('card-4', 'card-5');
  writeFileSync(path, lines.join('\n'));
  await expect(statesOf(path)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `the run's record is damaged at line 7 (${path}). Nothing was sent.`,
  });
});

it('a journal refuses a result that no intent came before', async () => {
  const { path, bytes } = await twentyLines();
  const lines = bytes.toString().split('\n');
  writeFileSync(path, `${lines[1]}\n`);
  await expect(statesOf(path)).rejects.toMatchObject({ code: 'LOCAL_IO' });
});

it('taking a journal up again turns an intent without a result into unknown, on the disk', async () => {
  const { path, bytes } = await twentyLines();
  const lines = bytes.toString().split('\n').slice(0, 5);
  writeFileSync(path, `${lines.join('\n')}\n{"n":4,"t":17`);
  const journal = await RunJournal.resume(path, ROWS, { ...HELD, clock: new FakeClock() });
  await journal.close();
  expect(await statesOf(path)).toEqual(['applied', 'rejected', 'unknown', ...Array<string>(7).fill('none')]);
  expect(journal.states.isToDo(3)).toBe(false);
  expect(journal.states.isToDo(4)).toBe(true);
});

it('resuming a journal continues after the last whole line if a newline is missing', async () => {
  const { path, bytes } = await twentyLines();
  truncateSync(path, bytes.length - 1);
  const journal = await RunJournal.resume(path, ROWS, { ...HELD, clock: new FakeClock() });
  await journal.close();
  expect(await statesOf(path)).toEqual(meaning(20));
});

it('taking a journal up again reads every row back, also when a record lies across two blocks', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const first = await RunJournal.create(path, 4000, { ...HELD, clock: new FakeClock() });
  const reason = 'r'.repeat(300);
  for (let row = 1; row <= 4000; row += 1) {
    void first.intent({ row, id: `card-${row}`, reason });
    void first.result(
      { row, id: `card-${row}` },
      ended({ outcome: 'applied', httpStatus: 200, resultId: `new-${row}` }),
    );
  }
  await first.close();
  const journal = await RunJournal.resume(path, 4000, { ...HELD, clock: new FakeClock() });
  for (let row = 1; row <= 4000; row += 1) {
    expect(journal.entry(row)).toMatchObject({
      row,
      id: `card-${row}`,
      reason,
      callOutcome: { resultId: `new-${row}`, outcome: 'applied' },
    });
  }
  await journal.close();
});

it('taking a journal up again gives back what was kept of a row, unchanged', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const clock = new FakeClock();
  const first = await RunJournal.create(path, 2, { ...HELD, clock });
  await first.intent({ row: 1, id: 'card-1', reason: 'lost' });
  const callOutcome: CallOutcome = {
    outcome: 'rejected',
    attempts: 2,
    httpStatus: 404,
    requestId: 'r-1',
    sentAtMs: Date.parse('2026-05-01T12:00:00.007Z'),
    durationMs: 12,
    resultId: undefined,
    code: 'NOT_FOUND',
    errorCode: 'CARD_NOT_FOUND',
    message: 'no such card',
    observedStatus: undefined,
    notices: [{ code: 'ODD', message: 'odd', level: 'note' }],
  };
  await first.result({ row: 1, id: 'card-1' }, callOutcome);
  await first.close();
  const journal = await RunJournal.resume(path, 2, { ...HELD, clock });
  expect(journal.entry(1)).toEqual({
    row: 1,
    id: 'card-1',
    reason: 'lost',
    timeMs: Date.parse('2026-05-01T12:00:00Z'),
    callOutcome,
  });
  expect(journal.entry(2)).toMatchObject({
    row: 2,
    id: undefined,
    callOutcome: { outcome: 'not_sent', attempts: 0 },
  });
  await journal.close();
});

function fullDisk(file: AppendFile, room: number): AppendFile {
  let left = room;
  return {
    ...file,
    append(text) {
      if (text.length > left) {
        file.append(text.slice(0, left));
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      }
      left -= text.length;
      file.append(text);
    },
  };
}

it('a journal that cannot be written refuses the intent, so that nothing is sent, and leaves no half line behind (K5)', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const journal = await RunJournal.create(path, ROWS, {
    ...HELD,
    clock: new FakeClock(),
    openFile: async (name) => fullDisk(await openAppendFile(name), 100),
  });
  await journal.intent({ row: 1, id: 'card-1' });
  await expect(journal.intent({ row: 2, id: 'card-2' })).rejects.toMatchObject({ code: 'LOCAL_IO', exitCode: 16 });
  await expect(journal.intent({ row: 3, id: 'card-3' })).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(journal.failure?.message).toContain('no space left');
  await journal.close();
  expect(await statesOf(path)).toEqual(['intent', ...Array<string>(9).fill('none')]);
});

it('a journal that cannot be written shares one sync among all rows that start together', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  let syncs = 0;
  const journal = await RunJournal.create(path, 100, {
    ...HELD,
    clock: new FakeClock(),
    openFile: async (name) => {
      const file = await openAppendFile(name);
      return {
        ...file,
        sync: () => {
          syncs += 1;
          return file.sync();
        },
      };
    },
  });
  await Promise.all(Array.from({ length: 100 }, (_, index) => journal.intent({ row: index + 1, id: 'x' })));
  await journal.close();
  expect(syncs).toBe(1);
});

it('a journal that cannot be written refuses a journal that is a symbolic link', async () => {
  const folder = temporaryFolder();
  const target = join(folder, 'elsewhere');
  appendFileSync(target, '');
  symlinkSync(target, join(folder, 'journal.jsonl'));
  const opening = RunJournal.create(join(folder, 'journal.jsonl'), 1, { ...HELD, clock: new FakeClock() });
  await expect(opening).rejects.toMatchObject({
    code: 'LOCAL_IO',
    problem: expect.stringContaining("could not open the run's record ("),
    after: 'unsent',
  });
});

/** Lost as soon as the next record is on the disk, as by a process that was stopped there. */
async function lostJournal() {
  const path = join(temporaryFolder(), 'journal.jsonl');
  let isLost = false;
  const assertStillHeld = () => {
    if (isLost) throw new Failure('LOCAL_IO', 'run may is no longer held by this process');
  };
  const truncated: number[] = [];
  const openFile = async (name: string): Promise<AppendFile> => {
    const file = await openAppendFile(name);
    return { ...file, truncate: async (length) => void truncated.push(length) };
  };
  const journal = await RunJournal.create(path, ROWS, {
    ...HELD,
    clock: new FakeClock(),
    assertStillHeld,
    openFile,
  });
  await journal.intent({ row: 1, id: 'card-1' });
  isLost = true;
  return { path, journal, truncated };
}

it('M2 a journal whose run another process has taken over lets no request leave, although its intent is on the disk', async () => {
  const { path, journal } = await lostJournal();
  await expect(journal.intent({ row: 2, id: 'card-2' })).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(journal.failure?.message).toBe('run may is no longer held by this process');
  expect((await statesOf(path)).slice(0, 3)).toEqual(['intent', 'intent', 'none']);
  await journal.close();
});

it('a journal takes no record of a row that cannot follow what is known of it', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const journal = await RunJournal.create(path, ROWS, { ...HELD, clock: new FakeClock() });
  await journal.intent({ row: 1, id: 'card-1' });
  await journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'applied' }));
  const { size } = statSync(path);
  await expect(journal.resolve(1, 'resolved_not_applied')).rejects.toThrow('cannot follow');
  expect(statSync(path).size).toBe(size);
  expect(journal.failure).toBeUndefined();
  await journal.close();
});

it('a journal whose run another process has taken over is neither written nor cut any more', async () => {
  const { path, journal, truncated } = await lostJournal();
  await expect(journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'applied' }))).rejects.toMatchObject({
    code: 'LOCAL_IO',
  });
  const { size } = statSync(path);
  await expect(journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'not_sent' }))).rejects.toMatchObject({
    code: 'LOCAL_IO',
  });
  await expect(journal.end('stopped', {})).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(statSync(path).size).toBe(size);
  expect(truncated).toEqual([]);
  await journal.close();
});

it('a journal says in each line when it was written, what of, how long the work took and how it ended, with tokens masked', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const clock = new FakeClock();
  clock.ms = 5000;
  const mask = (text: string) => text.replace('tok', '***');
  const journal = await RunJournal.create(path, 3, { ...HELD, clock, mask }, 'of-these');
  clock.ms += 1500.4;
  await journal.intent({ row: 1, id: 'card-1', reason: 'has tok', fields: ['a'], digest: 'd' });
  await journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'unknown', attempts: 1 }), {
    again: true,
    message: 'm'.repeat(3000),
  });
  await journal.result({ row: 2, id: 'card-2' }, ended({ outcome: 'not_sent' }));
  await journal.intent({ row: 3, id: 'card-3' });
  await journal.result({ row: 3, id: 'card-3' }, ended({ outcome: 'unknown', attempts: 1 }));
  await journal.resolve(3, 'resolved_not_applied', 'new-3');
  await journal.intent({ row: 3, id: 'card-3' });
  await journal.end('stopped', { unknown: 1 }, 'signal');
  await journal.close();
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [begun, intent, unknown, notSent, , , resolved, again, end] = lines;
  const t = clock.now();
  expect(begun).toMatchObject({ s: 'begun', of: 'of-these' });
  expect(intent).toMatchObject({ n: 1, t, s: 'intent', a: 1, id: 'card-1', reason: 'has ***', f: ['a'], d: 'd' });
  expect(unknown).toMatchObject({ n: 1, t, m: 1500, again: 1, message: expect.stringMatching(/^m{1900,2000}… /) });
  expect([unknown, notSent].map((line) => line.id)).toEqual([undefined, 'card-2']);
  expect('message' in notSent || 'again' in notSent).toBe(false);
  expect(resolved).toMatchObject({ n: 3, t, s: 'resolved_not_applied', a: 1, rid: 'new-3' });
  expect(again).toMatchObject({ n: 3, s: 'intent', a: 2 });
  expect(end).toMatchObject({ t, m: 1500, s: 'end', state: 'stopped', outcomes: { unknown: 1 }, why: 'signal' });
});

it.each([['other'], [undefined]])('a journal of other rows is not continued: %s', async (content) => {
  const folder = temporaryFolder();
  const path = join(folder, 'journal.jsonl');
  const ports = { ...HELD, clock: new FakeClock() };
  await (await RunJournal.create(path, 1, ports, 'these')).close();
  const run = folder.split('/').at(-1);
  await expect(RunJournal.resume(path, 1, ports, content)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `the rows of run ${run} are not those with which its record begins (${path}). Nothing was sent.`,
    hints: [`restore the whole folder ${folder} as it was`, { do: 'see its rows', about: run }],
  });
  const { ino } = statSync(path);
  // The lock counts one more than the record, as after each process that ended: no other can be writing.
  const lock = { ...HELD.lock, epoch: 2 };
  await (await RunJournal.resume(path, 1, { ...ports, lock }, 'these')).close();
  expect(statSync(path).ino).toBe(ino);
});

it('the hold of a run is looked at once in a turn of the event loop, and again when a second has passed by any clock', async () => {
  const time = { now: 0, monotonic: 0 };
  const clock = { now: () => time.now, monotonic: () => time.monotonic, sleep: async () => undefined };
  let looks = 0;
  let isLost = false;
  const assertStillHeld = () => {
    looks += 1;
    if (isLost) throw new Failure('LOCAL_IO', 'lost');
  };
  const path = join(temporaryFolder(), 'journal.jsonl');
  const journal = await RunJournal.create(path, 1, { ...HELD, clock, assertStillHeld });
  const look = (now: number, monotonic: number) => {
    Object.assign(time, { now, monotonic });
    const before = looks;
    return [journal.lost()?.message, looks - before];
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect([look(0, 0), look(999, 999), look(1998, 1000)]).toEqual([
    [undefined, 1],
    [undefined, 0],
    [undefined, 1],
  ]);
  expect([look(2998, 1000), look(2000, 1999), look(1000, 1999)]).toEqual([
    [undefined, 1],
    [undefined, 0],
    [undefined, 1],
  ]);
  await turn();
  expect(look(1000, 1999)).toEqual([undefined, 1]);
  await turn();
  isLost = true;
  expect(look(1000, 1999)).toEqual(['lost', 1]);
  await turn();
  expect(look(1000, 1999)).toEqual(['lost', 0]);
  await expect(journal.intent({ row: 1, id: 'card-1' })).rejects.toThrow('lost');
  await journal.close();
});

it.each([
  ['ENOSPC', 'no space left on the device (ENOSPC)', 'free space on the disk, then resume it'],
  ['EXYZ', 'the system refused it (EXYZ)', undefined],
])(
  'a journal that cannot be written with %s says where, why, and what to do before the run is resumed',
  async (code, why, words) => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const openFile = async (name: string): Promise<AppendFile> => ({
      ...(await openAppendFile(name)),
      append: () => {
        throw Object.assign(new Error(code), { code });
      },
    });
    const journal = await RunJournal.create(path, 1, { ...HELD, clock: new FakeClock(), openFile });
    await expect(journal.intent({ row: 1, id: 'card-1' })).rejects.toMatchObject({
      problem: expect.stringContaining(`could not write the run's record (${path}): ${why}`),
      after: 'recorded',
      hints: [{ do: 'resume it', about: path.split('/').at(-2), words }],
    });
    await journal.close();
  },
);

import fs, { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { ClockPort } from '../../../../src/base/context.ts';
import { Failure } from '../../../../src/base/failure.ts';
import { type AppendFile, openAppendFile } from '../../../../src/records/journal/append-file.ts';
import { type JournalPorts, type RunAudit, RunJournal } from '../../../../src/records/journal/journal.ts';
import { scanJournal } from '../../../../src/records/journal/reader.ts';
import { RowStates } from '../../../../src/records/journal/row-states.ts';
import { beginRun, resumeRun } from '../../../../src/records/stored/run-store.ts';
import { runRows } from '../../../../src/runs/row-runner.ts';
import type { CallOutcome } from '../../../../src/service/call-outcome.ts';
import { putLock } from '../../base/files/locks.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { answered, ended, FakeClock, failed, HELD, planOf, runPlan, runPorts } from '../../runs/fakes.ts';

const ROWS = 10;
const NONE = Array<string>(7).fill('none');
const PORTS = { ...HELD, clock: new FakeClock() };

/** Where a journal goes. */
const place = () => join(temporaryFolder(), 'journal.jsonl');

/** Ten rows or fewer, each with an intent and a result: twenty lines. */
async function twentyLines(rows = ROWS): Promise<{ path: string; bytes: Buffer }> {
  const path = place();
  const journal = await RunJournal.create(path, ROWS, PORTS);
  for (let row = 1; row <= rows; row += 1) {
    await journal.intent({ row, id: `card-${row}`, reason: 'lost' });
    await journal.result({ row, id: `card-${row}` }, ended({ outcome: row % 2 === 0 ? 'rejected' : 'applied' }));
  }
  await journal.close();
  return { path, bytes: readFileSync(path) };
}

async function statesOf(path: string): Promise<string[]> {
  const states = new RowStates(ROWS);
  await scanJournal(path, (record, offset) => states.applyRecord(record, offset));
  return Array.from({ length: ROWS }, (_, index) => states.state(index + 1));
}

/** What the first `lines` lines of `twentyLines` mean. */
function meaning(lines: number): string[] {
  return Array.from({ length: ROWS }, (_, index) => {
    if (lines >= 2 * index + 2) return (index + 1) % 2 === 0 ? 'rejected' : 'applied';
    return lines === 2 * index + 1 ? 'intent' : 'none';
  });
}

it('a torn end is not cut once another process has taken the run over: what it wrote stands there', async () => {
  const { path, bytes } = await twentyLines(2);
  const written = `${bytes}{"n":3,"t":1`;
  writeFileSync(path, written);
  const assertStillHeld = () => {
    throw new Failure('LOCAL_IO', 'another took it over');
  };
  await expect(RunJournal.resume(path, ROWS, { ...PORTS, assertStillHeld })).rejects.toThrow('another took it over');
  expect(readFileSync(path, 'utf8')).toBe(written);
});

it('K3 a journal cut at any byte means what its whole lines mean', async () => {
  // Two rows hold every kind of line.
  const { path, bytes } = await twentyLines(2);
  expect(statSync(path).mode & 0o777).toBe(0o600);
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
  const file = fs.openSync(path, 'r+');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const at = bit >> 3;
    fs.writeSync(file, Buffer.of((bytes[at] ?? 0) ^ (1 << (bit & 7))), 0, 1, at);
    const found = await statesOf(path).then(JSON.stringify, (error: Error) => error.message);
    const isRefused = /^the run's record is damaged at line \d+ /.test(found);
    if (!isRefused && found !== expected) expect.fail(`bit ${bit} was read as ${found}`);
    fs.writeSync(file, bytes, at, 1, at);
  }
  fs.closeSync(file);
}, 60_000);

it('taking a journal up again turns an intent without a result into unknown, on the disk', async () => {
  const { path, bytes } = await twentyLines();
  writeFileSync(path, `${bytes.toString().split('\n').slice(0, 5).join('\n')}\n{"n":4,"t":17`);
  const journal = await RunJournal.resume(path, ROWS, PORTS);
  await journal.close();
  expect(await statesOf(path)).toEqual(['applied', 'rejected', 'unknown', ...NONE]);
  expect([journal.states.isToDo(3), journal.states.isToDo(4)]).toEqual([false, true]);
});

it('resuming a journal continues after the last whole line if a newline is missing', async () => {
  const { path, bytes } = await twentyLines();
  fs.truncateSync(path, bytes.length - 1);
  await (await RunJournal.resume(path, ROWS, PORTS)).close();
  expect(await statesOf(path)).toEqual(meaning(20));
});

it('taking a journal up again reads every row back, also when a record lies across two blocks', async () => {
  const path = place();
  const first = await RunJournal.create(path, 4000, PORTS);
  const reason = 'r'.repeat(300);
  for (let row = 1; row <= 4000; row += 1) {
    void first.intent({ row, id: `card-${row}`, reason });
    void first.result({ row, id: `card-${row}` }, ended({ outcome: 'applied', resultId: `new-${row}` }));
  }
  await first.close();
  const journal = await RunJournal.resume(path, 4000, PORTS);
  for (let row = 1; row <= 4000; row += 1) {
    const callOutcome = { resultId: `new-${row}`, outcome: 'applied' };
    expect(journal.entry(row)).toMatchObject({ row, id: `card-${row}`, reason, callOutcome });
  }
  await journal.close();
});

it('taking a journal up again gives back what was kept of a row, unchanged', async () => {
  const path = place();
  const clock = new FakeClock();
  const first = await RunJournal.create(path, 2, { ...HELD, clock });
  await first.intent({ row: 1, id: 'card-1', reason: 'lost' });
  const sent = { attempts: 2, httpStatus: 404, requestId: 'r-1', sentAtMs: Date.parse('2026-05-01T12:00:00.007Z') };
  const said = { code: 'NOT_FOUND', errorCode: 'CARD_NOT_FOUND', message: 'no such card' } as const;
  const notices = [{ code: 'ODD', message: 'odd', level: 'note' }] as const;
  const none = { resultId: undefined, observedStatus: undefined };
  const callOutcome: CallOutcome = { outcome: 'rejected', ...sent, durationMs: 12, ...said, ...none, notices };
  await first.result({ row: 1, id: 'card-1' }, callOutcome);
  await first.close();
  const journal = await RunJournal.resume(path, 2, { ...HELD, clock });
  const timeMs = Date.parse('2026-05-01T12:00:00Z');
  expect(journal.entry(1)).toEqual({ row: 1, id: 'card-1', reason: 'lost', timeMs, callOutcome });
  expect(journal.entry(2)).toMatchObject({ row: 2, id: undefined, callOutcome: { outcome: 'not_sent', attempts: 0 } });
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
  const path = place();
  const openFile = async (name: string) => fullDisk(await openAppendFile(name), 100);
  const journal = await RunJournal.create(path, ROWS, { ...PORTS, openFile });
  await journal.intent({ row: 1, id: 'card-1' });
  await expect(journal.intent({ row: 2, id: 'card-2' })).rejects.toMatchObject({ code: 'LOCAL_IO', exitCode: 16 });
  await expect(journal.intent({ row: 3, id: 'card-3' })).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(journal.failure?.message).toContain('no space left');
  await journal.close();
  expect(await statesOf(path)).toEqual(['intent', ...Array<string>(9).fill('none')]);
});

it('a journal that was removed refuses the intent: nobody would find out what was sent', async () => {
  const path = place();
  const journal = await RunJournal.create(path, ROWS, PORTS);
  await journal.intent({ row: 1, id: 'card-1' });
  fs.rmSync(path);
  const problem = `the run's record is gone (${path})`;
  await expect(journal.intent({ row: 2, id: 'card-2' })).rejects.toMatchObject({ problem, after: 'silent' });
  await journal.close();
});

it('a journal that cannot be written shares one sync among all rows that start together', async () => {
  const path = place();
  let syncs = 0;
  const openFile = async (name: string): Promise<AppendFile> => {
    const file = await openAppendFile(name);
    const sync = () => {
      syncs += 1;
      return file.sync();
    };
    return { ...file, sync };
  };
  const journal = await RunJournal.create(path, 100, { ...PORTS, openFile });
  await Promise.all(Array.from({ length: 100 }, (_, index) => journal.intent({ row: index + 1, id: 'x' })));
  await journal.close();
  expect(syncs).toBe(1);
});

it('a journal that cannot be written refuses a journal that is a symbolic link', async () => {
  const folder = temporaryFolder();
  const target = join(folder, 'elsewhere');
  appendFileSync(target, '');
  fs.symlinkSync(target, join(folder, 'journal.jsonl'));
  const opening = RunJournal.create(join(folder, 'journal.jsonl'), 1, PORTS);
  const problem = expect.stringContaining("could not open the run's record (");
  await expect(opening).rejects.toMatchObject({ code: 'LOCAL_IO', problem, after: 'unsent' });
});

/** Lost as soon as the next record is on the disk, as by a process that was stopped there. */
async function lostJournal() {
  const path = place();
  let isLost = false;
  const assertStillHeld = () => {
    if (isLost) throw new Failure('LOCAL_IO', 'run may is no longer held by this process');
  };
  const truncated: number[] = [];
  const openFile = async (name: string): Promise<AppendFile> => {
    const file = await openAppendFile(name);
    return { ...file, truncate: async (length) => void truncated.push(length) };
  };
  const journal = await RunJournal.create(path, ROWS, { ...PORTS, assertStillHeld, openFile });
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
  const path = place();
  const journal = await RunJournal.create(path, ROWS, PORTS);
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
  const lost = { code: 'LOCAL_IO' };
  const result = (outcome: 'applied' | 'not_sent') => journal.result({ row: 1, id: 'card-1' }, ended({ outcome }));
  await expect(result('applied')).rejects.toMatchObject(lost);
  const { size } = statSync(path);
  await expect(result('not_sent')).rejects.toMatchObject(lost);
  await expect(journal.end('stopped', {})).rejects.toMatchObject(lost);
  expect(statSync(path).size).toBe(size);
  expect(truncated).toEqual([]);
  await journal.close();
});

it('a journal says in each line when it was written, what of, how long the work took and how it ended, with tokens masked', async () => {
  const path = place();
  const clock = new FakeClock();
  clock.ms = 5000;
  const mask = (text: string) => text.replace('tok', '***');
  const journal = await RunJournal.create(path, 3, { ...HELD, clock, mask }, 'of-these');
  clock.ms += 1500.4;
  await journal.intent({ row: 1, id: 'card-1', reason: 'has tok', fields: ['a'], digest: 'd' });
  const unknown1 = ended({
    outcome: 'unknown',
    attempts: 1,
    observedStatus: 'tok',
    clientReference: 'a tok',
    resultId: 'tok',
  });
  await journal.result({ row: 1, id: 'card-1' }, unknown1, { again: true, message: 'm'.repeat(3000) });
  await journal.result({ row: 2, id: 'card-2' }, ended({ outcome: 'not_sent' }));
  await journal.intent({ row: 3, id: 'card-3' });
  await journal.result({ row: 3, id: 'card-3' }, unknown1);
  await journal.resolve(3, 'resolved_not_applied', 'new-3');
  await journal.intent({ row: 3, id: 'card-3' });
  await journal.end('stopped', { unknown: 1 }, 'signal');
  await journal.close();
  expect(readFileSync(path, 'utf8')).not.toContain('tok');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const [begun, intent, unknown, notSent, , , resolved, again, end] = lines.map((line) => JSON.parse(line));
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
  const ports = PORTS;
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
  const journal = await RunJournal.create(place(), 1, { ...HELD, clock, assertStillHeld });
  const look = (now: number, monotonic: number) => {
    Object.assign(time, { now, monotonic });
    const before = looks;
    return [journal.lost()?.message, looks - before];
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  const [looked, not] = [
    [undefined, 1],
    [undefined, 0],
  ];
  expect([look(0, 0), look(999, 999), look(1998, 1000)]).toEqual([looked, not, looked]);
  expect([look(2998, 1000), look(2000, 1999), look(1000, 1999)]).toEqual([looked, not, looked]);
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
])('a journal that cannot be written with %s says where, why, and what to do then', async (code, why, words) => {
  const path = place();
  const openFile = async (name: string): Promise<AppendFile> => ({
    ...(await openAppendFile(name)),
    append: () => {
      throw Object.assign(new Error(code), { code });
    },
  });
  const journal = await RunJournal.create(path, 1, { ...PORTS, openFile });
  await expect(journal.intent({ row: 1, id: 'card-1' })).rejects.toMatchObject({
    problem: expect.stringContaining(`could not write the run's record (${path}): ${why}`),
    after: 'recorded',
    hints: [{ do: 'resume it', about: path.split('/').at(-2), words }],
  });
  await journal.close();
});

const auditFull = new Failure('LOCAL_IO', 'could not write the audit log');

/** A second record that notes what it is given; from `fails` on it cannot be written. */
function secondRecord(fails: boolean) {
  const lines: string[] = [];
  const write = async (line: string) => {
    lines.push(line);
    if (fails) throw auditFull;
  };
  const audit: RunAudit = {
    failure: undefined,
    begin: ({ row, id }) => write(`begin ${row} ${id}`),
    end: ({ row, id }, { outcome }, _, wasBegun) => write(`end ${row} ${id} ${outcome} ${wasBegun === true}`),
  };
  return { lines, audit };
}

/** The open rows of a long run stand in different blocks of its journal. */
async function killedFarApart(...rows: readonly number[]): Promise<string> {
  const said = 'x'.repeat(2000);
  return killedAt(rows, async (journal) => {
    const ending = ended({ outcome: 'not_sent' });
    await Promise.all(
      Array.from({ length: 200 }, () => journal.result({ row: 1, id: 'card-1' }, ending, { message: said })),
    );
  });
}

async function killedAt(
  rows: readonly number[],
  between: (journal: RunJournal) => Promise<void> = async () => undefined,
): Promise<string> {
  const path = place();
  const journal = await RunJournal.create(path, ROWS, PORTS);
  for (const row of rows) {
    await journal.intent({ row, id: `card-${row}`, reason: undefined });
    await between(journal);
  }
  await journal.close();
  return path;
}

it('the second record of a run is written before a byte leaves: without it no attempt begins and no row is printed', async () => {
  const path = place();
  const { lines, audit } = secondRecord(true);
  const journal = await RunJournal.create(path, ROWS, { ...PORTS, audit });
  await expect(journal.intent({ row: 3, id: 'card-3', reason: undefined })).rejects.toBe(auditFull);
  await expect(journal.result({ row: 3, id: 'card-3' }, ended({ outcome: 'applied' }))).rejects.toBe(auditFull);
  expect(lines).toEqual(['begin 3 card-3', 'end 3 card-3 applied false']);
  expect([auditFull, journal.failure].map((error) => journal.isOfAudit(error))).toEqual([true, false]);
  await journal.close();
});

it('the second record of a run has the end of what a killed process began, before anything else is sent', async () => {
  const path = await killedAt([4]);
  const { lines, audit } = secondRecord(false);
  const journal = await RunJournal.resume(path, ROWS, { ...PORTS, audit });
  expect(lines).toEqual(['end 4 card-4 unknown true']);
  await journal.close();
});

it('a run whose second record cannot be written is not resumed', async () => {
  const { audit } = secondRecord(true);
  await expect(RunJournal.resume(await killedAt([4]), ROWS, { ...PORTS, audit })).rejects.toBe(auditFull);
});

it('a run whose record cannot be written is not resumed, and the failure is heard while open rows are read', async () => {
  const { audit } = secondRecord(false);
  const path = await killedFarApart(4, 5, 6);
  const openFile = async (): Promise<AppendFile> => ({
    ...(await openAppendFile(path)),
    append: () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  });
  const resumed = RunJournal.resume(path, ROWS, { ...PORTS, audit, openFile });
  await expect(resumed).rejects.toMatchObject({ code: 'LOCAL_IO' });
});

/** The lock of one machine, which counts up as the journal tells it to. */
function runLockOf(machine: string, mayHaveRival = false): JournalPorts['lock'] {
  let epoch = 1;
  return {
    get epoch() {
      return epoch;
    },
    mayHaveRival,
    by: `${machine} (process 1)`,
    raiseEpoch: (least) => {
      epoch = Math.max(epoch, least);
    },
  };
}

const ports = (machine: string, mayHaveRival = false) => ({ ...PORTS, lock: runLockOf(machine, mayHaveRival) });

/** A journal that pod-a has begun: row 1 applied, row 2 under way. */
async function begun() {
  const path = place();
  const journal = await RunJournal.create(path, ROWS, ports('pod-a'));
  await journal.intent({ row: 1, id: 'card-1' });
  await journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'applied' }));
  await journal.intent({ row: 2, id: 'card-2' });
  return { path, journal };
}

it('M3 a journal taken over from a process that may be paused is not written by that process any more', async () => {
  const { path, journal } = await begun();
  const successor = await RunJournal.resume(path, ROWS, ports('pod-b', true));
  // Its intent was on the disk by then, so it may have been sent.
  expect([successor.states.isToDo(2), successor.states.state(2)]).toEqual([false, 'unknown']);
  const late = journal.result({ row: 2, id: 'card-2' }, ended({ outcome: 'not_sent' }));
  await expect(late).rejects.toMatchObject({ code: 'LOCAL_IO' });
  await successor.intent({ row: 3, id: 'card-3' });
  await successor.result({ row: 3, id: 'card-3' }, ended({ outcome: 'rejected' }));
  await journal.close();
  await successor.close();
  expect(await statesOf(path)).toEqual(['applied', 'unknown', 'rejected', ...NONE]);
  expect(readFileSync(path, 'utf8')).toContain('"s":"resumed","by":"pod-b (process 1)","e":2');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toEqual(['journal.jsonl']);
});

it('a journal taken over from a process that may be paused loses half a record at its end, and nothing else', async () => {
  const { path, journal } = await begun();
  await journal.close();
  appendFileSync(path, '{"n":3,"t":1777636800000,"s":"int');
  await (await RunJournal.resume(path, ROWS, ports('pod-b', true))).close();
  expect(readFileSync(path, 'utf8')).not.toContain('"n":3');
  expect(await statesOf(path)).toEqual(['applied', 'unknown', 'none', ...NONE]);
});

it('a journal taken over from a process that may be paused is set apart too when the one who took it over died before he wrote of it', async () => {
  const { path, journal } = await begun();
  const lock = runLockOf('pod-c');
  lock.raiseEpoch(3);
  const { ino } = statSync(path);
  await (await RunJournal.resume(path, ROWS, { ...ports('pod-c'), lock })).close();
  expect(statSync(path).ino).not.toBe(ino);
  expect(lock.epoch).toBe(3);
  await journal.close();
});

it('a journal taken over from a process that may be paused stays the same file if no other process can have it open', async () => {
  const { path, journal } = await begun();
  await journal.close();
  const { ino } = statSync(path);
  await (await RunJournal.resume(path, ROWS, ports('pod-a'))).close();
  expect(statSync(path).ino).toBe(ino);
});

it.each([
  ['the process was stopped', 75_000, 0],
  ['its machine was asleep, which stops the monotonic clock', 0, 75_000],
  ['its machine stood still, and both clocks with it', 0, 0],
])('M2 a run that was lost keeps back a request that was about to leave when %s', async (_, stoppedMs, asleepMs) => {
  let isLost = false;
  let wallMs = 0;
  const fake = new FakeClock();
  const clock: ClockPort = {
    now: () => fake.now() + wallMs,
    monotonic: () => fake.monotonic(),
    sleep: (ms, signal) => fake.sleep(ms, signal),
  };
  const assertStillHeld = () => {
    if (isLost) throw new Failure('LOCAL_IO', 'run may is no longer held by this process');
  };
  const journal = await RunJournal.create(place(), ROWS, { ...ports('pod-a'), clock, assertStillHeld });
  const sent: number[] = [];
  const plan = planOf(
    4,
    async (row, slot) => {
      if (!(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent', attempts: 0 });
      if (row.row === 2) {
        fake.ms += stoppedMs;
        wallMs = asleepMs;
        // As a request that waits for its connection.
        if (stoppedMs + asleepMs === 0) await new Promise(setImmediate);
        isLost = true;
      }
      slot.pacer.leaves?.();
      if (slot.stopping.aborted) return failed('CANCELLED', { outcome: 'not_sent' });
      sent.push(row.row);
      return answered();
    },
    { journal, clock },
  );
  const report = await runRows(plan);
  await journal.close();
  expect([report.exitCode, sent]).toEqual([16, [1]]);
  const unsent = ['not_sent', 'not_sent', 'not_sent'];
  expect(plan.printed.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['applied', ...unsent]);
});

it('M3 a run that is being begun writes nothing into its folder once another has taken it over', async () => {
  const stateDir = temporaryFolder();
  const folder = join(stateDir, 'runs', 'may');
  const openAudit = async () => {
    putLock(join(folder, 'lock'), { machine: 'pod-b', epoch: 2 });
    writeFileSync(join(folder, 'input'), 'of the other');
    writeFileSync(join(folder, 'journal.jsonl'), 'of the other');
    return { failure: undefined, begin: async () => undefined, end: async () => undefined };
  };
  await expect(beginRun(runPorts(stateDir, { openAudit }), runPlan({ name: 'may' }))).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message:
      'run may is no longer held by this process, which gave no sign of life for too long: another frontdesk on pod-b (process 1) took it over. Nothing more of it is sent from here.',
  });
  expect(readdirSync(folder).sort()).toEqual(['input', 'journal.jsonl', 'lock']);
  expect(readFileSync(join(folder, 'input'), 'utf8')).toBe('of the other');
  expect(readFileSync(join(folder, 'journal.jsonl'), 'utf8')).toBe('of the other');
});

it('a run that is being begun takes over no row from a process that died before it had a header', async () => {
  const stateDir = temporaryFolder();
  const folder = join(stateDir, 'runs', 'may');
  mkdirSync(folder, { recursive: true });
  const early = await RunJournal.create(join(folder, 'journal.jsonl'), 3, ports('pod-a'));
  await early.intent({ row: 1, id: 'card-1' });
  await early.close();
  await (await beginRun(runPorts(stateDir), runPlan({ name: 'may' }))).close();
  const run = await resumeRun(runPorts(stateDir), 'may');
  expect([1, 2, 3].map((row) => run.journal.states.state(row))).toEqual(['none', 'none', 'none']);
  await run.close();
});

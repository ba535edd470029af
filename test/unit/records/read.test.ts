import { appendFileSync, cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ledgerFile } from '../../../src/records/ledger.ts';
import type { HistoryFilter } from '../../../src/records/page.ts';
import { readHistory, recordsBegin, showHistory } from '../../../src/records/read.ts';
import { openFile } from '../../../src/records/stored/open-folder.ts';
import { beginRun } from '../../../src/records/stored/run-store.ts';
import { type HistoryEntry, printRecord } from '../../../src/records/write-record.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { ended, FakeClock, runPlan, runPorts } from '../runs/fakes.ts';

/** Names of files have what a change is about. Reading does not. */
const KEY = '0123456789ab';
const START_MS = Date.parse('2026-05-01T12:00:00.000Z');

/** A change that has begun, at so many seconds. Without an outcome it is under way. */
function change(entry: string, seconds: number, more: Partial<HistoryEntry> = {}): HistoryEntry {
  const facts = { user: 'ada', profile: 'demo', host: 'h', operation: 'card.block', id: 'c-1', run: undefined };
  const time = new Date(START_MS + seconds * 1000).toISOString();
  return { entry, time, callOutcome: ended({ outcome: 'applied' }), ...facts, ...more };
}

const UNKNOWN = { callOutcome: ended({ outcome: 'unknown' }) };

/** A state folder whose ledger has these lines; a text stays as it is. What is unknown has a file of its own. */
function stateOf(lines: readonly (HistoryEntry | string)[] = []): string {
  const stateDir = temporaryFolder();
  const isOpen = (line: HistoryEntry | string) =>
    typeof line !== 'string' && line.callOutcome.outcome === 'unknown' && line.resolved === undefined;
  for (const folder of ['writes', 'open']) mkdirSync(join(stateDir, folder), { mode: 0o700 });
  for (const line of lines) {
    const text = typeof line === 'string' ? `${line}\n` : printRecord(line, line.time);
    const path =
      isOpen(line) && typeof line !== 'string' ? openFile(stateDir, line.entry, KEY) : ledgerFile(stateDir, '20260501');
    appendFileSync(path, text, { mode: 0o600 });
  }
  return stateDir;
}

/** Adds a run whose rows were sent at these seconds. */
async function addRun(stateDir: string, name: string, seconds: readonly number[]) {
  const clock = new FakeClock();
  const plan = runPlan({ name, rows: seconds.length, inputRows: seconds.length });
  const run = await beginRun(runPorts(stateDir, { clock }), plan);
  for (const [index, second] of seconds.entries()) {
    clock.ms = second * 1000;
    await run.journal.intent({ row: index + 1, id: `card-${index + 1}` });
  }
  await run.close();
  return run.folder;
}

/** Adds a run of the first second whose journal cannot be read. */
async function spoilRun(stateDir: string, name: string) {
  const { journal } = await addRun(stateDir, name, [1]);
  writeFileSync(journal, 'x\ny\n');
  utimesSync(journal, START_MS / 1000 + 1, START_MS / 1000 + 1);
}

/** The same for runs that cannot be read, by name. */
async function readOf(stateDir: string, filter: Partial<HistoryFilter>): Promise<string[]> {
  const { entries, unread } = await readHistory(stateDir, { limit: 50, ...filter });
  return [...entries.map(({ entry }) => entry), ...unread.keys()];
}

async function namesOf(stateDir: string, filter: Partial<HistoryFilter> = {}): Promise<string[]> {
  const { entries } = await readHistory(stateDir, { limit: 50, ...filter });
  return entries.map(({ entry }) => entry);
}

it('the newest writes are looked for among the newest, where no more are to be read', async () => {
  const times = [1, 2, 3, 4, 5].map((second) => change(`at-${second}`, second, { id: second < 3 ? 'old' : 'new' }));
  const stateDir = stateOf(times);
  await addRun(stateDir, 'run', [1, 2]);
  expect(await namesOf(stateDir, { most: 2 })).toEqual(['at-5', 'at-4', 'run:2', 'run:1']);
  expect(await namesOf(stateDir, { most: 3, id: 'old' })).toEqual([]);
  expect(await namesOf(stateDir, { most: 4, id: 'old' })).toEqual(['at-2']);
});

it('the newest writes are those that the caller wants', async () => {
  const stateDir = stateOf([change('a', 1), change('b', 2)]);
  expect(await namesOf(stateDir, { isWanted: ({ entry }) => entry === 'a' })).toEqual(['a']);
});

it('rows of runs of the same millisecond are in the order of their numbers', async () => {
  const stateDir = stateOf();
  await addRun(stateDir, 'may', Array<number>(10).fill(1));
  expect((await namesOf(stateDir)).slice(0, 3)).toEqual(['may:10', 'may:9', 'may:8']);
});

it('rows of runs are those of the time that is asked for', async () => {
  const stateDir = stateOf();
  await addRun(stateDir, 'may', [1, 5, 9]);
  expect(await namesOf(stateDir, { sinceMs: START_MS + 5000 })).toEqual(['may:3', 'may:2']);
  expect(await namesOf(stateDir, { untilMs: START_MS + 5000 })).toEqual(['may:1']);
  expect(await namesOf(stateDir, { sinceMs: START_MS + 9001 })).toEqual([]);
});

it('rows of runs are left out where only single writes are asked for', async () => {
  const stateDir = stateOf([change('a', 1)]);
  await addRun(stateDir, 'may', [1]);
  expect(await namesOf(stateDir, { runs: false })).toEqual(['a']);
  expect(await namesOf(stateDir, { runs: true })).toEqual(['may:1', 'a']);
});

it('rows of runs are not missed where their run was not changed since, or is older than what is shown', async () => {
  const stateDir = stateOf([change('a', 3), change('b', 4)]);
  await spoilRun(stateDir, 'may');
  expect(await readOf(stateDir, {})).toEqual(['b', 'a', 'may']);
  expect(await readOf(stateDir, { sinceMs: START_MS + 1000 })).toEqual(['b', 'a', 'may']);
  expect(await readOf(stateDir, { sinceMs: START_MS + 1001 })).toEqual(['b', 'a']);
  expect(await readOf(stateDir, { limit: 1 })).toEqual(['b']);
});

it('rows of runs are read last written first, and only where the operation and the time can fit', async () => {
  const stateDir = stateOf();
  await spoilRun(stateDir, 'april');
  const may = await addRun(stateDir, 'may', [2, 3, 4]);
  utimesSync(may.journal, START_MS / 1000 + 2, START_MS / 1000 + 2);
  expect(await readOf(stateDir, { limit: 1 })).toEqual(['may:3']);
  expect(await readOf(stateDir, { operation: 'card.block' })).toEqual(['may:3', 'may:2', 'may:1', 'april']);
  expect(await readOf(stateDir, { operation: 'card.activate' })).toEqual([]);
  expect(await readOf(stateDir, { untilMs: START_MS + 1 })).toEqual(['april']);
  expect(await readOf(stateDir, { untilMs: START_MS })).toEqual([]);
});

const LIST = [{ do: 'list the entries' }];
const NONE = (name: string) => ({ code: 'USAGE', message: `there is no history entry ${name}`, hints: LIST });

it('one entry is found by a part that no other has', async () => {
  const stateDir = stateOf([change('x-12', 1, UNKNOWN), change('y-13', 2)]);
  expect(await showHistory(stateDir, 'x')).toMatchObject({ entry: 'x-12', callOutcome: { outcome: 'unknown' } });
  expect(await showHistory(stateDir, '13')).toMatchObject({ entry: 'y-13', callOutcome: { outcome: 'applied' } });
  await expect(showHistory(stateDir, 'z')).rejects.toMatchObject(NONE('z'));
});

it.each([2, 3])('one entry is not guessed where %i have the part', async (count) => {
  const stateDir = stateOf(Array.from({ length: count }, (_, index) => change(`x-${index}`, index)));
  const message = 'several history entries have "x-" in their name';
  const refusal = { code: 'USAGE', message, hints: ['give more of the name'] };
  await expect(showHistory(stateDir, 'x-')).rejects.toMatchObject(refusal);
});

it.each([0, 1, 2])('one entry is the one with the whole name, though others hold it: line %i', async (at) => {
  const lines = [change('x-11', 1), change('x-12', 2)];
  lines.splice(at, 0, change('x-1', 3));
  expect(await showHistory(stateOf(lines), 'x-1')).toMatchObject({ entry: 'x-1' });
});

it('one entry is found at the end of a long history, whatever stands before it', async () => {
  const others = Array.from({ length: 2100 }, (_, index) => change(`x-1${index}`, index));
  expect(await showHistory(stateOf([...others, change('x-1', 9999)]), 'x-1')).toMatchObject({ entry: 'x-1' });
});

it('one entry of a run has the name of the run and the number of the row, and nothing else', async () => {
  const stateDir = stateOf();
  await addRun(stateDir, 'may', Array<number>(12).fill(1));
  expect(await showHistory(stateDir, 'may:12')).toMatchObject({ entry: 'may:12' });
  for (const name of ['no:1', '../may:1', 'x:may:1', 'may:1x', 'may:13', 'may:01', 'may']) {
    await expect(showHistory(stateDir, name)).rejects.toMatchObject(NONE(name));
  }
});

it('the records begin with the oldest write, of a run or not', async () => {
  expect(await recordsBegin(temporaryFolder())).toBeUndefined();
  expect(await recordsBegin(stateOf(['no record']))).toBeUndefined();
  const single = stateOf(['no record', change('b', 60), change('c', 70)]);
  expect(await recordsBegin(single)).toBe(START_MS + 60_000);
  await addRun(single, 'may', [1]);
  expect(await recordsBegin(single)).toBe(START_MS);
  const older = stateOf([change('a', -60)]);
  await addRun(older, 'may', [1]);
  expect(await recordsBegin(older)).toBe(START_MS - 60_000);
  const run = temporaryFolder();
  await addRun(run, 'may', [1]);
  expect(await recordsBegin(run)).toBe(START_MS);
});

it('the records begin with the readable run that was begun first, whose header alone is read', async () => {
  const stateDir = temporaryFolder();
  const [may, june] = [await addRun(stateDir, 'may', [1]), await addRun(stateDir, 'june', [1])];
  const earlier = readFileSync(june.header, 'utf8').replace('2026-05-01T12:00:00.000Z', '2026-04-01T12:00:00.000Z');
  writeFileSync(june.header, earlier);
  expect(await recordsBegin(stateDir)).toBe(START_MS);
  writeFileSync(may.header, '{');
  expect(await recordsBegin(stateDir)).toBe(Date.parse('2026-04-01T12:00:00.000Z'));
});

it('rows of runs are read run by run, with a turn for what else happens before each', async () => {
  const stateDir = temporaryFolder();
  const { path } = await addRun(stateDir, 'run', [1]);
  for (let copy = 1; copy < 20; copy += 1) cpSync(path, `${path}-${copy}`, { recursive: true });
  let turns = 0;
  let next: NodeJS.Immediate | undefined;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  expect(await namesOf(stateDir)).toEqual(['run:1']);
  clearImmediate(next);
  expect(turns).toBeGreaterThan(20);
});

it('the records that cannot be read are LOCAL_IO', async () => {
  const stateDir = temporaryFolder();
  mkdirSync(ledgerFile(stateDir, '20260501'), { mode: 0o700, recursive: true });
  await expect(readHistory(stateDir, { limit: 1 })).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: expect.stringMatching(/^could not read the history \(.*writes\).*\. Nothing was changed\.$/),
  });
});

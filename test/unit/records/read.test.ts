import { appendFileSync, cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/base/failure.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { historyJson } from '../../../src/records/entry-table.ts';
import { ledgerFile, ledgerFolder, pruneLedger, readLinesBack } from '../../../src/records/ledger.ts';
import type { HistoryFilter } from '../../../src/records/page.ts';
import { readHistory, recordsBegin, showHistory } from '../../../src/records/read.ts';
import { openFile, openFolder } from '../../../src/records/stored/open-folder.ts';
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
  return (await readHistory(stateDir, { limit: 50, ...filter })).entries.map(({ entry }) => entry);
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
  expect(await namesOf(stateOf([change('by a clock before 1970', -2e9)]))).toHaveLength(1);
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
  utimesSync((await addRun(stateDir, 'may', [2, 3, 4])).journal, START_MS / 1000 + 2, START_MS / 1000 + 2);
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

it.each([1, 2, 3])('one entry is not guessed where %i have the part, and rows of a run', async (count) => {
  const dir = stateOf(Array.from({ length: count }, (_, index) => change(`x-${index}`, index)));
  await addRun(dir, 'box-0', [1]);
  const [message, hints] = ['several history entries have "x-" in their name', ['give more of the name']];
  await expect(showHistory(dir, 'x-')).rejects.toMatchObject({ code: 'USAGE', message, hints });
  expect(await showHistory(dir, 'x-0')).toMatchObject({ entry: 'x-0' });
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

const CARD = '4f1c8e5a-0f2b-4c1d-9e3f-1a2b3c4d5e6f';

const isoAt = (seconds: number) => new Date(START_MS + seconds * 1000).toISOString();

async function linesBack(content: string | Buffer): Promise<string[]> {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, content);
  const file = await open(path);
  const lines: string[] = [];
  await readLinesBack(file, (line) => {
    lines.push(line);
    return false;
  });
  await file.close();
  return lines;
}

it('lines read from the end of a file are those that are read from its beginning, whatever their length and characters', async () => {
  const size = fc.constantFrom(0, 1, 2, 60, 131_072, 262_143, 262_144, 262_145, 600_000);
  const line = fc.tuple(fc.constantFrom('a', 'é', '€', '💳'), size).map(([text, bytes]) => {
    return text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
  });
  await fc.assert(
    fc.asyncProperty(fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean()), async ([lines, endsInLine]) => {
      const text = lines.join('\n') + (endsInLine && lines.length > 0 ? '\n' : '');
      expect(await linesBack(text)).toEqual(lines.filter((one) => one !== '').reverse());
    }),
    { numRuns: 40 },
  );
});

/** One change as a test makes it: what is known of it, and what a later read of the card showed. */
interface Write {
  readonly number: number;
  readonly seconds: number;
  readonly id: string | undefined;
  readonly operation: string;
  readonly end: { readonly outcome: Outcome; readonly resultId: string | undefined };
  readonly read: Outcome | undefined;
  /** Its last line is there twice, after a power cut. */
  readonly isTwice: boolean;
}

const ID = fc.constantFrom(undefined, CARD, CARD.toUpperCase(), CARD.replace(/6f$/, '7a'), '4f1c8e5a', 'sub "1"');

const WRITE = fc.record({
  seconds: fc.integer({ min: 0, max: 30 }),
  id: ID,
  operation: fc.constantFrom('card.block', 'calendar.update'),
  end: fc.record({ outcome: fc.constantFrom<Outcome>('applied', 'rejected', 'unknown'), resultId: ID }),
  read: fc.option(fc.constantFrom<Outcome>('confirmed_by_read', 'unknown'), { nil: undefined }),
  isTwice: fc.boolean(),
});

function entryName({ number, seconds }: Pick<Write, 'number' | 'seconds'>): string {
  return `${isoAt(seconds).replace(/[-:.Z]/g, '')}-a1-${number.toString(16).padStart(6, '0')}`;
}

const outcomeOf = ({ end, read }: Write) => (end.outcome === 'unknown' ? (read ?? 'unknown') : end.outcome);
const resultOf = ({ end, read }: Write) => (end.outcome === 'unknown' && read !== undefined ? undefined : end.resultId);
const isOpen = (write: Write) => outcomeOf(write) === 'unknown';

function linesOf(write: Write): string[] {
  const entry = entryName(write);
  const time = isoAt(write.seconds);
  const { id, operation, end, isTwice } = write;
  const facts = { entry, time, user: 'ada', profile: 'demo', host: 'h', operation, id };
  const isRead = end.outcome === 'unknown' && write.read !== undefined;
  const read = isRead ? { time, user: 'bo', before: ended(end) } : undefined;
  const callOutcome = isRead ? ended({ outcome: write.read ?? 'unknown' }) : ended(end);
  const known: HistoryEntry = { ...facts, run: undefined, callOutcome, read };
  const line = printRecord(known, time);
  // A closed change may have its line before that, of a writer that found its own file gone.
  return [...(isTwice && !isOpen(write) ? [line] : []), line];
}

/** The records of these changes: open ones in a file of their own, the others in the ledger in the order of their times. */
function keep(stateDir: string, writes: readonly Write[], others: readonly string[] = []): void {
  for (const folder of [ledgerFolder(stateDir), openFolder(stateDir)])
    mkdirSync(folder, { mode: 0o700, recursive: true });
  const [before = '', after = ''] = others;
  const closed = writes.filter((write) => !isOpen(write)).toSorted((a, b) => a.seconds - b.seconds);
  const lines = closed.flatMap(linesOf).join('');
  writeFileSync(ledgerFile(stateDir, '20260501'), `${before}${lines}${after}`, { mode: 0o600 });
  for (const write of writes.filter(isOpen))
    writeFileSync(openFile(stateDir, entryName(write), KEY), linesOf(write).join(''), { mode: 0o600 });
}

/** What a reader that holds the whole file makes of the same writes. */
function expected(writes: readonly Write[], filter: HistoryFilter): string[] {
  const isCard = (id: string | undefined) => id?.length === 36;
  const fits = (id: string | undefined) =>
    id === filter.id || (isCard(filter.id) && id?.toLowerCase() === filter.id?.toLowerCase());
  const begins = (id: string | undefined) => isCard(id) && id?.toLowerCase().startsWith(filter.id ?? '-');
  const inTime = writes.filter(({ seconds }) => {
    const timeMs = START_MS + seconds * 1000;
    return timeMs >= (filter.sinceMs ?? 0) && timeMs < (filter.untilMs ?? Number.POSITIVE_INFINITY);
  });
  const matching = inTime.filter(
    (write) =>
      (filter.outcome === undefined || outcomeOf(write) === filter.outcome) &&
      (filter.operation === undefined || write.operation === filter.operation),
  );
  const exact = matching.filter((write) => fits(write.id) || fits(resultOf(write)));
  const parts = matching.filter((write) => begins(write.id) || begins(resultOf(write)));
  const found = filter.id === undefined ? matching : exact.length > 0 ? exact : parts;
  const newestFirst = found.toSorted((a, b) => b.seconds - a.seconds || b.number - a.number);
  return newestFirst.slice(0, filter.limit).map((write) => `${entryName(write)} ${outcomeOf(write)}`);
}

async function found(writes: readonly Write[], filter: HistoryFilter, others?: readonly string[]): Promise<string[]> {
  const stateDir = temporaryFolder();
  keep(stateDir, writes, others);
  const { entries } = await readHistory(stateDir, filter);
  return entries.map(({ entry, callOutcome }) => `${entry} ${callOutcome.outcome}`);
}

const FILTER = fc.record({
  sinceMs: fc.option(fc.constant(START_MS + 10_000), { nil: undefined }),
  untilMs: fc.option(fc.constant(START_MS + 20_000), { nil: undefined }),
  id: fc.constantFrom(undefined, undefined, CARD, CARD.toUpperCase(), '4f1c8e5a', 'sub "1"', 'none'),
  operation: fc.constantFrom(undefined, undefined, 'card.block'),
  outcome: fc.constantFrom<(Outcome | undefined)[]>(undefined, undefined, 'unknown', 'applied'),
  limit: fc.integer({ min: 1, max: 12 }),
});

const OTHER_LINES = ['', '\n', '{"at":"2026-05-01T12:00:00.000Z","entry":"20260501T1200', 'no record\n'];

it('the history read from its end gives what a reader of the whole file gives', async () => {
  const writes = fc.array(WRITE, { maxLength: 25 }).map((all) => all.map((write, number) => ({ ...write, number })));
  await fc.assert(
    fc.asyncProperty(writes, fc.constantFrom(...OTHER_LINES), FILTER, async (all, other, filter) => {
      expect(await found(all, filter, [other.endsWith('\n') ? other : '', other])).toEqual(expected(all, filter));
    }),
    { numRuns: 150 },
  );
});

it('the history read from its end stops when the page is full, and misses no entry of a clock that was set back by half a minute', async () => {
  const writes = Array.from({ length: 9000 }, (_, number): Write => {
    const seconds = number + (number % 2) * 30;
    const end = { outcome: 'applied', resultId: undefined } as const;
    return { number, seconds, id: CARD, operation: 'card.block', end, read: undefined, isTwice: false };
  });
  for (const limit of [1, 50, 3000]) expect(await found(writes, { limit })).toEqual(expected(writes, { limit }));
  const sinceMs = START_MS + 8000 * 1000;
  expect(await found(writes, { limit: 5000, sinceMs })).toEqual(expected(writes, { limit: 5000, sinceMs }));
});

it('the history of a resolved change has both what was known then and what resolved it', async () => {
  const stateDir = temporaryFolder();
  const end = { outcome: 'unknown', resultId: undefined } as const;
  const read = 'confirmed_by_read';
  const write = { number: 1, seconds: 0, id: CARD, operation: 'card.block', end, read, isTwice: false } as const;
  keep(stateDir, [write]);
  const { entries } = await readHistory(stateDir, { limit: 1 });
  const resolved = { user: 'bo', time: isoAt(0), before: { outcome: 'unknown' } };
  expect(entries).toMatchObject([{ callOutcome: { outcome: read }, read: resolved }]);
  expect(printJson(historyJson(entries[0] ?? expect.fail('no entry')))).toContain('"outcome":"confirmed_by_read"');
});

it('the history that was pruned has what is younger or open, and nothing else changed', async () => {
  const writes = fc.array(WRITE, { maxLength: 20 }).map((all) => all.map((write, number) => ({ ...write, number })));
  await fc.assert(
    fc.asyncProperty(writes, fc.integer({ min: 0, max: 31 }), async (all, seconds) => {
      const stateDir = temporaryFolder();
      keep(stateDir, all, ['', 'no record\n']);
      const ports = { stateDir, pid: process.pid };
      const kept = all.filter((write) => write.seconds >= seconds || isOpen(write));
      expect(await pruneLedger(ports, new FakeClock().now() + seconds * 1000)).toBe(all.length - kept.length);
      const { entries } = await readHistory(stateDir, { limit: 100 });
      expect(entries.map(({ entry, callOutcome }) => `${entry} ${callOutcome.outcome}`)).toEqual(
        expected(kept, { limit: 100 }),
      );
    }),
    { numRuns: 40 },
  );
});

it('what one machine closed as unknown and another ended has the known outcome, whatever their clocks and the names of their files', async () => {
  const machines = ['aaaaaaaa', 'bbbbbbbb'];
  for (const [closer, maker] of [machines, machines.toReversed()]) {
    const stateDir = temporaryFolder();
    mkdirSync(ledgerFolder(stateDir), { recursive: true, mode: 0o700 });
    const entry = '20260501T120000000-1-00000a';
    const begun = { entry, time: isoAt(0), user: 'ann', profile: 'p', host: 'h', operation: 'card.block', id: CARD };
    const unknown = ended({ outcome: 'unknown' });
    const closed = { ...begun, callOutcome: unknown, supersededBy: '20260501T120001000-1-00000b' };
    const write = (machine: string | undefined, record: Parameters<typeof printRecord>[0], at: string) =>
      writeFileSync(join(ledgerFolder(stateDir), `20260501.${machine}.ndjson`), printRecord(record, at), {
        mode: 0o600,
      });
    write(closer, closed, isoAt(1));
    write(maker, { ...begun, callOutcome: ended({ outcome: 'confirmed_by_read' }) }, isoAt(5));
    const { entries } = await readHistory(stateDir, { limit: 10 });
    expect(entries.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['confirmed_by_read']);
    write(maker, { ...begun, callOutcome: unknown }, isoAt(5));
    const [open] = (await readHistory(stateDir, { limit: 10 })).entries;
    expect([open?.callOutcome.outcome, open?.supersededBy]).toEqual(['unknown', '20260501T120001000-1-00000b']);
    write(maker, { ...begun, callOutcome: ended({ outcome: 'confirmed_by_read' }) }, isoAt(5));
    write(closer, closed, isoAt(9));
    const later = await readHistory(stateDir, { limit: 10 });
    expect(later.entries.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['confirmed_by_read']);
  }
});

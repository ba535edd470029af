import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/base/failure.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { historyJson } from '../../../src/records/entry-table.ts';
import { ledgerFile, ledgerFolder, pruneLedger, readLinesBack } from '../../../src/records/ledger.ts';
import type { HistoryFilter } from '../../../src/records/page.ts';
import { readHistory } from '../../../src/records/read.ts';
import { openFile, openFolder } from '../../../src/records/stored/open-folder.ts';
import { type HistoryEntry, printRecord } from '../../../src/records/write-record.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { ended, FakeClock } from '../runs/fakes.ts';

/** Names of files have what a change is about. Reading does not. */
const KEY = '0123456789ab';
const START_MS = Date.parse('2026-05-01T12:00:00.000Z');
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
  const file = fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(file, async ([lines, endsInLine]) => {
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
      const others = [other.endsWith('\n') ? other : '', other];
      expect(await found(all, filter, others)).toEqual(expected(all, filter));
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
      const ports = { stateDir, clock: new FakeClock(), pid: process.pid };
      const kept = all.filter((write) => write.seconds >= seconds || isOpen(write));
      expect(await pruneLedger(ports, -seconds * 1000)).toBe(all.length - kept.length);
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

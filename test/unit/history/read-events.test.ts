import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/failure.ts';
import { historyJson } from '../../../src/history/entry-table.ts';
import { type HistoryEvent, printHistoryEvent } from '../../../src/history/history-event.ts';
import { readLinesBack } from '../../../src/history/history-file.ts';
import { pruneHistory } from '../../../src/history/prune.ts';
import { type HistoryFilter, readHistory } from '../../../src/history/read.ts';
import { printJson } from '../../../src/json/print.ts';
import { temporaryFolder } from '../files/place.ts';
import { ended, FakeClock } from '../run/fakes.ts';

const START_MS = Date.parse('2026-05-01T12:00:00.000Z');
const CARD = '4f1c8e5a-0f2b-4c1d-9e3f-1a2b3c4d5e6f';

function isoAt(seconds: number): string {
  return new Date(START_MS + seconds * 1000).toISOString();
}

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

it('lines read from the end of a file leave out what is too long to be an event, and nothing beside it', async () => {
  for (const bytes of [1_400_000, 3_000_000, 3_145_728]) {
    const zeros = '\0'.repeat(bytes);
    expect(await linesBack(`first\n${zeros}\nlast\n`)).toEqual(['last', 'first']);
    expect((await linesBack(`first\n${zeros}`)).at(-1)).toBe('first');
  }
});

it('lines read from the end of a file end where enough of them were seen', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'one\ntwo\nthree\n');
  const file = await open(path);
  const seen: string[] = [];
  await readLinesBack(file, (line) => seen.push(line) === 2);
  await file.close();
  expect(seen).toEqual(['three', 'two']);
});

/** One write as a test makes it: what is known of it, and where its lines stand. */
interface Write {
  readonly number: number;
  readonly seconds: number;
  readonly id: string | undefined;
  readonly operation: string;
  readonly end: { readonly outcome: Outcome; readonly resultId: string | undefined } | undefined;
  readonly read: Outcome | undefined;
  readonly isTwice: boolean;
}

const OUTCOME = fc.constantFrom<Outcome>('applied', 'rejected', 'unknown');
const ID = fc.constantFrom(undefined, CARD, CARD.toUpperCase(), CARD.replace(/6f$/, '7a'), '4f1c8e5a', 'sub "1"');

const WRITE = fc.record({
  seconds: fc.integer({ min: 0, max: 30 }),
  id: ID,
  operation: fc.constantFrom('card.block', 'calendar.update'),
  end: fc.option(fc.record({ outcome: OUTCOME, resultId: ID }), { nil: undefined }),
  read: fc.option(fc.constantFrom<Outcome>('confirmed_by_read', 'unknown'), { nil: undefined }),
  isTwice: fc.boolean(),
});

function entryName({ number, seconds }: Pick<Write, 'number' | 'seconds'>): string {
  return `${isoAt(seconds).replace(/[-:.Z]/g, '')}-a1-${number.toString(16).padStart(6, '0')}`;
}

function eventsOf(write: Write): HistoryEvent[] {
  const entry = entryName(write);
  const time = isoAt(write.seconds);
  const { id, operation, end, read } = write;
  const begin = { event: 'begin', entry, time, user: 'ada', profile: 'demo', host: 'h', operation, id } as const;
  return [
    begin,
    ...(end === undefined ? [] : [{ event: 'end', entry, callOutcome: ended(end) } as const]),
    ...(read === undefined
      ? []
      : [{ event: 'read', entry, time, user: 'bo', callOutcome: ended({ outcome: read }) } as const]),
    ...(write.isTwice ? [begin] : []),
  ];
}

/** What a reader that holds the whole file makes of the same writes. */
function expected(writes: readonly Write[], filter: HistoryFilter): string[] {
  const isCard = (id: string | undefined) => id?.length === 36;
  const fits = (id: string | undefined) =>
    id === filter.id || (isCard(filter.id) && id?.toLowerCase() === filter.id?.toLowerCase());
  const begins = (id: string | undefined) => isCard(id) && id?.toLowerCase().startsWith(filter.id ?? '-');
  const outcomeOf = ({ end, read }: Write) => {
    const known = end?.outcome ?? 'unknown';
    return known === 'unknown' ? (read ?? known) : known;
  };
  const resultOf = (write: Write) => {
    const isOfRead = write.read !== undefined && (write.end?.outcome ?? 'unknown') === 'unknown';
    return isOfRead ? undefined : write.end?.resultId;
  };
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

async function found(lines: readonly string[], filter: HistoryFilter): Promise<string[]> {
  const stateDir = temporaryFolder();
  writeFileSync(join(stateDir, 'history.jsonl'), lines.join(''));
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

const OTHER_LINES = [
  '',
  '\n',
  '{"event":"begin","entry":"20260501T1200',
  'no event\n',
  '{"event":"later","entry":"x"}\n',
];

it('the history read from its end gives what a reader of the whole file gives, in whatever order its lines stand', async () => {
  const writes = fc.array(WRITE, { maxLength: 25 }).map((all) => all.map((write, number) => ({ ...write, number })));
  const file = writes.chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.shuffledSubarray(all.flatMap(eventsOf), { minLength: all.flatMap(eventsOf).length }),
      fc.constantFrom(...OTHER_LINES),
    ),
  );
  await fc.assert(
    fc.asyncProperty(file, FILTER, async ([all, events, other], filter) => {
      const lines = [other.endsWith('\n') ? other : '', ...events.map(printHistoryEvent), other];
      expect(await found(lines, filter)).toEqual(expected(all, filter));
    }),
    { numRuns: 150 },
  );
});

it('the history read from its end stops when the page is full, and misses no end that stands before its beginning', async () => {
  const writes = Array.from({ length: 9000 }, (_, number): Write => {
    // Two machines whose clocks differ by ten minutes.
    const seconds = number + (number % 2) * 600;
    return {
      number,
      seconds,
      id: CARD,
      operation: 'card.block',
      end: { outcome: 'applied', resultId: undefined },
      read: undefined,
      isTwice: false,
    };
  });
  const lines = writes.flatMap((write) => eventsOf(write).map(printHistoryEvent).reverse());
  for (const limit of [1, 50, 3000]) {
    expect(await found(lines, { limit })).toEqual(expected(writes, { limit }));
  }
  const sinceMs = START_MS + 8000 * 1000;
  expect(await found(lines, { limit: 5000, sinceMs })).toEqual(expected(writes, { limit: 5000, sinceMs }));
});

it('the history read from its end of a resolved change has both what was known then and what resolved it', async () => {
  const stateDir = temporaryFolder();
  const write: Write = {
    number: 1,
    seconds: 0,
    id: CARD,
    operation: 'card.block',
    end: { outcome: 'unknown', resultId: undefined },
    read: 'confirmed_by_read',
    isTwice: false,
  };
  writeFileSync(join(stateDir, 'history.jsonl'), eventsOf(write).map(printHistoryEvent).join(''));
  const { entries } = await readHistory(stateDir, { limit: 1 });
  expect(entries).toMatchObject([
    {
      callOutcome: { outcome: 'confirmed_by_read' },
      read: { user: 'bo', time: isoAt(0), before: { outcome: 'unknown' } },
    },
  ]);
  expect(printJson(historyJson(entries[0] ?? expect.fail('no entry')))).toContain('"outcome":"confirmed_by_read"');
});

it('the history read from its end that was pruned has what is younger or open, and nothing else changed', async () => {
  const writes = fc.array(WRITE, { maxLength: 20 }).map((all) => all.map((write, number) => ({ ...write, number })));
  await fc.assert(
    fc.asyncProperty(writes, fc.integer({ min: 0, max: 31 }), async (all, seconds) => {
      const stateDir = join(temporaryFolder(), 'state');
      mkdirSync(stateDir, { mode: 0o700 });
      const lines = all.flatMap((write) => eventsOf(write).map(printHistoryEvent));
      writeFileSync(join(stateDir, 'history.jsonl'), [...lines, 'no event\n'].join(''), { mode: 0o600 });
      const ports = { stateDir, clock: new FakeClock(), pid: process.pid };
      const isOpen = ({ end, read }: Write) =>
        (end === undefined || end.outcome === 'unknown') && (read === undefined || read === 'unknown');
      const kept = all.filter((write) => write.seconds >= seconds || isOpen(write));
      expect(await pruneHistory(ports, -seconds * 1000)).toBe(all.length - kept.length);
      const { entries } = await readHistory(stateDir, { limit: 100 });
      expect(entries.map(({ entry, callOutcome }) => `${entry} ${callOutcome.outcome}`)).toEqual(
        expected(kept, { limit: 100 }),
      );
    }),
    { numRuns: 40 },
  );
});

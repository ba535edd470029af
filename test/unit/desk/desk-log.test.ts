import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure, type Outcome } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json/value.ts';
import { cardsOf, DeskLog, type DeskWrite, isOf, isOpen, mergeKnown, writeOf } from '../../../src/desk/desk-log.ts';
import { findCards, recentText, wantedBy } from '../../../src/desk/find-card.ts';
import { createReport, handOverText } from '../../../src/desk/hand-over.ts';
import { endedWords, verdictLines } from '../../../src/desk/screen.ts';
import { lineOf } from '../../../src/records/card-line.ts';
import { NO_RECORD } from '../../../src/records/record.ts';
import { rememberCards } from '../../../src/records/remember-cards.ts';
import type { HistoryEntry } from '../../../src/records/write-record.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { type CallOutcome, NO_OUTCOME } from '../../../src/service/call-outcome.ts';
import { stoppedClock, temporaryFolder } from '../base/files/place.ts';
import { ended, FakeClock } from '../runs/fakes.ts';

const ID = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const OTHER = '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202';
const NOW = new Date(2026, 10, 25, 14, 2).getTime();
const STYLE = { width: 80, colour: false, unicode: true, now: NOW };

function object(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('a card is an object');
  return value;
}

const card = (status: string, reference = 'order-1') =>
  object(`{"status":"${status}","clientReference":"${reference}","currentBalance":10.10}`);

const AT = { profile: 'live', host: 'cards.example.com' };
const FULL = { ...NO_RECORD, begin: () => Promise.reject(new Error('no space left')) };

/** A log, and the writes that its commands record: each is begun at 14:02 and ends at once. */
function desk(record: typeof NO_RECORD | undefined = undefined) {
  let entries = 0;
  const log = new DeskLog({ now: () => NOW });
  const begin = async () => {
    entries += 1;
    return `entry-${entries}`;
  };
  const recorder = log.recording(record ?? { ...NO_RECORD, begin });
  type More = Partial<CallOutcome> & { reason?: string };
  const write = async (operation: string, outcome: Outcome, more: More = {}, id = ID) => {
    const { reason, ...callOutcome } = more;
    const entry = await recorder.begin({ operation, id, reason, ...AT });
    await recorder.end(entry, { ...NO_OUTCOME, outcome, sentAtMs: NOW, ...callOutcome });
  };
  const verdict = (status: string | undefined, id = ID) => {
    const open = log.open.filter(({ cardId }) => cardId === id);
    return verdictLines({ cardId: id, status, open, last: log.lastOf(id) }, STYLE);
  };
  return { log, recorder, write, verdict };
}

it('the verdict stays until a look shows another status, and the look of the write is none of these', async () => {
  const { log, write, verdict } = desk();
  await write('card.block', 'rejected', { httpStatus: 409 });
  log.saw(ID, card('EXPIRED'), true);
  log.saw(ID, card('EXPIRED'));
  expect(verdict('EXPIRED')).toHaveLength(1);
  log.saw(ID, card('ACTIVE'));
  expect(verdict('ACTIVE')).toEqual([]);
});

it('the verdict of an open write outlives a look that shows another status', async () => {
  const { log, write, verdict } = desk();
  await write('card.reissue', 'unknown');
  log.saw(ID, card('ACTIVE'), true);
  log.saw(ID, card('REISSUED'));
  expect(verdict('REISSUED')[0]).toContain('NOT KNOWN YET');
});

it('the verdict is that of the newest of several open writes, the others counted', async () => {
  const { write, verdict } = desk();
  await write('card.block', 'unknown');
  await write('card.reissue', 'unknown');
  expect(verdict('ACTIVE').join(' ')).toMatch(/the reissue was sent .*\(1 more open write:\s+History\)/);
});

it('the verdict of a reissue stands with the new card too', async () => {
  const { write, verdict } = desk();
  await write('card.reissue', 'applied', { resultId: OTHER });
  expect(verdict('ACTIVE', OTHER)).toEqual(['✔ REISSUED at 14:02: this is the new card']);
  expect(verdict('REISSUED')).toEqual(['✔ REISSUED at 14:02']);
});

it('a card that was reissued is offered without a status until a look shows one, and the new card as what replaces it', async () => {
  const { log, write } = desk();
  log.saw(ID, card('ACTIVE'));
  await write('card.reissue', 'applied', { resultId: OTHER });
  expect(recentText(log.recent, 80, NOW).split('\n')).toEqual([
    ...['Recent cards', '  1 1c8b7d2f             reissue 14:02: replaces 0b7a6c1e'],
    ...['  2 0b7a6c1e  order-1    reissue 14:02: applied', ''],
  ]);
  log.saw(ID, card('REISSUED'));
  expect(log.known(ID)?.status).toBe('REISSUED');
});

it('the verdict says in ASCII what a locale without marks cannot show', async () => {
  const { log, write } = desk();
  await write('card.block', 'applied');
  const about = { cardId: ID, status: 'BLOCKED', open: [], last: log.lastOf(ID) };
  expect(verdictLines(about, { ...STYLE, unicode: false })).toEqual(['* BLOCKED at 14:02']);
});

it('what is known of a write later: a later write that was done takes the place of an open one where no record is kept', async () => {
  const { log, write } = desk();
  await write('card.block', 'unknown');
  const [first] = log.writes;
  log.learned({ ...(first as DeskWrite), supersededBy: 'entry-2' }, 'BLOCKED');
  expect([log.open, log.writes.map(endedWords)]).toEqual([[], ['UNKNOWN, superseded by a later one']]);
});

it('a later look at the desk resolves only a change that aims at its status, and never a reissue', async () => {
  const { log, write } = desk(NO_RECORD);
  for (const operation of ['card.reissue', 'card.block']) await write(operation, 'unknown');
  for (const status of ['EXPIRED', undefined]) log.resolves(ID, status);
  expect(log.open.map(({ callOutcome }) => callOutcome?.outcome)).toEqual(['unknown', 'unknown']);
  log.resolves(ID, 'BLOCKED');
  expect(log.open.map(({ operation }) => operation)).toEqual([OPERATIONS.cardReissue]);
  log.resolves(ID, 'REISSUED');
  expect(log.open).toHaveLength(1);
});

it('what is known of a write later: a write that could not be recorded was not sent, and is not forgotten', async () => {
  const { log, write } = desk(FULL);
  await expect(write('card.block', 'applied')).rejects.toThrow('no space left');
  expect(log.writes.map(endedWords)).toEqual(['not sent']);
});

it('the list that is handed over has each write once, the open and the not sent ones first, with reasons and new cards', async () => {
  const { log, write } = desk();
  log.saw(ID, card('ACTIVE', 'order-20016'));
  await write('card.block', 'applied', { reason: 'lost' });
  await write('card.reissue', 'applied', { resultId: OTHER });
  await write('card.activate', 'not_sent');
  await write('card.block', 'unknown', {}, OTHER);
  expect(handOverText(log, 'live, cards.example.com', NOW).split('\n')).toEqual([
    'This session (live, cards.example.com): 1 not sent, 1 UNKNOWN, 2 applied',
    '  14:02  order-20016  0b7a6c1e  activation  not sent',
    '  14:02               1c8b7d2f  block       UNKNOWN (entry entry-4)',
    '  14:02  order-20016  0b7a6c1e  block       applied, reason: lost',
    `  14:02  order-20016  0b7a6c1e  reissue     applied, new card ${OTHER}`,
    ...['1 card was looked at.', ''],
  ]);
});

it('the cards that are offered have reference, status and what was done, those with an open write first', async () => {
  const { log, write } = desk();
  log.saw(ID, card('ACTIVE', 'order-1'));
  await write('card.block', 'unknown');
  log.saw(OTHER, card('EXPIRED', '山田'));
  expect(recentText(log.recent, 80, NOW).split('\n')).toEqual([
    ...['Recent cards', '  1 0b7a6c1e  order-1  ACTIVE   block 14:02: UNKNOWN', '  2 1c8b7d2f  山田     EXPIRED', ''],
  ]);
  expect(log.writes.filter(isOpen)).toHaveLength(1);
});

it.each([
  ['q', { kind: 'leave' }],
  ['EXIT', { kind: 'leave' }],
  ['?', { kind: 'help' }],
  ['help', { kind: 'help' }],
  ['1', { kind: 'card', cardId: ID }],
  ['2', { kind: 'text', text: '2' }],
  [` ${OTHER} `, { kind: 'card', cardId: OTHER }],
  ['order-1', { kind: 'text', text: 'order-1' }],
])('the cards that are offered: %j at the question means %j', (text, wanted) => {
  expect(wantedBy(text, [{ cardId: ID }])).toEqual(wanted);
});

it('the cards that are offered are found by reference or by how their id begins, also where no record is kept', async () => {
  const { log } = desk();
  log.saw(ID, card('ACTIVE', 'order-1'));
  log.saw(OTHER, card('ACTIVE', 'order-2'));
  type Session = Parameters<typeof findCards>[0];
  const session = { places: {}, selectedProfile: () => ({ name: 'live' }) } as unknown as Session;
  const find = (text: string) => findCards(session, log, text).cards.map(({ cardId }) => cardId);
  expect([find('ORDER-2'), find('order'), find('0B7A6C1E-3f'), find('0b7a')]).toEqual([[OTHER], [OTHER, ID], [ID], []]);
  log.saw(ID, card('ACTIVE', ' order-3 '));
  expect(find('order-3')).toEqual([ID]);
});

it('the desk finds what card find finds: cards of an import, a whole reference before its beginnings', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'desk-'));
  const place = { stateDir, url: 'https://h', pid: 1, clock: stoppedClock() };
  const seen = (cardId: string, clientReference: string) => ({ cardId, clientReference, status: 'ACTIVE', seenAt: '' });
  const lines = [seen(ID, 'order-1'), seen(OTHER, 'order-12')].map(lineOf).join('');
  await rememberCards(place, Buffer.from(lines), '2026-11-28T20:30:00.000Z');
  const { log } = desk();
  log.saw(OTHER, card('ACTIVE', 'order-12'));
  const find = (text: string, url = 'https://h') =>
    findCards({ placeOf: () => url, places: { stateDir } } as unknown as Parameters<typeof findCards>[0], log, text);
  const cards = [{ cardId: ID, reference: 'order-1', status: 'ACTIVE' }];
  expect(find('Order-1')).toEqual({ cards, more: 0, failure: undefined });
  expect(find('ord').cards.map(({ cardId }) => cardId)).toEqual([OTHER, ID]);
  expect(find('order-1', 'https://g').cards.map(({ cardId }) => cardId)).toEqual([OTHER]);
});

const ENTRY: HistoryEntry = {
  ...{ entry: 'e1', time: '2026-11-25T14:02:00.000Z', user: 'ada', profile: 'live', host: 'h' },
  ...{ operation: 'card.block', id: ID, run: undefined },
  callOutcome: { ...NO_OUTCOME, outcome: 'confirmed_by_read', observedStatus: 'BLOCKED' },
  read: { time: '2026-11-25T14:03:00.000Z', user: 'ada', before: NO_OUTCOME },
  status: 'ACTIVE',
  clientReference: 'order-1',
};

it('an entry of the history about a card is a change of that card, with the look that resolved it', () => {
  const write = { entry: 'e1', operation: OPERATIONS.cardBlock, cardId: ID, callOutcome: ENTRY.callOutcome };
  const times = { timeMs: Date.parse('2026-11-25T14:02:00Z'), checkedMs: Date.parse('2026-11-25T14:03:00Z') };
  expect(writeOf(ENTRY)).toMatchObject({ ...write, ...times });
  expect(writeOf({ ...ENTRY, callOutcome: { ...NO_OUTCOME, outcome: 'unknown' } })?.checkedMs).toBeUndefined();
  expect(writeOf({ ...ENTRY, read: undefined })?.checkedMs).toBeUndefined();
  expect(cardsOf(ENTRY)).toEqual([{ cardId: ID, reference: 'order-1', write: writeOf(ENTRY) }]);
});

it('a reissue in the history is about two cards', () => {
  const reissue = { ...ENTRY, operation: 'card.reissue', callOutcome: { ...NO_OUTCOME, resultId: OTHER } };
  const write = writeOf(reissue);
  expect(cardsOf(reissue)).toEqual([
    { cardId: OTHER, write },
    { cardId: ID, reference: 'order-1', write },
  ]);
});

it('the cards of earlier sessions are those changed and those seen, each with the status that was read last', async () => {
  const [third, minute] = ['2d9c8e30-5174-4fac-9e63-70419cb2d303', 60_000];
  const seen = (cardId: string, status: string, timeMs: number) => {
    return { cardId, status, clientReference: `of-${cardId.slice(0, 2)}`, seenAt: new Date(timeMs).toISOString() };
  };
  const at = Date.parse(ENTRY.time);
  const reissue = { ...ENTRY, operation: 'card.reissue', callOutcome: { ...NO_OUTCOME, resultId: OTHER } };
  const known = (cards: Parameters<typeof mergeKnown>[1]) =>
    mergeKnown(cardsOf(reissue), cards).map(({ cardId, reference, status }) => `${cardId} ${reference} ${status}`);
  // The old card was read before its reissue.
  const cards = [seen(third, 'EXPIRED', at + minute), seen(OTHER, 'ACTIVE', at), seen(ID, 'ACTIVE', at - minute)];
  const old = `${ID} of-0b`;
  expect(known(cards)).toEqual([`${third} of-2d EXPIRED`, `${OTHER} of-1c ACTIVE`, `${old} undefined`]);
  // One that was refused left it as it was.
  const refused = cardsOf({ ...reissue, callOutcome: { ...NO_OUTCOME, outcome: 'rejected' } });
  expect(mergeKnown(refused, [seen(ID, 'EXPIRED', at - minute)])[0]?.status).toBe('EXPIRED');
  expect(known([seen(ID, 'REISSUED', at + minute)])).toEqual([`${old} REISSUED`, `${OTHER} undefined undefined`]);
});

const NO_CARDS = [{ id: undefined }, { operation: 'calendar.update' }, { operation: 'api' }];

it.each(NO_CARDS)('an entry of the history with %o is about no card', (change) => {
  expect([writeOf({ ...ENTRY, ...change }), cardsOf({ ...ENTRY, ...change })]).toEqual([undefined, []]);
});

it.each([
  ['https://h', true],
  ['https://g', false],
  [undefined, false],
])('an entry at %s belongs to the desk at https://h, whatever its profile: %s', (url, belongs) => {
  const session = { placeOf: () => 'https://h', places: { stateDir: undefined } };
  const isHere = isOf(session as unknown as Parameters<typeof isOf>[0]);
  for (const profile of ['live', 'other'])
    expect(isHere({ url, profile, time: '2026-11-25T14:02:00.000Z' })).toBe(belongs);
});

it('a raw write is no write of a card at the desk, begun or not', async () => {
  const { log, recorder } = desk();
  const intent = { operation: 'api', id: '/v1/x', profile: 'live', host: 'h' };
  await recorder.end(await recorder.begin(intent), { ...NO_OUTCOME, outcome: 'applied' });
  await expect(log.recording(FULL).begin(intent)).rejects.toThrow('no space left');
  expect(log.writes).toEqual([]);
});

it('a write that has no ID, or could not be recorded, has empty ones', async () => {
  const log = new DeskLog({ now: () => NOW });
  const intent = { operation: 'calendar.event.create', ...AT };
  await expect(log.recording(FULL).begin(intent)).rejects.toThrow('no space left');
  await log.recording(NO_RECORD).begin(intent);
  expect(log.writes.flatMap(({ entry, cardId }) => [entry, cardId])).toEqual(['', '', '', '']);
});

it('an end is that of the write with its name, and of none where no write has it', async () => {
  const { log, recorder } = desk();
  const begin = () => recorder.begin({ operation: 'card.block', id: ID, profile: 'live', host: 'h' });
  const [first, second] = [await begin(), await begin()];
  await recorder.end('another', { ...NO_OUTCOME, outcome: 'rejected' });
  await recorder.end(second, { ...NO_OUTCOME, outcome: 'applied' });
  const ends = log.writes.flatMap(({ entry, callOutcome }) => [entry, callOutcome?.outcome]);
  expect([ends, log.open]).toEqual([[first, undefined, second, 'applied'], []]);
});

it('what is learned takes the place of the write with its name, and of the last one of its card unless it is older', async () => {
  const { log, write } = desk();
  await write('card.reissue', 'unknown');
  await write('card.block', 'unknown');
  const [reissue, block] = log.writes as [DeskWrite, DeskWrite];
  const callOutcome = { ...NO_OUTCOME, outcome: 'confirmed_by_read' } as const;
  log.learned({ ...reissue, callOutcome, timeMs: NOW - 1 }, 'REISSUED');
  expect(log.writes.map(({ callOutcome: ended }) => ended?.outcome)).toEqual(['confirmed_by_read', 'unknown']);
  expect(log.lastOf(ID)).toBe(block);
  log.learned({ ...block, callOutcome }, 'BLOCKED');
  expect(log.lastOf(ID)).toMatchObject({ callOutcome, operation: OPERATIONS.cardBlock });
  expect(log.writes.map(({ operation }) => operation)).toEqual([OPERATIONS.cardReissue, OPERATIONS.cardBlock]);
  log.saw(ID, card('BLOCKED'));
  expect(log.lastOf(ID)).toBeDefined();
  log.learned({ ...block, entry: 'before', cardId: OTHER }, 'ACTIVE');
  expect(log.lastOf(OTHER)).toMatchObject({ entry: 'before' });
  expect(log.known(OTHER)?.write).toMatchObject({ entry: 'before' });
  expect(Object.keys(log.writes)).toEqual(['0', '1']);
});

it('a look at the desk resolves a change of its own card alone, and none that the records have', async () => {
  const { log, write } = desk(NO_RECORD);
  for (const id of [ID, OTHER]) await write('card.block', 'unknown', {}, id);
  log.resolves(ID.toUpperCase(), 'BLOCKED');
  expect(log.open.map(({ cardId }) => cardId)).toEqual([OTHER]);
  const kept = desk();
  await kept.write('card.block', 'unknown');
  kept.log.resolves(ID, 'BLOCKED');
  expect(kept.log.open).toHaveLength(1);
});

it('a card is known by the status at which a write that was done aims, else as it was, and keeps what is not seen again', async () => {
  const { log, write } = desk();
  log.saw(ID, card('ACTIVE', 'order-1'));
  await write('card.activate', 'rejected');
  expect(log.known(ID)?.status).toBe('ACTIVE');
  log.saw(ID, object('{"status":"ACTIVE"}'));
  expect(log.lastOf(ID)).toBeDefined();
  await write('card.block', 'applied');
  expect(log.known(ID)).toMatchObject({ status: 'BLOCKED', reference: 'order-1' });
  await write('card.activate', 'confirmed_by_read');
  expect(log.known(ID)?.status).toBe('ACTIVE');
});

it('a change that was done supersedes open ones before it, of its card and resolved by a look', async () => {
  let now = NOW;
  const log = new DeskLog({ now: () => now });
  const names = ['entry-1', 'entry-2', 'entry-3', 'entry-4', 'entry-5', 'entry-6', 'entry-7'];
  const recorder = log.recording({ ...NO_RECORD, begin: async () => names.shift() ?? '' });
  const write = async (operation: string, outcome: Outcome, id = ID) => {
    const entry = await recorder.begin({ operation, id, profile: 'live', host: 'h' });
    await recorder.end(entry, { ...NO_OUTCOME, outcome });
    now += 1;
  };
  for (const operation of ['card.block', 'card.reissue']) await write(operation, 'unknown');
  await write('card.block', 'unknown', OTHER);
  await write('card.reissue', 'applied');
  await write('card.block', 'rejected');
  expect(log.open).toHaveLength(3);
  await write('card.block', 'unknown');
  now -= 1;
  await write('card.block', 'applied');
  expect(log.writes.map(({ supersededBy }) => supersededBy)).toEqual(['entry-7', ...Array(6).fill(undefined)]);
});

it('the newest nine of all known cards are offered, the newest first', () => {
  const known = Array.from({ length: 10 }, (_, index) => ({ cardId: `card-${index}` }));
  const log = new DeskLog({ now: () => NOW }, known);
  expect([log.cards, log.recent]).toEqual([known, known.slice(0, 9)]);
});

const CLOSINGS = [{ supersededBy: 'e2' }, { resolved: { time: 't', by: 'ada', as: 'applied' as const } }];

it.each(CLOSINGS)('an unknown write with %o is open no more', (closing) => {
  const write = { ...(writeOf({ ...ENTRY, callOutcome: { ...NO_OUTCOME, outcome: 'unknown' } }) as DeskWrite) };
  expect([isOpen(write), isOpen({ ...write, ...closing })]).toEqual([true, false]);
});

it('a report of the desk that cannot be written at the start leaves no file, which would refuse the next start', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'shift.md');
  const log = new DeskLog({ now: () => 0 });
  const full = () => {
    throw new Failure('LOCAL_IO', 'no space left on the device');
  };
  const context = { clock: { now: full, monotonic: () => 0, sleep: () => Promise.resolve() }, pid: 1 };
  expect(await createReport(path, log, 'live', context).catch((error: unknown) => error)).toMatchObject({
    code: 'LOCAL_IO',
    message: `could not save the report ${path}: no space left on the device. Nothing was sent.`,
    hints: [],
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('a report of the desk in CSV has no formula, whatever a reason says, and the whole name of an open entry', async () => {
  const path = join(temporaryFolder(), 'shift.csv');
  const clock = new FakeClock();
  const log = new DeskLog(clock);
  const change = { operation: 'card.block', id: 'c-1', reason: '=1+1', profile: 'demo', host: 'h' };
  const recorder = { ...NO_RECORD, begin: async () => '20260501T120000000-1f-e82fb7' };
  await log.recording(recorder).begin(change, ended({ outcome: 'unknown' }));
  await createReport(path, log, 'live', { clock, pid: 1 });
  expect(readFileSync(path, 'utf8')).toContain(`c-1,block,UNKNOWN (entry 20260501T120000000-1f-e82fb7),,'=1+1\r\n`);
});

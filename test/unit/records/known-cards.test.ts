import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from '../../../src/base/files/lock.ts';
import { temporaryName } from '../../../src/base/files/process-identity.ts';
import { lineOf, type SeenCard } from '../../../src/records/card-line.ts';
import { addCards, cardsByReference, findCards, forgetCards, newestCards } from '../../../src/records/known-cards.ts';
import { headOf, type KnownCardsPlace, knownCardsPath, rememberCards } from '../../../src/records/remember-cards.ts';
import { realClock } from '../base/files/place.ts';

const NOW = '2026-11-28T20:30:00.000Z';
const ONE = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const TWO = '0b7a6c1e-ffff-4d8a-9c41-5e2f7a90b102';
const THREE = '0b7a6c1e-ffff-4d8a-9c41-5e2f7a90b103';

let stateDir = '';
const place = () => ({ stateDir, url: 'https://api.example.com', pid: process.pid, clock: realClock() });
function card(cardId: string, clientReference?: string, status?: string, seenAt = NOW): SeenCard {
  return { cardId, clientReference, status, seenAt };
}
const remember = (at: KnownCardsPlace, cards: readonly SeenCard[]) =>
  rememberCards(at, Buffer.from(cards.map(lineOf).join('')), NOW);
async function* one(cardId: string): AsyncGenerator<readonly SeenCard[]> {
  yield [card(cardId, 'order-2')];
}
async function* nothing(): AsyncGenerator<readonly SeenCard[]> {}
const ids = (text: string) => findCards(place(), text).cards.map(({ cardId }) => cardId);

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'frontdesk-cards-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

test('a card is found by its whole reference in any case, else by beginnings of three characters and of an ID', async () => {
  await remember(place(), [card(ONE, 'Order-1'), card(TWO, 'Order-10')]);
  expect([ids('ORDER-1'), ids('order')]).toEqual([[ONE], [TWO, ONE]]);
  expect([ids('or'), ids('0b7a6c1e')]).toEqual([[], [TWO, ONE]]);
  expect([ids('0B7A6C1E-FFFF'), ids('0b7a6c1effff4d')]).toEqual([[TWO], [TWO]]);
  expect([ids('0b7a6c1'), ids('rder-1')]).toEqual([[], []]);
});

test.each(['  r-1 ', 'r-1', ' R-1', 'r-1\u3000'])('a reference with blanks around is found by "%s"', async (text) => {
  await remember(place(), [card(ONE, '  r-1 '), card(TWO, ' r-10 ')]);
  expect([ids(text), cardsByReference(place(), [text])]).toEqual([[ONE], new Map([[text, ONE]])]);
});

test('the newest cards are those of the last lines with a status, each once, whatever a killed process left behind', async () => {
  expect(newestCards(place())).toEqual([]);
  await remember(place(), [card(ONE, 'one', 'ACTIVE'), card(TWO, 'two', 'ACTIVE'), card(ONE, 'one', 'BLOCKED')]);
  await remember(place(), [card(TWO, 'of-an-import')]);
  appendFileSync(knownCardsPath(stateDir, place().url), 'no line\n{"id":"cut');
  expect(newestCards(place())).toEqual([card(ONE, 'one', 'BLOCKED'), card(TWO, 'two', 'ACTIVE')]);
  const many = Array.from({ length: 2000 }, (_, at) => card(TWO, `order-${at}`, 'EXPIRED'));
  await remember({ ...place(), url: 'many' }, [card(ONE, 'one', 'ACTIVE'), ...many]);
  expect(newestCards({ ...place(), url: 'many' })).toEqual([card(TWO, 'order-1999', 'EXPIRED')]);
});

test('a text that is an ID or holds one finds that card before a reference of the same text', async () => {
  await remember(place(), [card(ONE, 'a'), card(TWO, ONE)]);
  expect(ids(ONE)).toEqual([ONE]);
  expect(ids(`Card: ${ONE.toUpperCase()}.`)).toEqual([ONE]);
});

test('the last line of a card counts: an earlier reference finds it no more, and a missing status leaves the known one and its time', async () => {
  await remember(place(), [card(ONE, 'old-1', 'ACTIVE', '2026-01-01T00:00:00.000Z')]);
  await remember(place(), [card(TWO, 'old-2', 'ACTIVE')]);
  await remember(place(), [card(ONE, 'new-1', undefined, NOW)]);
  expect([ids('old-1'), ids('old')]).toEqual([[], [TWO]]);
  const known = [card(ONE, 'new-1', 'ACTIVE', '2026-01-01T00:00:00.000Z')];
  expect(findCards(place(), 'new-1').cards).toEqual(known);
  await addCards(place(), nothing(), NOW);
  expect(findCards(place(), 'new-1').cards).toEqual(known);
});

const LONG_URL = `https://api.example.com/${'p'.repeat(300)}`;
test.each(['sandbox', LONG_URL])(
  'cards of another base URL are not found, and forgetting one base URL keeps the other',
  async (url) => {
    const other = { ...place(), url };
    await remember(place(), [card(ONE, 'order-1')]);
    await remember(other, [card(TWO, 'order-1')]);
    expect([ids('order-1'), await forgetCards(place())]).toEqual([[ONE], true]);
    expect([await forgetCards(place()), ids('order-1')]).toEqual([false, []]);
    expect(findCards(other, 'order-1').count).toBe(1);
  },
);

test('at most 50 cards are returned, the newest, and the others are counted', async () => {
  const many = Array.from({ length: 120 }, (_, n) => card(ONE.slice(0, -3) + String(100 + n), `order-${n}`, 'ACTIVE'));
  await remember(place(), many);
  const { cards, count, since } = findCards(place(), 'order');
  expect([cards.length, count, since]).toEqual([50, 120, NOW]);
  expect([cards[0]?.clientReference, cards[49]?.clientReference]).toEqual(['order-119', 'order-70']);
});

test('a last line that was cut is left out, and another damaged line is reported with what could be read', async () => {
  await remember(place(), [card(ONE, 'order-1')]);
  const path = knownCardsPath(stateDir, place().url);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  appendFileSync(path, '{"id":"0b7a');
  expect(findCards(place(), 'order-1')).toMatchObject({ count: 1, failure: undefined });
  appendFileSync(path, 'x\n');
  expect(findCards(place(), 'order-1')).toMatchObject({ count: 1, failure: { code: 'LOCAL_IO' } });
});

test('a file that others can write to is neither believed nor appended to', async () => {
  await remember(place(), [card(ONE, 'order-1')]);
  chmodSync(knownCardsPath(stateDir, place().url), 0o666);
  expect(() => findCards(place(), 'order-1')).toThrow(expect.objectContaining({ code: 'AUTH' }));
  await expect(remember(place(), [card(TWO, 'order-2')])).rejects.toMatchObject({ code: 'AUTH' });
});

test('cards that are added are behind one line for each known card, and a failure leaves the file as it was', async () => {
  await remember(place(), [card(ONE, 'order-1', 'ACTIVE'), card(ONE, 'order-1', 'BLOCKED')]);
  const path = knownCardsPath(stateDir, place().url);
  const before = readFileSync(path, 'utf8');
  async function* failing(): AsyncGenerator<readonly SeenCard[]> {
    yield [card(TWO, 'order-2')];
    throw new Error('line 3 has no card ID');
  }
  await expect(addCards(place(), failing(), NOW)).rejects.toThrow('line 3 has no card ID');
  expect(readFileSync(path, 'utf8')).toBe(before);
  await addCards(place(), one(TWO), NOW);
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(3);
  expect([findCards(place(), 'order-1').cards, ids('order-2')]).toEqual([[card(ONE, 'order-1', 'BLOCKED')], [TWO]]);
});

test('cards that two processes add at once are all kept', async () => {
  async function* slow(): AsyncGenerator<readonly SeenCard[]> {
    yield [card(ONE, 'order-1')];
    await addCards(place(), one(TWO), NOW);
  }
  await addCards(place(), slow(), NOW);
  expect([ids('order-1'), ids('order-2')]).toEqual([[ONE], [TWO]]);
});

test('the file is written anew by one process after the other', async () => {
  await remember(place(), [card(ONE, 'order-1')]);
  const path = knownCardsPath(stateDir, place().url);
  let adding: Promise<void> | undefined;
  await withLock(join(dirname(path), 'cards.lock'), { ...place(), what: 'this' }, async () => {
    adding = addCards(place(), one(TWO), NOW);
    await setTimeout(100);
    expect(ids('order-2')).toEqual([]);
    writeFileSync(path, readFileSync(path, 'utf8') + lineOf(card(THREE, 'order-3')));
  });
  await adding;
  expect(['order-1', 'order-2', 'order-3'].map(ids)).toEqual([[ONE], [TWO], [THREE]]);
  expect(readdirSync(dirname(path))).toEqual([basename(path)]);
});

test('cards that are forgotten while others are added stay forgotten, and what a killed process left is swept', async () => {
  await remember(place(), [card(ONE, 'order-1')]);
  const path = knownCardsPath(stateDir, place().url);
  writeFileSync(join(dirname(path), temporaryName(2 ** 30)), 'half');
  appendFileSync(path, lineOf(card(THREE, 'order-3')).repeat(50_000));
  const adding = addCards(place(), one(TWO), NOW);
  const isWriting = () => readdirSync(dirname(path)).filter((name) => name.endsWith('.tmp')).length === 2;
  while (!isWriting() || !existsSync(join(dirname(path), 'cards.lock'))) await setImmediate();
  expect(await forgetCards(place())).toBe(true);
  await adding;
  expect([['order-1', 'order-2'].map(ids), readdirSync(dirname(path))]).toEqual([[[], [TWO]], [basename(path)]]);
});

test('of a file of many pieces, each card keeps its latest line whole, in the order of the file', async () => {
  const many = (status: string) =>
    Array.from({ length: 25_000 }, (_, n) => card(`${ONE.slice(0, -5)}${20_000 + n}`, `order-${n}`, status));
  await remember(place(), many('ACTIVE'));
  await remember(place(), many('BLOCKED').reverse());
  const path = knownCardsPath(stateDir, place().url);
  expect(statSync(path).size).toBeGreaterThan(5 * 1024 * 1024);
  await addCards(place(), nothing(), NOW);
  const [head, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(head).toBe(headOf(NOW, statSync(path).size).trimEnd());
  expect(lines).toEqual(
    many('BLOCKED')
      .reverse()
      .map((each) => lineOf(each).trimEnd()),
  );
});

test('whatever a reference holds, its card is found by the whole of it and no other is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (reference) => {
      fc.pre(reference.trim() !== '' && reference.isWellFormed());
      const url = `https://${Math.abs(hashOf(reference))}.example.com`;
      await remember({ ...place(), url }, [card(ONE, reference), card(TWO, `${reference}x`)]);
      expect(findCards({ stateDir, url }, reference).cards.map(({ cardId }) => cardId)).toEqual([ONE]);
      await forgetCards({ stateDir, url });
    }),
    { numRuns: 50 },
  );
});

function hashOf(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 7);
}

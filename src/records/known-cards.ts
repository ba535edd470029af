import { closeSync, existsSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../base/failure.ts';
import { ensurePrivateFolder, putInPlace } from '../base/files/atomic.ts';
import { ifPossible, ignoreErrors, ignoreNotFound, ioFailure, orElse, orIoFailure } from '../base/files/io-failure.ts';
import type { AssertStillHeld } from '../base/files/lock.ts';
import { requireOwnState } from '../base/files/own-state.ts';
import { temporaryName } from '../base/files/process-identity.ts';
import { sweepLeftovers } from '../base/files/sweep.ts';
import { parseJson } from '../base/json/parse.ts';
import { textAt } from '../base/json/value.ts';
import { readCardId } from '../input/values.ts';
import { lineOf, referenceKey, type SeenCard } from './card-line.ts';
import {
  type CardPlace,
  findPlaces,
  lastLines,
  latestLines,
  lineAt,
  type Needle,
  openLines,
} from './known-card-lines.ts';
import { APPENDING, cardsFolder, headOf, type KnownCardsPlace, knownCardsPath, SLACK_BYTES } from './remember-cards.ts';
import { isPartOfCardId } from './write-record.ts';

/** The oldest cards go beyond it. */
const MAX_CARDS = 1_000_000;

type Place = Pick<KnownCardsPlace, 'stateDir' | 'url'>;

/** Forgets the cards of a base URL. Returns whether there were any. LOCAL_IO. */
export async function forgetCards({ stateDir, url }: Place): Promise<boolean> {
  const path = knownCardsPath(stateDir, url);
  const removing = ignoreNotFound(unlink(path).then(() => true));
  return (await orIoFailure(removing, `could not delete the remembered cards (${path})`, 'unchanged')) === true;
}

/** What a search found: cards newest first, at most 50 of `count`. */
export interface FoundCards {
  readonly cards: readonly SeenCard[];
  readonly count: number;
  /** Since when this machine remembers cards of the base URL, in ISO 8601; undefined: it remembers none. */
  readonly since: string | undefined;
  /** LOCAL_IO: the file is damaged, and cards may be missing. */
  readonly failure: Failure | undefined;
}

const MOST_FOUND = 50;
export const SHORTEST_REFERENCE = 3;

/** The beginning of a card ID as IDs are written. */
function withDashes(text: string): string {
  const digits = text.replaceAll('-', '');
  const ends = [0, 8, 12, 16, 20, 32];
  return ends
    .slice(1)
    .map((end, group) => digits.slice(ends[group], end))
    .filter((part) => part !== '')
    .join('-');
}

function wholeReference(text: string): Needle {
  return { place: 'ref', bytes: Buffer.from(`${JSON.stringify(referenceKey(text))},`), rank: 2 };
}

/** What fits a text: its card ID before a whole reference, and these before beginnings. */
function needlesFor(text: string): readonly Needle[] {
  const wanted = referenceKey(text);
  const read = readCardId(wanted);
  const ref = Buffer.from(JSON.stringify(wanted));
  const needles: Needle[] = [wholeReference(wanted)];
  if (read.kind === 'id' || read.kind === 'holds') needles.push({ place: 'id', bytes: Buffer.from(read.id), rank: 3 });
  // Without its closing quote.
  if ([...wanted].length >= SHORTEST_REFERENCE) needles.push({ place: 'ref', bytes: ref.subarray(0, -1), rank: 1 });
  if (isPartOfCardId(wanted)) needles.push({ place: 'id', bytes: Buffer.from(withDashes(wanted)), rank: 1 });
  return needles;
}

/** The card of a line that `lineOf` wrote. */
function cardIn(line: string): SeenCard {
  const card = parseJson(line);
  const [cardId = '', clientReference] = [
    textAt(card, 'cardId') ?? textAt(card, 'id'),
    textAt(card, 'clientReference') ?? textAt(card, 'ref'),
  ];
  return { cardId, clientReference, status: textAt(card, 'status'), seenAt: textAt(card, 'seenAt') ?? '' };
}

/** The card of its latest line, with its latest known status and the time of that: what is old is the status. */
function cardAt(file: number, { line, status: statusLine = line }: CardPlace): SeenCard {
  const latest = cardIn(lineAt(file, line));
  const { status, seenAt } = statusLine === line ? latest : cardIn(lineAt(file, statusLine));
  return { ...latest, status, seenAt };
}

/** An import may know no status: an earlier line that the search did not fit may have one. */
function withStatuses(file: number, cards: readonly SeenCard[]): readonly SeenCard[] {
  const unknown = cards.filter(({ status }) => status === undefined);
  if (unknown.length === 0) return cards;
  const needles = unknown.map(({ cardId }): Needle => {
    return { place: 'id', bytes: Buffer.from(cardId.toLowerCase()), rank: 1 };
  });
  const known = findPlaces(file, needles, MOST_FOUND).places.map((place) => cardAt(file, place));
  return cards.map((card) => known.find(({ cardId }) => cardId === card.cardId) ?? card);
}

function sinceOf(head: string): string | undefined {
  return head === '' ? undefined : ifPossible(() => textAt(parseJson(head), 'since'));
}

/** Works with the opened file of known cards; undefined if there is none. LOCAL_IO, or AUTH. */
function withLines<Result>(path: string, work: (file: number) => Result): Result | undefined {
  const failed = (error: unknown) => ioFailure(`could not read the remembered cards (${path})`, error);
  const file = orElse(() => openLines(path), failed);
  if (file === undefined) return undefined;
  try {
    return orElse(() => work(file), failed);
  } finally {
    closeSync(file);
  }
}

/**
 * Finds remembered cards: by the ID in the text, else by the whole reference, else by the beginning of a reference (3
 * characters or more) or of an ID (8 or more), in any case. AUTH if others could have written them, LOCAL_IO.
 */
export function findCards({ stateDir, url }: Place, text: string): FoundCards {
  return cardsIn(stateDir, knownCardsPath(stateDir, url), text);
}

/** The ID of the one card that is known by each of these whole references. AUTH, LOCAL_IO. */
export function cardsByReference({ stateDir, url }: Place, texts: readonly string[]): ReadonlyMap<string, string> {
  const path = knownCardsPath(stateDir, url);
  requireOwnState(stateDir, path);
  const cards = withLines(path, (file) =>
    findPlaces(file, texts.map(wholeReference), MOST_FOUND).places.map((place) => cardAt(file, place)),
  );
  const known = new Map<string, string>();
  for (const text of texts) {
    const isIt = ({ clientReference = '' }: SeenCard) => referenceKey(clientReference) === referenceKey(text);
    const [card, ...others] = cards?.filter(isIt) ?? [];
    if (card !== undefined && others.length === 0) known.set(text, card.cardId);
  }
  return known;
}

function cardsIn(stateDir: string, path: string, text: string): FoundCards {
  requireOwnState(stateDir, path);
  const found = withLines(path, (file) => {
    const { places, head, ...rest } = findPlaces(file, needlesFor(text), MOST_FOUND);
    const cards = withStatuses(
      file,
      places.map((place) => cardAt(file, place)),
    );
    const since = sinceOf(head);
    const isDamaged = rest.isDamaged || (head !== '' && since === undefined);
    return {
      cards,
      count: rest.count,
      since,
      failure: isDamaged
        ? new Failure('LOCAL_IO', `could not read all of the remembered cards (${path})`, {
            hints: [{ do: 'to start over' }],
          })
        : undefined,
    };
  });
  return found ?? { cards: [], count: 0, since: undefined, failure: undefined };
}

/** The cards of the last lines that hold a status, newest first. AUTH if others could have written them, LOCAL_IO. */
export function newestCards({ stateDir, url }: Place): readonly SeenCard[] {
  const path = knownCardsPath(stateDir, url);
  requireOwnState(stateDir, path);
  const cards = new Map<string, SeenCard>();
  for (const line of withLines(path, lastLines) ?? []) {
    const card = ifPossible(() => cardIn(line));
    if (card?.status !== undefined && !cards.has(card.cardId)) cards.set(card.cardId, card);
  }
  return [...cards.values()];
}

/** The files of all base URLs. Throws the system's error. */
function allPaths(stateDir: string): readonly string[] {
  const folder = cardsFolder(stateDir);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  return names.map((name) => join(folder, name));
}

/** At how many base URLs cards are remembered. Throws what keeps them from being found or remembered: AUTH, LOCAL_IO. */
export function checkCards(stateDir: string): number {
  const paths = orElse(
    () => allPaths(stateDir),
    (error) => ioFailure(`could not read the remembered cards (${cardsFolder(stateDir)})`, error),
  );
  for (const path of paths) {
    const { failure } = cardsIn(stateDir, path, '');
    if (failure !== undefined) throw failure;
    orElse(
      () => closeSync(openSync(path, APPENDING)),
      (error) => ioFailure(`could not remember cards (${path})`, error),
    );
  }
  return paths.length;
}

/** The IDs of the cards that have this order number, at any base URL. What cannot be read or believed counts as none. */
export function cardsOfReference(stateDir: string, reference: string): readonly string[] {
  const found = (ifPossible(() => allPaths(stateDir)) ?? []).flatMap(
    (path) => ifPossible(() => cardsIn(stateDir, path, reference).cards) ?? [],
  );
  return found.filter(({ clientReference }) => clientReference === reference).map(({ cardId }) => cardId);
}

/**
 * Writes the file anew with one line for each card, and more cards behind them. All of them are there, or none. A card
 * that another process appends at that moment may be forgotten, but nothing that it adds in this way.
 */
export async function addCards(
  place: KnownCardsPlace,
  added: AsyncIterable<readonly SeenCard[]>,
  now: string,
): Promise<void> {
  const { stateDir, url, pid } = place;
  const [path, folder] = [knownCardsPath(stateDir, url), cardsFolder(stateDir)];
  requireOwnState(stateDir, path);
  await ensurePrivateFolder(stateDir);
  await ensurePrivateFolder(folder);
  await sweepLeftovers(folder, place);
  const newLines = join(folder, temporaryName(pid));
  const file = await open(newLines, 'wx+', 0o600);
  try {
    // Before the lock: they may come from a program that takes long, or that waits for the lock itself.
    for await (const cards of added) await file.writeFile(cards.map(lineOf).join(''));
    const { withLock } = await import('../base/files/lock.ts');
    const how = { ...place, what: 'the remembered cards' };
    await withLock(join(folder, 'cards.lock'), how, (assertStillHeld) => writeAnew(place, file, now, assertStillHeld));
  } catch (error) {
    throw ioFailure(`could not save the remembered cards (${path})`, error, 'unchanged');
  } finally {
    await ignoreErrors(file.close());
    await ignoreErrors(unlink(newLines));
  }
}

async function writeAnew(
  place: KnownCardsPlace,
  newLines: FileHandle,
  now: string,
  assertStillHeld: AssertStillHeld,
): Promise<void> {
  const { stateDir, url, pid } = place;
  const path = knownCardsPath(stateDir, url);
  const temporary = join(cardsFolder(stateDir), temporaryName(pid));
  let known = openLines(path);
  const links = known === undefined ? 0 : fstatSync(known).nlink;
  const file = await open(temporary, 'wx', 0o600);
  let isForgotten = false;
  try {
    const since = (known === undefined ? undefined : sinceOf(lineAt(known, 0))) ?? now;
    await file.writeFile(headOf(since, 0));
    const old = known;
    if (old !== undefined) {
      const joined = (at: CardPlace) => lineOf(cardAt(old, at));
      for (const piece of latestLines(old, MAX_CARDS, joined)) await file.writeFile(piece);
    }
    for await (const lines of newLines.createReadStream({ start: 0, autoClose: false })) await file.writeFile(lines);
    await file.write(headOf(since, (await file.stat()).size), 0);
    await file.sync();
    await file.close();
    assertStillHeld();
    isForgotten = known !== undefined && fstatSync(known).nlink < links;
    // Windows puts nothing in the place of an open file.
    if (known !== undefined) closeSync(known);
    known = undefined;
    await (isForgotten ? unlink(temporary) : putInPlace(temporary, path));
  } catch (error) {
    await ignoreErrors(file.close());
    await ignoreErrors(unlink(temporary));
    throw error;
  } finally {
    if (known !== undefined) closeSync(known);
  }
  // What was forgotten meanwhile stays forgotten.
  if (isForgotten) await writeAnew(place, newLines, now, assertStillHeld);
}

/**
 * Removes old lines once the file, of so many bytes now, has doubled. What goes wrong does not count: the old file is
 * whole.
 */
export async function compactCards(place: KnownCardsPlace, size: number, now: string): Promise<void> {
  const path = knownCardsPath(place.stateDir, place.url);
  const before = withLines(path, (file) => Number(/"bytes":\s*(\d+)/.exec(lineAt(file, 0))?.[1] ?? 0)) ?? 0;
  if (size > 2 * before + SLACK_BYTES) await addCards(place, nothing(), now);
}

async function* nothing(): AsyncGenerator<readonly SeenCard[]> {}

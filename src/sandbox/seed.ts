import { Calendar, Subscriber } from '../api/calendar.ts';
import { Card } from '../api/card.ts';
import { CARD_ID } from '../api/field.ts';
import { type Fault, usageFailure } from '../failure.ts';
import { misfitsOf } from '../json/misfits.ts';
import { parseJson } from '../json/parse.ts';
import type { JsonSchema } from '../json/shape.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { SEED_TEXT } from './seed-data.ts';
import type { SandboxState } from './state.ts';

/** Members of a seed file. */
const MEMBERS = ['cards', 'calendars', 'subscribers'];

/** Only the first faults are reported: one wrong member may repeat in thousands of entries. */
const SHOWN_FAULTS = 20;

type Report = (where: string, problem: string) => void;

function entriesOf(top: JsonObject, kind: string, report: Report): readonly (readonly [string, JsonObject])[] {
  const list = top.get(kind) ?? [];
  if (!isJsonArray(list)) {
    report(kind, 'is not an array');
    return [];
  }
  const entries: (readonly [string, JsonObject])[] = [];
  for (const [index, entry] of list.entries()) {
    if (isJsonObject(entry)) entries.push([`${kind}[${index}]`, entry]);
    else report(`${kind}[${index}]`, 'is not an object');
  }
  return entries;
}

/** Ids of cards compare whatever their case. */
function keyOf(kind: string, id: string): string {
  return kind === 'cards' ? id.toLowerCase() : id;
}

/** What is wrong with the id of an entry; undefined: the entry is kept under it. */
function idProblem(kind: string, id: JsonValue | undefined, taken: ReadonlyMap<string, unknown>): string | undefined {
  if (typeof id !== 'string' || id === '') return 'is missing or not a text';
  if (kind === 'cards' && !CARD_ID.test(id)) {
    return `'${id}' is not a card id like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101`;
  }
  return taken.has(keyOf(kind, id)) ? `'${id}' occurs twice` : undefined;
}

/** The resources of one kind by id. Without a shape theirs is not judged: we wrote the file ourselves. */
function readKind(top: JsonObject, kind: string, shape: JsonSchema | undefined, report: Report) {
  const idName = kind === 'cards' ? 'cardId' : 'id';
  const resources = new Map<string, JsonObject>();
  for (const [where, entry] of entriesOf(top, kind, report)) {
    const id = entry.get(idName);
    const problem = idProblem(kind, id, resources);
    if (problem === undefined) resources.set(keyOf(kind, String(id)), entry);
    else report(`${where}.${idName}`, problem);
    for (const { path, found, expected } of shape === undefined ? [] : misfitsOf(shape, entry)) {
      report(`${where}.${path.join('.')}`, found === undefined ? 'is missing' : `is not of the type ${expected}`);
    }
  }
  return resources;
}

/** Says of each subscriber whose it is: without a member `calendar` that of the first one. */
function assign(
  subscribers: ReadonlyMap<string, JsonObject>,
  calendars: ReadonlyMap<string, JsonObject>,
  report: Report,
): Map<string, JsonObject> {
  const [first] = calendars.keys();
  const assigned = new Map<string, JsonObject>();
  for (const [id, entry] of subscribers) {
    const calendar = entry.get('calendar') ?? first;
    if (typeof calendar === 'string' && calendars.has(calendar)) {
      assigned.set(id, new Map<string, JsonValue>([...entry, ['calendar', calendar]]));
    } else {
      report(`subscribers '${id}'.calendar`, calendar === undefined ? 'there is no calendar' : 'names no calendar');
    }
  }
  return assigned;
}

function readTop(text: string, members: readonly string[], report: Report): JsonObject {
  let top: JsonValue;
  try {
    top = parseJson(text);
  } catch (error) {
    report('', `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return new Map();
  }
  if (!isJsonObject(top)) {
    report('', 'is not a JSON object');
    return new Map();
  }
  for (const name of top.keys()) {
    if (!members.includes(name)) report(name, `is none of ${members.join(', ')}`);
  }
  return top;
}

/** Reads resources in the API's shapes; reports every fault with the path of what is wrong. */
export function readResources(
  text: string,
  { members, judgeShapes }: { readonly members: readonly string[]; readonly judgeShapes: boolean },
  report: Report,
): SandboxState {
  const top = readTop(text, members, report);
  const judged = (shape: JsonSchema) => (judgeShapes ? shape : undefined);
  const cards = readKind(top, 'cards', judged(Card), report);
  const calendars = readKind(top, 'calendars', judged(Calendar), report);
  const subscribers = assign(readKind(top, 'subscribers', judged(Subscriber), report), calendars, report);
  const events = readKind(top, 'events', undefined, report);
  return { cards, calendars, subscribers, events };
}

/**
 * Reads a seed file `{"cards":[…],"calendars":[…],"subscribers":[…]}` in the API's shapes; members left out
 * are empty. A subscriber may say its calendar in an extra member `calendar`; without it, it belongs to the
 * first one. Raises USAGE that names the path of each fault; `source` is the file as the person named it.
 */
export function parseSeed(text: string, source: string): SandboxState {
  const faults: Fault[] = [];
  const state = readResources(text, { members: MEMBERS, judgeShapes: true }, (where, problem) => {
    faults.push({ where: where === '' ? source : `${source}: ${where}`, problem });
  });
  if (faults.length === 0) return state;
  const hints = ['Write it as {"cards":[…],"calendars":[…],"subscribers":[…]} in the API\'s shapes'];
  if (faults.length > SHOWN_FAULTS)
    hints.push(`Fix these first: ${faults.length - SHOWN_FAULTS} further faults are not shown`);
  throw usageFailure(faults.slice(0, SHOWN_FAULTS), hints);
}

/** The state of a sandbox in which nothing has been done. */
export function builtInSeed(): SandboxState {
  return readResources(SEED_TEXT, { members: MEMBERS, judgeShapes: false }, (where, problem) => {
    throw new Error(`the built-in seed is wrong: ${where} ${problem}`);
  });
}

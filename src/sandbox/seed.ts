import { type Fault, usageFailure } from '../base/failure.ts';
import { parseJson } from '../base/json/parse.ts';
import { schemaViolations } from '../base/json/schema-violations.ts';
import type { JsonSchema } from '../base/json/shape.ts';
import { JsonSyntaxError } from '../base/json/syntax-error.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json/value.ts';
import { Calendar, Subscriber } from '../service/api/calendar.ts';
import { Card } from '../service/api/card.ts';
import { CARD_ID } from '../service/api/field.ts';
import { SEED_TEXT } from './seed-data.ts';
import { keyOf, type SandboxState } from './state.ts';

/** The content of a seed file. No operation reads an event. */
const SHAPES: Readonly<Record<string, JsonSchema>> = { cards: Card, calendars: Calendar, subscribers: Subscriber };
const MEMBERS = Object.keys(SHAPES);

type Report = (where: string, problem: string) => void;

/** What is wrong with an entry's ID; undefined if nothing. */
function idProblem(kind: string, id: JsonValue | undefined, taken: ReadonlyMap<string, unknown>): string | undefined {
  if (typeof id !== 'string' || id === '') return 'is missing or not a text';
  if (kind === 'cards' && !CARD_ID.test(id)) {
    return `'${id}' is not a card ID like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101`;
  }
  return taken.has(keyOf(kind, id)) ? `'${id}' occurs twice` : undefined;
}

/** The resources of one kind by ID. */
function readKind(top: JsonObject, kind: string, report: Report) {
  const shape = SHAPES[kind];
  const idName = kind === 'cards' ? 'cardId' : 'id';
  const resources = new Map<string, JsonObject>();
  const list = top.get(kind) ?? [];
  if (!isJsonArray(list)) report(kind, 'is not an array');
  for (const [index, entry] of isJsonArray(list) ? list.entries() : []) {
    const where = `${kind}[${index}]`;
    if (!isJsonObject(entry)) {
      report(where, 'is not an object');
      continue;
    }
    const id = entry.get(idName);
    const problem = idProblem(kind, id, resources);
    if (problem === undefined) resources.set(keyOf(kind, String(id)), entry);
    else report(`${where}.${idName}`, problem);
    for (const { path, found, expected } of shape === undefined ? [] : schemaViolations(shape, entry)) {
      report(`${where}.${path.join('.')}`, found === undefined ? 'is missing' : `is not of the type ${expected}`);
    }
  }
  return resources;
}

/** Gives each subscriber its calendar: the first one unless it has a member `calendar`. */
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
  let top: JsonValue = null;
  try {
    top = parseJson(text);
    if (!isJsonObject(top)) report('', 'is not a JSON object');
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    report('', `is not JSON: ${error.message}`);
  }
  if (!isJsonObject(top)) return new Map();
  for (const name of top.keys()) if (!members.includes(name)) report(name, `is none of ${members.join(', ')}`);
  return top;
}

/** Reads resources. Reports each fault with its path. */
export function readResources(text: string, members: readonly string[], report: Report): SandboxState {
  const top = readTop(text, members, report);
  const read = (kind: string) => readKind(top, kind, report);
  const [cards, calendars] = [read('cards'), read('calendars')];
  return { cards, calendars, subscribers: assign(read('subscribers'), calendars, report), events: read('events') };
}

/**
 * Reads a seed file `{"cards":[…],"calendars":[…],"subscribers":[…]}` in the API's shapes. Missing members are empty. A
 * subscriber may have an extra member `calendar`, else it belongs to the first one. USAGE with the path of each fault.
 * `source`: the file as named.
 */
export function parseSeed(text: string, source: string): SandboxState {
  const faults: Fault[] = [];
  const report: Report = (where, problem) => {
    faults.push({ where: where === '' ? source : `${source}: ${where}`, problem });
  };
  const state = readResources(text, MEMBERS, report);
  if (faults.length === 0) return state;
  // One wrong member may repeat in thousands of entries.
  throw usageFailure(faults.slice(0, 20), [
    'write it as {"cards":[…],"calendars":[…],"subscribers":[…]} in the API\'s shapes',
  ]);
}

export function builtInSeed(): SandboxState {
  return readResources(SEED_TEXT, MEMBERS, (where, problem) => {
    throw new Error(`the built-in seed is wrong: ${where} ${problem}`);
  });
}

import * as z from 'zod/mini';
import type { Operation } from '../api/operation.ts';
import { type Notice, warning } from '../failure.ts';
import { type PlainValue, toPlain } from '../json/plain.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { definitionOf, surelyFits } from './plain-shape.ts';

const MAX_NAMED = 5;

/**
 * Why a resource cannot stand for the answer that was asked for, or undefined. Another card's id is another
 * card (docs/faults.md B29); ids compare whatever their case. Family B marks no member as
 * required and does not say that ids come back as they were given: there another id is a warning.
 */
export function shapeProblem(operation: Operation, id: string | undefined, resource: JsonObject): string | undefined {
  const expected = expectedObject(operation);
  const object = resource.get('object');
  if (expected !== undefined && object !== undefined && object !== expected) {
    return `its member object is ${quote(object)}, not "${expected}"`;
  }
  if ('data' in operation.response.shape && !isJsonArray(resource.get('data'))) return 'it has no array data';
  return operation.echoes === 'cardId' ? otherId(operation, id, resource) : undefined;
}

function otherId(operation: Operation, id: string | undefined, resource: JsonObject): string | undefined {
  if (operation.echoes === null || id === undefined) return undefined;
  const echoed = resource.get(operation.echoes);
  if (echoed === undefined || isSameId(echoed, id)) return undefined;
  return `its ${operation.echoes} is ${quote(echoed)}, which is not the one that was asked for`;
}

function isSameId(value: JsonValue, id: string): boolean {
  const text = value instanceof JsonNumber ? value.text : value;
  return text === id || (typeof text === 'string' && text.toLowerCase() === id.toLowerCase());
}

function quote(value: JsonValue): string {
  if (typeof value === 'string') return `"${value.slice(0, 100)}"`;
  return value instanceof JsonNumber ? value.text : 'no text';
}

/** The word that the spec gives for the member `object`: `calendar`, `list`; it stands in the schema's examples. */
function expectedObject(operation: Operation): string | undefined {
  const schema = operation.response.shape['object'];
  const examples: unknown = schema === undefined ? undefined : z.globalRegistry.get(schema)?.['examples'];
  const word: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return typeof word === 'string' ? word : undefined;
}

/**
 * What a readable answer lacks of what the spec requires. It is shown all the same (docs/faults.md B28): a notice
 * tells, because a blank cell would look like an empty value.
 */
export function shapeNotices(operation: Operation, id: string | undefined, resource: JsonObject): Notice[] {
  const paths = surelyFits(operation.response, resource) ? [] : oddPaths(operation, resource);
  const missing = paths.filter((path) => !isPresent(resource, path));
  const odd = paths.filter((path) => isPresent(resource, path));
  const notices: Notice[] = [];
  const other = otherId(operation, id, resource);
  if (other !== undefined) {
    notices.push(warning('OTHER_ID', `the answer is shown as it came, but ${other}`));
  }
  if (missing.length > 0) {
    const message = `the answer lacks ${names(missing)}, which the service's description requires; the rest is shown`;
    notices.push(warning('MISSING_FIELD', message));
  }
  if (odd.length > 0) {
    const message = `the answer has ${names(odd)} in another form than the service's description; shown as sent`;
    notices.push(warning('UNEXPECTED_FIELD', message));
  }
  return notices;
}

function oddPaths(operation: Operation, resource: JsonObject): readonly (readonly string[])[] {
  const checked = operation.response.safeParse(sampleOf(resource, namesOf(operation.response)));
  return checked.success ? [] : checked.error.issues.map((issue) => issue.path.map(String));
}

function isPresent(resource: JsonValue, path: readonly string[]): boolean {
  let value: JsonValue | undefined = resource;
  for (const step of path) {
    if (isJsonObject(value)) value = value.get(step);
    else if (isJsonArray(value)) value = value[Number(step)];
    else return false;
    if (value === undefined) return false;
  }
  return true;
}

function names(paths: readonly (readonly string[])[]): string {
  const unique = [...new Set(paths.map((path) => path.join('.')))];
  const shown = unique.slice(0, MAX_NAMED).join(', ');
  return unique.length > MAX_NAMED ? `${shown} and ${unique.length - MAX_NAMED} more` : shown;
}

/** Entries of a list that are held against the service's description; the rest of a long one goes unchecked. */
const MAX_CHECKED_ENTRIES = 1000;
/** A resource, its list, an entry: nothing that the descriptions know lies deeper. */
const CHECKED_LEVELS = 3;

/** The part of an answer that its description speaks of, as plain values: an answer of megabytes is not copied. */
function sampleOf(value: JsonValue, known: ReadonlySet<string>, level = 0): PlainValue {
  const isDeeper = level < CHECKED_LEVELS;
  if (isJsonArray(value)) {
    return isDeeper ? value.slice(0, MAX_CHECKED_ENTRIES).map((item) => sampleOf(item, known, level + 1)) : [];
  }
  if (!isJsonObject(value)) return toPlain(value);
  const sample: { [name: string]: PlainValue } = {};
  for (const name of isDeeper ? known : []) {
    const member = value.get(name);
    if (member !== undefined) sample[name] = sampleOf(member, known, level + 1);
  }
  return sample;
}

const namesOfSchema = new WeakMap<object, ReadonlySet<string>>();

/** The same for every row of a run, so looked up once. */
function namesOf(schema: object): ReadonlySet<string> {
  const found = namesOfSchema.get(schema) ?? knownNames(schema);
  namesOfSchema.set(schema, found);
  return found;
}

/** Names that a description knows, its own and those of the entries of its lists. */
function knownNames(schema: unknown, known = new Set<string>()): Set<string> {
  const def = definitionOf(schema);
  for (const [name, inner] of Object.entries(def?.shape ?? {})) knownNames(inner, known.add(name));
  for (const inner of [def?.element, def?.innerType]) if (inner !== undefined) knownNames(inner, known);
  return known;
}

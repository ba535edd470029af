import type { Operation } from '../api/operation.ts';
import { type Notice, warning } from '../failure.ts';
import { type Misfit, misfitsOf } from '../json/misfits.ts';
import { isJsonArray, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';

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
    return `the answer's member object is ${quote(object)}, not "${expected}"`;
  }
  if ('data' in operation.response.properties && !isJsonArray(resource.get('data')))
    return 'the answer has no array data';
  return operation.echoes === 'cardId' ? otherId(operation, id, resource) : undefined;
}

function otherId(operation: Operation, id: string | undefined, resource: JsonObject): string | undefined {
  if (operation.echoes === null || id === undefined) return undefined;
  const echoed = resource.get(operation.echoes);
  if (echoed === undefined || isSameId(echoed, id)) return undefined;
  return `the answer has the ${operation.echoes} ${quote(echoed)}, which is not the one that was asked for`;
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
  const examples = operation.response.properties['object']?.['examples'];
  const word: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return typeof word === 'string' ? word : undefined;
}

/** What an answer lacks (docs/faults.md B28). It is shown all the same; a blank cell would look like an empty value. */
export function shapeNotices(operation: Operation, id: string | undefined, resource: JsonObject): Notice[] {
  const misfits = misfitsOf(operation.response, resource);
  const missing = misfits.filter(({ found }) => found === undefined);
  const odd = misfits.filter(({ found }) => found !== undefined);
  const notices: Notice[] = [];
  const other = otherId(operation, id, resource);
  if (other !== undefined) {
    notices.push(warning('OTHER_ID', `${other}; it is shown as it came`));
  }
  if (missing.length > 0) {
    const message = `the answer lacks ${names(missing)}, which the service's description requires; the rest is shown`;
    notices.push(warning('MISSING_FIELD', message));
  }
  if (odd.length > 0) {
    const message = `the answer has ${names(odd)} in another form than the service describes; shown as sent`;
    notices.push(warning('UNEXPECTED_FIELD', message));
  }
  return notices;
}

function names(misfits: readonly Misfit[]): string {
  const unique = [...new Set(misfits.map(({ path }) => path.join('.')))];
  const shown = unique.slice(0, MAX_NAMED).join(', ');
  return unique.length > MAX_NAMED ? `${shown} and ${unique.length - MAX_NAMED} more` : shown;
}

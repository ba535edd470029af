import { type Operation, sensitiveOf } from '../api/operation.ts';
import { type Notice, warning } from '../failure.ts';
import { type SchemaViolation, schemaViolations } from '../json/schema-violations.ts';
import { cutText, detached } from '../json/shorten.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';

const MAX_NAMED = 5;

/** Why a resource cannot be the response, such as another ID (docs/faults.md B29); undefined if it can. */
export function shapeProblem(operation: Operation, id: string | undefined, resource: JsonObject): string | undefined {
  // The word of the spec for the member `object` is in the schema's examples.
  const [expected] = (operation.response.properties['object']?.['examples'] ?? []) as readonly unknown[];
  const object = resource.get('object');
  if (typeof expected === 'string' && object !== undefined && object !== expected) {
    return `the response's member object is ${quote(object)}, not "${expected}"`;
  }
  const members = Object.keys(operation.response.properties);
  if (isErrorBody(operation, resource)) return AN_ERROR;
  // Required by the API. Without it nothing says whose card this is.
  if (members.includes('cardId') && typeof resource.get('cardId') !== 'string') return 'the response has no cardId';
  const isSecret = sensitiveOf(operation).length > 0;
  if (isSecret && !hasSome(operation, resource)) return 'the response has none of the expected fields';
  if (members.includes('data') && !isJsonArray(resource.get('data'))) return 'the response has no array data';
  return otherId(operation, id, resource);
}

export const AN_ERROR = 'the response is an error of the service';

function hasSome({ response }: Operation, resource: JsonObject): boolean {
  return Object.keys(response.properties).some((name) => resource.get(name) !== undefined);
}

/** Is this an error body that came with 2xx? It has `errorCode`, and no member of the resource. */
export function isErrorBody(operation: Operation, resource: JsonValue): boolean {
  return isJsonObject(resource) && resource.get('errorCode') !== undefined && !hasSome(operation, resource);
}

function otherId(operation: Operation, id: string | undefined, resource: JsonObject): string | undefined {
  if (operation.echoes === null || id === undefined) return undefined;
  const echoed = resource.get(operation.echoes);
  const text = echoed instanceof JsonNumber ? echoed.text : echoed;
  const isSame = typeof text === 'string' && text.toLowerCase() === id.toLowerCase();
  if (echoed === undefined || isSame) return undefined;
  return `the response has the ${operation.echoes} ${quote(echoed)}, not the requested one`;
}

/** The API allows no longer ID. */
const MAX_ID = 5000;

const ID_CUT = warning('ID_CUT', `the response has an ID of more than ${MAX_ID} characters, and is cut`);

function wholeResultId({ effect }: Operation, resource: JsonValue): string | undefined {
  if (effect.kind !== 'write' || effect.resultId === undefined || !isJsonObject(resource)) return undefined;
  const value = resource.get(effect.resultId);
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'string' ? value : undefined;
}

/** The ID that no later read shows: of a new card or event. An overlong one is cut. */
export function resultIdOf(operation: Operation, resource: JsonValue): string | undefined {
  const id = wholeResultId(operation, resource);
  return id && detached(cutText(id, MAX_ID));
}

function quote(value: JsonValue): string {
  if (typeof value === 'string') return `"${value.slice(0, 100)}"`;
  return value instanceof JsonNumber ? value.text : 'no text';
}

/** What a response lacks (docs/faults.md B28). It is shown anyway, because a blank cell looks like an empty value. */
export function shapeNotices(operation: Operation, resource: JsonObject): Notice[] {
  const violations = schemaViolations(operation.response, resource);
  const missing = violations.filter(({ found }) => found === undefined);
  const odd = violations.filter(({ found }) => found !== undefined);
  const isCut = resultIdOf(operation, resource) !== wholeResultId(operation, resource);
  const notices: Notice[] = isCut ? [ID_CUT] : [];
  // The service may leave the ID of a resource of family B out.
  const namesItself = operation.echoes === 'id' || (operation.echoes === null && 'id' in operation.response.properties);
  if (namesItself && resource.get('id') === undefined) {
    notices.push(warning('NO_ID', 'the response has no ID, so nothing shows what it is about'));
  }
  if (missing.length > 0) {
    const message = `the response lacks ${names(missing)}, which the service documents as required. The rest is shown`;
    notices.push(warning('MISSING_FIELD', message));
  }
  if (odd.length > 0) {
    const message = `the response has ${names(odd)} in another form than the service documents. It is shown as sent`;
    notices.push(warning('UNEXPECTED_FIELD', message));
  }
  return notices;
}

function names(violations: readonly SchemaViolation[]): string {
  const unique = [...new Set(violations.map(({ path }) => path.join('.')))];
  const shown = unique.slice(0, MAX_NAMED).join(', ');
  return unique.length > MAX_NAMED ? `${shown} and ${unique.length - MAX_NAMED} more` : shown;
}

import { type Notice, note, warning } from '../../base/failure.ts';
import { quoted } from '../../base/json/outside-text.ts';
import { type SchemaViolation, schemaViolations } from '../../base/json/schema-violations.ts';
import { cutText, detached } from '../../base/json/shorten.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../../base/json/value.ts';
import { CARD_ID } from '../api/field.ts';
import { isResolvedAt, type Operation, resolvedBy, sensitiveOf } from '../api/operation.ts';
import { statusAt } from '../call-outcome.ts';

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
  return otherId(operation, id, resource) ?? otherList(operation, id, resource);
}

export const AN_ERROR = 'its body is an error';

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
  // Case means nothing in a card's UUID. Other IDs are texts.
  const isSame = text === id || (operation.echoes === 'cardId' && isSameCard(text, id));
  if (echoed === undefined || isSame) return undefined;
  return `the response has the ${operation.echoes} ${quote(echoed)}, not the requested one`;
}

function isSameCard(text: JsonValue | undefined, id: string): boolean {
  return typeof text === 'string' && text.toLowerCase() === id.toLowerCase();
}

/** A late response to another request: a list whose `url` is the path of another calendar's, however it is spelt. */
function otherList(operation: Operation, id: string | undefined, resource: JsonObject): string | undefined {
  const url = resource.get('url');
  if (operation.lists === undefined || id === undefined || typeof url !== 'string') return undefined;
  // Behind a host any text is a path, without dot segments.
  const { pathname, searchParams } = new URL(`http://any/${url}`);
  const segments = pathname.split('/').filter(Boolean).map(decoded);
  const [before = '', , after] = operation.path.split('/').slice(2);
  const words = segments.map((segment) => segment.toLowerCase());
  const isOfOne = (next: string | undefined, last: string | undefined) =>
    last === after || (last === undefined && next !== undefined && next !== after);
  const at = words.findLastIndex((word, index) => word === before && isOfOne(words[index + 1], words[index + 2]));
  const listed = at === -1 ? searchParams.get(before.slice(0, -1)) : segments[at + 1];
  if (listed === null || listed === undefined || listed === '' || listed === id) return undefined;
  return `the response is the list of ${quote(listed)}, not of the requested ${operation.object}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
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

/** The ID that no later read shows: of a new card or event. An overlong one is cut. `id`: the one that was asked for. */
export function resultIdOf(operation: Operation, id: string | undefined, resource: JsonValue): string | undefined {
  const result = wholeResultId(operation, resource);
  // A reissue may answer with the original card, which is no new one.
  if (result === undefined || result.toLowerCase() === id?.toLowerCase()) return undefined;
  // Every later read and change would be sent to the path that it makes.
  if (operation.family === 'cards' && !CARD_ID.test(result)) return undefined;
  return detached(cutText(result, MAX_ID));
}

function quote(value: JsonValue): string {
  if (typeof value === 'string') return quoted(cutText(value, 100));
  return value instanceof JsonNumber ? value.text : 'no text';
}

/** A change that the response does not show: it counts as done, and somebody has to look (docs/faults.md). */
function changeNotices(operation: Operation, id: string | undefined, resource: JsonObject): Notice[] {
  const wanted = resolvedBy(operation);
  const status = statusAt(resource);
  if (wanted !== undefined && !isResolvedAt(operation, status)) {
    const shown = status === undefined ? 'no status' : `status ${quote(status)}`;
    return [warning('OTHER_STATUS', `the response shows ${shown}, not ${wanted}. Check the card`)];
  }
  const isReissue = operation.effect.kind === 'write' && operation.effect.resultId !== undefined && id !== undefined;
  if (!isReissue || resultIdOf(operation, id, resource) !== undefined) return [];
  const made = wholeResultId(operation, resource) ?? '';
  const instead = isSameCard(made, id) ? '' : `: its cardId is ${quoted(cutText(made, 100))}, which is not a card ID`;
  return [note('NO_NEW_CARD', `the response names no new card${instead}`)];
}

/** What a response lacks (docs/faults.md B28). It is shown anyway, because a blank cell looks like an empty value. */
export function shapeNotices(operation: Operation, id: string | undefined, resource: JsonObject): Notice[] {
  const violations = schemaViolations(operation.response, resource);
  const missing = violations.filter(({ found }) => found === undefined);
  const odd = violations.filter(({ found }) => found !== undefined);
  const notices = changeNotices(operation, id, resource);
  const result = wholeResultId(operation, resource);
  if (result !== undefined && cutText(result, MAX_ID) !== result) notices.push(ID_CUT);
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
    const message = `the response has ${names(odd)} in another form than the service documents. JSON output shows it as sent`;
    notices.push(warning('UNEXPECTED_FIELD', message));
  }
  return notices;
}

function names(violations: readonly SchemaViolation[]): string {
  const unique = [...new Set(violations.map(({ path }) => path.join('.')))];
  const shown = unique.slice(0, MAX_NAMED).join(', ');
  return unique.length > MAX_NAMED ? `${shown} and ${unique.length - MAX_NAMED} more` : shown;
}

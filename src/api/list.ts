import { isJsonArray, isJsonObject, type JsonValue } from '../json/value.ts';

/** The entries of a List. */
export function entriesOf(document: JsonValue): readonly JsonValue[] {
  const data = isJsonObject(document) ? document.get('data') : undefined;
  return isJsonArray(data) ? data : [];
}

/** Both halves as one List: the first answer's members in their order, its data followed by the other's. */
export function mergeLists(halves: readonly JsonValue[]): JsonValue {
  const [first = null] = halves;
  if (halves.length < 2 || !isJsonObject(first)) return first;
  return new Map([...first, ['data', halves.flatMap(entriesOf)] as const]);
}

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './value.ts';

/** What `rewriteJson` does to the parts of a value. Each part it answers unchanged is not copied. */
export interface Rewrite {
  /** The text that a text or a name becomes. */
  text?(text: string): string;
  /** What stands in the place of a member of this name; undefined: nothing, its own parts are looked at. */
  member?(name: string, value: JsonValue): JsonValue | undefined;
}

/**
 * The value with its texts, names and members changed. What does not change is the very same value: an answer of
 * megabytes in which there is nothing to do is not copied.
 */
export function rewriteJson(value: JsonValue, rewrite: Rewrite): JsonValue {
  if (typeof value === 'string') return rewrite.text?.(value) ?? value;
  if (isJsonArray(value)) return rewriteArray(value, rewrite);
  return isJsonObject(value) ? rewriteObject(value, rewrite) : value;
}

function rewriteArray(items: readonly JsonValue[], rewrite: Rewrite): readonly JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    // The loop ends at the length, so there is an item.
    const item = items[index] as JsonValue;
    const next = rewriteJson(item, rewrite);
    if (next !== item) changed ??= items.slice(0, index);
    changed?.push(next);
  }
  return changed ?? items;
}

function rewriteObject(object: JsonObject, rewrite: Rewrite): JsonObject {
  let changed: Map<string, JsonValue> | undefined;
  let count = 0;
  for (const [name, member] of object) {
    const nextName = rewrite.text?.(name) ?? name;
    const next = rewrite.member?.(name, member) ?? rewriteJson(member, rewrite);
    if (changed === undefined && (nextName !== name || next !== member)) changed = firstMembers(object, count);
    changed?.set(nextName, next);
    count += 1;
  }
  return changed ?? object;
}

function firstMembers(object: JsonObject, count: number): Map<string, JsonValue> {
  const first = new Map<string, JsonValue>();
  for (const [name, member] of object) {
    if (first.size === count) break;
    first.set(name, member);
  }
  return first;
}

/** A JSON Schema (draft 2020-12) in the keywords that frontdesk writes. */
export type Schema = Readonly<Record<string, unknown>>;

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function memberBreaches(schema: Schema, value: Members, place: string): readonly string[] {
  const { properties, required, additionalProperties } = schema;
  const known = isMembers(properties) ? properties : {};
  const missing = (Array.isArray(required) ? required : []).filter((name) => !(String(name) in value));
  return [
    ...missing.map((name) => `${place}.${String(name)}: is missing`),
    ...Object.entries(value).flatMap(([name, member]) => {
      const declared = known[name] ?? additionalProperties;
      const inside = `${place}.${name}`;
      if (isMembers(declared)) return breachesOf(declared, member, inside);
      // Without any named member it is an open object, such as headers.
      return properties === undefined && declared !== false ? [] : [`${inside}: is not declared`];
    }),
  ];
}

/**
 * Where a value breaks a schema, each with its place. Stricter than JSON Schema: a member that an object does not
 * declare is a breach, because what is printed and not declared has drifted away.
 */
export function breachesOf(schema: Schema, value: unknown, place = '$'): readonly string[] {
  const { type, anyOf, items } = schema;
  if (Array.isArray(anyOf)) {
    const all = anyOf.filter(isMembers).map((one) => breachesOf(one, value, place));
    // The form that fits best says what is wrong.
    return all.reduce((best, one) => (one.length < best.length ? one : best));
  }
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) return [`${place}: ${String(value)}`];
  if ('const' in schema && schema['const'] !== value) return [`${place}: ${String(value)}`];
  const isOf = (one: unknown) => (one === 'integer' ? Number.isInteger(value) : typeOf(value) === one);
  if (type !== undefined && ![type].flat().some(isOf)) {
    return [`${place}: is ${typeOf(value)}, not ${[type].flat().join(' or ')}`];
  }
  if (Array.isArray(value) && isMembers(items)) {
    return value.flatMap((item, at) => breachesOf(items, item, `${place}[${at}]`));
  }
  return isMembers(value) ? memberBreaches(schema, value, place) : [];
}

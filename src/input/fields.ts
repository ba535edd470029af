import * as z from 'zod/mini';

/** One field of a request as flags, help, columns and checks see it. */
export interface FieldSpec {
  /** The API's own name: `clientDeviceID`. */
  readonly name: string;
  /** The name as a flag, without dashes: `client-device-id`. */
  readonly flag: string;
  readonly type: 'text' | 'boolean' | 'integer' | 'url' | 'date';
  readonly required: boolean;
  /** Null may be sent, which is a third thing besides not given and empty. */
  readonly nullable: boolean;
  /** In code points; undefined: the spec sets no limit for requests. */
  readonly maxLength: number | undefined;
  /** Of an integer. */
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** Of its strings as JSON Schema names it (`uuid`), if it has one. */
  readonly format: string | undefined;
  readonly description: string;
}

/** `clientDeviceID` -> `client-device-id`, `first_name` -> `first-name`. */
export function flagOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

function typeOf(schema: z.core.$ZodType, kind: unknown): FieldSpec['type'] {
  const { type } = schema._zod.def;
  if (type === 'boolean') return 'boolean';
  if (type === 'number') return 'integer';
  if (kind === 'url' || kind === 'date') return kind;
  return 'text';
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The bound of a number, the number itself included, that one of its checks sets. */
function boundOf(schema: z.core.$ZodType, kind: 'greater_than' | 'less_than'): number | undefined {
  const check = schema._zod.def.checks?.find((candidate) => candidate._zod.def.check === kind)?._zod.def;
  return check !== undefined && 'value' in check ? finite(check.value) : undefined;
}

function describe(name: string, field: z.core.$ZodType): FieldSpec {
  let [schema, required, nullable] = [field, true, false];
  // A note is kept for the schema it was made for, which may be any of the wrappers.
  let meta: Readonly<Record<string, unknown>> = {};
  for (;;) {
    meta = { ...z.globalRegistry.get(schema), ...meta };
    const { def } = schema._zod;
    if (def.type !== 'optional' && def.type !== 'nullable') break;
    if (def.type === 'optional') required = false;
    else nullable = true;
    // zod: the definitions of type `optional` and `nullable` are exactly these two, and both wrap a schema.
    schema = (def as z.core.$ZodOptionalDef | z.core.$ZodNullableDef).innerType;
  }
  return {
    name,
    flag: flagOf(name),
    type: typeOf(schema, meta['x-kind']),
    required,
    nullable,
    maxLength: finite(meta['maxLength']),
    minimum: boundOf(schema, 'greater_than'),
    maximum: boundOf(schema, 'less_than'),
    format: typeof meta['format'] === 'string' ? meta['format'] : undefined,
    description: typeof meta['description'] === 'string' ? meta['description'] : '',
  };
}

const described = new WeakMap<z.ZodMiniObject, readonly FieldSpec[]>();

/** The fields of a request schema, in its order. Read from the schema itself: flags, help and columns follow it. */
export function describeFields(schema: z.ZodMiniObject): readonly FieldSpec[] {
  const known = described.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.shape).map(([name, field]) => describe(name, field));
  described.set(schema, fields);
  return fields;
}

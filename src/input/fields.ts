import * as z from 'zod/mini';

/** One field of a request as flags, help, columns and checks see it. */
export interface FieldSpec {
  /** The API's own name: `clientDeviceID`. */
  readonly name: string;
  /** The same for a flag, without dashes: `client-device-id`. */
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
  /** Of its text as JSON Schema names it (`uuid`), if it has one. */
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

interface Unwrapped {
  readonly schema: z.core.$ZodType;
  readonly required: boolean;
  readonly nullable: boolean;
}

function unwrap(schema: z.core.$ZodType, required = true, nullable = false): Unwrapped {
  const { def } = schema._zod;
  if (def.type !== 'optional' && def.type !== 'nullable') return { schema, required, nullable };
  // zod: the definitions of type `optional` and `nullable` are exactly these two, and both wrap a schema.
  const { innerType } = def as z.core.$ZodOptionalDef | z.core.$ZodNullableDef;
  return unwrap(innerType, required && def.type !== 'optional', nullable || def.type === 'nullable');
}

/** A note is kept for the schema it was made for, which may be any of the wrappers. */
function metaOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  const { def } = schema._zod;
  const isWrapper = def.type === 'optional' || def.type === 'nullable';
  // As in `unwrap`: only these two definitions have those types.
  const inner = isWrapper ? metaOf((def as z.core.$ZodOptionalDef | z.core.$ZodNullableDef).innerType) : {};
  return { ...inner, ...z.globalRegistry.get(schema) };
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

function describe(name: string, schema: z.core.$ZodType): FieldSpec {
  const inner = unwrap(schema);
  const meta = metaOf(schema);
  return {
    name,
    flag: flagOf(name),
    type: typeOf(inner.schema, meta['x-kind']),
    required: inner.required,
    nullable: inner.nullable,
    maxLength: finite(meta['maxLength']),
    minimum: boundOf(inner.schema, 'greater_than'),
    maximum: boundOf(inner.schema, 'less_than'),
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

import { createHash, type Hash } from 'node:crypto';
import { printJson } from '../../base/json/print.ts';
import { schemaViolations } from '../../base/json/schema-violations.ts';
import {
  ANY_OBJECT,
  INTEGER,
  type JsonSchema,
  list,
  nullable,
  object,
  oneOf,
  type Shape,
  type ShapeOf,
  TEXT,
} from '../../base/json/shape.ts';
import {
  fromPlain,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  toPlain,
} from '../../base/json/value.ts';
import { describeFields } from '../../input/fields.ts';
import type { Row, RowShape } from '../../input/rows/row.ts';
import { HEADER_SHAPES } from '../../records/plan-columns.ts';
import type { Operation } from '../../service/api/operation.ts';
import { ALL_OPERATIONS } from '../../service/api/operations.ts';

/** Layout of a plan. A newer frontdesk wrote one with a higher number, which is refused. */
const PLAN_VERSION = 1;

/** Hex digits of the file's hash that name a plan. */
export const PLAN_NAME_LENGTH = 12;

const TEXTS = list(TEXT);

/** Where a plan's rows come from, for reviewers. */
const ORIGIN = {
  /** Name of the input file without its folder; absent for the command line and stdin. */
  source: TEXT,
  /** The fields of `--expect`. Each row holds their values. */
  expect: TEXTS,
  /** `--map`, `--where` and `--rows` as typed, and how many rows they left out; absent if none was given. */
  shape: object({ leftOut: INTEGER }, { map: TEXTS, where: TEXTS, rows: TEXT }),
  /** Rows of the `--changed-from` file that the input lacks; absent if none. */
  missing: INTEGER,
  /** Empty cells that had a value there and are left unchanged; absent if none. */
  emptied: INTEGER,
  /** Random, so that equal rows planned twice are two plans. */
  nonce: TEXT,
} as const;

const HEADER_SHAPE = object(HEADER_SHAPES, ORIGIN);

/** Line 1 of a plan. `plan` and `sha256` follow from the rest of the file. */
export type PlanHeader = ShapeOf<typeof HEADER_SHAPE>;

/** A header before the file has its hash. */
export type PlanDraft = Omit<PlanHeader, 'plan' | 'sha256'>;

/** What a plan is made of. By whom and when is added. */
export type PlanOrigin = Omit<PlanDraft, 'createdBy' | 'createdAt' | 'expiresAt'>;

const LINE_1 = { frontdeskPlan: INTEGER, ...HEADER_SHAPES } as const;

/** Line 1 as written and printed, with the layout number first. */
export const PLAN_HEADER_OUTPUT = object(LINE_1, ORIGIN);

/** The members of line 1 in order, the hash last. */
const HEADER_MEMBERS = Object.keys({ ...LINE_1, ...ORIGIN })
  .filter((name) => name !== 'sha256')
  .concat('sha256') as readonly (keyof typeof LINE_1 | keyof typeof ORIGIN)[];

const PLAN_STATE = oneOf(['new', 'expired', 'running', 'unsettled', 'stopped', 'finished']);

export type PlanState = ShapeOf<typeof PLAN_STATE>;

const DRIFT = oneOf(['checked', 'unchecked']);

/** One row: what will be sent, and what was known when it was planned. */
export type PlanRow = Pick<Row, 'row' | 'id' | 'body' | 'before' | 'about' | 'drift'> & Partial<Pick<Row, 'expects'>>;

const ROW = object(
  { row: INTEGER, id: nullable(TEXT), drift: DRIFT },
  { body: ANY_OBJECT, before: ANY_OBJECT, expect: ANY_OBJECT, about: ANY_OBJECT },
);

/** A whole plan as `plan show` prints it. */
export const PLAN_OUTPUT = object({
  plan: object({ ...LINE_1, state: PLAN_STATE }, ORIGIN),
  rows: list(ROW),
});

/** The JSON output of `plan show --as`. */
export const PLAN_DOCUMENT = object({ plan: TEXT, as: oneOf(['markdown']), document: TEXT });

/** Name of the run that applies a plan: a second apply finds the first by it. */
export function planRunName(plan: string): string {
  return `plan-${plan}`;
}

/** Line 1 with its newline. */
export function encodeHeader(facts: PlanDraft, sha256: string): string {
  return `${printJson(headerObject({ ...facts, plan: sha256.slice(0, PLAN_NAME_LENGTH), sha256 }))}\n`;
}

const OWN_NAMES = /("(?:plan|sha256)"\s*:\s*)"[0-9a-f]*"/g;

/** Begins the hash of a plan with line 1, in which the two values that depend on the hash are empty. */
export function hashFirstLine(line: string): Hash {
  // Quotes inside texts are escaped, so a match is a member.
  return createHash('sha256').update(line.replace(OWN_NAMES, '$1""'));
}

export function headerObject(header: PlanHeader): JsonObject {
  const line = { frontdeskPlan: PLAN_VERSION, ...header };
  return new Map(HEADER_MEMBERS.flatMap((name) => (line[name] === undefined ? [] : [[name, fromPlain(line[name])]])));
}

/** A row as JSON, in the order of the file, without absent members. */
export function rowObject({ row, id, body, before, expects = [], about, drift = 'unchecked' }: PlanRow): JsonObject {
  const expect = expects.length === 0 ? undefined : new Map(expects.map(({ field, value }) => [field, value]));
  const members = { row: new JsonNumber(String(row)), id: id ?? null, body, before, expect, about, drift };
  return new Map(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** What a member of line 1 must be, if the value is something else. */
function expectedOf(shape: JsonSchema, value: JsonValue | undefined): string | undefined {
  const { type, format } = shape;
  if (type === 'integer') return isCount(value) ? undefined : 'a count';
  if (type === 'string' && typeof value !== 'string') return 'a text';
  if (format === 'date-time') return Number.isNaN(Date.parse(String(value))) ? 'a time' : undefined;
  if (schemaViolations(shape, value).length === 0) return undefined;
  return type === 'array' ? 'a list of texts' : 'what frontdesk writes there';
}

export function isCount(value: JsonValue | undefined): value is JsonNumber {
  return value instanceof JsonNumber && /^(?:0|[1-9]\d{0,8})$/.test(value.text);
}

/** The header in line 1 and its operation, or what is wrong with it. */
export function headerOf(
  object: JsonObject,
): { readonly header: PlanHeader; readonly operation: Operation } | { readonly problem: string } {
  const version = object.get('frontdeskPlan');
  if (!(version instanceof JsonNumber)) return { problem: 'this is not a plan of frontdesk' };
  if (Number(version.text) > PLAN_VERSION) return { problem: 'a newer frontdesk wrote this plan' };
  if (version.text !== String(PLAN_VERSION)) return { problem: 'this is not a plan of frontdesk' };
  const members: Readonly<Record<string, Shape<unknown>>> = { frontdeskPlan: INTEGER, ...HEADER_SHAPES, ...ORIGIN };
  for (const name of object.keys()) if (!(name in members)) return { problem: 'it has an unknown member' };
  for (const [name, shape] of Object.entries(members)) {
    const value = object.get(name);
    const expected = value === undefined && name in ORIGIN ? undefined : expectedOf(shape, value);
    if (expected !== undefined) return { problem: `${name} is not ${expected}` };
  }
  // Each member was checked.
  const { frontdeskPlan: _, ...header } = toPlain(object) as unknown as PlanHeader & { readonly frontdeskPlan: number };
  if (!/^[0-9a-f]{64}$/.test(header.sha256) || header.plan !== header.sha256.slice(0, PLAN_NAME_LENGTH)) {
    return { problem: 'the name of the plan is not its hash' };
  }
  // Not operations that return one-time secrets.
  const operation = ALL_OPERATIONS.find(
    ({ command, effect }) => command === header.operation && effect.kind === 'write' && effect.sensitive === undefined,
  );
  return operation === undefined ? { problem: 'its operation cannot be planned' } : { header, operation };
}

const ROW_MEMBERS = ['row', 'id', 'body', 'before', 'expect', 'about', 'drift'];

/** What the rows of a plan share, for writing them again. Each row is complete. */
export const PLAN_SHAPE: RowShape = {
  form: 'plan',
  columns: [],
  idParam: null,
  ids: [],
  fields: null,
  sendsEmpty: false,
  expects: [],
  onlyChanges: false,
};

/** Makes rows of the lines of a plan, before it is applied and at each resume. */
export class PlanRows {
  /** Number of the last row in the whole input; 0: none yet. */
  lastRow = 0;
  readonly #idParam: string | undefined;
  readonly #fields: ReadonlySet<string> | undefined;
  readonly #drift: NonNullable<Row['drift']>;
  /** The fields that each row must have a value for. */
  readonly #expected: readonly string[];

  /** `expected`: the fields in line 1. */
  constructor({ params, body, family }: Operation, expected: readonly string[] = []) {
    this.#expected = expected;
    this.#idParam = Object.keys(params.shape)[0];
    this.#fields = body === null ? undefined : new Set(describeFields(body).map(({ name }) => name));
    this.#drift = family === 'cards' ? 'checked' : 'unchecked';
  }

  /** The row of a line with exactly its body, or why it is no row of this operation. */
  read(object: JsonObject): Row | { readonly problem: string } {
    const problem = this.#problem(object);
    const row = object.get('row');
    if (problem !== undefined) return { problem };
    if (!isCount(row)) return { problem: 'row is not a count' };
    if (Number(row.text) <= this.lastRow) return { problem: 'its row does not follow the one before' };
    this.lastRow = Number(row.text);
    const [body, before, about, expect] = ['body', 'before', 'about', 'expect'].map((name) => objectAt(object, name));
    const id = textOf(object.get('id'));
    const params = this.#idParam === undefined ? {} : { [this.#idParam]: id ?? '' };
    return {
      row: this.lastRow,
      id,
      params,
      body,
      expects: this.#expected.map((field) => ({ field, value: textOf(expect?.get(field)) ?? '' })),
      input: new Map([...Object.entries(params), ...(body ?? [])]),
      before,
      about,
      drift: this.#drift,
    };
  }

  #problem(object: JsonObject): string | undefined {
    const id = object.get('id') ?? null;
    const body = object.get('body');
    for (const name of object.keys()) if (!ROW_MEMBERS.includes(name)) return 'it has an unknown member';
    if (id !== null && typeof id !== 'string') return 'id is not a text';
    if ((id === null) !== (this.#idParam === undefined)) return 'id does not belong to its operation';
    for (const name of ['body', 'before', 'about']) {
      if (object.has(name) && objectAt(object, name) === undefined) return `${name} is not an object`;
    }
    if ((body === undefined) !== (this.#fields === undefined)) return 'body does not belong to its operation';
    if (object.get('drift') !== this.#drift) return `drift is not ${this.#drift}`;
    const isOther = [...(objectAt(object, 'body')?.keys() ?? [])].some((name) => this.#fields?.has(name) !== true);
    return this.#knownProblem(object) ?? (isOther ? 'body has a field that its operation does not have' : undefined);
  }

  /** A card's row identifies its card, and has a text for exactly the fields in line 1. */
  #knownProblem(object: JsonObject): string | undefined {
    const lacking = this.#drift === 'checked' ? ['before', 'about'].find((name) => !object.has(name)) : undefined;
    if (lacking !== undefined) return `${lacking} is missing`;
    const expect = objectAt(object, 'expect');
    const isOfTexts = [...(expect?.values() ?? [])].every((one) => typeof one === 'string');
    if (object.has('expect') && !(expect !== undefined && isOfTexts)) return 'expect is not an object of texts';
    const isSame = [...(expect?.keys() ?? [])].sort().join('\n') === this.#expected.toSorted().join('\n');
    return isSame ? undefined : 'expect is not of the fields that line 1 names';
  }
}

function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object.get(name);
  return isJsonObject(value) ? value : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

import * as z from 'zod/mini';
import { isJsonArray, type JsonObject, type JsonValue } from '../json/value.ts';

/** What `--expect` asks of a card: a field, dotted into metadata, and the value it must have. */
export interface Expectation {
  readonly field: string;
  readonly value: string;
}

/** A row as it stood in the input: the cells of a table, a JSON object, or an id alone. */
export type Given = readonly string[] | JsonObject | string;

/** One row of an input as a call of its operation: checked, and ready to be sent. */
export interface Row {
  /** 1-based in the whole input; ascending. */
  readonly row: number;
  /** The id in the path; undefined where the operation has none (event create). */
  readonly id: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** Undefined: the request has no body. */
  readonly body: JsonObject | undefined;
  /** What `--expect` asks of this row's card. */
  readonly expects: readonly Expectation[];
  readonly given: Given;
  /** Of a planned card: status and updatedAt. Of an update against an older file: the old cells of what is sent. */
  readonly before?: JsonObject | undefined;
  /** Of a planned card: its reference, which is compared, and its balance, for reviewers. */
  readonly about?: JsonObject | undefined;
  /** Of a planned row: whether it is compared with `before` again right before it is sent. */
  readonly drift?: 'checked' | 'unchecked' | undefined;
}

/** What is known of a row beside what was given. */
export interface RowExtra {
  /** With `--changed-from`: exactly the fields that are sent, each with its older cell; null: that is not known. */
  readonly was?: JsonObject | undefined;
  /** The values that the row itself brings to `--expect`, in the order of the shape. */
  readonly expect?: readonly string[] | undefined;
}

/** What the rows of one input have in common: said once, in the header of their run. */
export const RowShapeSchema = z.object({
  /** What each row was: the cells of a table, a JSON object (or an id), an id alone; of a plan it stands in its line. */
  given: z.enum(['cells', 'json', 'id', 'plan']),
  /** Of a table: the name of each cell. */
  columns: z.array(z.string()),
  /** Parameter of the path; null: the operation has none. */
  idParam: z.nullable(z.string()),
  /** Columns or members that may hold the id: the first that is not empty does. */
  ids: z.array(z.string()),
  /** Fields of the body in the order in which they are sent; null: there is no body. */
  fields: z.nullable(
    z.array(
      z.object({
        name: z.string(),
        isBoolean: z.optional(z.boolean()),
        /** Columns of this name are not read (`--ignore-columns`). */
        isIgnored: z.optional(z.boolean()),
        /** By a flag, for rows that have none of their own. */
        value: z.optional(z.union([z.string(), z.boolean(), z.null()])),
      }),
    ),
  ),
  /** An empty cell of a table is sent as the empty text. */
  sendsEmpty: z.boolean(),
  /** `value`: the same for all rows; without it each row brings its own. */
  expects: z.array(z.object({ field: z.string(), value: z.optional(z.string()) })),
  /** Only what differs from an older file is sent. */
  onlyChanges: z.boolean(),
});

export type RowShape = Readonly<z.infer<typeof RowShapeSchema>>;

/** Does each row have something beside what was given? */
export function hasExtra({ expects, onlyChanges }: RowShape): boolean {
  return onlyChanges || expects.some(({ value }) => value === undefined);
}

/** Can csv not say what was sent of rows? An empty text stands there as a cell that was left alone does. */
export function needsJson({ onlyChanges, sendsEmpty }: RowShape): boolean {
  return onlyChanges && sendsEmpty;
}

const NONE: readonly never[] = [];
const NO_PARAMS = {};

/** Makes rows of what was given: the one way in which a check, a sender and every later reader of a run see them. */
export class RowMaker {
  readonly #shape: RowShape;
  readonly #places: ReadonlyMap<string, number>;

  constructor(shape: RowShape) {
    this.#shape = shape;
    this.#places = new Map(shape.columns.map((name, at) => [name, at]));
  }

  make(row: number, given: Given, { was, expect = NONE }: RowExtra = {}): Row {
    const { idParam, expects } = this.#shape;
    const id = idParam === null ? undefined : this.#idOf(given);
    let own = 0;
    return {
      row,
      id,
      params: idParam === null ? NO_PARAMS : { [idParam]: id ?? '' },
      body: this.#bodyOf(given, was),
      expects:
        expects.length === 0
          ? NONE
          : expects.map(({ field, value }) => ({ field, value: value ?? expect[own++] ?? '' })),
      given,
      before: was && new Map([...was].filter(([, old]) => old !== null)),
    };
  }

  /** The original members of a row, by name, without those that were not sent because they had not changed. */
  membersOf({ given, body }: Row): JsonObject {
    const { columns, fields, onlyChanges } = this.#shape;
    if (typeof given === 'string') return new Map([['id', given]]);
    const members = isJsonArray(given) ? new Map(columns.map((name, at) => [name, given[at] ?? ''])) : new Map(given);
    for (const { name, isIgnored } of onlyChanges ? (fields ?? NONE) : NONE) {
      if (isIgnored !== true && body?.has(name) !== true) members.delete(name);
    }
    return members;
  }

  /** The same as JSON tells the cells of a table: without those that mean nothing, and a boolean as one. */
  typedMembersOf(row: Row): JsonObject {
    const members = this.membersOf(row);
    if (!isJsonArray(row.given)) return members;
    const isBoolean = (name: string) => this.#shape.fields?.find((field) => field.name === name)?.isBoolean === true;
    const given = [...members].filter(([, cell]) => cell !== '' || this.#shape.sendsEmpty);
    return new Map(given.map(([name, cell]) => [name, isBoolean(name) ? readBoolean(cell) : cell]));
  }

  #idOf(given: Given): string | undefined {
    if (typeof given === 'string') return given;
    let id: JsonValue | undefined;
    for (const name of this.#shape.ids) id ||= this.#partOf(given, name);
    return typeof id === 'string' ? id : undefined;
  }

  #bodyOf(given: Given, was: JsonObject | undefined): JsonObject | undefined {
    const { fields, sendsEmpty } = this.#shape;
    if (fields === null) return undefined;
    const isTable = isJsonArray(given);
    const body = new Map<string, JsonValue>();
    for (const { name, isBoolean, isIgnored, value: flag } of fields) {
      if (was !== undefined && !was.has(name)) continue;
      const part = isIgnored === true ? undefined : this.#partOf(given, name);
      const isGiven = part !== undefined && (part !== '' || !isTable || sendsEmpty);
      const sent = isGiven ? (isTable && isBoolean === true ? readBoolean(part) : part) : flag;
      if (sent !== undefined) body.set(name, sent);
    }
    return body;
  }

  #partOf(given: Given, name: string): JsonValue | undefined {
    if (typeof given === 'string') return undefined;
    return isJsonArray(given) ? given[this.#places.get(name) ?? -1] : given.get(name);
  }
}

/** `true`, `True` or `TRUE`, as spreadsheets write it, as a boolean; any other text as it is. */
function readBoolean(text: JsonValue): JsonValue {
  const word = typeof text === 'string' ? text.toLowerCase() : text;
  return word === 'true' ? true : word === 'false' ? false : text;
}

/** One row after the other, so that a million of them need no memory. */
export async function* eachRow(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  for await (const rows of batches) {
    // Not `yield*`, which takes a third longer.
    for (const row of rows) yield row;
  }
}

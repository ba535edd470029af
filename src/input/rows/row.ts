import * as z from 'zod/mini';
import { printJson } from '../../base/json/print.ts';
import type { JsonObject, JsonValue } from '../../base/json/value.ts';
import { cellAt, type PackedCells, unpackCells } from '../values.ts';

/** One `--expect`: a field, dotted into metadata, and its value. */
export interface Expectation {
  readonly field: string;
  readonly value: string;
}

/** One `--skip-if`: a field of the card, and the values with which there is nothing to do. */
export interface Skip {
  readonly field: string;
  readonly values: readonly string[];
}

/** A row of the input: the cells of a table, a JSON object, or an ID alone. */
export type RowInput = PackedCells | JsonObject | string;

export function isCells(input: RowInput): input is PackedCells {
  return Array.isArray(input);
}

/** One row of an input as a checked call of its operation. */
export interface Row {
  /** 1-based in the whole input; ascending. */
  readonly row: number;
  /** The ID in the path; undefined for a new event. */
  readonly id: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
  /** What `--expect` asks of this row's card. */
  readonly expects: readonly Expectation[];
  /** What `--skip-if` says of it: all must hold. */
  readonly skipIf?: readonly Skip[] | undefined;
  readonly input: RowInput;
  /** Of a planned card: status and updatedAt. Of an update against an older file: the old cells of what is sent. */
  readonly before?: JsonObject | undefined;
  /** Of a planned card: its reference, which is compared, and its balance, for reviewers. */
  readonly about?: JsonObject | undefined;
  /** Is a planned row compared with `before` right before it is sent? */
  readonly drift?: 'checked' | 'unchecked' | undefined;
}

/** What is known of a row besides the given values. */
export interface RowExtra {
  /** With `--changed-from`: exactly the fields that are sent, with the older cells; null: not known. */
  readonly was?: JsonObject | undefined;
  /** The row's own values for `--expect`, in the order of the shape. */
  readonly expect?: readonly string[] | undefined;
}

const TextPartSchema = z.union([z.string(), z.object({ column: z.string() })]);

/** A part of an option's text: itself, or the cell of a column. */
export type TextPart = Readonly<z.infer<typeof TextPartSchema>>;

/** What the rows of one input share, stored once in the header of their run. */
export const RowShapeSchema = z.object({
  /** The form of each row: cells of a table, a JSON object (or an ID), an ID alone; of a plan its line. */
  form: z.enum(['cells', 'json', 'id', 'plan']),
  /** Names of a table's cells, as in the input. */
  columns: z.array(z.string()),
  /** `--map`: the column of each field that has another name; absent: none. */
  columnOf: z.optional(z.record(z.string(), z.string())),
  /** Parameter of the path; null: the operation has none. */
  idParam: z.nullable(z.string()),
  /** Columns or members that may hold the ID. The first that is not empty counts. */
  ids: z.array(z.string()),
  /** Fields of the body in sending order; null: no body. */
  fields: z.nullable(
    z.array(
      z.object({
        name: z.string(),
        isBoolean: z.optional(z.boolean()),
        /** Columns of this name are not read (`--ignore-columns`). */
        isIgnored: z.optional(z.boolean()),
        /** From an option, for rows without their own. */
        value: z.optional(z.union([z.string(), z.boolean(), z.null()])),
        /** The same with cells of the row in it. */
        parts: z.optional(z.array(TextPartSchema)),
      }),
    ),
  ),
  /** An empty cell of a table is sent as the empty text. */
  sendsEmpty: z.boolean(),
  /** `value`: the same for all rows; absent: each row has its own. */
  expects: z.array(z.object({ field: z.string(), value: z.optional(z.string()) })),
  /** `--skip-if`; absent: none. */
  skipIf: z.optional(z.array(z.object({ field: z.string(), values: z.array(z.string()) }))),
  /** Only what differs from an older file is sent. */
  onlyChanges: z.boolean(),
});

export type RowShape = Readonly<z.infer<typeof RowShapeSchema>>;

/** Does each row have more than the given values? */
export function hasExtra({ expects, onlyChanges }: RowShape): boolean {
  return onlyChanges || expects.some(({ value }) => value === undefined);
}

/** Is CSV unable to say what was sent? There, an empty text looks like a cell that was left alone. */
export function needsJson({ onlyChanges, sendsEmpty }: RowShape): boolean {
  return onlyChanges && sendsEmpty;
}

const NONE: readonly never[] = [];
const NO_PARAMS = {};

/** Makes rows of given values: the one way for a check, a sender and every later reader of a run. */
export class RowMaker {
  readonly #shape: RowShape;
  readonly #places: ReadonlyMap<string, number>;
  /** Columns that `--map` gives to a field: as what they are called, they are none. */
  readonly #mapped: ReadonlySet<string>;

  constructor(shape: RowShape) {
    this.#shape = shape;
    this.#mapped = new Set(Object.values(shape.columnOf ?? {}));
    this.#places = new Map(shape.columns.map((name, at) => [name, at]));
  }

  make(row: number, input: RowInput, { was, expect = NONE }: RowExtra = {}): Row {
    const { idParam, expects, skipIf } = this.#shape;
    const id = idParam === null ? undefined : this.#idOf(input);
    let own = 0;
    return {
      row,
      id,
      params: idParam === null ? NO_PARAMS : { [idParam]: id ?? '' },
      body: this.#bodyOf(input, was),
      expects:
        expects.length === 0
          ? NONE
          : expects.map(({ field, value }) => ({ field, value: value ?? expect[own++] ?? '' })),
      skipIf,
      input,
      before: was && new Map([...was].filter(([, old]) => old !== null)),
    };
  }

  /** The original members of a row by name, without those that were not sent because they had not changed. */
  membersOf({ input, body }: Row): JsonObject {
    const { columns, fields, onlyChanges } = this.#shape;
    if (typeof input === 'string') return new Map([['id', input]]);
    const cells = isCells(input) ? unpackCells(input) : NONE;
    const members = isCells(input) ? new Map(columns.map((name, at) => [name, cells[at] ?? ''])) : new Map(input);
    for (const { name, isIgnored } of onlyChanges ? (fields ?? NONE) : NONE) {
      const column = this.#columnOf(name);
      if (column !== undefined && isIgnored !== true && body?.has(name) !== true) members.delete(column);
    }
    return members;
  }

  /** The same as JSON: empty cells without meaning are left out, and booleans are booleans. */
  typedMembersOf(row: Row): JsonObject {
    const members = this.membersOf(row);
    if (!isCells(row.input)) return members;
    const booleans = this.#shape.fields?.filter((field) => field.isBoolean === true) ?? NONE;
    const isBoolean = (name: string) => booleans.some((field) => this.#columnOf(field.name) === name);
    const filled = [...members].filter(([, cell]) => cell !== '' || this.#shape.sendsEmpty);
    return new Map(filled.map(([name, cell]) => [name, isBoolean(name) ? readBoolean(cell) : cell]));
  }

  #idOf(input: RowInput): string | undefined {
    if (typeof input === 'string') return input;
    let id: JsonValue | undefined;
    for (const name of this.#shape.ids) id ||= this.#partOf(input, name);
    return typeof id === 'string' ? id : undefined;
  }

  #bodyOf(input: RowInput, was: JsonObject | undefined): JsonObject | undefined {
    const { fields, sendsEmpty } = this.#shape;
    if (fields === null) return undefined;
    const isTable = isCells(input);
    const body = new Map<string, JsonValue>();
    for (const { name, isBoolean, isIgnored, value: flag, parts } of fields) {
      if (was !== undefined && !was.has(name)) continue;
      const part = isIgnored === true ? undefined : this.#partOf(input, name);
      const isSet = part !== undefined && (part !== '' || !isTable || sendsEmpty);
      const option = parts === undefined ? flag : this.#filled(parts, input);
      const sent = isSet ? (isTable && isBoolean === true ? readBoolean(part) : part) : option;
      if (sent !== undefined) body.set(name, sent);
    }
    return body;
  }

  #partOf(input: RowInput, name: string): JsonValue | undefined {
    const column = this.#columnOf(name);
    return column === undefined ? undefined : this.#cellOf(input, column);
  }

  #columnOf(name: string): string | undefined {
    return this.#shape.columnOf?.[name] ?? (this.#mapped.has(name) ? undefined : name);
  }

  #cellOf(input: RowInput, column: string): JsonValue | undefined {
    if (typeof input === 'string') return column === 'id' ? input : undefined;
    return isCells(input) ? cellAt(input, this.#places.get(column) ?? -1) : input.get(column);
  }

  #filled(parts: readonly TextPart[], input: RowInput): string {
    return parts
      .map((part) => {
        if (typeof part === 'string') return part;
        const cell = this.#cellOf(input, part.column) ?? '';
        return typeof cell === 'string' ? cell : printJson(cell);
      })
      .join('');
  }
}

/** `true`, `True` or `TRUE` as a boolean. Another text stays. */
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

import type { Operation } from '../../api/operation.ts';
import { usageFailure } from '../../failure.ts';
import { parseJson } from '../../json/parse.ts';
import { printJson } from '../../json/print.ts';
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { FieldValue } from '../check-fields.ts';
import { readBoolean } from '../field-text.ts';
import type { FieldSpec } from '../fields.ts';
import type { InputFile } from '../input-file.ts';
import { ColumnRoles } from './columns.ts';
import { placeFault, toFaults } from './fault-place.ts';
import { readRecords } from './read.ts';
import { type InputFault, type InputFormat, isTable, type RawRecord } from './record.ts';
import { Digest, SeenTable } from './seen-table.ts';

const MAX_FAULTS = 20;
const FIRST_CAPACITY_ROWS = 4096;
const FIRST_CELL_BYTES = 1 << 16;

/** A text that two values share exactly when they are the same value: type first, so that `""` is not null. */
function tokenOf(value: FieldValue): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${value}`;
  return value instanceof JsonNumber ? value.text : String(value);
}

/** A cell of a CSV file as the value that it stands for. What an old file holds is compared, never judged. */
function oldValue(value: JsonValue, field: FieldSpec, format: InputFormat): JsonValue {
  if (!isTable(format) || typeof value !== 'string' || field.type !== 'boolean') return value;
  return readBoolean(value, 'csv') ?? value;
}

/**
 * The rows of an older file by id, for telling which cells of a newer one differ. It keeps 64 bits of each
 * value and not the values, so that a million rows need little memory.
 */
export class ChangedFrom {
  /** For messages: the older file. */
  readonly name: string;
  /** What a person should know of how it was read. */
  readonly notes: string[] = [];
  readonly #fields: readonly FieldSpec[];
  readonly #rows = new SeenTable();
  readonly #digest = new Digest();
  /** Two words for each field of each row; 0, 0 where the file has no such column. */
  #values: Uint32Array;
  #count = 0;
  readonly #cells: OldCells | undefined;
  /** Of each older row: was a newer one held against it? Made when the first one is. */
  #isCompared: Uint8Array | undefined;
  #compared = 0;

  /** `keepsCells`: the values themselves are kept too, as compact text, for `oldCells`. */
  constructor(name: string, fields: readonly FieldSpec[], keepsCells = false) {
    this.name = name;
    this.#fields = fields;
    this.#cells = keepsCells ? new OldCells(fields) : undefined;
    this.#values = new Uint32Array(2 * fields.length * FIRST_CAPACITY_ROWS);
  }

  /** Remembers one older row; false when the id was there before. */
  add(id: string, values: ReadonlyMap<string, JsonValue>): boolean {
    this.#digest.setText(id);
    if (this.#rows.add(this.#digest, this.#count + 1) !== 0) return false;
    const at = 2 * this.#fields.length * this.#count;
    this.#count += 1;
    if (at + 2 * this.#fields.length > this.#values.length) {
      const larger = new Uint32Array(2 * this.#values.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#cells?.add(values);
    this.#fields.forEach((field, index) => {
      const value = values.get(field.name);
      if (value === undefined) return;
      this.#digest.setText(tokenOf(value));
      this.#values[at + 2 * index] = this.#digest.a;
      this.#values[at + 2 * index + 1] = this.#digest.b;
    });
    return true;
  }

  /** The values that differ from the older row of this id; undefined when the older file has no such row. */
  changes(id: string, values: Readonly<Record<string, FieldValue>>): Record<string, FieldValue> | undefined {
    this.#digest.setText(id);
    const row = this.#rows.find(this.#digest);
    if (row === 0) return undefined;
    this.#isCompared ??= new Uint8Array(this.#count + 1);
    if (this.#isCompared[row] === 0) this.#compared += 1;
    this.#isCompared[row] = 1;
    const at = 2 * this.#fields.length * (row - 1);
    const changed: Record<string, FieldValue> = {};
    this.#fields.forEach((field, index) => {
      const value = values[field.name];
      if (value === undefined) return;
      this.#digest.setText(tokenOf(value));
      const [first, second] = [this.#values[at + 2 * index], this.#values[at + 2 * index + 1]];
      if (first !== this.#digest.a || second !== this.#digest.b) changed[field.name] = value;
    });
    return changed;
  }

  /** Older rows that no newer one was held against: the newer file lacks them. */
  get missing(): number {
    return this.#count - this.#compared;
  }

  /** Has the older row of this id anything in that field? */
  hasValue(id: string, name: string): boolean {
    this.#digest.setText(id);
    const row = this.#rows.find(this.#digest);
    const at = 2 * (this.#fields.length * (row - 1) + this.#fields.findIndex((field) => field.name === name));
    const [first = 0, second = 0] = [this.#values[at], this.#values[at + 1]];
    this.#digest.setText(tokenOf(''));
    const isEmpty = first === this.#digest.a && second === this.#digest.b;
    return row !== 0 && !isEmpty && (first !== 0 || second !== 0);
  }

  /** The older cells of this id that could be sent, typed so; undefined when they are not kept or there are none. */
  oldCells(id: string): JsonObject | undefined {
    if (this.#cells === undefined) return undefined;
    this.#digest.setText(id);
    const row = this.#rows.find(this.#digest);
    return row === 0 ? undefined : this.#cells.of(row);
  }
}

/** The cells of older rows, one after the other as text: a row costs its own bytes and eight more. */
class OldCells {
  readonly #fields: readonly FieldSpec[];
  #bytes = Buffer.alloc(FIRST_CELL_BYTES);
  #length = 0;
  #starts = new Float64Array(FIRST_CAPACITY_ROWS);
  #count = 0;

  constructor(fields: readonly FieldSpec[]) {
    this.#fields = fields;
  }

  /** Keeps the cells that could be sent; an older file may hold others, such as an empty `active`. */
  add(values: ReadonlyMap<string, JsonValue>): void {
    const cells = [...values].filter(([name, value]) => this.#isSendable(name, value));
    const text = Buffer.from(printJson(new Map(cells)));
    if (this.#length + text.length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (this.#length + text.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    if (this.#count + 1 >= this.#starts.length) {
      const larger = new Float64Array(2 * this.#starts.length);
      larger.set(this.#starts);
      this.#starts = larger;
    }
    text.copy(this.#bytes, this.#length);
    this.#length += text.length;
    this.#count += 1;
    this.#starts[this.#count] = this.#length;
  }

  /** `row`: 1-based, in the order in which rows were added. */
  of(row: number): JsonObject {
    const cells = parseJson(this.#bytes.toString('utf8', this.#starts[row - 1] ?? 0, this.#starts[row] ?? 0));
    return isJsonObject(cells) ? cells : new Map();
  }

  #isSendable(name: string, value: JsonValue): boolean {
    const type = this.#fields.find((field) => field.name === name)?.type;
    return typeof value === (type === 'boolean' ? 'boolean' : 'string');
  }
}

function readOldRow(record: RawRecord, roles: ColumnRoles, format: InputFormat): [string, Map<string, JsonValue>] {
  let id = '';
  const values = new Map<string, JsonValue>();
  record.names.forEach((name, index) => {
    const role = roles.roleOf(name);
    const value = record.values[index];
    if (value === undefined) return;
    if (role.kind === 'id' && typeof value === 'string' && id === '') id = value;
    if (role.kind === 'field') values.set(name, oldValue(value, role.field, format));
  });
  return [id, values];
}

/** How the older file is read. */
interface OlderFile {
  readonly operation: Operation;
  readonly path: string;
  readonly csvRaw: boolean;
  /** `--sheet`, which names the sheet of the newer file. */
  readonly sheet: string | undefined;
}

function readingOf(file: InputFile, roles: ColumnRoles, { path, csvRaw, sheet }: OlderFile) {
  return {
    path,
    csvRaw,
    name: file.name,
    columns: roles.names,
    format: undefined,
    sheet,
    isOlder: true as const,
  };
}

/**
 * The older cells of a few rows, by id, for showing what changes. The file was read through before, so what is
 * wrong with it has been said.
 */
export async function readOldCells(
  file: InputFile,
  options: OlderFile,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, JsonValue>>> {
  const roles = new ColumnRoles(options.operation);
  const found = new Map<string, ReadonlyMap<string, JsonValue>>();
  for await (const batch of readRecords(file.bytes(), readingOf(file, roles, options))) {
    for (const record of batch.records) {
      const [id, values] = readOldRow(record, roles, batch.format);
      if (ids.has(id)) found.set(id, values);
    }
    if (found.size === ids.size) break;
  }
  return found;
}

/**
 * Reads the file of `--changed-from`, in any format that `--from` takes. Columns that nobody knows do not matter
 * in it. A USAGE failure with the first faults when it cannot be read as rows, or when an id is missing or
 * occurs twice, because then what changed cannot be told.
 */
export async function readChangedFrom(
  file: InputFile,
  options: OlderFile & {
    /** The old cells will be asked for, and not only whether they differ. */
    readonly keepsCells?: boolean;
  },
): Promise<ChangedFrom> {
  const roles = new ColumnRoles(options.operation);
  const index = new ChangedFrom(file.name, roles.fields, options.keepsCells);
  const faults: InputFault[] = [];
  for await (const batch of readRecords(file.bytes(), readingOf(file, roles, options))) {
    faults.push(...batch.faults);
    index.notes.push(...(batch.notes ?? []));
    for (const record of batch.records) {
      const [id, values] = readOldRow(record, roles, batch.format);
      for (const [cell, problem] of record.problems ?? [])
        faults.push(placeFault(record, batch.format, record.names[cell] ?? '', problem));
      if (id === '') faults.push(placeFault(record, batch.format, '', 'the row has no id'));
      else if (!index.add(id, values))
        faults.push(placeFault(record, batch.format, '', 'its id stands in an earlier row too'));
    }
    if (faults.length >= MAX_FAULTS) break;
  }
  if (faults.length > 0) {
    const named = toFaults(faults.slice(0, MAX_FAULTS), `--changed-from ${file.name}`);
    throw usageFailure(named, faults[0]?.sheet === undefined ? [] : index.notes);
  }
  return index;
}

import { usageFailure } from '../../base/failure.ts';
import { TextStore } from '../../base/files/text-store.ts';
import { parseJson } from '../../base/json/parse.ts';
import { printJson } from '../../base/json/print.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../../base/json/value.ts';
import type { Operation } from '../../service/api/operation.ts';
import { type FieldSpec, readBoolean } from '../fields.ts';
import type { InputFile } from '../input-file.ts';
import { cellAt, quoteValue } from '../values.ts';
import { ColumnRoles } from './columns.ts';
import { FaultList } from './fault-list.ts';
import { placeFault, toFaults } from './fault-place.ts';
import { HashIndex, NumberList, spread } from './hash-index.ts';
import { readRecords } from './read.ts';
import {
  type InputFault,
  type InputFormat,
  isTable,
  type Problem,
  type RawRecord,
  type ReadOptions,
} from './record.ts';
import { NO_SHAPE, type Shape, Shaper } from './shape.ts';

/** Are two values the same, digit for digit? Line ends do not count: spreadsheets change them. */
function isSame(a: JsonValue, b: JsonValue | undefined): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b || withOneLineEnd(a) === withOneLineEnd(b);
  return a instanceof JsonNumber && b instanceof JsonNumber ? a.text === b.text : a === b;
}

function withOneLineEnd(text: string): string {
  // LibreOffice takes LF CR for one line end too.
  return text.replace(/\r\n?|\n\r/g, '\n');
}

/** Rows that are read at once: few, because rows of the newer file may be in any order. */
const PAGE = 16;

/** How many IDs get a search for a similar one in the older file. */
const MAX_NEIGHBORS = 20;

function hashOf(id: string): number {
  let bits = 0;
  for (let index = 0; index < id.length; index += 1) bits = Math.imul(bits, 31) + id.charCodeAt(index);
  return spread(bits);
}

function withoutZeros(id: string): string {
  return id.toLowerCase().replace(/^0+(?=.)/, '');
}

/** A cell of the older file that is empty in the newer one. `place`: `row 5 (line 6)`. */
interface EmptiedCell extends Readonly<Record<'place' | 'id' | 'field', string>> {
  readonly old: JsonValue;
}

const MAX_EMPTIED = 10;

/** The rows of an older file by ID, to find which cells of a newer one differ. About 14 bytes of memory per row. */
export class ChangedFrom {
  /** For messages: the older file. */
  readonly name: string;
  /** What the user should know of how it was read. */
  readonly notes: string[] = [];
  /** Older rows whose ID the newer file lacks. */
  missing = 0;
  /** Cells that are empty in the newer file alone: how many, and the first of them. */
  readonly emptied: { count: number; readonly first: EmptiedCell[] } = { count: 0, first: [] };
  readonly #fields: readonly FieldSpec[];
  #count = 0;
  readonly #index = new HashIndex();
  /** For each row, the place of the newer row with its ID; 0 if there is none. */
  readonly #places = new NumberList();
  /** Rows whose ID is not in the older file. */
  #strangers = 0;
  /** IDs and cells of the rows, one text for each page. */
  readonly #pages = new TextStore();
  /** The rows of the incomplete page, and the page that was read last. */
  #newest: JsonValue[] = [];
  #found: { readonly id: string | undefined; readonly at: number } = { id: undefined, at: -1 };
  #read: { readonly page: number; readonly rows: readonly JsonValue[] } = { page: -1, rows: [] };

  constructor(name: string, fields: readonly FieldSpec[]) {
    this.name = name;
    this.#fields = fields;
  }

  /** Adds an older row. Returns false if its ID was there already. */
  add(id: string, cells: JsonObject): boolean {
    if (this.#find(id) !== -1) return false;
    this.#found = { id, at: this.#index.add(hashOf(id)) };
    this.missing += 1;
    this.#count += 1;
    this.#newest.push(id, cells);
    if (this.#newest.length < 2 * PAGE) return true;
    this.#pages.add(printJson(this.#newest));
    this.#newest = [];
    return true;
  }

  /**
   * Adds a record of the older file, and returns what is wrong with it. Columns that nothing reads do not matter, nor
   * does a guard of zeros, which is a text to compare with.
   */
  take(record: RawRecord, roles: ColumnRoles, format: InputFormat): readonly InputFault[] {
    const [id, values] = readOldRow(record, roles, format);
    const faults = [...(record.problems ?? [])].flatMap(([cell, problem]) => {
      const name = record.names[cell] ?? '';
      const isFault = problem.kind !== 'zeros' && isRead(roles, name);
      return isFault ? [{ ...placeFault(record, format, name, problem.problem), kind: problem.kind }] : [];
    });
    if (id === '') return [...faults, placeFault(record, format, '', 'the row has no ID')];
    if (this.add(id, values) || printJson(this.cells(id)) === printJson(values)) return faults;
    return [...faults, placeFault(record, format, '', 'its ID is in an earlier row too')];
  }

  /** The fields that differ from the older row of this ID, with their old values; undefined without such a row. */
  changes(id: string, values: JsonObject): JsonObject | undefined {
    if (this.#find(id) === -1) return undefined;
    const old = this.cells(id);
    const changes = new Map<string, JsonValue>();
    for (const [name, value] of values) {
      if (!isSame(value, old.get(name))) changes.set(name, this.#sendable(name, old.get(name)));
    }
    return changes;
  }

  /** Records an ID at a place (above 0). Returns its earlier place, 0 if none; undefined: there is no older row. */
  meet(id: string, place: number): number | undefined {
    const index = this.#find(id);
    if (index === -1) return undefined;
    const earlier = this.#places.at(index);
    if (earlier !== 0) return earlier === place ? 0 : earlier;
    this.missing -= 1;
    this.#places.set(index, place);
    return 0;
  }

  /** The cells of the older row of this ID, typed as they would be sent; empty without such a row. */
  cells(id: string): JsonObject {
    const cells = this.#part(this.#find(id), 1);
    return isJsonObject(cells) ? cells : new Map();
  }

  /** What is wrong with a row whose ID the older file lacks. */
  missingProblem(id: string): Problem {
    this.#strangers += 1;
    const near = this.#strangers > MAX_NEIGHBORS ? undefined : this.neighbor(id);
    const lacks = `${quoteValue(id)} is not in ${this.name}`;
    if (near === undefined) return { kind: 'unknown', problem: `${lacks}, so its changes are unknown` };
    const problem = `${lacks}, which has ${quoteValue(near)}: was a zero lost, or the case changed?`;
    return { kind: 'near', problem };
  }

  /** An ID of the older file that differs only in leading zeros or case. */
  neighbor(id: string): string | undefined {
    const wanted = withoutZeros(id);
    for (let index = 0; index < this.#count; index += 1) {
      const other = this.#part(index, 0);
      if (typeof other === 'string' && withoutZeros(other) === wanted) return other;
    }
    return undefined;
  }

  /** Asked several times for each row. */
  #find(id: string): number {
    if (this.#found.id !== id) {
      const at = this.#index.find(hashOf(id), (index) => this.#part(index, 0) === id);
      this.#found = { id, at };
    }
    return this.#found.at;
  }

  /** The ID (0) or the cells (1) of a row. */
  #part(index: number, part: 0 | 1): JsonValue | undefined {
    const page = Math.floor(index / PAGE);
    const place = (index % PAGE) * 2 + part;
    if (page >= this.#pages.size) return this.#newest[place];
    if (page >= 0 && this.#read.page !== page) {
      const rows = parseJson(this.#pages.at(page));
      this.#read = { page, rows: isJsonArray(rows) ? rows : [] };
    }
    return this.#read.rows[place];
  }

  /** Notes which of these fields, empty in the newer row at `place`, have a value in the older row. */
  noteEmpty(id: string, names: readonly string[], place: string): void {
    if (names.length === 0) return;
    const cells = this.cells(id);
    for (const field of names) {
      const old = cells.get(field) ?? '';
      if (old === '') continue;
      this.emptied.count += 1;
      if (this.emptied.first.length < MAX_EMPTIED) this.emptied.first.push({ place, id, field, old });
    }
  }

  /** An older cell as it could be sent; null for others, such as an empty `active`. */
  #sendable(name: string, old: JsonValue | undefined): JsonValue {
    const field = this.#fields.find((known) => known.name === name);
    return typeof old === (field?.type === 'boolean' ? 'boolean' : 'string') ? (old ?? null) : null;
  }
}

function isRead(roles: ColumnRoles, name = ''): boolean {
  const role = roles.roleOf(name);
  return role !== 'ignored' && role !== 'unknown';
}

function readOldRow(record: RawRecord, roles: ColumnRoles, format: InputFormat): [string, Map<string, JsonValue>] {
  const { idIndexes, fields } = roles.columnsOf(record.names);
  const id = idIndexes.map((index) => cellAt(record.values, index)).find((value) => value !== '');
  const values = new Map<string, JsonValue>();
  for (const { index, field } of fields) {
    const value = cellAt(record.values, index);
    if (value === undefined) continue;
    // A CSV cell as the value that it stands for. An older file is compared, never judged.
    const isWord = isTable(format) && typeof value === 'string' && field.type === 'boolean';
    values.set(field.name, isWord ? (readBoolean(value, 'csv') ?? value) : value);
  }
  return [typeof id === 'string' ? id : '', values];
}

/**
 * Reads the file of `--changed-from`, in any format that `--from` takes. Unknown columns do not matter. USAGE with the
 * first faults if it cannot be read as rows, or if an ID is missing or occurs twice, because then it is ambiguous what
 * changed.
 */
export async function readChangedFrom(
  { name, bytes }: Pick<InputFile, 'name' | 'bytes'>,
  {
    operation,
    shape = NO_SHAPE,
    ...how
  }: Pick<ReadOptions, 'path' | 'csvRaw' | 'sheet'> & {
    readonly operation: Operation;
    readonly shape?: Shape | undefined;
  },
): Promise<ChangedFrom> {
  const roles = new ColumnRoles(operation);
  const index = new ChangedFrom(name, roles.fields);
  const faults = new FaultList();
  const options = { ...how, name, ...roles.reading, format: undefined, isOlder: true } as const;
  const shaper = new Shaper({ ...NO_SHAPE, map: shape.map, aside: shape.aside });
  for await (const read of readRecords(bytes(), options)) {
    const header = read.header && shaper.header(read.header);
    const batch = { ...read, header, ...shaper.take(read) };
    const names = batch.header?.names ?? [];
    faults.add(batch.faults.filter(({ cell }) => cell === undefined || isRead(roles, names[cell])));
    index.notes.push(...batch.notes);
    for (const record of batch.records) faults.add(index.take(record, roles, batch.format));
  }
  const { listed } = faults;
  if (listed.length > 0) {
    const named = toFaults(listed, `--changed-from ${name}`);
    throw usageFailure(named, listed[0]?.sheet === undefined ? [] : index.notes);
  }
  return index;
}

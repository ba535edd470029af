import type { Operation } from '../../api/operation.ts';
import type { Context } from '../../context.ts';
import { usageFailure } from '../../failure.ts';
import { TextStore } from '../../files/text-store.ts';
import { parseJson } from '../../json/parse.ts';
import { printJson } from '../../json/print.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts';
import { type FieldSpec, readBoolean } from '../fields.ts';
import type { InputFile } from '../input-file.ts';
import { ColumnRoles } from './columns.ts';
import { placeFault, toFaults } from './fault-place.ts';
import { HashIndex, NumberList, spread } from './hash-index.ts';
import { readRecords } from './read.ts';
import { type InputFault, type InputFormat, isTable, type RawRecord, type ReadOptions } from './record.ts';

const MAX_FAULTS = 20;

/** Are two values the same, digit for digit? Line ends do not count: spreadsheets change them. */
function isSame(a: JsonValue, b: JsonValue | undefined): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b || withOneLineEnd(a) === withOneLineEnd(b);
  return a instanceof JsonNumber && b instanceof JsonNumber ? a.text === b.text : a === b;
}

function withOneLineEnd(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Garbage is collected after so many newer rows, which takes less than a hundredth of their time. */
const COLLECT_ROWS = 2 ** 18;

/** Rows that are read at once: few, because rows of the newer file may be in any order. */
const PAGE = 16;

function hashOf(id: string): number {
  let bits = 0;
  for (let index = 0; index < id.length; index += 1) bits = Math.imul(bits, 31) + id.charCodeAt(index);
  return spread(bits);
}

function withoutZeros(id: string): string {
  return id.toLowerCase().replace(/^0+(?=.)/, '');
}

/** The rows of an older file by ID, to find which cells of a newer one differ. About 14 bytes of memory per row. */
export class ChangedFrom {
  /** For messages: the older file. */
  readonly name: string;
  /** What the user should know of how it was read. */
  readonly notes: string[] = [];
  /** Older rows whose ID the newer file lacks. */
  missing = 0;
  readonly #fields: readonly FieldSpec[];
  readonly #collectGarbage: (() => void) | undefined;
  #compared = 0;
  #count = 0;
  readonly #index = new HashIndex();
  /** For each row, the place of the newer row with its ID; 0 if there is none. */
  readonly #places = new NumberList();
  /** IDs and cells of the rows, one text for each page. */
  readonly #pages = new TextStore();
  /** The rows of the incomplete page, and the page that was read last. */
  #newest: JsonValue[] = [];
  #found: { readonly id: string | undefined; readonly at: number } = { id: undefined, at: -1 };
  #read: { readonly page: number; readonly rows: readonly JsonValue[] } = { page: -1, rows: [] };

  /** `collectGarbage`: called now and then, because V8 alone lets what is left of rows grow to 80 MB. */
  constructor(name: string, fields: readonly FieldSpec[], collectGarbage?: () => void) {
    this.name = name;
    this.#fields = fields;
    this.#collectGarbage = collectGarbage;
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

  /** Adds a record of the older file, and returns what is wrong with it. Columns that nothing reads do not matter. */
  take(record: RawRecord, roles: ColumnRoles, format: InputFormat): readonly InputFault[] {
    const [id, values] = readOldRow(record, roles, format);
    const faults = [...(record.problems ?? [])].flatMap(([cell, problem]) => {
      const name = record.names[cell] ?? '';
      const role = roles.roleOf(name);
      return role === 'ignored' || role === 'unknown' ? [] : [placeFault(record, format, name, problem)];
    });
    if (id === '') return [...faults, placeFault(record, format, '', 'the row has no ID')];
    if (this.add(id, values) || printJson(this.cells(id)) === printJson(values)) return faults;
    return [...faults, placeFault(record, format, '', 'its ID is in an earlier row too')];
  }

  /** The fields that differ from the older row of this ID, with their old values; undefined without such a row. */
  changes(id: string, values: JsonObject): JsonObject | undefined {
    if (this.#find(id) === -1) return undefined;
    this.#compared += 1;
    if (this.#compared % COLLECT_ROWS === 0) this.#collectGarbage?.();
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

  /** The names of these fields that are not empty in the older row. */
  filled(id: string, names: readonly string[]): readonly string[] {
    if (names.length === 0) return names;
    const cells = this.cells(id);
    return names.filter((name) => (cells.get(name) ?? '') !== '');
  }

  /** An older cell as it could be sent; null for others, such as an empty `active`. */
  #sendable(name: string, old: JsonValue | undefined): JsonValue {
    const field = this.#fields.find((known) => known.name === name);
    return typeof old === (field?.type === 'boolean' ? 'boolean' : 'string') ? (old ?? null) : null;
  }
}

function readOldRow(record: RawRecord, roles: ColumnRoles, format: InputFormat): [string, Map<string, JsonValue>] {
  let id = '';
  const values = new Map<string, JsonValue>();
  record.names.forEach((name, index) => {
    const role = roles.roleOf(name);
    const value = record.values[index];
    if (value === undefined) return;
    if (role === 'id' && typeof value === 'string' && id === '') id = value;
    if (typeof role !== 'object') return;
    // A CSV cell as the value that it stands for. An older file is compared, never judged.
    const isWord = isTable(format) && typeof value === 'string' && role.type === 'boolean';
    values.set(name, isWord ? (readBoolean(value, 'csv') ?? value) : value);
  });
  return [id, values];
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
    collectGarbage,
    ...how
  }: Pick<ReadOptions, 'path' | 'csvRaw' | 'sheet'> &
    Pick<Context, 'collectGarbage'> & { readonly operation: Operation },
): Promise<ChangedFrom> {
  const roles = new ColumnRoles(operation);
  const index = new ChangedFrom(name, roles.fields, collectGarbage);
  const faults: InputFault[] = [];
  const options = { ...how, name, columns: roles.names, format: undefined, isOlder: true } as const;
  for await (const batch of readRecords(bytes(), options)) {
    faults.push(...batch.faults);
    index.notes.push(...batch.notes);
    for (const record of batch.records) faults.push(...index.take(record, roles, batch.format));
    if (faults.length >= MAX_FAULTS) break;
  }
  if (faults.length > 0) {
    const named = toFaults(faults.slice(0, MAX_FAULTS), `--changed-from ${name}`);
    throw usageFailure(named, faults[0]?.sheet === undefined ? [] : index.notes);
  }
  return index;
}

import type { Operation } from '../../api/operation.ts';
import { usageFailure } from '../../failure.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { FieldValue } from '../check-fields.ts';
import { readBoolean } from '../field-text.ts';
import type { FieldSpec } from '../fields.ts';
import type { InputFile } from '../input-file.ts';
import { ColumnRoles } from './columns.ts';
import { placeFault, toFaults } from './fault-place.ts';
import { readRecords } from './read.ts';
import { type InputFault, type InputFormat, isTable, type RawRecord } from './record.ts';

const MAX_FAULTS = 20;

/** Are two values the same, digit for digit? */
function isSame(a: FieldValue, b: FieldValue): boolean {
  return a instanceof JsonNumber && b instanceof JsonNumber ? a.text === b.text : a === b;
}

/** A cell of a CSV file as the value that it stands for. What an old file holds is compared, never judged. */
function oldValue(value: JsonValue, field: FieldSpec, format: InputFormat): JsonValue {
  if (!isTable(format) || typeof value !== 'string' || field.type !== 'boolean') return value;
  return readBoolean(value, 'csv') ?? value;
}

/** The rows of an older file by id, to find which cells of a newer one differ. */
export class ChangedFrom {
  /** For messages: the older file. */
  readonly name: string;
  /** What a person should know of how it was read. */
  readonly notes: string[] = [];
  readonly #fields: readonly FieldSpec[];
  /** By id the values of the fields, in their order. */
  readonly #rows = new Map<string, readonly (JsonValue | undefined)[]>();
  /** Ids that a newer row was held against. */
  readonly #compared = new Set<string>();

  constructor(name: string, fields: readonly FieldSpec[]) {
    this.name = name;
    this.#fields = fields;
  }

  /** Remembers one older row; false when the id was there before. */
  add(id: string, values: ReadonlyMap<string, JsonValue>): boolean {
    if (this.#rows.has(id)) return false;
    this.#rows.set(
      id,
      this.#fields.map(({ name }) => values.get(name)),
    );
    return true;
  }

  /** The values that differ from the older row of this id; undefined when the older file has no such row. */
  changes(id: string, values: Readonly<Record<string, FieldValue>>): Record<string, FieldValue> | undefined {
    const old = this.#rows.get(id);
    if (old === undefined) return undefined;
    this.#compared.add(id);
    const changed: Record<string, FieldValue> = {};
    this.#fields.forEach(({ name }, index) => {
      const value = values[name];
      if (value !== undefined && !isSame(value, old[index])) changed[name] = value;
    });
    return changed;
  }

  /** Older rows that no newer one was held against: the newer file lacks them. */
  get missing(): number {
    return this.#rows.size - this.#compared.size;
  }

  /** The cells of the older row of this id, typed as they would be sent; none when there is no such row. */
  cells(id: string): JsonObject {
    const old = this.#rows.get(id) ?? [];
    return new Map(
      this.#fields.flatMap(({ name }, index): readonly [string, JsonValue][] => {
        const value = old[index];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  /** Those of the fields in which the older row has something. */
  filled(id: string, names: readonly string[]): readonly string[] {
    if (names.length === 0) return names;
    const cells = this.cells(id);
    return names.filter((name) => (cells.get(name) ?? '') !== '');
  }

  /** The cells of these fields that could be sent; an older file may hold others, such as an empty `active`. */
  sendableCells(id: string, fields: object): JsonObject {
    const isFlag = (name: string) => this.#fields.some((field) => field.name === name && field.type === 'boolean');
    return new Map(
      [...this.cells(id)].filter(
        ([name, value]) => name in fields && typeof value === (isFlag(name) ? 'boolean' : 'string'),
      ),
    );
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

/**
 * Reads the file of `--changed-from`, in any format that `--from` takes. Unknown columns do not matter
 * in it. A USAGE failure with the first faults when it cannot be read as rows, or when an id is missing or
 * occurs twice, because then what changed is ambiguous.
 */
export async function readChangedFrom(
  file: InputFile,
  { operation, path, csvRaw, sheet }: OlderFile,
): Promise<ChangedFrom> {
  const roles = new ColumnRoles(operation);
  const index = new ChangedFrom(file.name, roles.fields);
  const faults: InputFault[] = [];
  const options = {
    path,
    csvRaw,
    sheet,
    name: file.name,
    columns: roles.names,
    format: undefined,
    isOlder: true,
  } as const;
  for await (const batch of readRecords(file.bytes(), options)) {
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

import { CARD_ID } from '../../api/field.ts';
import { isUpdate, isWrite, type Operation } from '../../api/operation.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts';
import { checkFields, type FieldValue, NOTHING_TO_CHANGE } from '../check-fields.ts';
import { type Expectation, type ExpectationInput, ownValue } from '../expect.ts';
import { readFieldText } from '../field-text.ts';
import type { FieldSpec } from '../fields.ts';
import { quoteValue } from '../quote-value.ts';
import type { ChangedFrom } from './changed-from.ts';
import { ColumnRoles, errorProblem, roundedProblem } from './columns.ts';
import { placeFault } from './fault-place.ts';
import { GarbledCells } from './garbled-cells.ts';
import {
  type InputFault,
  type InputFormat,
  type InputHeader,
  isTable,
  type Planned,
  type RawRecord,
} from './record.ts';

/** One row as a call of its operation: checked, and ready to be sent. */
export interface Row {
  /** 1-based in the whole input. */
  readonly row: number;
  readonly line: number;
  /** The id in the path; undefined where the operation has none (event create). */
  readonly id: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** undefined: the request has no body. */
  readonly body: JsonObject | undefined;
  /** What `--expect` asks of this row's card. */
  readonly expects: readonly Expectation[];
  /** The row as it was read, with all original columns. */
  readonly record: RawRecord;
  /**
   * What was known before: of a planned card its status and updatedAt; of an update against an older file the old cells
   * of what changes.
   */
  readonly before?: JsonObject | undefined;
  /** With an older file: the fields that are not sent, because they did not change. */
  readonly leftAlone?: readonly string[] | undefined;
  readonly about?: Planned['about'];
  readonly drift?: Planned['drift'] | undefined;
}

type Found = Readonly<Record<'field' | 'problem', string>> & Pick<InputFault, 'refusedId'>;

/** How the rows of an input become calls. */
export interface InterpretOptions {
  readonly operation: Operation;
  /** Values of flags, by API name: they fill rows that lack them. */
  readonly defaults: Readonly<Record<string, FieldValue>>;
  /** What an empty CSV cell of a field means: not given, or the empty string. */
  readonly emptyCells: 'keep' | 'clear';
  readonly resendUnknown: boolean;
  readonly expectations: readonly ExpectationInput[];
  /** `--ignore-columns`. */
  readonly ignoreColumns?: readonly string[];
  /** `--changed-from`: only what differs from it is sent. */
  readonly changedFrom?: ChangedFrom | undefined;
  /** A rule that no schema knows, such as a profile's `requireReason`: what it has against each of some rows. */
  readonly checkRows?: ((rows: readonly Row[]) => Promise<readonly (Found | undefined)[]>) | undefined;
}

/** A row that can be sent, one that `--changed-from` leaves out, or what is wrong with it: then the row if its id is good. */
export type Interpreted =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'unchanged'; readonly row: Row }
  | { readonly kind: 'faults'; readonly row: Row | undefined; readonly faults: readonly InputFault[] };

/** The columns of a header, or of JSON objects of one shape, sorted by what they are for. */
interface ColumnMap {
  readonly names: readonly string[];
  readonly idIndexes: readonly number[];
  readonly fields: readonly { readonly index: number; readonly field: FieldSpec }[];
  readonly outcomeIndex: number;
  readonly unknown: readonly string[];
}

/** For so many ids one like them is looked for in the older file. */
const MAX_NEIGHBOURS = 20;

/** Turns rows as read into calls of one operation. Knows no files and no other rows. */
export class Interpreter {
  readonly roles: ColumnRoles;
  /** Empty CSV cells that leave a field unchanged, by column. */
  readonly emptyCells = new Map<string, number>();
  /** Those of them that had a value in the older file. */
  readonly emptied = new Map<string, number>();
  readonly #options: InterpretOptions;
  #columns: ColumnMap | undefined;
  /** What is wrong with the values of the flags, asked once for the many rows without a cell of their own. */
  #flagFaults: ReturnType<typeof checkFields> | undefined;
  /** Rows whose id the older file lacks. */
  #strangers = 0;
  readonly garbled = new GarbledCells();
  /** Fields that the header of a CSV file lacks: said once, not again for each row. */
  #missing: ReadonlyMap<string, string> = new Map();

  constructor(options: InterpretOptions) {
    this.#options = options;
    this.roles = new ColumnRoles(options.operation, options.ignoreColumns);
  }

  /** Faults of the header of a table: unknown, doubled and missing columns. Call it before its rows. */
  checkHeader(header: InputHeader): readonly InputFault[] {
    const { names, line, sheet } = header;
    this.#missing = this.roles.missingIn(names, this.#options.defaults, this.#options.expectations);
    const missing = [...this.#missing.values()].map((problem) => ({ line, sheet, problem }));
    const cleared = this.#options.emptyCells === 'clear' ? this.roles.clearedProblem(header) : [];
    return [...this.roles.faultsOf(header), ...missing, ...cleared];
  }

  interpret(record: RawRecord, format: InputFormat): Interpreted {
    const columns = this.#columnsOf(record);
    const { names, problems = [] } = record;
    const { defaults, changedFrom, operation } = this.#options;
    // What the reader of a workbook says of the cells of a row.
    const found: Found[] = [...problems].flatMap(([index, problem]) => {
      const field = names[index] ?? '';
      return this.roles.roleOf(field) === 'ignored' ? [] : [{ field, problem }];
    });
    // Those of a table were named with its header.
    const unknown = isTable(format) ? [] : columns.unknown;
    for (const field of unknown) found.push({ field, problem: this.roles.unknownProblem(field) });
    if (isTable(format)) found.push(...errorCells(record, columns));
    const problem = isWrite(operation)
      ? this.roles.outcomeProblem(record.values[columns.outcomeIndex], this.#options.resendUnknown)
      : undefined;
    if (problem !== undefined) found.push({ field: '_outcome', problem });
    const params = this.#params(record, columns, found);
    const { idParam } = this.roles;
    const id = idParam === undefined ? undefined : params[idParam];
    const { values, isUnchanged } =
      columns.fields.length === 0 && changedFrom === undefined
        ? { values: defaults, isUnchanged: false }
        : this.#values(record, columns, id, format, found);
    const expects = record.planned?.expects ?? this.#expects(record, found);
    this.#checkBody(values, isUnchanged, found);
    const { row: number, line, planned } = record;
    // Member by member: a spread takes longer, and there may be a million rows.
    const body = planned === undefined ? this.#body(values) : planned.body;
    const before =
      planned?.before ??
      (isUnchanged || id === undefined ? undefined : this.#options.changedFrom?.sendableCells(id, values));
    const { about, drift } = planned ?? {};
    const leftAlone = changedFrom === undefined ? undefined : leftAloneOf(columns, values);
    const row: Row = { row: number, line, id, params, body, expects, record, before, leftAlone, about, drift };
    if (found.length === 0) return { kind: isUnchanged ? 'unchanged' : 'row', row };
    const faults = found
      .filter(({ field }) => !this.#missing.has(field))
      .map(({ field, problem, refusedId }) => ({ ...placeFault(record, format, field, problem), refusedId }));
    const hasGoodId = idParam !== undefined && !found.some(({ field }) => field === 'cardId' || field === 'id');
    return { kind: 'faults', row: hasGoodId ? row : undefined, faults };
  }

  #columnsOf({ names }: RawRecord): ColumnMap {
    if (this.#columns?.names === names) return this.#columns;
    const roles = names.map((name) => this.roles.roleOf(name));
    this.#columns = {
      names,
      idIndexes: [...names.keys()].filter((index) => roles[index] === 'id'),
      fields: roles.flatMap((field, index) => (typeof field === 'object' ? [{ index, field }] : [])),
      outcomeIndex: roles.lastIndexOf('outcome'),
      unknown: names.filter((_, index) => roles[index] === 'unknown'),
    };
    return this.#columns;
  }

  #params(record: RawRecord, columns: ColumnMap, found: Found[]): Record<string, string> {
    const { idParam } = this.roles;
    if (idParam === undefined) return {};
    const id = this.#givenId(record, columns, found);
    // Exactly what the schema of a card's id asks for, without its detours: a million ids are looked at.
    const isCardId = idParam === 'cardId' && typeof id === 'string' && CARD_ID.test(id);
    if (!isCardId) {
      const name = record.names[columns.idIndexes[0] ?? -1] ?? idParam;
      const rounded = roundedProblem(id);
      if (rounded !== undefined) found.push({ field: name, problem: rounded });
      const faults = checkFields(this.#options.operation.params, { [idParam]: id }, () => name);
      // A cell that cannot be taken has its fault already.
      if (!found.some(({ field }) => field === name))
        found.push(...faults.map(({ where, problem, refusedId }) => ({ field: where, problem, refusedId })));
    }
    return { [idParam]: typeof id === 'string' ? id : '' };
  }

  /** What the columns of the id say; undefined: nothing. */
  #givenId(record: RawRecord, columns: ColumnMap, found: Found[]): JsonValue | undefined {
    const [first = -1] = columns.idIndexes;
    if (columns.idIndexes.length <= 1) return record.values[first];
    const given = columns.idIndexes.map((index) => record.values[index]).filter((value) => value !== undefined);
    const ids = given.filter((value) => value !== '');
    if (ids.some((value) => value !== ids[0])) {
      const field = this.roles.idParam ?? 'id';
      found.push({ field, problem: 'the columns cardId and id name two different cards' });
    }
    return ids[0] ?? given[0];
  }

  /** The body's fields: cells, then flags for those that are lacking, less what did not change. */
  #values(
    record: RawRecord,
    columns: ColumnMap,
    id: string | undefined,
    format: InputFormat,
    found: Found[],
  ): { readonly values: Record<string, FieldValue>; readonly isUnchanged: boolean } {
    const values: Record<string, FieldValue> = { ...this.#options.defaults };
    const empty: string[] = [];
    for (const { index, field } of columns.fields) {
      const value = record.values[index];
      if (!isTable(format) || typeof value !== 'string' || record.problems?.has(index)) {
        values[field.name] = value;
        continue;
      }
      if (value === '' && this.#options.emptyCells === 'keep') {
        if (!(field.name in this.#options.defaults)) empty.push(field.name);
        continue;
      }
      const read = readFieldText(field, value, 'csv');
      if ('value' in read) values[field.name] = read.value;
      else {
        // Marked as given, so that it is not called missing besides.
        values[field.name] = value;
        found.push({ field: field.name, problem: read.problem });
      }
    }
    for (const name of empty) count(this.emptyCells, name);
    const { changedFrom } = this.#options;
    if (changedFrom === undefined || id === undefined || id === '') return { values, isUnchanged: false };
    const changes = changedFrom.changes(id, values);
    if (changes === undefined) {
      const field = record.names[columns.idIndexes[0] ?? -1] ?? 'id';
      found.push({ field, problem: this.#notInOlder(id, changedFrom) });
      return { values, isUnchanged: false };
    }
    this.#dropUnchanged(record, changedFrom.cells(id), found);
    this.garbled.look(record.line, changes, changedFrom.cells(id));
    for (const name of changedFrom.filled(id, empty)) count(this.emptied, name);
    return { values: changes, isUnchanged: Object.keys(changes).length === 0 };
  }

  #notInOlder(id: string, changedFrom: ChangedFrom): string {
    this.#strangers += 1;
    const near = this.#strangers > MAX_NEIGHBOURS ? undefined : changedFrom.neighbour(id);
    const hint =
      near === undefined
        ? 'so what changed cannot be told'
        : `which has ${quoteValue(near)}: was a zero lost, or the case changed?`;
    return `${quoteValue(id)} is not in ${changedFrom.name}, ${hint}`;
  }

  /** Nothing is wrong with a cell that is as it was: it is not sent. */
  #dropUnchanged({ names, values }: RawRecord, old: JsonObject, found: Found[]): void {
    for (let at = found.length - 1; at >= 0; at -= 1) {
      const name = found[at]?.field ?? '';
      const value = values[names.indexOf(name)];
      if (value !== undefined && old.get(name) === value) found.splice(at, 1);
    }
  }

  #checkBody(values: Readonly<Record<string, FieldValue>>, isUnchanged: boolean, found: Found[]): void {
    const { operation } = this.#options;
    const { body } = operation;
    if (body === null) return;
    // What the service does with an update without any field is not shown; block and reissue may have none.
    if (isUpdate(operation) && !isUnchanged && Object.keys(values).length === 0) {
      found.push({ field: '', problem: NOTHING_TO_CHANGE });
    }
    for (const fault of this.#bodyFaults(body, values)) {
      // A cell that could not be read has its fault already, and one is enough.
      if (!found.some(({ field }) => field === fault.where)) found.push({ field: fault.where, problem: fault.problem });
    }
  }

  #bodyFaults(body: NonNullable<Operation['body']>, values: Readonly<Record<string, FieldValue>>) {
    if (values !== this.#options.defaults) return checkFields(body, values, (field) => field);
    this.#flagFaults ??= checkFields(body, values, (field) => field);
    return this.#flagFaults;
  }

  #body(values: Readonly<Record<string, FieldValue>>): JsonObject | undefined {
    if (this.#options.operation.body === null) return undefined;
    const body = new Map<string, JsonValue>();
    for (const { name } of this.roles.fields) {
      const value = values[name];
      if (value !== undefined) body.set(name, typeof value === 'number' ? new JsonNumber(String(value)) : value);
    }
    return body;
  }

  #expects(record: RawRecord, found: Found[]): readonly Expectation[] {
    const { expectations } = this.#options;
    if (expectations.length === 0) return [];
    const expects: Expectation[] = [];
    for (const { field, value } of expectations) {
      const wanted = value ?? ownValue(record, field);
      if (wanted === undefined || (value === undefined && wanted === '')) {
        found.push({ field, problem: `has no value for --expect ${field} to compare with` });
      } else {
        expects.push({ field, value: wanted });
      }
    }
    return expects;
  }
}

function leftAloneOf({ fields }: ColumnMap, sent: object): readonly string[] {
  return fields.flatMap(({ field: { name } }) => (name in sent ? [] : [name]));
}

/** Cells of the id and of fields in which a spreadsheet has put an error. */
function errorCells({ names, values, problems }: RawRecord, { idIndexes, fields }: ColumnMap): Found[] {
  return [...idIndexes, ...fields.map(({ index }) => index)].flatMap((index) => {
    const problem = problems?.has(index) === true ? undefined : errorProblem(values[index]);
    return problem === undefined ? [] : [{ field: names[index] ?? '', problem }];
  });
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

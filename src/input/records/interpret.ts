import type { JsonObject, JsonValue } from '../../base/json/value.ts';
import { CARD_ID } from '../../service/api/field.ts';
import { isUpdate, isWrite, type Operation } from '../../service/api/operation.ts';
import { type ExpectationInput, ownValue } from '../expect.ts';
import { checkFields, type FieldValue, HALF_PAIR, NOTHING_TO_CHANGE, readFieldText } from '../fields.ts';
import { type Row, type RowExtra, RowMaker, type RowShape, type Skip, type TextPart } from '../rows/row.ts';
import { hiddenInId } from '../suspicious.ts';
import { cellAt, looksLikeId, type PackedCells, quoteValue } from '../values.ts';
import type { ChangedFrom } from './changed-from.ts';
import { type ColumnMap, ColumnRoles, errorProblem, roundedProblem } from './columns.ts';
import { placeFault } from './fault-place.ts';
import { GarbledCells } from './garbled-cells.ts';
import {
  type InputFault,
  type InputFormat,
  type InputHeader,
  isTable,
  type Problem,
  type RawRecord,
} from './record.ts';
import { emptyParts, type Shape } from './shape.ts';

/** Unknown members of one row that are named: each is compared with all that are known. */
const MOST_UNKNOWN = 1000;

type Found = Problem & Pick<InputFault, 'refusedId'> & { readonly field: string };

/** How the rows of an input become calls. */
export interface InterpretOptions {
  readonly operation: Operation;
  /** Values of options, by API name, for rows that lack them. */
  readonly defaults: Readonly<Record<string, FieldValue>>;
  /** What an empty CSV cell means: omitted, or the empty text. */
  readonly emptyCells: 'keep' | 'clear';
  readonly resendUnknown: boolean;
  readonly expectations: readonly ExpectationInput[];
  readonly skipIf?: readonly Skip[] | undefined;
  readonly ignoreColumns?: readonly string[];
  /** `--map`, `--where` and `--rows`. */
  readonly shape?: Shape | undefined;
  /** Texts of options with cells of the row in them, by API name. */
  readonly templates?: Readonly<Record<string, readonly TextPart[]>> | undefined;
  readonly changedFrom?: ChangedFrom | undefined;
  /** A rule that no schema has, such as a profile's `requireReason`: its fault for each of some rows. */
  readonly checkRows?: ((good: readonly GoodRow[]) => Promise<readonly (Found | undefined)[]>) | undefined;
}

/** A row without faults, and its place. */
export type GoodRow = Interpreted & { readonly row: Row };

/** The result of a record. `row` is missing if its ID is bad. `extra`: what is written beside what was given. */
export interface Interpreted {
  readonly record: RawRecord;
  readonly row: Row | undefined;
  readonly extra: RowExtra | undefined;
  readonly isUnchanged: boolean;
  readonly faults: readonly InputFault[];
}

/** Turns rows into calls of one operation. Knows no files and no other rows. */
export class Interpreter {
  readonly roles: ColumnRoles;
  /** Empty CSV cells that leave a field unchanged, by column. */
  readonly emptyCells = new Map<string, number>();
  readonly #options: InterpretOptions;
  #maker: RowMaker | undefined;
  /** Faults of the options' values, for the many rows without cells of their own. */
  #flagFaults: ReturnType<typeof checkFields> | undefined;
  readonly garbled = new GarbledCells();
  /** The column of each field that `--map` names. */
  get #columnOf(): ReadonlyMap<string, string> {
    return new Map([...(this.#options.shape?.map ?? [])].map(([column, field]) => [field, column]));
  }
  /** Fields that the header of a CSV lacks: reported once, not for each row. */
  #missing: ReadonlyMap<string, string> = new Map();

  constructor(options: InterpretOptions) {
    this.#options = options;
    this.roles = new ColumnRoles(options.operation, options.ignoreColumns, options.shape);
  }

  /** What the rows of an input in this format share. `columns`: of a table. */
  shape(format: InputFormat, columns: readonly string[] | undefined): RowShape {
    const { operation, emptyCells, expectations, skipIf = [], changedFrom } = this.#options;
    const { idParam } = this.roles;
    return {
      form: isTable(format) ? 'cells' : format === 'ids' ? 'id' : 'json',
      columns: [...(columns ?? [])],
      ...(this.#columnOf.size === 0 ? {} : { columnOf: Object.fromEntries(this.#columnOf) }),
      idParam: idParam ?? null,
      ids: ['cardId', 'id'].filter((name) => this.roles.roleOf(name) === 'id'),
      fields: operation.body === null ? null : this.#fieldShapes(),
      sendsEmpty: emptyCells === 'clear',
      expects: expectations.map(({ field, value }) => (value === undefined ? { field } : { field, value })),
      ...(skipIf.length === 0 ? {} : { skipIf: skipIf.map(({ field, values }) => ({ field, values: [...values] })) }),
      onlyChanges: changedFrom !== undefined,
    };
  }

  #fieldShapes(): NonNullable<RowShape['fields']> {
    const { defaults, templates = {} } = this.#options;
    return this.roles.fields.flatMap(({ name, type }) => {
      const value = defaults[name];
      const isRead = typeof this.roles.roleOf(name) === 'object';
      if (!isRead && value === undefined) return [];
      return [
        {
          name,
          ...(isRead ? {} : { isIgnored: true }),
          ...(type === 'boolean' ? { isBoolean: true } : {}),
          // Bodies of operations that take many rows hold nothing else.
          ...(value === undefined ? {} : { value: value as string | boolean | null }),
          ...(templates[name] === undefined ? {} : { parts: [...templates[name]] }),
        },
      ];
    });
  }

  /** Faults of a table's header: unknown, doubled and missing columns. Call it before its rows, of which `first` is one. */
  checkHeader(header: InputHeader, first: RawRecord | undefined): readonly InputFault[] {
    const { names, line, sheet } = header;
    this.#maker = new RowMaker(this.shape('csv', header.columns ?? names));
    this.#missing = this.roles.missingIn(names, this.#options.defaults, this.#options.expectations);
    const missing = [...this.#missing].map(([field, problem]) => {
      const map = field === this.roles.idParam ? this.roles.mapOfIds(first) : undefined;
      return { line, sheet, problem, map };
    });
    const cleared = this.#options.emptyCells === 'clear' ? this.roles.clearedProblem(header) : [];
    return [...this.roles.faultsOf(header), ...missing, ...cleared];
  }

  interpret(record: RawRecord, format: InputFormat): Interpreted {
    const { names, problems = [] } = record;
    const columns = this.roles.columnsOf(names);
    const { operation } = this.#options;
    // What the reader of a spreadsheet said of the cells.
    const found: Found[] = [...problems].flatMap(([index, problem]) => {
      const field = names[index] ?? '';
      return this.roles.isJudged(field) ? [{ field, ...problem }] : [];
    });
    // A table's unknown columns were reported with its header.
    const unknown = isTable(format) ? [] : columns.unknown;
    for (const field of unknown.slice(0, MOST_UNKNOWN))
      found.push({ field, problem: this.roles.unknownProblem(field) });
    if (isTable(format)) found.push(...errorCells(record, columns));
    const problem = isWrite(operation)
      ? this.roles.outcomeProblem(cellAt(record.values, columns.outcomeIndex), this.#options.resendUnknown)
      : undefined;
    if (problem !== undefined) found.push({ field: '_outcome', problem });
    this.#checkId(record, columns, found);
    const empty = isTable(format) ? this.#checkCells(record, columns, found) : [];
    // Cells of tables and IDs are texts.
    const input = isTable(format) ? (record.values as PackedCells) : (record.object ?? String(record.values[0]));
    const { templates } = this.#options;
    if (templates !== undefined) found.push(...emptyParts(record, templates));
    const ownExtra = this.#ownExpected(record, found);
    this.#maker ??= new RowMaker(this.shape(format, undefined));
    const whole = this.#maker.make(record.row, input, ownExtra);
    const was = this.#changes(whole, record, columns, empty, found);
    const extra = was === undefined ? ownExtra : { ...ownExtra, was };
    const row = was === undefined ? whole : this.#maker.make(record.row, input, extra);
    const isUnchanged = was?.size === 0;
    const isOfFlags = columns.fields.length === 0 && was === undefined && templates === undefined;
    if (!isUnchanged) this.#checkBody(row.body, isOfFlags, found);
    if (found.length === 0) return { record, row, extra, isUnchanged, faults: [] };
    const faults = found
      .filter(({ field }) => !this.#missing.has(field))
      .map(({ field, problem, refusedId, kind }) => ({
        ...placeFault(record, format, field, problem),
        refusedId,
        kind,
        // Lines that are no IDs are named one by one, and so is a text that holds an ID, or nearly one.
        isUnique: refusedId !== undefined && (format === 'ids' || looksLikeId(refusedId)),
      }));
    const { idParam } = this.roles;
    const hasGoodId = idParam !== undefined && !found.some(({ field }) => field === 'cardId' || field === 'id');
    return { record, row: hasGoodId ? row : undefined, extra, isUnchanged, faults };
  }

  #checkId(record: RawRecord, columns: ColumnMap, found: Found[]): void {
    const { idParam } = this.roles;
    if (idParam === undefined) return;
    const id = this.#givenId(record, columns, found);
    // What the schema of a card ID asks for, without its detours: there may be a million IDs.
    if (typeof id === 'string' && CARD_ID.test(id)) return;
    const name = this.#idColumn(record, columns);
    const hidden = idParam === 'id' && typeof id === 'string' ? hiddenInId(id) : undefined;
    if (hidden !== undefined)
      found.push({
        field: name,
        kind: 'hidden',
        problem: `${quoteValue(id as string)} has ${hidden}, which no ID has`,
      });
    const rounded = roundedProblem(id);
    if (rounded !== undefined) found.push({ field: name, ...rounded });
    const faults = checkFields(this.#options.operation.params, { [idParam]: id }, () => name);
    if (!found.some(({ field }) => field === name))
      found.push(...faults.map(({ where, ...fault }) => ({ ...fault, field: where })));
  }

  /** The column that faults of the ID name. */
  #idColumn({ names }: RawRecord, { idIndexes: [first = -1] }: ColumnMap): string {
    return names[first] ?? this.roles.idParam ?? '';
  }

  /** What the ID columns say; undefined if nothing. */
  #givenId(record: RawRecord, columns: ColumnMap, found: Found[]): JsonValue | undefined {
    const [first = -1] = columns.idIndexes;
    if (columns.idIndexes.length <= 1) return cellAt(record.values, first);
    const ids = columns.idIndexes.map((index) => cellAt(record.values, index)).filter((value) => value !== '');
    if (ids.some((value) => value !== ids[0])) {
      const field = this.roles.idParam ?? 'id';
      found.push({ field, problem: 'the columns cardId and id name two different cards' });
    }
    return ids.length === 0 ? '' : ids[0];
  }

  /** Finds cells that are no values of their fields. Returns the fields whose empty cells mean nothing. */
  #checkCells(record: RawRecord, columns: ColumnMap, found: Found[]): readonly string[] {
    const { emptyCells, defaults } = this.#options;
    const empty: string[] = [];
    for (const { index, field } of columns.fields) {
      const value = cellAt(record.values, index);
      if (typeof value !== 'string' || record.problems?.has(index)) continue;
      if (value === '' && emptyCells === 'keep') {
        if (!(field.name in defaults)) empty.push(field.name);
        continue;
      }
      const read = readFieldText(field, value, record.sheet === undefined ? 'csv' : 'workbook');
      if ('problem' in read) found.push({ field: field.name, kind: 'type', problem: read.problem });
    }
    // Against an older file only those that were emptied since matter.
    for (const name of this.#options.changedFrom === undefined ? empty : [])
      this.emptyCells.set(name, (this.emptyCells.get(name) ?? 0) + 1);
    return empty;
  }

  /** With `--changed-from`: the fields that are sent, with their old values; undefined if the ID is not in that file. */
  #changes(row: Row, record: RawRecord, columns: ColumnMap, empty: readonly string[], found: Found[]) {
    const { changedFrom } = this.#options;
    if (changedFrom === undefined || row.id === undefined || row.id === '') return undefined;
    const changes = changedFrom.changes(row.id, row.body ?? new Map());
    if (changes === undefined) {
      const field = this.#idColumn(record, columns);
      found.push({ field, ...changedFrom.missingProblem(row.id) });
      return undefined;
    }
    this.#dropUnchanged(record, changedFrom.cells(row.id), found);
    this.garbled.check(record.line, row.body, changes);
    changedFrom.noteEmpty(row.id, empty, `row ${record.row} (line ${record.line})`);
    return changes;
  }

  /** Drops the faults of unchanged cells, which are not sent. */
  #dropUnchanged({ names, values }: RawRecord, old: JsonObject, found: Found[]): void {
    for (let at = found.length - 1; at >= 0; at -= 1) {
      const name = found[at]?.field ?? '';
      const value = cellAt(values, names.indexOf(name));
      if (value !== undefined && old.get(name) === value) found.splice(at, 1);
    }
  }

  #checkBody(sent: JsonObject | undefined, isOfFlags: boolean, found: Found[]): void {
    const { operation } = this.#options;
    const { body } = operation;
    if (body === null || sent === undefined) return;
    // The service does not document what an update without a field does. A change that takes a reason may have none.
    if (isUpdate(operation) && sent.size === 0) found.push({ field: '', problem: NOTHING_TO_CHANGE });
    const known = isOfFlags ? this.#flagFaults : undefined;
    const faults = known ?? checkFields(body, Object.fromEntries(sent), (field) => field);
    if (isOfFlags) this.#flagFaults = faults;
    for (const [field, value] of sent) {
      if (typeof value === 'string' && !value.isWellFormed()) found.push({ field, problem: HALF_PAIR });
    }
    for (const fault of faults) {
      // A cell that could not be read has its fault already.
      const { where, problem, kind } = fault;
      if (!found.some(({ field }) => field === where)) found.push({ field: where, problem, kind });
    }
  }

  /** What the row itself gives to `--expect`. */
  #ownExpected(record: RawRecord, found: Found[]): RowExtra | undefined {
    const own = this.#options.expectations.filter(({ value }) => value === undefined);
    if (own.length === 0) return undefined;
    const expect = own.map(({ field }) => {
      const wanted = ownValue(record, field) ?? '';
      if (wanted === '') found.push({ field, problem: `has no value for --expect ${field} to compare with` });
      return wanted;
    });
    return { expect };
  }
}

/** Cells that hold a spreadsheet's error. */
function errorCells({ names, values, problems }: RawRecord, { judgedIndexes }: ColumnMap): Found[] {
  const found: Found[] = [];
  for (const index of judgedIndexes) {
    const problem = problems?.has(index) === true ? undefined : errorProblem(cellAt(values, index));
    if (problem !== undefined) found.push({ field: names[index] ?? '', ...problem });
  }
  return found;
}

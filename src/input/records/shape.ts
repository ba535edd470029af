import type { Fault } from '../../base/failure.ts';
import { printJson } from '../../base/json/print.ts';
import { getPath, type JsonObject, type JsonValue } from '../../base/json/value.ts';
import { plural } from '../../screen/text.ts';
import type { TextPart } from '../rows/row.ts';
import { cellAt, quoteValue } from '../values.ts';
import { EMPTY_ROW, placeFault } from './fault-place.ts';
import type { InputFault, InputFormat, InputHeader, Problem, RawRecord, ReadBatch } from './record.ts';

/** `--where`: a column and the text of its cell. */
interface Condition {
  readonly column: string;
  readonly value: string;
  readonly isEqual: boolean;
}

/**
 * How a file that people have becomes the input of an operation, between reading and judging: the names of its columns
 * and the rows that are taken. The rows keep their numbers and what was given.
 */
export interface Shape {
  /** `--map`: the field of each column of another name. */
  readonly map: ReadonlyMap<string, string>;
  readonly where: readonly Condition[];
  /** `--rows`: the first and the last number. */
  readonly rows: { readonly first: number; readonly last: number } | undefined;
  /** Columns that texts of options name: `{Column}`. */
  readonly used: readonly string[];
  /** Ignored columns with the name of a field that `--map` reads from another. */
  readonly aside: readonly string[];
  /** Columns of options that are refused. Nothing else is said of them. */
  readonly refused: readonly string[];
  /** As typed, for the header of a run or a plan. */
  readonly typed: { readonly map?: readonly string[]; readonly where?: readonly string[]; readonly rows?: string };
}

export interface ShapeOptions {
  readonly map?: readonly string[] | undefined;
  readonly where?: readonly string[] | undefined;
  readonly rows?: string | undefined;
  readonly ignoreColumns?: readonly string[] | undefined;
}

/** The name that an ignored column has among those of fields. */
export function nameAside(column: string): string {
  return `(ignored) ${column}`;
}

/** The column before a sign. Blanks belong to its name, but for those of `Store = 12`. */
function columnBefore(sign: number, text: string): string {
  const column = text.slice(0, Math.max(0, sign));
  return /^!?= /.test(text.slice(sign)) ? column.trimEnd() : column;
}

/** Reads `--map`, `--where` and `--rows`. `used`: columns that texts of options name. Faults are those of the options. */
export function readShape(
  { map = [], where = [], rows, ignoreColumns = [] }: ShapeOptions,
  used: readonly string[],
  faults: Fault[],
): Shape {
  const fields = new Map<string, string>();
  const refused: string[] = [];
  for (const text of map) {
    const mark = text.lastIndexOf('=');
    const [column, field] = [columnBefore(mark, text), text.slice(mark + 1).trim()];
    const other = [...fields].find(([known, one]) => (known === column ? one !== field : one === field));
    const isForm = column.trim() !== '' && field !== '';
    if (isForm && other === undefined) {
      fields.set(column, field);
      continue;
    }
    refused.push(mark < 0 ? text.trim() : column);
    const problem =
      isForm && other !== undefined
        ? `there are two columns or fields in ${quoteValue(`${other[0]}=${other[1]}`)} and ${quoteValue(text)}`
        : `must be "<column>=<field>", not ${quoteValue(text)}`;
    faults.push({ where: '--map', problem });
  }
  const conditions = where.flatMap((text): Condition[] => {
    // Who writes `==` or `!==`, as in code, hears that there is no such column: no value begins with `=`.
    const [, before = '', sign = '', value = ''] = /^(.+?)(!?=)(?!=)(.*)$/s.exec(text) ?? [];
    const column = columnBefore(before.length, text);
    if (column.trim() !== '') return [{ column, value: value.trim(), isEqual: sign === '=' }];
    refused.push(text.trim());
    faults.push({
      where: '--where',
      problem: `must be "<column>=<value>" or "<column>!=<value>", not ${quoteValue(text)}`,
    });
    return [];
  });
  const [, first = '', last = ''] = /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(rows ?? '') ?? [];
  const isRange = first !== '' && Number(first) <= Number(last);
  if (rows !== undefined && !isRange) {
    faults.push({ where: '--rows', problem: `must be n-m, such as 1-10 or 7-7, not ${quoteValue(rows)}` });
  }
  return {
    map: fields,
    where: conditions,
    rows: isRange ? { first: Number(first), last: Number(last) } : undefined,
    used,
    aside: ignoreColumns.filter((name) => !fields.has(name) && [...fields.values()].includes(name)),
    refused,
    typed: {
      ...(map.length === 0 ? {} : { map }),
      ...(where.length === 0 ? {} : { where }),
      ...(rows === undefined ? {} : { rows }),
    },
  };
}

export const NO_SHAPE: Shape = {
  map: new Map(),
  where: [],
  rows: undefined,
  used: [],
  aside: [],
  refused: [],
  typed: {},
};

/** The text of an option with `{Column}` in it, in parts; undefined without braces. */
export function readTemplate(text: string): readonly TextPart[] | { readonly problem: string } | undefined {
  if (!/[{}]/.test(text)) return undefined;
  const parts: TextPart[] = [];
  const rest = text.replace(/\{\{|\}\}|\{([^{}]+)\}|[^{}]+/g, (part, column?: string) => {
    if (column !== undefined) parts.push({ column });
    else parts.push(part === '{{' || part === '}}' ? part.slice(1) : part);
    return '';
  });
  if (rest !== '')
    return { problem: 'has {} or a brace alone: {Column} is the cell of a column, {{ and }} are braces' };
  return parts;
}

export function columnsIn(parts: readonly TextPart[]): readonly string[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part.column]));
}

/** Columns whose cell a row needs for the texts of options, and which is empty in it. By the field of each text. */
export function* emptyParts(
  { columns, names, values }: RawRecord,
  templates: Readonly<Record<string, readonly TextPart[]>>,
): Generator<{ readonly field: string; readonly problem: string }> {
  for (const [field, parts] of Object.entries(templates)) {
    const isSet = (cellAt(values, names.indexOf(field)) ?? '') !== '';
    for (const column of isSet ? [] : columnsIn(parts)) {
      if ((cellAt(values, (columns ?? names).indexOf(column)) ?? '') !== '') continue;
      yield { field, problem: `the cell of ${quoteValue(column)} is empty, which the text of the option needs` };
    }
  }
}

/** A cell as `--where` compares it: blanks around it do not count. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : printJson(value)).trim();
}

/** May the cell show another text than is stored? A guard of zeros is text as it stands. */
function isUnsure(problem: Problem | undefined): boolean {
  return problem !== undefined && problem.kind !== 'zeros';
}

const NONE: NonNullable<RawRecord['problems']> = new Map();

type TakenBatch = Pick<ReadBatch, 'records' | 'faults'>;

/** Applies a shape to what was read. Knows no operation and judges nothing. */
export class Shaper {
  /** Rows that were left out. */
  leftOut = 0;
  readonly #shape: Shape;
  /** The names that rows share, the same as names of fields, and the places of `--where`. */
  #names: readonly string[] = [];
  #fields: readonly string[] = [];
  #places: readonly number[] = [];

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  header(header: InputHeader): InputHeader {
    this.#readNames(header.names);
    return { ...header, names: this.#fields, columns: header.names };
  }

  /** The rows that are taken, with the names of the fields. */
  take({ records, faults, format }: TakenBatch & Pick<ReadBatch, 'format'>): TakenBatch {
    const { where, rows, map } = this.#shape;
    const isIn = (first: number, last = first) => rows === undefined || (last >= rows.first && first <= rows.last);
    const own: InputFault[] = [];
    const taken =
      where.length === 0 && rows === undefined
        ? records
        : records.filter((record) => isIn(record.row) && this.#holds(record, format, own));
    this.leftOut += records.length - taken.length;
    for (const record of map.size > 0 ? taken : []) {
      this.#rename(record);
      if (record.object !== undefined) own.push(...this.#doubledIn(record, record.object, format));
    }
    const takesEmpty = where.every(({ value, isEqual }) => (value === '') === isEqual);
    const others = faults.filter(
      ({ row, ofRow = row, lastRow, kind }) =>
        (ofRow === undefined || isIn(ofRow, lastRow)) && (takesEmpty || kind !== EMPTY_ROW),
    );
    return { records: taken, faults: [...others, ...own] };
  }

  /** Rows in JSON have no header: one may lack the column of `--map`, or hold a member of the field's own name beside it. */
  #doubledIn(record: RawRecord, object: JsonObject, format: InputFormat): readonly InputFault[] {
    const { map, aside } = this.#shape;
    return [...map].flatMap(([column, field]) => {
      if (map.has(field) || aside.includes(field) || getPath(object, field) === undefined) return [];
      const problem = `the row has a member ${field}, and --map reads that field from ${quoteValue(column)}`;
      return [placeFault(record, format, '', problem)];
    });
  }

  /** Do all of `--where` hold? Not by a cell that may show another text than is stored: that is a fault. */
  #holds(record: RawRecord, format: InputFormat, faults: InputFault[]): boolean {
    const { names, values, problems = NONE } = record;
    const { where } = this.#shape;
    this.#readNames(names);
    const unsure =
      problems.size === 0 ? [] : [...new Set(this.#places)].filter((place) => isUnsure(problems.get(place)));
    for (const place of unsure) {
      const { problem, kind } = problems.get(place) ?? { problem: '' };
      faults.push({ ...placeFault(record, format, names[place] ?? '', problem), kind });
    }
    if (unsure.length > 0) return false;
    for (let at = 0; at < where.length; at += 1) {
      const condition = where[at];
      const cell = cellAt(values, this.#places[at] ?? -1);
      const isSame = cell === condition?.value || textOf(cell) === condition?.value;
      if (isSame !== condition?.isEqual) return false;
    }
    return true;
  }

  /** In place: a copy of each of a million rows takes longer than judging it. */
  #rename(record: { -readonly [Name in keyof RawRecord]: RawRecord[Name] }): void {
    this.#readNames(record.names);
    record.columns = this.#names;
    record.names = this.#fields;
  }

  #readNames(names: readonly string[]): void {
    if (names === this.#names) return;
    const { map, where, aside } = this.#shape;
    this.#names = names;
    const fields = names.flatMap((name) => map.get(name) ?? []);
    // An older file may lack the column of `--map`: its own names count there.
    const isAside = (name: string) => aside.includes(name) && fields.includes(name);
    const fieldOf = (name: string) => map.get(name) ?? (isAside(name) ? nameAside(name) : name);
    this.#fields = map.size === 0 ? names : names.map(fieldOf);
    this.#places = where.map(({ column }) => names.indexOf(column));
  }
}

/** What is wrong with the options for an input that has these columns. */
export function missingColumns({ map, where, used }: Shape, columns: Iterable<string>): readonly string[] {
  const names = [...columns];
  // An empty input has no columns that could be wrong.
  if (names.length === 0) return [];
  const lacks = (column: string) => !names.includes(column);
  const there = `its columns are ${names.map(quoteValue).join(', ')}`;
  const problem = (option: string, column: string) =>
    `${option}: the input has no column ${quoteValue(column)}: ${there}`;
  return [
    ...[...map.keys()].filter(lacks).map((column) => problem('--map', column)),
    ...where.filter(({ column }) => lacks(column)).map(({ column }) => problem('--where', column)),
    ...used.filter(lacks).map((column) => problem(`{${column}}`, column)),
  ];
}

/** What a shape does, for the question, the dry run and the plan; nothing without one. */
export function shapeLines({ map = [], where = [], rows }: ShapeOptions, leftOut: number): readonly string[] {
  const columns = map.map((text) => {
    const mark = text.lastIndexOf('=');
    return `${quoteValue(columnBefore(mark, text))} is read as ${text.slice(mark + 1).trim()}`;
  });
  const taken = [
    ...where.map((text) => `--where ${quoteValue(text)}`),
    ...(rows === undefined ? [] : [`--rows ${rows}`]),
  ];
  const are = leftOut === 1 ? 'is' : 'are';
  return [
    ...(columns.length === 0 ? [] : [`column ${columns.join(', ')}`]),
    ...(taken.length === 0 ? [] : [`${plural(leftOut, 'row')} ${are} left out (${taken.join(', ')})`]),
  ];
}

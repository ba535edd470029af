import { shellQuote } from '../../base/files/shell-quote.ts';
import type { JsonValue } from '../../base/json/value.ts';
import { OWN_COLUMNS } from '../../screen/column.ts';
import { guardedZeros } from '../../screen/formula-guard.ts';
import { didYouMean, nearest } from '../../screen/nearest.ts';
import { CARD_ID } from '../../service/api/field.ts';
import type { Operation } from '../../service/api/operation.ts';
import type { ExpectationInput } from '../expect.ts';
import { describeFields, type FieldSpec } from '../fields.ts';
import { isSpreadsheetError } from '../spreadsheet-errors.ts';
import { cellAt, quoteValue } from '../values.ts';
import type { InputFault, InputHeader, Problem, RawRecord } from './record.ts';
import { NO_SHAPE, nameAside, type Shape } from './shape.ts';

/** What a column is for. `ignored`: known from responses, or written by frontdesk. */
export type ColumnRole = FieldSpec | 'id' | 'outcome' | 'ignored' | 'unknown';

/** What is wrong with an ID that a spreadsheet took for a number: `6,51E+31`. */
export function roundedProblem(id: unknown): Problem | undefined {
  if (typeof id !== 'string' || !/^[0-9]+(?:[.,][0-9]+)?E\+[0-9]+$/i.test(id)) return undefined;
  const problem = `${quoteValue(id)} is an ID that a spreadsheet has rounded, so it is lost: store the column as text, and export it again`;
  return { kind: 'rounded', problem };
}

/** What is wrong with a cell that is wholly `="00042"`, as many exports guard zeros; undefined for another. */
export function zerosProblem(cell: string): Problem | undefined {
  const value = guardedZeros(cell);
  if (value === undefined) return undefined;
  const problem = `=${quoteValue(value)} is a formula for ${quoteValue(value)}, as exports guard zeros: store ${quoteValue(value)} in a column formatted as text`;
  return { kind: 'zeros', problem };
}

/** What is wrong with a cell that holds a spreadsheet's error: `#REF!`. */
export function errorProblem(cell: unknown): Problem | undefined {
  if (typeof cell !== 'string' || !isSpreadsheetError(cell)) return undefined;
  return {
    kind: 'error',
    problem: `${cell} is a spreadsheet error, not a value: correct the formula, and export it again`,
  };
}

/** What an unknown name may mean: the field of nearly that name, and the nearest. */
interface Guess {
  readonly meant?: string | undefined;
  readonly near?: string | undefined;
}

/** Each of these names is compared with all that are known. */
const MOST_GUESSED = 1000;

/** Types in JSON Schema of a member that may hold others; without one it may be anything. */
const HOLDERS: readonly unknown[] = [undefined, 'object', 'array'];

const UNKNOWN_OUTCOME =
  'the outcome of this row is unknown: it may have been applied. Find out first (`frontdesk runs` lists its run). Send it again with --resend-unknown only if it was not';

const DONE =
  'this row is done already. `frontdesk runs results <run> --outcome rejected,not_sent --as-input` prints the others. --ignore-columns _outcome sends it again';

const OUTCOME_MAPPED = '_outcome is no other field: it says which rows must not be sent again';

/** `--map "Card Number=cardId"`, as a shell takes it. */
export function mapOption(column: string, field: string): string {
  const pair = `${column}=${field}`;
  // Double quotes mean the same in every shell, unless the name has a character that is special in them.
  return `--map ${/["$`\\!%]/.test(pair) ? shellQuote(pair) : `"${pair}"`}`;
}

/** A name without what people write in another way: case, blanks, `_` and `-`. */
export function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** What is wrong with the fields of `--map`, which may be these. */
export function mapProblems(map: ReadonlyMap<string, string>, fields: readonly string[]): readonly string[] {
  return [...map]
    .filter(([, field]) => !fields.includes(field))
    .map(([column, field]) => {
      const near = nearest(field, fields);
      const hint = near === undefined ? `the fields are ${fields.join(', ')}` : `did you mean ${near}?`;
      return `${quoteValue(`${column}=${field}`)} names no field: ${hint}`;
    });
}

/** The columns of a header, or of JSON objects of one shape, by what they are for. */
export type ColumnMap = ReturnType<typeof columnsOf>;

function columnsOf(names: readonly string[], known: ColumnRoles) {
  const roles = names.map((name) => known.roleOf(name));
  const idIndexes = [...names.keys()].filter((index) => roles[index] === 'id');
  const fields = roles.flatMap((field, index) => (typeof field === 'object' ? [{ index, field }] : []));
  return {
    names,
    idIndexes,
    fields,
    judgedIndexes: [...names.keys()].filter((index) => known.isJudged(names[index] ?? '')),
    outcomeIndex: roles.lastIndexOf('outcome'),
    unknown: names.filter((_, index) => roles[index] === 'unknown'),
  };
}

export class ColumnRoles {
  readonly fields: readonly FieldSpec[];
  /** The path parameter of an operation that takes an ID. */
  readonly idParam: 'cardId' | 'id' | undefined;
  readonly #roles = new Map<string, ColumnRole>();
  /** Members of the response that hold members: `metadata` makes `metadata.shop` known. */
  readonly #compound: readonly string[];
  readonly #typedIgnored: readonly string[];
  /** Without columns of which `--map` reads the field from another. */
  readonly #ignored: readonly string[];
  /** Columns that `--where` or a text of an option reads, and refused ones: nothing else does, unless they are fields. */
  readonly #aside: ReadonlySet<string>;
  /** Columns that texts of options name. */
  readonly #used: ReadonlySet<string>;
  readonly #mapped: ReadonlyMap<string, string>;
  readonly #refused: readonly string[];
  #columns: ColumnMap | undefined;
  /** What unknown names may mean. */
  readonly #guesses = new Map<string, Guess>();
  #usefulNames: readonly string[] | undefined;

  /** `ignored`: `--ignore-columns`. */
  constructor(operation: Operation, ignored: readonly string[] = [], shape: Shape = NO_SHAPE) {
    this.#typedIgnored = ignored;
    this.#ignored = ignored.filter((name) => !shape.aside.includes(name));
    this.#used = new Set(shape.used);
    const aside = shape.aside.map(nameAside);
    this.#aside = new Set([...shape.where.map(({ column }) => column), ...shape.used, ...shape.refused, ...aside]);
    this.#mapped = shape.map;
    this.#refused = shape.refused;
    this.fields = operation.body === null ? [] : describeFields(operation.body);
    const [param] = Object.keys(operation.params.shape);
    this.idParam = param === 'cardId' || param === 'id' ? param : undefined;
    const { properties } = operation.response;
    this.#compound = Object.keys(properties).filter((name) => HOLDERS.includes(properties[name]?.['type']));
    for (const name of Object.keys(properties)) this.#roles.set(name, 'ignored');
    // From a list of several calendars. An event's own field of that name overrides it.
    if (operation.family === 'calendar') this.#roles.set('calendar', 'ignored');
    for (const name of OWN_COLUMNS) this.#roles.set(name, name === '_outcome' ? 'outcome' : 'ignored');
    for (const field of this.fields) this.#roles.set(field.name, field);
    if (this.idParam !== undefined) {
      this.#roles.set('id', 'id');
      this.#roles.set(this.idParam, 'id');
    }
    // A row with an unknown outcome must be seen.
    const isMapped = [...shape.map.values()].some((field) => this.#roles.get(field) === 'id');
    const isKept = (name: string) => name === '_outcome' || (this.#roles.get(name) === 'id' && !isMapped);
    for (const name of this.#ignored) if (!isKept(name)) this.#roles.set(name, 'ignored');
  }

  /** Why a row with this `_outcome` must not be sent. */
  outcomeProblem(value: JsonValue | undefined, resendUnknown: boolean): string | undefined {
    const outcome = typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (outcome === 'unknown') return resendUnknown ? undefined : UNKNOWN_OUTCOME;
    const isDone = outcome === 'applied' || outcome === 'confirmed_by_read';
    return isDone && !this.#ignored.includes('_outcome') ? DONE : undefined;
  }

  /** What is wrong with `--ignore-columns` for an input with these columns. */
  ignoredProblems(names: ReadonlySet<string>): readonly string[] {
    return this.#typedIgnored.flatMap((name) => {
      if (this.#roles.get(name) === 'id' && this.#ignored.includes(name))
        return [`--ignore-columns: ${name} is the column of the ID`];
      if (names.has(name)) return [];
      const hint = didYouMean(name, [...names]);
      return [`--ignore-columns: the input has no column ${quoteValue(name)}${hint}`];
    });
  }

  /** What tells a header from IDs. */
  get reading() {
    const isColumn = (name: string) =>
      this.#mapped.has(name) || this.roleOf(name) !== 'unknown' || this.meantBy(name) !== undefined;
    return { takesCards: this.idParam === 'cardId', isColumn };
  }

  /** Every name that a column may have, without dotted ones. */
  get names(): readonly string[] {
    return [...this.#roles.keys()];
  }

  columnsOf(names: readonly string[]): ColumnMap {
    if (this.#columns?.names !== names) this.#columns = columnsOf(names, this);
    return this.#columns;
  }

  roleOf(name: string): ColumnRole {
    const isPart = () => this.#compound.some((member) => name.startsWith(`${member}.`));
    return this.#roles.get(name) ?? (isPart() || this.#aside.has(name) ? 'ignored' : 'unknown');
  }

  /** Does a text of an option take its cells? Then they are sent, although no field has that name. */
  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  /** Can a cell of the column be wrong? */
  isJudged(name: string): boolean {
    return this.isUsed(name) || this.roleOf(name) !== 'ignored';
  }

  /** A file of `--failed` may have left its empty cells alone, and here they would be sent as empty texts. */
  clearedProblem({ names, line, sheet }: InputHeader): readonly InputFault[] {
    if (!OWN_COLUMNS.every((name) => names.includes(name))) return [];
    const problem =
      'this is a file of --failed, in which an empty cell means unchanged, but --empty-cells clear would clear it. Use a file that ends in .ndjson';
    return [{ line, sheet, problem }];
  }

  /** Unknown and repeated columns of a header. */
  faultsOf({ names, line, sheet }: InputHeader): readonly InputFault[] {
    const seen = new Set<string>();
    return names.flatMap((name, index) => {
      const isUnknown = this.roleOf(name) === 'unknown';
      const isFirst = !seen.has(name);
      seen.add(name);
      if (!isUnknown && (isFirst || this.#ignored.includes(name))) return [];
      const isAlone = names.length === 1 && sheet === undefined;
      const unknown = isAlone ? this.#unknownAlone(name) : this.unknownProblem(name);
      const problem = isUnknown ? unknown : `there are two columns ${name}`;
      const meant = isUnknown ? this.meantBy(name) : undefined;
      const map = meant === undefined ? undefined : mapOption(name, meant);
      return [
        {
          line,
          ...(sheet === undefined ? { column: String(index + 1) } : { sheet, cell: index }),
          problem,
          map,
          isUnique: true,
        },
      ];
    });
  }

  /** What a header lacks, by name: ID, required fields without an option, columns of `--expect`. Reported once. */
  missingIn(header: readonly string[], defaults: object, expectations: readonly ExpectationInput[]) {
    const missing = new Map<string, string>();
    // An empty row of a sheet has its own fault.
    if (header.length === 0) return missing;
    const { idParam } = this;
    const names = header.filter((name) => !this.#ignored.includes(name));
    if (idParam !== undefined && !names.some((name) => this.roleOf(name) === 'id')) {
      // A title, or empty cells.
      const isTitle = header.every((name, at) => name === '' || (at === 0 && !this.reading.isColumn(name)));
      const above = isTitle ? ': the first row must have the names of the columns' : '';
      missing.set(idParam, `the column ${idParam}${idParam === 'id' ? '' : ' (or id)'} is missing${above}`);
    }
    for (const { name, flag, required } of this.fields) {
      const isSet = !required || names.includes(name) || name in defaults;
      if (!isSet) missing.set(name, `the column ${name} is missing (--${flag} gives all rows one value)`);
    }
    for (const { field, value } of expectations) {
      if (value !== undefined || header.includes(field)) continue;
      missing.set(field, `the column ${field} is missing, which --expect ${field} compares with`);
    }
    return missing;
  }

  /** The `--map` for a column of another name that has the card ID of this row; undefined if none has, or several. */
  mapOfIds(row: RawRecord | undefined): string | undefined {
    const columns = (row?.names ?? []).filter((name, index) => {
      const value = cellAt(row?.values ?? [], index);
      return (
        (this.roleOf(name) === 'unknown' || this.#refused.includes(name)) &&
        typeof value === 'string' &&
        CARD_ID.test(value)
      );
    });
    const [column, ...others] = columns;
    return this.idParam !== 'cardId' || column === undefined || others.length > 0
      ? undefined
      : mapOption(column, 'cardId');
  }

  /** The only name of a text file may be a list of IDs, or a header whose delimiter is none of the three. */
  #unknownAlone(name: string): string {
    const problem = this.unknownProblem(name);
    if (name.includes('|')) return `${problem}. If | separates the columns, write sep=| as the first line`;
    return this.idParam === 'id' ? `${problem}. One ID per line needs --from-format ids` : problem;
  }

  /** What is wrong with the fields of `--map`. `expected`: fields of a card that rows may bring. */
  mapProblems(expected: readonly string[]): readonly string[] {
    const guard = this.#mapped.has('_outcome') ? [OUTCOME_MAPPED] : [];
    return [...guard, ...mapProblems(this.#mapped, [...this.#useful, ...expected])];
  }

  get #useful(): readonly string[] {
    const isUseful = (known: string) => this.roleOf(known) !== 'ignored' && !known.startsWith('_');
    this.#usefulNames ??= this.names.filter(isUseful);
    return this.#usefulNames;
  }

  /** The problem of an unknown column, with the nearest useful name. */
  unknownProblem(name: string): string {
    if (name === '') return 'a column has no name: write one there, or delete the column';
    const { meant, near } = this.#guess(name);
    const others = `the columns are ${this.#useful.join(', ')} (--ignore-columns skips others, --map reads one as a field)`;
    const hint = meant !== undefined ? mapOption(name, meant) : near === undefined ? others : `did you mean ${near}?`;
    return `unknown column ${quoteValue(name)}: ${hint}`;
  }

  /** The field that a header names but for case, blanks, `_` and `-`. */
  meantBy(name: string): string | undefined {
    return this.#guess(name).meant;
  }

  #guess(name: string): Guess {
    const known = this.#guesses.get(name);
    if (known !== undefined) return known;
    if (this.#guesses.size === MOST_GUESSED) return {};
    const meant = this.#useful.find((field) => plain(field) === plain(name));
    const guess = { meant, near: nearest(name, this.#useful) };
    this.#guesses.set(name, guess);
    return guess;
  }
}

import type { Operation } from '../../api/operation.ts';
import type { JsonValue } from '../../json/value.ts';
import { OWN_COLUMNS } from '../../output/column.ts';
import { didYouMean, nearest } from '../../output/nearest.ts';
import type { ExpectationInput } from '../expect.ts';
import { describeFields, type FieldSpec } from '../fields.ts';
import { quoteValue } from '../values.ts';
import type { InputFault, InputHeader } from './record.ts';

/** What a column is for. `ignored`: known from responses, or written by frontdesk. */
export type ColumnRole = FieldSpec | 'id' | 'outcome' | 'ignored' | 'unknown';

/** What is wrong with an ID that a spreadsheet took for a number: `6,51E+31`. */
export function roundedProblem(id: unknown): string | undefined {
  if (typeof id !== 'string' || !/^[0-9]+[.,][0-9]+E\+[0-9]+$/i.test(id)) return undefined;
  return `${quoteValue(id)} is an ID that a spreadsheet has rounded, so it is lost: store the column as text, and export it again`;
}

const SPREADSHEET_ERROR = /^#(?:REF!|NAME\?|N\/A|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!)$/;

/** What is wrong with a cell that holds a spreadsheet's error: `#REF!`. */
export function errorProblem(cell: unknown): string | undefined {
  if (typeof cell !== 'string' || !SPREADSHEET_ERROR.test(cell)) return undefined;
  return `${cell} is a spreadsheet error, not a value: correct the formula, and export it again`;
}

/** Types in JSON Schema of a member that may hold others; without one it may be anything. */
const HOLDERS: readonly unknown[] = [undefined, 'object', 'array'];

const UNKNOWN_OUTCOME =
  'the outcome of this row is unknown: it may have been applied. Find out first (`frontdesk runs` lists its run). Send it again with --resend-unknown only if it was not';

const DONE =
  'this row is done already. `frontdesk runs results <run> --outcome rejected,not_sent --as-input` prints the others. --ignore-columns _outcome sends it again';

/** The columns that the input of an operation may have, and their roles. */
export class ColumnRoles {
  readonly fields: readonly FieldSpec[];
  /** The path parameter of an operation that takes an ID. */
  readonly idParam: 'cardId' | 'id' | undefined;
  readonly #roles = new Map<string, ColumnRole>();
  /** Members of the response that hold members: `metadata` makes `metadata.shop` known. */
  readonly #compound: readonly string[];
  readonly #ignored: readonly string[];

  /** `ignored`: `--ignore-columns`. */
  constructor(operation: Operation, ignored: readonly string[] = []) {
    this.#ignored = ignored;
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
    const isKept = (name: string) => name === '_outcome' || this.#roles.get(name) === 'id';
    for (const name of ignored) if (!isKept(name)) this.#roles.set(name, 'ignored');
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
    return this.#ignored.flatMap((name) => {
      if (this.#roles.get(name) === 'id') return [`--ignore-columns: ${name} is the column of the ID`];
      if (names.has(name)) return [];
      const hint = didYouMean(name, [...names]);
      return [`--ignore-columns: the input has no column ${quoteValue(name)}${hint}`];
    });
  }

  /** Every name that a column may have, without dotted ones. */
  get names(): readonly string[] {
    return [...this.#roles.keys()];
  }

  roleOf(name: string): ColumnRole {
    const isPart = () => this.#compound.some((member) => name.startsWith(`${member}.`));
    return this.#roles.get(name) ?? (isPart() ? 'ignored' : 'unknown');
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
      const problem = isUnknown ? this.unknownProblem(name) : `there are two columns ${name}`;
      return [{ line, ...(sheet === undefined ? { column: String(index + 1) } : { sheet, cell: index }), problem }];
    });
  }

  /** What a header lacks, by name: ID, required fields without an option, columns of `--expect`. Reported once. */
  missingIn(header: readonly string[], defaults: object, expectations: readonly ExpectationInput[]) {
    const missing = new Map<string, string>();
    const { idParam } = this;
    const names = header.filter((name) => !this.#ignored.includes(name));
    if (idParam !== undefined && !names.some((name) => this.roleOf(name) === 'id')) {
      missing.set(idParam, `the column ${idParam}${idParam === 'id' ? '' : ' (or id)'} is missing`);
    }
    for (const { name, flag, required } of this.fields) {
      const isGiven = !required || names.includes(name) || name in defaults;
      if (!isGiven) missing.set(name, `the column ${name} is missing (--${flag} gives all rows one value)`);
    }
    for (const { field, value } of expectations) {
      if (value !== undefined || header.includes(field)) continue;
      missing.set(field, `the column ${field} is missing, which --expect ${field} compares with`);
    }
    return missing;
  }

  /** The problem of an unknown column, with the nearest useful name. */
  unknownProblem(name: string): string {
    if (name === '') return 'a column has no name';
    const useful = this.names.filter((known) => this.roleOf(known) !== 'ignored' && !known.startsWith('_'));
    const others = this.names.filter((known) => !this.#ignored.includes(known));
    const near = nearest(name, useful) ?? nearest(name, others);
    const hint =
      near === undefined
        ? `the columns are ${useful.join(', ')} (--ignore-columns skips others)`
        : `did you mean ${near}?`;
    return `unknown column ${quoteValue(name)}: ${hint}`;
  }
}

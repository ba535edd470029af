import type { Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Operation } from '../api/operation.ts';
import { Failure } from '../failure.ts';
import { ignoreErrors, orIoFailure } from '../files/io-failure.ts';
import { describeFields } from '../input/fields.ts';
import type { InputFile } from '../input/input-file.ts';
import { type CheckedInput, checkInput } from '../input/records/check-input.ts';
import type { InputOptions, ReadThrough, Seal } from '../input/records/input-options.ts';
import type { GoodRow } from '../input/records/interpret.ts';
import { LineParser } from '../input/records/line-parser.ts';
import { peek } from '../input/records/read.ts';
import { type Element, type InputFault, MAX_RECORD_LENGTH } from '../input/records/record.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Row } from '../rows/row.ts';
import { hashFirstLine, headerOf, isCount, type PlanHeader } from './plan-file.ts';
import { PlanSurvey } from './plan-view.ts';

const NEWLINE = 0x0a;
const ROW_MEMBERS = ['row', 'id', 'body', 'before', 'expect', 'about', 'drift'];

/** A plan whose every byte was looked at: it is what was written. Its columns are the id and the body fields. */
export interface CheckedPlan extends CheckedInput {
  readonly header: PlanHeader;
  readonly operation: Operation;
  /** Number of the last row, in the whole input; 0 when there is none. */
  readonly lastRow: number;
  readonly survey: PlanSurvey;
}

/** The object in a line, or what is wrong with it. */
function objectIn(text: string): JsonObject | { readonly problem: string } {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : { problem: 'it is not an object' };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { problem: 'it cannot be read as JSON' };
    throw error;
  }
}

/** Makes records of the lines of a plan of one operation. Line 1 is its header. */
export class PlanRows {
  lastRow = 0;
  readonly #idParam: string | undefined;
  readonly #fields: ReadonlySet<string> | undefined;
  readonly #drift: NonNullable<Row['drift']>;
  /** The fields that each row has to hold a value of. */
  readonly #expected: readonly string[];

  constructor({ params, body, family }: Operation, expected: readonly string[] = []) {
    this.#expected = expected;
    this.#idParam = Object.keys(params.shape)[0];
    this.#fields = body === null ? undefined : new Set(describeFields(body).map(({ name }) => name));
    this.#drift = family === 'cards' ? 'checked' : 'unchecked';
  }

  read(text: string, line: number): Element | undefined {
    if (line === 1) return undefined;
    const object = objectIn(text);
    if ('problem' in object) return object;
    const problem = this.#problem(object);
    const row = object.get('row');
    if (problem === undefined && isCount(row)) this.lastRow = Number(row.text);
    const [body, before, about] = ['body', 'before', 'about'].map((name) => {
      const value = object.get(name);
      return isJsonObject(value) ? value : undefined;
    });
    const id = this.#idParam === undefined ? [] : [[this.#idParam, object.get('id') ?? null] as const];
    const cells = [...id, ...(body ?? [])];
    return {
      row: this.lastRow,
      names: cells.map(([name]) => name),
      values: cells.map(([, value]) => value),
      planned: { before, about, expect: textsIn(object.get('expect'), this.#expected), drift: this.#drift },
      ...(problem === undefined ? {} : { problems: new Map([[-1, problem]]) }),
    };
  }

  /** What no plan of this operation says. What its command would refuse is found as in any other input. */
  #problem(object: JsonObject): string | undefined {
    const id = object.get('id') ?? null;
    const body = object.get('body');
    for (const name of object.keys()) if (!ROW_MEMBERS.includes(name)) return 'it has an unknown member';
    if (id !== null && typeof id !== 'string') return 'id is not a text';
    if ((id === null) !== (this.#idParam === undefined)) return 'id does not belong to its operation';
    for (const name of ['body', 'before', 'about']) {
      if (object.has(name) && !isJsonObject(object.get(name))) return `${name} is not an object`;
    }
    if ((body === undefined) !== (this.#fields === undefined)) return 'body does not belong to its operation';
    if (object.get('drift') !== this.#drift) return `drift is not ${this.#drift}`;
    const knownProblem = this.#knownProblem(object);
    if (knownProblem !== undefined) return knownProblem;
    const row = object.get('row');
    if (!isCount(row)) return 'row is not a count';
    if (Number(row.text) <= this.lastRow) return 'its row does not follow the one before';
    const isOther = isJsonObject(body) && [...body.keys()].some((name) => this.#fields?.has(name) !== true);
    return isOther ? 'body has a field that its operation does not have' : undefined;
  }

  /** A card's row tells which card it is, and has a text for each field that line 1 names and no other. */
  #knownProblem(object: JsonObject): string | undefined {
    const lacking = this.#drift === 'checked' ? ['before', 'about'].find((name) => !object.has(name)) : undefined;
    if (lacking !== undefined) return `${lacking} is missing`;
    const expect = object.get('expect');
    const fields = isJsonObject(expect) ? [...expect.keys()] : [];
    if (
      expect !== undefined &&
      !(isJsonObject(expect) && [...expect.values()].every((one) => typeof one === 'string'))
    ) {
      return 'expect is not an object of texts';
    }
    const isSame = fields.toSorted().join('\n') === this.#expected.toSorted().join('\n');
    return isSame ? undefined : 'expect is not of the fields that line 1 names';
  }
}

/** The texts of these members; what is none has been found out. */
function textsIn(object: JsonValue | undefined, names: readonly string[]): readonly string[] {
  return names.map((name) => (isJsonObject(object) ? String(object.get(name)) : ''));
}

/** How a plan is read: as an input whose lines are rows with their bodies. */
function planReading(operation: Operation, { expect = [] }: PlanHeader, rows: PlanRows): InputOptions {
  return {
    operation,
    defaults: {},
    expectations: expect.map((field) => ({ field, value: undefined })),
    emptyCells: 'clear',
    resendUnknown: true,
    csvRaw: false,
    sheet: undefined,
    shard: undefined,
    path: '',
    format: 'plan',
    parser: new LineParser((text, line) => rows.read(text, line)),
  };
}

/** USAGE for what makes a file no plan. `name`: in quotes. */
function planFailure(
  name: string,
  { line, column, field = column, problem }: InputFault,
  hint = 'make the plan again, or fetch the file as it was',
): Failure {
  const part = field === undefined ? '' : `${field} `;
  const message = `${name} cannot be used as a plan: line ${line}: ${part}${problem}`;
  return Failure.unsent('USAGE', message, { hints: [hint] });
}

/** Holds the bytes of a plan against the hash in its header. */
export class PlanSeal implements Seal {
  readonly #name: string;
  readonly #header: PlanHeader;
  readonly #hash: Hash;
  /** Of the file with the line ends that it was written with. */
  readonly #plain: Hash;
  /** The line end at the end of the last piece, which may be half of one. */
  #end = '';
  /** Bytes of line 1, which was hashed by itself. */
  #skipped: number;

  /** `name`: in quotes; `start`: the first piece of the file, which holds line 1. */
  constructor(name: string, header: PlanHeader, start: Uint8Array) {
    this.#name = name;
    this.#header = header;
    const end = start.indexOf(NEWLINE);
    this.#skipped = end === -1 ? start.length : end;
    const line = Buffer.from(start).toString('utf8', 0, this.#skipped);
    this.#hash = hashFirstLine(line);
    this.#plain = hashFirstLine(line.replace(/\r$/, ''));
  }

  update(piece: Uint8Array): void {
    const rest = Buffer.from(piece).subarray(this.#skipped);
    this.#skipped = 0;
    this.#hash.update(rest);
    const text = this.#end + rest.toString('latin1');
    this.#end = /\r?\n?$/.exec(text)?.[0] ?? '';
    this.#plain.update(text.slice(0, text.length - this.#end.length).replaceAll('\r\n', '\n'), 'latin1');
  }

  judge({ unreadable, faults: [fault], rows }: ReadThrough): Failure | undefined {
    // Whatever else is wrong, a line that cannot be read is where the file is damaged.
    if (unreadable !== undefined) return planFailure(this.#name, unreadable);
    const { sha256, rows: said } = this.#header;
    if (this.#hash.digest('hex') !== sha256) return this.#changed();
    if (fault !== undefined) return planFailure(this.#name, fault);
    if (rows === said) return undefined;
    return planFailure(this.#name, { line: 1, problem: `it says ${said} rows, not ${rows}` });
  }

  #changed(): Failure {
    if (this.#plain.update('\n').digest('hex') !== this.#header.sha256) {
      const problem = 'its hash is not that of the file, which was changed or cut';
      return planFailure(this.#name, { line: 1, problem });
    }
    const pattern = /\.\w+(?="?$)/.exec(this.#name)?.[0] ?? '.plan';
    return planFailure(
      this.#name,
      { line: 1, problem: 'only its line ends were changed, as git and some editors do' },
      `add the line \`*${pattern} -text\` to .gitattributes, commit it, and fetch the file as it was written`,
    );
  }
}

/** The header in line 1, or what is wrong with that. */
function firstLine(start: Uint8Array): ReturnType<typeof headerOf> {
  const end = start.indexOf(NEWLINE);
  if (start.length === 0) return { problem: 'the file is empty' };
  if (end === -1 && start.length > MAX_RECORD_LENGTH) return { problem: 'it is longer than any line of a plan' };
  try {
    const object = objectIn(decodeUtf8(start.subarray(0, end === -1 ? start.length : end)));
    return 'problem' in object ? object : headerOf(object);
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'it is not UTF-8 text' };
    throw error;
  }
}

/** The bytes of a plan, each piece written to a new file before it is looked at; at their end they are on the disk. */
async function* copied(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const copying = <T>(work: Promise<T>) => orIoFailure(work, `cannot copy the plan to ${path}`, 'unsent');
  const copy = await copying(open(path, 'wx', 0o600));
  try {
    for await (const piece of bytes) {
      await copying(copy.writeFile(piece));
      yield piece;
    }
    await copying(copy.sync());
  } finally {
    await ignoreErrors(copy.close());
  }
}

/**
 * Reads a plan once, from its first byte to its last. USAGE, naming the line, for a line that cannot be read; naming
 * line 1 for a file that was changed, cut, or is no plan at all. `copyTo`: a new file that gets the bytes that were
 * looked at; `rowsTo`: one that gets its rows. `onRows` hears the good rows in order, before it is known that the plan is whole.
 */
export async function checkPlan(
  file: InputFile,
  more: {
    readonly copyTo?: string;
    readonly rowsTo?: string;
    onRows?(rows: readonly GoodRow[], operation: Operation): Promise<void>;
  } = {},
): Promise<CheckedPlan> {
  const { start, bytes, close } = await peek(
    file.bytes(),
    (some) => some.includes(NEWLINE) || some.length > MAX_RECORD_LENGTH,
  );
  const head = firstLine(start);
  if ('problem' in head) {
    await close();
    throw planFailure(file.name, { line: 1, problem: head.problem });
  }
  const { header, operation } = head;
  const { copyTo, rowsTo } = more;
  const rows = new PlanRows(operation, header.expect);
  const survey = new PlanSurvey();
  const options: InputOptions = {
    ...planReading(operation, header, rows),
    seal: new PlanSeal(file.name, header, start),
    checkRows: async (good) => {
      for (const { row } of good) survey.add(row);
      await more.onRows?.(good, operation);
      return [];
    },
  };
  const input = { ...file, bytes: () => (copyTo === undefined ? bytes : copied(bytes, copyTo)) };
  const duplicates = operation.family === 'cards' ? 'never' : 'accepted';
  const checked = await checkInput(input, options, { rowsTo, isKept: true, duplicates });
  return { ...checked, header, operation, lastRow: rows.lastRow, survey };
}

import type { Operation } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { checkFields } from '../input/check-fields.ts';
import { describeFields } from '../input/fields.ts';
import type { Row } from '../input/records/interpret.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { HEADER_MEMBERS, PLAN_NAME_LENGTH, PLAN_VERSION, type PlanHeader } from './plan-file.ts';

/** Far above any row: a text of 40,000 characters, escaped. What is longer is no plan. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A row of a plan, ready to be sent as the row of an input is. */
export interface PlannedRow extends Row {
  readonly about?: JsonObject | undefined;
  readonly drift: 'checked' | 'unchecked';
}

/** Something wrong with one line, said after `line 3: `. */
export class LineProblem extends Error {
  /** Undefined: the line that is being read. */
  readonly line: number | undefined;
  /** What to do, where it is known better than to make the plan again. */
  readonly hint: string | undefined;
  constructor(problem: string, line?: number, hint?: string) {
    super(problem);
    this.line = line;
    this.hint = hint;
  }
}

/** Operations whose writes can be planned: not those whose answer is a one-time secret. */
function plannedOperation(command: string): Operation | undefined {
  return ALL_OPERATIONS.find(
    (row) => row.command === command && row.effect.kind === 'write' && row.effect.sensitive === undefined,
  );
}

function textAt(object: JsonObject, name: string): string {
  const value = object.get(name);
  if (typeof value === 'string') return value;
  throw new LineProblem(`${name} is not a text`);
}

function countAt(object: JsonObject, name: string): number {
  const value = object.get(name);
  if (value instanceof JsonNumber && /^(?:0|[1-9]\d{0,8})$/.test(value.text)) return Number(value.text);
  throw new LineProblem(`${name} is not a count`);
}

/** The texts of a member; a LineProblem when it is anything else. */
function textsAt(object: JsonObject, name: string): readonly string[] {
  const value = object.get(name);
  if (isJsonArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new LineProblem(`${name} is not a list of texts`);
}

function timeAt(object: JsonObject, name: string): string {
  const text = textAt(object, name);
  if (!Number.isNaN(Date.parse(text))) return text;
  throw new LineProblem(`${name} is not a time`);
}

/** The object in a line; a LineProblem when there is none. */
export function parseLine(bytes: Uint8Array): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(decodeUtf8(bytes));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new LineProblem('it cannot be read as JSON');
    if (error instanceof TypeError) throw new LineProblem('it is not UTF-8 text');
    throw error;
  }
  if (isJsonObject(value)) return value;
  throw new LineProblem('it is not an object');
}

function refuseOtherMembers(object: JsonObject, known: readonly string[]): void {
  for (const name of object.keys()) if (!known.includes(name)) throw new LineProblem(`it has an unknown member`);
}

/** The header in line 1, and the row of the table that it names. */
export function parseHeader(bytes: Uint8Array): { readonly header: PlanHeader; readonly operation: Operation } {
  const object = parseLine(bytes);
  const version = object.get('frontdeskPlan');
  if (!(version instanceof JsonNumber)) throw new LineProblem('this is not a plan of frontdesk');
  if (Number(version.text) > PLAN_VERSION) throw new LineProblem('a newer frontdesk wrote this plan');
  if (version.text !== String(PLAN_VERSION)) throw new LineProblem('this is not a plan of frontdesk');
  refuseOtherMembers(object, HEADER_MEMBERS);
  const header: PlanHeader = {
    plan: textAt(object, 'plan'),
    operation: textAt(object, 'operation'),
    url: textAt(object, 'url'),
    profile: textAt(object, 'profile'),
    createdBy: textAt(object, 'createdBy'),
    createdAt: timeAt(object, 'createdAt'),
    expiresAt: timeAt(object, 'expiresAt'),
    rows: countAt(object, 'rows'),
    unchanged: countAt(object, 'unchanged'),
    ...(object.has('source') ? { source: textAt(object, 'source') } : {}),
    ...(object.has('expect') ? { expect: textsAt(object, 'expect') } : {}),
    ...(object.has('missing') ? { missing: countAt(object, 'missing') } : {}),
    ...(object.has('emptied') ? { emptied: countAt(object, 'emptied') } : {}),
    sha256: textAt(object, 'sha256'),
  };
  if (!/^[0-9a-f]{64}$/.test(header.sha256) || header.plan !== header.sha256.slice(0, PLAN_NAME_LENGTH)) {
    throw new LineProblem('it does not name the plan by its hash');
  }
  const operation = plannedOperation(header.operation);
  if (operation === undefined) throw new LineProblem('its operation cannot be planned');
  return { header, operation };
}

const ROW_MEMBERS = ['row', 'id', 'body', 'before', 'about', 'drift'];

function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object.get(name);
  if (value === undefined || isJsonObject(value)) return value;
  throw new LineProblem(`${name} is not an object`);
}

/** Turns lines into rows of one operation. */
export class RowReader {
  readonly #operation: Operation;
  readonly #idParam: string | undefined;
  /** Members of the last row's record: rows of one shape share one array. */
  #names: readonly string[] = [];

  constructor(operation: Operation) {
    this.#operation = operation;
    this.#idParam = Object.keys(operation.params.shape)[0];
  }

  read(object: JsonObject, line: number): PlannedRow {
    refuseOtherMembers(object, ROW_MEMBERS);
    const idParam = this.#idParam;
    const given = object.get('id') ?? null;
    if (given !== null && typeof given !== 'string') throw new LineProblem('id is not a text');
    if ((given === null) !== (idParam === undefined)) throw new LineProblem('id does not belong to its operation');
    const body = objectAt(object, 'body');
    if ((body === undefined) !== (this.#operation.body === null)) {
      throw new LineProblem('body does not belong to its operation');
    }
    const drift = object.get('drift');
    const wanted = this.#operation.family === 'cards' ? 'checked' : 'unchecked';
    if (drift !== wanted) throw new LineProblem(`drift is not ${wanted}`);
    const before = objectAt(object, 'before');
    if (wanted === 'checked' && before === undefined) throw new LineProblem('before is missing');
    const id = given ?? undefined;
    const params = idParam === undefined || id === undefined ? {} : { [idParam]: id };
    const names = [...(idParam === undefined ? [] : [idParam]), ...(body?.keys() ?? [])];
    const isSame = names.length === this.#names.length && names.every((name, index) => name === this.#names[index]);
    if (!isSame) this.#names = names;
    const values = [...(id === undefined ? [] : [id]), ...(body?.values() ?? [])];
    const row = countAt(object, 'row');
    return {
      row,
      line,
      id,
      params,
      body,
      before,
      about: objectAt(object, 'about'),
      drift: wanted,
      expects: [],
      record: { row, line, names: this.#names, values },
    };
  }

  /** What the command itself would have refused, or undefined. */
  problem({ params, body }: PlannedRow): string | undefined {
    const [fault] = checkFields(this.#operation.params, params, (name) => name);
    if (fault !== undefined) return `${fault.where} ${fault.problem}`;
    if (body === undefined || this.#operation.body === null) return undefined;
    const known = describeFields(this.#operation.body);
    const other = [...body.keys()].find((name) => !known.some((field) => field.name === name));
    if (other !== undefined) return 'body has a field that its operation has not';
    const [bodyFault] = checkFields(this.#operation.body, Object.fromEntries(body), (name) => name);
    return bodyFault === undefined ? undefined : `${bodyFault.where} ${bodyFault.problem}`;
  }
}

/** The lines of a file without their newlines; the last one tells whether it had one. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Buffer; isWhole: boolean }> {
  let rest: Buffer[] = [];
  let length = 0;
  let line = 1;
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      yield { bytes: Buffer.concat([...rest, piece.subarray(from, at)]), isWhole: true };
      rest = [];
      length = 0;
      line += 1;
      from = at + 1;
    }
    // A piece is valid only until the next one is asked for.
    rest.push(Buffer.from(piece.subarray(from)));
    length += piece.length - from;
    if (length > MAX_LINE_BYTES) throw new LineProblem('it is longer than any line of a plan', line);
  }
  const bytes = Buffer.concat(rest);
  if (bytes.length > 0) yield { bytes, isWhole: false };
}

import type { Operation } from '../api/operation.ts';
import { describeFields } from '../input/fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Row, RowShape } from '../rows/row.ts';
import { isCount } from './plan-file.ts';

const ROW_MEMBERS = ['row', 'id', 'body', 'before', 'expect', 'about', 'drift'];

/** What the rows of a plan have in common, for those who write them again: each says itself what it sends. */
export const PLAN_SHAPE: RowShape = {
  given: 'plan',
  columns: [],
  idParam: null,
  ids: [],
  fields: null,
  sendsEmpty: false,
  expects: [],
  onlyChanges: false,
};

/** Makes rows of the lines of a plan of one operation: before it is applied, and each time that its run goes on. */
export class PlanRows {
  /** Number of the last row that was made, in the whole input; 0: none was. */
  lastRow = 0;
  readonly #idParam: string | undefined;
  readonly #fields: ReadonlySet<string> | undefined;
  readonly #drift: NonNullable<Row['drift']>;
  /** The fields that each row has to hold a value of. */
  readonly #expected: readonly string[];

  /** `expected`: the fields that line 1 names. */
  constructor({ params, body, family }: Operation, expected: readonly string[] = []) {
    this.#expected = expected;
    this.#idParam = Object.keys(params.shape)[0];
    this.#fields = body === null ? undefined : new Set(describeFields(body).map(({ name }) => name));
    this.#drift = family === 'cards' ? 'checked' : 'unchecked';
  }

  /** The row in a line, with exactly the body that stands there; or why no plan of this operation says that. */
  read(object: JsonObject): Row | { readonly problem: string } {
    const problem = this.#problem(object);
    const row = object.get('row');
    if (problem !== undefined) return { problem };
    if (!isCount(row)) return { problem: 'row is not a count' };
    if (Number(row.text) <= this.lastRow) return { problem: 'its row does not follow the one before' };
    this.lastRow = Number(row.text);
    const [body, before, about, expect] = ['body', 'before', 'about', 'expect'].map((name) => objectAt(object, name));
    const id = textOf(object.get('id'));
    const params = this.#idParam === undefined ? {} : { [this.#idParam]: id ?? '' };
    return {
      row: this.lastRow,
      id,
      params,
      body,
      expects: this.#expected.map((field) => ({ field, value: textOf(expect?.get(field)) ?? '' })),
      given: new Map([...Object.entries(params), ...(body ?? [])]),
      before,
      about,
      drift: this.#drift,
    };
  }

  #problem(object: JsonObject): string | undefined {
    const id = object.get('id') ?? null;
    const body = object.get('body');
    for (const name of object.keys()) if (!ROW_MEMBERS.includes(name)) return 'it has an unknown member';
    if (id !== null && typeof id !== 'string') return 'id is not a text';
    if ((id === null) !== (this.#idParam === undefined)) return 'id does not belong to its operation';
    for (const name of ['body', 'before', 'about']) {
      if (object.has(name) && objectAt(object, name) === undefined) return `${name} is not an object`;
    }
    if ((body === undefined) !== (this.#fields === undefined)) return 'body does not belong to its operation';
    if (object.get('drift') !== this.#drift) return `drift is not ${this.#drift}`;
    const isOther = [...(objectAt(object, 'body')?.keys() ?? [])].some((name) => this.#fields?.has(name) !== true);
    return this.#knownProblem(object) ?? (isOther ? 'body has a field that its operation does not have' : undefined);
  }

  /** A card's row tells which card it is, and has a text for each field that line 1 names and no other. */
  #knownProblem(object: JsonObject): string | undefined {
    const lacking = this.#drift === 'checked' ? ['before', 'about'].find((name) => !object.has(name)) : undefined;
    if (lacking !== undefined) return `${lacking} is missing`;
    const expect = objectAt(object, 'expect');
    const isOfTexts = [...(expect?.values() ?? [])].every((one) => typeof one === 'string');
    if (object.has('expect') && !(expect !== undefined && isOfTexts)) return 'expect is not an object of texts';
    const isSame = [...(expect?.keys() ?? [])].sort().join('\n') === this.#expected.toSorted().join('\n');
    return isSame ? undefined : 'expect is not of the fields that line 1 names';
  }
}

function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object.get(name);
  return isJsonObject(value) ? value : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

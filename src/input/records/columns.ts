import type { Operation } from '../../api/operation.ts';
import { nearest } from '../../output/nearest.ts';
import { describeFields, type FieldSpec } from '../fields.ts';
import { quoteGiven } from '../given.ts';

/** What `--failed` and `runs results --as-input` add to the original columns. */
const OUTCOME_COLUMN = '_outcome';
const OWN_COLUMNS = ['_row', OUTCOME_COLUMN, '_error'] as const;

export type ColumnRole =
  | { readonly kind: 'id' }
  | { readonly kind: 'field'; readonly field: FieldSpec }
  | { readonly kind: 'outcome' }
  /** Known from responses or written by ourselves: read over. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unknown' };

/** The path parameter of an operation that takes an id. */
function idParamOf(operation: Operation): 'cardId' | 'id' | undefined {
  const [name] = Object.keys(operation.params.shape);
  return name === 'cardId' || name === 'id' ? name : undefined;
}

const HOLDS_MEMBERS = new Set(['record', 'array', 'object', 'unknown']);

/** Which columns the input of an operation may have, and what each is for. */
export class ColumnRoles {
  readonly fields: readonly FieldSpec[];
  readonly idParam: 'cardId' | 'id' | undefined;
  readonly #roles = new Map<string, ColumnRole>();
  /** Members of the response that hold members themselves: `metadata` makes `metadata.shop` known. */
  readonly #compound: readonly string[];

  constructor(operation: Operation) {
    this.fields = operation.body === null ? [] : describeFields(operation.body);
    this.idParam = idParamOf(operation);
    const response = describeFields(operation.response);
    this.#compound = Object.entries(operation.response.shape)
      .filter(([, schema]) => HOLDS_MEMBERS.has(innerTypeOf(schema)))
      .map(([name]) => name);
    for (const { name } of response) this.#roles.set(name, { kind: 'ignored' });
    for (const name of OWN_COLUMNS) this.#roles.set(name, { kind: name === OUTCOME_COLUMN ? 'outcome' : 'ignored' });
    for (const field of this.fields) this.#roles.set(field.name, { kind: 'field', field });
    if (this.idParam !== undefined) {
      this.#roles.set('id', { kind: 'id' });
      this.#roles.set(this.idParam, { kind: 'id' });
    }
  }

  /** Every name that a column may have, apart from dotted ones. */
  get names(): readonly string[] {
    return [...this.#roles.keys()];
  }

  roleOf(name: string): ColumnRole {
    const role = this.#roles.get(name);
    if (role !== undefined) return role;
    const isKnown = this.#compound.some((member) => name.startsWith(`${member}.`));
    return { kind: isKnown ? 'ignored' : 'unknown' };
  }

  /** What to say of a column that nobody knows, with the nearest name that does something. */
  unknownProblem(name: string): string {
    if (name === '') return 'a column has no name';
    const useful = this.names.filter((known) => this.roleOf(known).kind !== 'ignored' && !known.startsWith('_'));
    const near = nearest(name, useful) ?? nearest(name, this.names);
    const hint = near === undefined ? `the columns that are read are ${useful.join(', ')}` : `did you mean ${near}?`;
    return `unknown column ${quoteGiven(name)}; ${hint}`;
  }
}

function innerTypeOf(schema: { readonly _zod: { readonly def: object } }): string {
  const def: { type?: unknown; innerType?: typeof schema } = schema._zod.def;
  return def.innerType === undefined ? String(def.type) : innerTypeOf(def.innerType);
}

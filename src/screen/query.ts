import { compile } from '@jmespath-community/jmespath';
import { Failure } from '../base/failure.ts';
import { parseJson } from '../base/json/parse.ts';
import { printJson } from '../base/json/print.ts';
import { JsonSyntaxError } from '../base/json/syntax-error.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../base/json/value.ts';
import {
  checkCall,
  evaluateQuery,
  type Literals,
  literalOf,
  type NodeOf,
  type QueryNode,
  refuseExtension,
} from './query-evaluate.ts';
import { QueryProblem } from './query-functions.ts';
import { shortenText } from './text.ts';

/** A compiled expression. Returns null if nothing matches. USAGE if the types do not fit. */
export interface Query {
  (value: JsonValue): JsonValue;
  /** What was odd about the expression once it was applied, a sentence each. */
  oddities(): readonly string[];
}

const MAX_SHOWN = 200;
/** Nobody writes as many. Some of them take seconds to read in which no signal is heard. */
const MAX_CHARACTERS = 10_000;

/** Skips raw strings and quoted names, finds JSON literals (in backticks). */
const QUOTED = /`((?:\\.|[^`\\])*)`|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gs;

/**
 * Compiles a JMESPath expression. Throws USAGE, before anything is sent, if it is wrong. The grammar is the library's.
 * The evaluation is not, because there amounts lose digits, `__proto__` is no key, and keys like `10` change places.
 * Literals are replaced before compiling, so that they keep their digits too.
 */
export function compileQuery(expression: string): Query {
  const { tree, literal } = orUsage(expression, '', () => {
    if (expression.length > MAX_CHARACTERS) throw new QueryProblem('it is longer than 10,000 characters');
    const { bare, literal } = takeLiterals(expression);
    const tree = compile(bare);
    checkTree(tree, literal);
    return { tree, literal };
  });
  const what = 'could not be applied to the result: ';
  const names = new ComparedNames(tree);
  const apply = (value: JsonValue) => {
    names.look(value);
    return orUsage(expression, what, () => evaluateQuery(tree, value, literal));
  };
  return Object.assign(apply, { oddities: () => names.oddities() });
}

const HINT =
  'write it as JMESPath (https://jmespath.site): numbers in backticks, names with a dash in quotes, such as [?amount > `10`]."order-id"';

function orUsage<Result>(expression: string, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deep' : error instanceof Error ? error.message : '';
    const shown = JSON.stringify(shortenText(expression, MAX_SHOWN));
    throw new Failure('USAGE', `--query ${shown}: ${what}${reason}`, {
      faults: [{ where: '--query', problem: `${shown}: ${what}${reason}` }],
      hints: [HINT],
      cause: error,
    });
  }
}

/** Replaces literals by placeholders, which begin with a `marker` that the expression does not contain. */
function takeLiterals(expression: string) {
  let marker = 'literal#';
  while (expression.includes(marker)) marker += '#';
  const literals: JsonValue[] = [];
  const bare = expression.replace(QUOTED, (written: string, literal: string | undefined) => {
    if (literal === undefined) return written;
    try {
      literals.push(parseJson(literal.replaceAll('\\`', '`')));
    } catch (error) {
      if (!(error instanceof JsonSyntaxError) || error.problem !== 'syntax') throw error;
      // The library refuses it too, with a fitting message.
      return written;
    }
    return `\`"${marker}${literals.length - 1}"\``;
  });
  const literal = (text: string) => (text.startsWith(marker) ? literals[Number(text.slice(marker.length))] : undefined);
  return { bare, literal };
}

/** Finds, without a value, what can be right for none: extensions, functions and literals that do not fit, step 0. */
function checkTree(node: QueryNode, literals: Literals): void {
  refuseExtension(node);
  if (node.type === 'Function') checkCall(node, literals);
  if (node.type === 'Slice' && node.step === 0) throw new QueryProblem('the step of a slice cannot be 0');
  if (node.type === 'Subexpression') checkField(node, literals);
  if (node.type === 'Comparator' && node.name !== 'EQ' && node.name !== 'NE') {
    for (const side of [node.left, node.right]) {
      const known = side.type === 'Literal' ? literalOf(side, literals) : '';
      if (typeof known === 'string' || known instanceof JsonNumber) continue;
      throw new QueryProblem(`only numbers and texts have an order, and ${printJson(known)} is neither`);
    }
  }
  for (const child of childrenOf(node)) if (child.type !== 'Literal') checkTree(child, literals);
}

/** A truth value and a text have no fields: `!a.b` is read as `(!a).b`. */
function checkField({ left, right }: NodeOf<'Subexpression'>, literals: Literals): void {
  if (left.type === 'NotExpression')
    throw new QueryProblem('write !(a.b) for "not a.b": !a.b takes a field of true or false');
  if (left.type === 'Comparator') throw new QueryProblem('a comparison is true or false, which has no fields');
  if (left.type !== 'Literal' || right.type === 'Function') return;
  const known = literalOf(left, literals);
  if (!isJsonObject(known)) throw new QueryProblem(`${printJson(known)} has no fields`);
}

function childrenOf(node: QueryNode): readonly QueryNode[] {
  return Object.values(node)
    .flatMap((part: unknown) => (Array.isArray(part) ? part : [part]))
    .filter(isNode);
}

function isNode(part: unknown): part is QueryNode {
  return typeof part === 'object' && part !== null && 'type' in part;
}

/** The words that are written like names, and meant as values. */
const VALUES = new Set(['true', 'false', 'null']);

/** Names that are compared with something found: in quotes or bare, a text that is meant is read as a name. */
class ComparedNames {
  readonly #missing = new Set<string>();
  #isObjectSeen = false;

  constructor(node: QueryNode) {
    this.#collect(node);
  }

  #collect(node: QueryNode): void {
    if (node.type === 'Comparator' && node.left.type !== 'Literal' && node.right.type !== 'Literal') {
      for (const side of [node.left, node.right]) if (side.type === 'Field') this.#missing.add(side.name);
    }
    for (const child of childrenOf(node)) this.#collect(child);
  }

  /** Notes which of the names any object of a value has. */
  look(value: JsonValue): void {
    if (this.#missing.size === 0) return;
    if (isJsonArray(value)) for (const item of value) this.look(item);
    if (!isJsonObject(value)) return;
    this.#isObjectSeen = true;
    for (const [name, member] of value) {
      this.#missing.delete(name);
      this.look(member);
    }
  }

  oddities(): readonly string[] {
    if (!this.#isObjectSeen) return [];
    return [...this.#missing].map((name) => {
      const meant = VALUES.has(name) ? `the value is written \`${name}\`` : `the text is written '${name}'`;
      return `nothing in the result has a field ${name}: ${meant}`;
    });
  }
}

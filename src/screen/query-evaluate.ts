import type { compile } from '@jmespath-community/jmespath';
import { compareDecimals } from '../base/json/decimal.ts';
import { fromPlain, isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../base/json/value.ts';
import { compareTexts } from './column.ts';
import {
  callFunction,
  checkArgument,
  functionOf,
  isEqual,
  type QueryArgument,
  QueryProblem,
} from './query-functions.ts';

/** A node of the library's syntax tree, whose type is only exported through `compile`. */
export type QueryNode = ReturnType<typeof compile>;

type Apply = (node: QueryNode, value: JsonValue) => JsonValue;

/** The literal that a placeholder text stands for, if it is one. */
export type Literals = (text: string) => JsonValue | undefined;

export type NodeOf<Type, Node = QueryNode> = Node extends { readonly type: unknown }
  ? Type extends Node['type']
    ? Node
    : never
  : never;

type Rule<Type> = (node: NodeOf<Type>, value: JsonValue, apply: Apply) => JsonValue;

/** JMESPath's false: null, false, and every empty string, array and object. Zero is true. */
function isFalse(value: JsonValue): boolean {
  if (value === null || value === false || value === '') return true;
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) && value.size === 0;
}

/** How each kind of node is applied to a value. A reference (&) has no value, and neither have parts of other nodes. */
const RULES: { readonly [Type in QueryNode['type']]?: Rule<Type> } = {
  Identity: (_, value) => value,
  Current: (_, value) => value,
  Field: ({ name }, value) => (isJsonObject(value) ? (value.get(name) ?? null) : null),
  Index: (node, value) => (isJsonArray(value) ? (value.at(node.value) ?? null) : null),
  Slice: slice,
  Pipe: (node, value, apply) => apply(node.right, apply(node.left, value)),
  IndexExpression: (node, value, apply) => apply(node.right, apply(node.left, value)),
  Subexpression(node, value, apply) {
    const left = apply(node.left, value);
    return left === null ? null : apply(node.right, left);
  },
  OrExpression(node, value, apply) {
    const left = apply(node.left, value);
    return isFalse(left) ? apply(node.right, value) : left;
  },
  AndExpression(node, value, apply) {
    const left = apply(node.left, value);
    return isFalse(left) ? left : apply(node.right, value);
  },
  NotExpression: ({ child }, value, apply) => isFalse(apply(child, value)),
  Comparator: (node, value, apply) => compare(node.name, apply(node.left, value), apply(node.right, value)),
  Projection(node, value, apply) {
    const base = apply(node.left, value);
    return isJsonArray(base) ? eachMember(base, node.right, apply) : null;
  },
  ValueProjection(node, value, apply) {
    const base = apply(node.left, value);
    return isJsonObject(base) ? eachMember([...base.values()], node.right, apply) : null;
  },
  FilterProjection(node, value, apply) {
    const base = apply(node.left, value);
    if (!isJsonArray(base)) return null;
    const kept = base.filter((item) => !isFalse(apply(node.condition, item)));
    return eachMember(kept, node.right, apply);
  },
  Flatten(node, value, apply) {
    const child = apply(node.child, value);
    return isJsonArray(child) ? child.flatMap((item) => (isJsonArray(item) ? item : [item])) : null;
  },
  // Of null they are null, as in JMESPath's first implementation, which aws has. The library's make an array of nulls.
  MultiSelectList: ({ children }, value, apply) =>
    value === null ? null : children.map((child) => apply(child, value)),
  MultiSelectHash: ({ children }, value, apply) =>
    value === null ? null : new Map(children.map((child) => [child.name, apply(child.value, value)])),
  Function: call,
};

/** Nodes that the library's grammar has beyond JMESPath, in words. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['Root', '$'],
  ['Ternary', 'the choice a ? b : c'],
  ['Arithmetic', 'arithmetic'],
  ['Unary', 'a sign'],
  ['LetExpression', 'let'],
  ['Variable', 'a variable'],
]);

/** Throws QueryProblem for a node that JMESPath lacks. */
export function refuseExtension({ type }: QueryNode): void {
  const words = EXTENSIONS.get(type);
  if (words !== undefined) throw new QueryProblem(`${words} is an extension that is not part of JMESPath`);
}

/** The value of a literal, which may stand for one with all its digits. */
export function literalOf({ value }: NodeOf<'Literal'>, literals: Literals): JsonValue {
  const literal = typeof value === 'string' ? literals(value) : undefined;
  return literal === undefined ? fromPlain(value) : literal;
}

/** Throws QueryProblem for a call that no value can make right: by its name, count, literals, or a missing `&`. */
export function checkCall({ name, children }: NodeOf<'Function'>, literals: Literals): void {
  const { kinds } = functionOf(name, children.length);
  for (const [index, child] of children.entries()) {
    const kind = kinds[index] ?? kinds[0] ?? 'value';
    if (child.type === 'Literal') checkArgument(name, kind, index, literalOf(child, literals));
    else if (child.type === 'ExpressionReference') checkArgument(name, kind, index, () => null);
    else if (kind === 'expression') {
      throw new QueryProblem(`${name}() wants an expression as argument ${index + 1}: write & before it`);
    }
  }
}

/** Values that a query may handle: so many of a small document, and so many for each value of a large one. */
const [MAX_HANDLED, MAX_OF_EACH] = [3_000_000, 20];
/** Characters of a text that take as long as a value. */
const AS_A_VALUE = 16;

/** Calls back with what a value takes to be read, with all inside it, however often the same is inside. */
function weigh(value: JsonValue, take: (weight: number) => void): void {
  if (typeof value === 'string') take(1 + value.length / AS_A_VALUE);
  else if (value instanceof JsonNumber) take(1 + value.text.length / AS_A_VALUE);
  else take(1);
  if (isJsonArray(value)) for (const item of value) weigh(item, take);
  else if (isJsonObject(value)) for (const item of value.values()) weigh(item, take);
}

/**
 * Applies a syntax tree to a value by the rules of JMESPath. Numbers compare by value and keep their digits. A result
 * that doubles at each step is given up: no signal is heard meanwhile.
 */
export function evaluateQuery(tree: QueryNode, value: JsonValue, literals: Literals): JsonValue {
  let left = MAX_HANDLED;
  weigh(value, (weight) => {
    left += MAX_OF_EACH * weight;
  });
  const take = (weight: number) => {
    left -= weight;
    if (left < 0) throw new QueryProblem('what it makes is too large');
  };
  const apply: Apply = (node, found) => {
    if (node.type === 'Literal') return literalOf(node, literals);
    // A rule is stored under the type of its nodes.
    const rule = RULES[node.type] as Rule<QueryNode['type']> | undefined;
    if (rule === undefined)
      throw new QueryProblem('an expression reference (&) may only be the argument of a function');
    const isWhole = node.type === 'Function' || node.type === 'Comparator';
    const result = rule(node, found, isWhole ? applyWhole : apply);
    take(1 + (isJsonArray(result) ? result.length : 0));
    return result;
  };
  // Functions and comparisons read their arguments to the ends.
  const applyWhole: Apply = (node, found) => {
    const result = apply(node, found);
    weigh(result, take);
    return result;
  };
  return applyWhole(tree, value);
}

function eachMember(items: readonly JsonValue[], right: QueryNode, apply: Apply): JsonValue {
  return items.map((item) => apply(right, item)).filter((item) => item !== null);
}

function call(node: NodeOf<'Function'>, value: JsonValue, apply: Apply): JsonValue {
  const args = node.children.map((child): QueryArgument => {
    if (child.type !== 'ExpressionReference') return apply(child, value);
    return (item: JsonValue) => apply(child.child, item);
  });
  return callFunction(node.name, args);
}

function compare(comparator: NodeOf<'Comparator'>['name'], a: JsonValue, b: JsonValue): JsonValue {
  if (comparator === 'EQ') return isEqual(a, b);
  if (comparator === 'NE') return !isEqual(a, b);
  const order = orderOf(a, b);
  if (order === undefined) return null;
  if (comparator === 'GT') return order > 0;
  if (comparator === 'GTE') return order >= 0;
  return comparator === 'LT' ? order < 0 : order <= 0;
}

/** Numbers by value, texts by code point, which is the order of ISO 8601 dates; undefined: there is none. */
function orderOf(a: JsonValue, b: JsonValue): number | undefined {
  if (a instanceof JsonNumber && b instanceof JsonNumber) return compareDecimals(a.text, b.text);
  return typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : undefined;
}

function slice({ start, stop, step }: NodeOf<'Slice'>, items: JsonValue): JsonValue {
  if (!isJsonArray(items)) return null;
  const stride = step ?? 1;
  const bound = (wanted: number | null, missing: number): number => {
    if (wanted === null) return missing;
    const index = wanted < 0 ? wanted + items.length : wanted;
    return stride < 0 ? Math.min(Math.max(index, -1), items.length - 1) : Math.min(Math.max(index, 0), items.length);
  };
  const first = bound(start, stride < 0 ? items.length - 1 : 0);
  const end = bound(stop, stride < 0 ? -1 : items.length);
  const picked: JsonValue[] = [];
  for (let index = first; stride < 0 ? index > end : index < end; index += stride) picked.push(items[index] ?? null);
  return picked;
}

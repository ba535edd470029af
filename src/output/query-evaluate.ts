import type { compile } from '@jmespath-community/jmespath';
import { compareDecimals } from '../json/decimal.ts';
import { fromPlain } from '../json/plain.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';
import { calculate, signed } from './query-arithmetic.ts';
import { FUNCTIONS, type QueryArgument } from './query-functions.ts';
import { isEqual, isFalse, QueryProblem } from './query-values.ts';

export { QueryProblem } from './query-values.ts';

/** A node of the library's syntax tree; the library exports the type only through what `compile` returns. */
export type QueryNode = ReturnType<typeof compile>;

/** What an expression is applied in. */
interface Scope {
  readonly root: JsonValue;
  /** The literal that stands in the expression under this stand-in text, if it is one. */
  readonly literal: (text: string) => JsonValue | undefined;
  readonly variables: ReadonlyMap<string, JsonValue>;
}

type NodeOf<Type, Node = QueryNode> = Node extends { readonly type: unknown }
  ? Type extends Node['type']
    ? Node
    : never
  : never;

type Rule<Type> = (node: NodeOf<Type>, value: JsonValue, scope: Scope) => JsonValue;

/** How each kind of node is applied to a value. A reference (&) has no value of its own, nor have parts of other nodes. */
const RULES: { readonly [Type in QueryNode['type']]?: Rule<Type> } = {
  Identity: (_, value) => value,
  Current: (_, value) => value,
  Root: (_node, _value, { root }) => root,
  Field: ({ name }, value) => (isJsonObject(value) ? (value.get(name) ?? null) : null),
  Literal: (node, _, { literal }) =>
    (typeof node.value === 'string' ? literal(node.value) : undefined) ?? fromPlain(node.value),
  Index: (node, value) => (isJsonArray(value) ? (value.at(node.value) ?? null) : null),
  Slice: slice,
  Pipe: (node, value, scope) => visit(node.right, visit(node.left, value, scope), scope),
  IndexExpression: (node, value, scope) => visit(node.right, visit(node.left, value, scope), scope),
  Subexpression(node, value, scope) {
    const left = visit(node.left, value, scope);
    return left === null ? null : visit(node.right, left, scope);
  },
  OrExpression(node, value, scope) {
    const left = visit(node.left, value, scope);
    return isFalse(left) ? visit(node.right, value, scope) : left;
  },
  AndExpression(node, value, scope) {
    const left = visit(node.left, value, scope);
    return isFalse(left) ? left : visit(node.right, value, scope);
  },
  NotExpression: ({ child }, value, scope) => isFalse(visit(child, value, scope)),
  Ternary: (node, value, scope) =>
    visit(isFalse(visit(node.condition, value, scope)) ? node.falseExpr : node.trueExpr, value, scope),
  Comparator: (node, value, scope) =>
    compare(node.name, visit(node.left, value, scope), visit(node.right, value, scope)),
  Arithmetic: (node, value, scope) =>
    calculate(node.operator, visit(node.left, value, scope), visit(node.right, value, scope)),
  Unary: (node, value, scope) => signed(node.operator, visit(node.operand, value, scope)),
  Projection: project,
  ValueProjection(node, value, scope) {
    const base = visit(node.left, value, scope);
    return isJsonObject(base) ? collect([...base.values()], node.right, scope) : null;
  },
  FilterProjection(node, value, scope) {
    const base = visit(node.left, value, scope);
    if (!isJsonArray(base)) return null;
    const kept = base.filter((item) => !isFalse(visit(node.condition, item, scope)));
    return collect(kept, node.right, scope);
  },
  Flatten(node, value, scope) {
    const child = visit(node.child, value, scope);
    return isJsonArray(child) ? child.flatMap((item) => (isJsonArray(item) ? item : [item])) : null;
  },
  MultiSelectList: ({ children }, value, scope) => children.map((child) => visit(child, value, scope)),
  MultiSelectHash: ({ children }, value, scope) =>
    new Map(children.map((child) => [child.name, visit(child.value, value, scope)])),
  Function: call,
  LetExpression(node, value, scope) {
    const variables = new Map(scope.variables);
    for (const { variable, reference } of node.bindings) variables.set(variable, visit(reference, value, scope));
    return visit(node.expression, value, { ...scope, variables });
  },
  Variable: ({ name }, _, { variables }) => variables.get(name) ?? null,
};

/** Applies a syntax tree to a value by the rules of JMESPath, numbers compared by value and kept by digits. */
export function evaluateQuery(tree: QueryNode, root: JsonValue, literal: Scope['literal']): JsonValue {
  return visit(tree, root, { root, literal, variables: new Map() });
}

function visit(node: QueryNode, value: JsonValue, scope: Scope): JsonValue {
  // A rule stands under the type of the nodes that it takes.
  const rule = RULES[node.type] as ((node: QueryNode, value: JsonValue, scope: Scope) => JsonValue) | undefined;
  if (rule !== undefined) return rule(node, value, scope);
  throw new QueryProblem('an expression reference (&) may only be the argument of a function');
}

function project({ left, right }: NodeOf<'Projection'>, value: JsonValue, scope: Scope): JsonValue {
  const base = visit(left, value, scope);
  // A slice of a text answers a text, and the grammar makes a projection of every slice.
  if (typeof base === 'string' && left.type === 'IndexExpression' && left.right.type === 'Slice') {
    return visit(right, base, scope);
  }
  return isJsonArray(base) ? collect(base, right, scope) : null;
}

function collect(items: readonly JsonValue[], right: QueryNode, scope: Scope): JsonValue {
  return items.map((item) => visit(right, item, scope)).filter((item) => item !== null);
}

function call(node: NodeOf<'Function'>, value: JsonValue, scope: Scope): JsonValue {
  const called = FUNCTIONS.get(node.name);
  if (called === undefined) throw new QueryProblem(`there is no function ${node.name}()`);
  const given = node.children.map((child): QueryArgument => {
    if (child.type !== 'ExpressionReference') return visit(child, value, scope);
    return (item: JsonValue) => visit(child.child, item, scope);
  });
  return called.apply(given);
}

function compare(comparator: NodeOf<'Comparator'>['name'], a: JsonValue, b: JsonValue): JsonValue {
  if (comparator === 'EQ') return isEqual(a, b);
  if (comparator === 'NE') return !isEqual(a, b);
  if (!(a instanceof JsonNumber && b instanceof JsonNumber)) return null;
  const order = compareDecimals(a.text, b.text);
  if (comparator === 'GT') return order > 0;
  if (comparator === 'GTE') return order >= 0;
  return comparator === 'LT' ? order < 0 : order <= 0;
}

function slice(node: NodeOf<'Slice'>, value: JsonValue): JsonValue {
  if (typeof value === 'string') return sliceItems([...value], node).join('');
  return isJsonArray(value) ? sliceItems(value, node) : null;
}

function sliceItems<T>(items: readonly T[], { start, stop, step }: NodeOf<'Slice'>): T[] {
  const stride = step ?? 1;
  const bound = (given: number | null, missing: number): number => {
    if (given === null) return missing;
    const index = given < 0 ? given + items.length : given;
    return stride < 0 ? Math.min(Math.max(index, -1), items.length - 1) : Math.min(Math.max(index, 0), items.length);
  };
  const first = bound(start, stride < 0 ? items.length - 1 : 0);
  const end = bound(stop, stride < 0 ? -1 : items.length);
  const picked: number[] = [];
  for (let index = first; stride < 0 ? index > end : index < end; index += stride) picked.push(index);
  const chosen = new Set(picked);
  const forward = items.filter((_, index) => chosen.has(index));
  return stride < 0 ? forward.reverse() : forward;
}

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

/** The literal that stands in the expression under this stand-in text, if it is one. */
type LiteralLookup = (text: string) => JsonValue | undefined;

/** Applies a syntax tree to a value by the rules of JMESPath, numbers compared by value and kept by digits. */
export function evaluateQuery(tree: QueryNode, root: JsonValue, literal: LiteralLookup): JsonValue {
  return new Evaluation(root, literal, new Map()).visit(tree, root);
}

type NodeOf<T extends QueryNode['type']> = Extract<QueryNode, { type: T }>;

class Evaluation {
  readonly #root: JsonValue;
  readonly #literal: LiteralLookup;
  readonly #variables: ReadonlyMap<string, JsonValue>;

  constructor(root: JsonValue, literal: LiteralLookup, variables: ReadonlyMap<string, JsonValue>) {
    this.#root = root;
    this.#literal = literal;
    this.#variables = variables;
  }

  visit(node: QueryNode, value: JsonValue): JsonValue {
    switch (node.type) {
      case 'Identity':
      case 'Current':
        return value;
      case 'Root':
        return this.#root;
      case 'Field':
        return isJsonObject(value) ? (value.get(node.name) ?? null) : null;
      case 'Literal':
        return (typeof node.value === 'string' ? this.#literal(node.value) : undefined) ?? fromPlain(node.value);
      case 'Index':
        return isJsonArray(value) ? (value.at(node.value) ?? null) : null;
      case 'Slice':
        return slice(node, value);
      case 'Pipe':
      case 'IndexExpression':
        return this.visit(node.right, this.visit(node.left, value));
      case 'Subexpression': {
        const left = this.visit(node.left, value);
        return left === null ? null : this.visit(node.right, left);
      }
      default:
        return this.#visitLogic(node, value);
    }
  }

  #visitLogic(node: QueryNode, value: JsonValue): JsonValue {
    switch (node.type) {
      case 'OrExpression': {
        const left = this.visit(node.left, value);
        return isFalse(left) ? this.visit(node.right, value) : left;
      }
      case 'AndExpression': {
        const left = this.visit(node.left, value);
        return isFalse(left) ? left : this.visit(node.right, value);
      }
      case 'NotExpression':
        return isFalse(this.visit(node.child, value));
      case 'Ternary':
        return this.visit(isFalse(this.visit(node.condition, value)) ? node.falseExpr : node.trueExpr, value);
      case 'Comparator':
        return compare(node.name, this.visit(node.left, value), this.visit(node.right, value));
      case 'Arithmetic':
        return calculate(node.operator, this.visit(node.left, value), this.visit(node.right, value));
      case 'Unary':
        return signed(node.operator, this.visit(node.operand, value));
      default:
        return this.#visitShape(node, value);
    }
  }

  #visitShape(node: QueryNode, value: JsonValue): JsonValue {
    switch (node.type) {
      case 'Projection':
        return this.#project(node.left, node.right, value);
      case 'ValueProjection': {
        const base = this.visit(node.left, value);
        return isJsonObject(base) ? this.#collect([...base.values()], node.right) : null;
      }
      case 'FilterProjection': {
        const base = this.visit(node.left, value);
        if (!isJsonArray(base)) return null;
        return this.#collect(
          base.filter((item) => !isFalse(this.visit(node.condition, item))),
          node.right,
        );
      }
      case 'Flatten': {
        const child = this.visit(node.child, value);
        return isJsonArray(child) ? child.flatMap((item) => (isJsonArray(item) ? item : [item])) : null;
      }
      case 'MultiSelectList':
        return node.children.map((child) => this.visit(child, value));
      case 'MultiSelectHash':
        return new Map(node.children.map((child) => [child.name, this.visit(child.value, value)]));
      default:
        return this.#visitName(node, value);
    }
  }

  #visitName(node: QueryNode, value: JsonValue): JsonValue {
    switch (node.type) {
      case 'Function':
        return this.#call(node, value);
      case 'LetExpression': {
        const variables = new Map(this.#variables);
        for (const { variable, reference } of node.bindings) variables.set(variable, this.visit(reference, value));
        return new Evaluation(this.#root, this.#literal, variables).visit(node.expression, value);
      }
      case 'Variable':
        return this.#variables.get(node.name) ?? null;
      default:
        throw new QueryProblem('an expression reference (&) may only be the argument of a function');
    }
  }

  #project(left: QueryNode, right: QueryNode, value: JsonValue): JsonValue {
    const base = this.visit(left, value);
    // A slice of a text answers a text, and the grammar makes a projection of every slice.
    if (typeof base === 'string' && left.type === 'IndexExpression' && left.right.type === 'Slice') {
      return this.visit(right, base);
    }
    return isJsonArray(base) ? this.#collect(base, right) : null;
  }

  #collect(items: readonly JsonValue[], right: QueryNode): JsonValue {
    return items.map((item) => this.visit(right, item)).filter((item) => item !== null);
  }

  #call(node: NodeOf<'Function'>, value: JsonValue): JsonValue {
    const called = FUNCTIONS.get(node.name);
    if (called === undefined) throw new QueryProblem(`there is no function ${node.name}()`);
    const given = node.children.map((child): QueryArgument => {
      if (child.type !== 'ExpressionReference') return this.visit(child, value);
      return (item: JsonValue) => this.visit(child.child, item);
    });
    return called.apply(given);
  }
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

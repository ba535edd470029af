import { compile } from '@jmespath-community/jmespath';
import { Failure } from '../failure.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import type { JsonValue } from '../json/value.ts';
import { evaluateQuery, type QueryNode, refuseExtension } from './query-evaluate.ts';
import { functionOf, QueryProblem } from './query-functions.ts';
import { shortenText } from './text.ts';

/** A compiled expression. Returns null if nothing matches. USAGE if the types do not fit. */
export type Query = (value: JsonValue) => JsonValue;

const MAX_SHOWN = 200;

/** Skips raw strings and quoted names, finds JSON literals (in backticks). */
const QUOTED = /`((?:\\.|[^`\\])*)`|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gs;

/**
 * Compiles a JMESPath expression. Throws USAGE, before anything is sent, if it is wrong. The grammar is the library's.
 * The evaluation is not, because there amounts lose digits, `__proto__` is no key, and keys like `10` change places.
 * Literals are replaced before compiling, so that they keep their digits too.
 */
export function compileQuery(expression: string): Query {
  const { tree, marker, literals } = orUsage(expression, '', () => {
    const taken = takeLiterals(expression);
    const tree = compile(taken.bare);
    checkTree(tree);
    return { ...taken, tree };
  });
  const literal = (text: string) => (text.startsWith(marker) ? literals[Number(text.slice(marker.length))] : undefined);
  const what = 'could not be applied to the result: ';
  return (value) => orUsage(expression, what, () => evaluateQuery(tree, value, literal));
}

function orUsage<Result>(expression: string, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deep' : error instanceof Error ? error.message : '';
    throw new Failure('USAGE', `--query ${JSON.stringify(shortenText(expression, MAX_SHOWN))}: ${what}${reason}`, {
      hints: ['write it as JMESPath, for example "data[?active].email" (https://jmespath.site)'],
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
  return { bare, marker, literals };
}

/** Finds, without a value, what must fail: extensions, unknown functions, wrong counts, step 0. */
function checkTree(node: QueryNode): void {
  refuseExtension(node);
  if (node.type === 'Function') functionOf(node.name, node.children.length);
  if (node.type === 'Slice' && node.step === 0) throw new QueryProblem('the step of a slice cannot be 0');
  for (const part of Object.values(node)) {
    for (const child of Array.isArray(part) ? part : [part]) if (isNode(child)) checkTree(child);
  }
}

function isNode(part: unknown): part is QueryNode {
  return typeof part === 'object' && part !== null && 'type' in part && part.type !== 'Literal';
}

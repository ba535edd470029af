import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree (ESTree) with its place in the text. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The tree of a file of TypeScript or JavaScript. */
export function parseText(text: string, path: string): Node {
  // The tree of the parser is made of nodes.
  return parseAst(text, { lang: path.endsWith('.ts') ? 'ts' : 'js' }, path) as unknown as Node;
}

/** Sees a node and all below it, each with the nodes above it, the nearest first. */
export function visit(
  node: Node,
  see: (node: Node, above: readonly Node[]) => void,
  above: readonly Node[] = [],
): void {
  see(node, above);
  const inner = [node, ...above];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see, inner);
  }
}

/** The text of a literal, or of a piece of a template; undefined for another node. */
export function literalText(node: Node): string | undefined {
  const value = node['value'];
  if (node.type === 'TemplateElement') {
    return typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : undefined;
  }
  return node.type === 'Literal' && typeof value === 'string' ? value : undefined;
}

/** A line of a source file. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** The lines of all comments. Texts and patterns are emptied first, because they may hold what looks like a comment. */
export function commentLines(text: string, program: Node): readonly Line[] {
  const literals: Node[] = [];
  visit(program, (node) => {
    if (node.type === 'Literal' || node.type === 'TemplateElement') literals.push(node);
  });
  literals.sort((one, other) => one.start - other.start);
  const pieces = literals.flatMap(({ start, end }, at) => [
    text.slice(literals[at - 1]?.end ?? 0, start),
    text.slice(start, end).replaceAll(/[^\n]/g, ' '),
  ]);
  const code = pieces.join('') + text.slice(literals.at(-1)?.end ?? 0);
  return [...code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)].flatMap(({ index, 0: comment }) => {
    const first = lineAt(code, index);
    return comment.split('\n').map((part, at) => ({ line: first + at, text: part.trim() }));
  });
}

/** The titles of tests: the first argument of `it`, `test`, `describe`, and the first text of each row of a table. */
export function testTitles(text: string, program: Node): readonly Line[] {
  const titles: Line[] = [];
  visit(program, (node, above) => {
    const title = literalText(node);
    // The pieces of a template are one text.
    const [whole, parent, outer] = node.type === 'TemplateElement' ? above : [node, ...above];
    const { type, callee, arguments: given, elements } = parent ?? node;
    const isNamed =
      type === 'CallExpression' &&
      isNode(callee) &&
      /^(?:it|test|describe)\b/.test(text.slice(callee.start, callee.end));
    const isRow = type === 'ArrayExpression' && outer?.type === 'ArrayExpression';
    const siblings = isNamed ? given : isRow ? elements : [];
    if (title === undefined || !Array.isArray(siblings) || siblings[0] !== whole) return;
    titles.push({ line: lineAt(text, node.start), text: title });
  });
  return titles;
}

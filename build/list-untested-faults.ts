// Prints the rows of docs/faults/ that no test carries in its title. Exit 1 when there are any, and for a test that
// carries one and comes to no `expect`. What is expected is not judged. `npm run check:faults`
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNode, literalText, type Node, parseText, visit } from './syntax.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = readdirSync(`${root}docs/faults`).map((name) => readFileSync(`${root}docs/faults/${name}`, 'utf8'));
const groups = [...pages.join('\n').matchAll(/^## ([A-Z]): (.+)$|\*\*([A-Z]\d+)\*\* /gm)];
const numbers = groups.flatMap(([, , , number]) => (number === undefined ? [] : [number]));

/** A title begins with its numbers: `'N9 full request read…`, `'P7 P8 first signal…`, in a call or in a row of a table. */
const TITLE = /^(?:[A-Z]\d{1,2}(?:, | and | |$))+/;
const TEST_CALL = /^(?:it|test|describe)\b(?!\.(?:skip|todo)\b)/;

interface TestFile {
  readonly path: string;
  readonly text: string;
  readonly program: Node;
  /** Functions and values of the file by their names. */
  readonly declared: ReadonlyMap<string, Node>;
  /** The neighbors that names come from. */
  readonly imported: ReadonlyMap<string, string>;
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : '';
}

const files = new Map<string, TestFile>();

function fileAt(path: string): TestFile {
  const known = files.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const program = parseText(text, path);
  const declared = new Map<string, Node>();
  const imported = new Map<string, string>();
  visit(program, (node) => {
    if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') declared.set(nameOf(node['id']), node);
    if (node.type === 'VariableDeclarator' && isNode(node['init'])) declared.set(nameOf(node['id']), node['init']);
    if (node.type !== 'ImportDeclaration' || !isNode(node['source'])) return;
    const from = String(node['source']['value']);
    if (!from.startsWith('.') || !from.endsWith('.ts') || from.includes('/src/')) return;
    const names = Array.isArray(node['specifiers']) ? node['specifiers'] : [];
    for (const name of names) if (isNode(name)) imported.set(nameOf(name['local']), join(dirname(path), from));
  });
  // Whatever has no name of its own.
  declared.delete('');
  const file = { path, text, program, declared, imported };
  files.set(path, file);
  return file;
}

/** Whether a part of a test comes to an `expect`, also by what it names of its file and of its neighbors. */
function asserts(file: TestFile, part: Node, seen = new Set<Node>()): boolean {
  if (seen.has(part)) return false;
  seen.add(part);
  const names = new Set<string>();
  visit(part, (node) => void names.add(nameOf(node)));
  if (names.has('expect')) return true;
  return [...names].some((name) => {
    const from = file.imported.get(name);
    const there = from === undefined ? file : fileAt(from);
    const declaration = there.declared.get(name);
    return declaration !== undefined && asserts(there, declaration, seen);
  });
}

function isTestCall(file: TestFile, { type, callee }: Node): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  // `const withKeys = describe.skipIf(…)` is another name of it.
  const { start, end } = file.declared.get(nameOf(callee)) ?? callee;
  return TEST_CALL.test(file.text.slice(start, end));
}

/** The call of the test that a title is in: as its name, in its table, or in a table of this file that it names. */
function testOf(file: TestFile, above: readonly Node[]): Node | undefined {
  const [inner, outer] = above.filter((node) => isTestCall(file, node));
  // Of `it.each(rows)('%s', check)` the outer call has the test's body.
  if (inner !== undefined) return outer !== undefined && outer['callee'] === inner ? outer : inner;
  const table = above.find((node) => node.type === 'VariableDeclarator');
  const uses: Node[] = [];
  visit(file.program, (node, path) => {
    if (table === undefined || nameOf(node) !== nameOf(table['id']) || path.includes(table)) return;
    const use = testOf(file, path);
    if (use !== undefined) uses.push(use);
  });
  return uses.find((use) => asserts(file, use)) ?? uses[0];
}

interface Title {
  readonly line: number;
  readonly named: readonly string[];
  readonly test: Node;
}

function titlesOf(file: TestFile): readonly Title[] {
  const titles: Title[] = [];
  visit(file.program, (node, above) => {
    const text = literalText(node);
    const named = text === undefined ? undefined : TITLE.exec(text)?.[0].match(/[A-Z]\d+/g);
    const test = named && testOf(file, above);
    if (named && test) titles.push({ line: file.text.slice(0, node.start).split('\n').length, named, test });
  });
  return titles;
}

const tested = new Set<string>();
const flaws: string[] = [];
for (const name of readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.test.ts')) continue;
  const file = fileAt(join(root, 'test', name));
  for (const { line, named, test } of titlesOf(file)) {
    if (!asserts(file, test)) flaws.push(`test/${name}:${line}: ${named.join(', ')}: the test expects nothing`);
    else for (const number of named) tested.add(number);
  }
}

for (const [, letter, kind] of groups.filter(([, letter]) => letter !== undefined)) {
  const rows = numbers.filter((number) => number.replace(/\d+/, '') === letter);
  const missing = rows.filter((number) => !tested.has(number));
  const list = missing.length === 0 ? '' : `; without a test: ${missing.join(', ')}`;
  console.log(`${letter} ${kind}: ${rows.length - missing.length} of ${rows.length} rows${list}`);
}
for (const flaw of flaws) console.log(flaw);
const isWhole = numbers.length > 0 && numbers.every((number) => tested.has(number));
process.exitCode = isWhole && flaws.length === 0 ? 0 : 1;

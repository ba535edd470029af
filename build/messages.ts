// Every text of the program for people, listed by file, so that they can be read as a whole and keep one
// voice. The sources are parsed: a comment is no message, and neither is the name of a module.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

export interface Message {
  /** Below src, as `call/confirm.ts`. */
  readonly file: string;
  /** What changes from case to case stands in braces: `{id}`. */
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Two words at least: everything else is a name of something. */
function isSentence(text: string): boolean {
  return (
    /[a-z]{2,}[^\n]* [^\n]*[a-z]{2,}|[a-z]{3,}: \{/i.test(text) && !/^\s*(?:[.#\\$(]|if |fi$|case |esac)/.test(text)
  );
}

function nameOf(node: unknown, source: string): string {
  if (!isNode(node)) return '…';
  const text = source.slice(node.start, node.end);
  const last = /([A-Za-z_$][\w$]*)(?:\(\))?$/.exec(text)?.[1];
  return text.length <= 60 && last !== undefined ? last : '…';
}

function templateText(node: Node, source: string): string {
  const [quasis, expressions] = [node['quasis'], node['expressions']];
  if (!Array.isArray(quasis) || !Array.isArray(expressions)) return '';
  return quasis
    .map((quasi: { value: { cooked: string } }, index) => {
      const expression: unknown = expressions[index];
      return quasi.value.cooked + (expression === undefined ? '' : `{${nameOf(expression, source)}}`);
    })
    .join('');
}

/** Types, module names and directives hold no message. */
const SILENT = /^(?:Import|ExportAll|TS(?!As|Satisfies|NonNull))/;

function collect(node: Node, source: string, found: string[]): void {
  if (SILENT.test(node.type)) return;
  if (node.type === 'Literal' && typeof node['value'] === 'string') found.push(node['value']);
  if (node.type === 'TemplateLiteral') found.push(templateText(node, source));
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) collect(child, source, found);
  }
}

/** Writers of shell scripts, whose strings are programs, and texts that are data. */
const SILENT_FILES = [
  ...['cli/describe/bash.ts', 'cli/describe/zsh.ts', 'cli/describe/fish.ts', 'cli/describe/powershell.ts'],
  ...['sandbox/seed-data.ts', 'runs/report/style.ts'],
];

/** All messages below `root`/src, each once per file, in the order of the sources. */
export function listMessages(root: string): readonly Message[] {
  const src = join(root, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !SILENT_FILES.includes(file))
    .sort();
  return files.flatMap((file) => {
    const source = readFileSync(join(src, file), 'utf8');
    const found: string[] = [];
    // The parser answers an ESTree, whose nodes all have type, start and end.
    collect(parseAst(source, { lang: 'ts' }) as unknown as Node, source, found);
    return [...new Set(found.filter(isSentence))].map((text) => ({ file, text }));
  });
}

export const MESSAGES_PATH = 'test/contract/__snapshots__/messages.md';

/** The snapshot that lists all messages. */
export function messagesPage(root: string): string {
  const lines = [
    '# Every message',
    '',
    'What the program may say to a person, by source file; what changes from case to case stands in braces. Written by',
    '`npm run generate`: changes here are lost. Read it as an editor would before changing how something is worded.',
  ];
  let last = '';
  for (const { file, text } of listMessages(root)) {
    if (file !== last) lines.push('', `## ${file}`, '');
    last = file;
    lines.push(`- \`\`${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}\`\``);
  }
  return `${lines.join('\n')}\n`;
}

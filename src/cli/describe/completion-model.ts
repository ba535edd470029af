import type { CommandDoc } from '../../command/command.ts';
import type { Child } from '../../command/command-tree.ts';
import { COMMON_OPTIONS } from '../../input/options/common.ts';
import type { ArgumentSpec, OptionSpec, ValueSpec } from '../../input/options/option.ts';
import { PREFERENCES } from '../../profile/settings.ts';
import { commonOptions } from './command-doc.ts';
import type { CommandTree } from './command-tree.ts';
import { TOPIC_LIST } from './topic-list.ts';

/** One place in the tree, for the completion scripts. */
export interface CompletionNode {
  /** Words before it, joined by spaces; empty right after `frontdesk`. */
  readonly words: string;
  /** Words that may follow, and lead to a place of their own if there is one. */
  readonly children: readonly Child[];
  readonly options: readonly OptionSpec[];
  readonly arguments: readonly ArgumentSpec[];
}

/** The tree as a flat list: every group, then every command. */
export function completionNodes(tree: CommandTree): readonly CompletionNode[] {
  const branches = [[], ...tree.groups.map(({ path }) => path)].map((path) => {
    const command = tree.defaultOf(path)?.path.join(' ');
    const doc = tree.docs.find((candidate) => candidate.command === command);
    const options = doc === undefined ? COMMON_OPTIONS : allOptions(doc);
    return { words: path.join(' '), children: tree.childrenOf(path), options, arguments: [] };
  });
  return [...branches, ...tree.docs.flatMap((doc) => commandNodes(doc, tree))];
}

/** The place of a command, and those behind its words where a word depends on the one before. */
function commandNodes(doc: CommandDoc, tree: CommandTree): readonly CompletionNode[] {
  const node = { words: doc.command, children: [], options: allOptions(doc), arguments: doc.arguments };
  const behind = (path: readonly string[], children: readonly Child[]) => ({
    ...node,
    words: [doc.command, ...path].join(' '),
    children,
    arguments: [],
  });
  if (doc.command === 'help' || doc.command === 'schema') {
    const topics = doc.command === 'help' ? TOPIC_LIST : [];
    const groups = tree.groups.map(({ path }) => behind(path, tree.childrenOf(path)));
    return [behind([], [...topics, ...tree.childrenOf([])]), ...groups];
  }
  if (doc.command !== 'config set') return [node];
  const keys = Object.entries(PREFERENCES).map(([name, { option }]) => {
    const choices = 'choices' in option ? option.choices : [];
    return behind([name], choices.map(unexplained));
  });
  return [behind([], Object.keys(PREFERENCES).map(unexplained)), ...keys.filter(({ children }) => children.length > 0)];
}

function unexplained(name: string): Child {
  return { name, summary: '' };
}

function allOptions(doc: CommandDoc): readonly OptionSpec[] {
  return [...doc.options, ...commonOptions(doc)];
}

export function namesOf({ short, long }: OptionSpec): readonly string[] {
  return short === undefined ? [`--${long}`] : [`-${short}`, `--${long}`];
}

/** What the shell offers for a value. `at-file`: a file behind an `@`. */
export function offeredFor({ names, kind, isFileAfterAt, choices = [] }: ValueSpec) {
  const file = kind === 'path' ? 'file' : isFileAfterAt === true ? 'at-file' : undefined;
  return { what: names ?? file ?? (choices.length > 0 ? 'words' : 'any'), choices } as const;
}

export function valueNames(nodes: readonly CompletionNode[]): readonly string[] {
  const taking = nodes.flatMap(({ options }) => options.filter(({ value }) => value !== undefined));
  return [...new Set(taking.flatMap(namesOf))];
}

/** Commands that print names of profiles and newest runs, one per line: the only calls of frontdesk at a Tab. */
export const LIVE_NAMES = {
  profile: 'frontdesk profile list -o table --columns name --no-header --quiet',
  run: 'frontdesk runs list -o table --columns run --no-header --limit 20 --quiet',
} as const;

/** A description without code marks. */
export function plainText(text: string): string {
  return text.replaceAll('`', '');
}

export const SCRIPT_HEADER: readonly string[] = [
  '# Completions of frontdesk. Written by `npm run generate` from the command tree; changes here are lost.',
  '# `frontdesk completion --help` says how to install it.',
];

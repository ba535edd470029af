import type { CommandDoc } from '../command/command.ts';
import type { Child } from '../command/command-tree.ts';
import { COMMON_OPTIONS } from '../options/common.ts';
import type { ArgumentSpec, OptionSpec } from '../options/option.ts';
import { commonOptions } from './command-doc.ts';
import type { CommandTree } from './command-tree.ts';

/** One place in the tree, for the completion scripts. */
export interface CompletionNode {
  /** Words before it, joined by spaces; empty right after `frontdesk`. */
  readonly words: string;
  readonly children: readonly Child[];
  readonly options: readonly OptionSpec[];
  readonly arguments: readonly ArgumentSpec[];
}

/** The tree as a flat list: every group, then every command. */
export function completionNodes(tree: CommandTree): readonly CompletionNode[] {
  const topLevel = tree.childrenOf([]).map((child) => child.name);
  const branches = [[], ...tree.groups.map(({ path }) => path)].map((path) => {
    const command = tree.defaultOf(path)?.path.join(' ');
    const doc = tree.docs.find((candidate) => candidate.command === command);
    const options = doc === undefined ? COMMON_OPTIONS : allOptions(doc);
    return { words: path.join(' '), children: tree.childrenOf(path), options, arguments: [] };
  });
  const commands = tree.docs.map((doc) => ({
    words: doc.command,
    children: [],
    options: allOptions(doc),
    // `frontdesk help` takes topics from its declaration, and commands from the tree.
    arguments: doc.arguments.map((argument) =>
      doc.command === 'help' ? { ...argument, choices: [...(argument.choices ?? []), ...topLevel] } : argument,
    ),
  }));
  return [...branches, ...commands];
}

function allOptions(doc: CommandDoc): readonly OptionSpec[] {
  return [...doc.options, ...commonOptions(doc)];
}

/** Names under which an option can be typed. */
export function namesOf({ short, long }: OptionSpec): readonly string[] {
  return short === undefined ? [`--${long}`] : [`-${short}`, `--${long}`];
}

/** What the shell offers for the value of an option; undefined: it takes none. */
export function offeredFor({ long, kind, value, choices = [] }: OptionSpec) {
  if (value === undefined) return undefined;
  const what = long === 'profile' ? 'profile' : kind === 'path' ? 'file' : choices.length > 0 ? 'words' : 'any';
  return { what, choices } as const;
}

/** Names of the options that take a value. */
export function valueNames(nodes: readonly CompletionNode[]): readonly string[] {
  const taking = nodes.flatMap(({ options }) => options.filter(({ value }) => value !== undefined));
  return [...new Set(taking.flatMap(namesOf))];
}

/** The kind of names a node takes that only this machine knows: the only calls of frontdesk at a Tab. */
export function liveNamesOf(node: CompletionNode): ArgumentSpec['names'] {
  return node.arguments.find((argument) => argument.names !== undefined)?.names;
}

/** Commands that print names of profiles and newest runs, one per line (CSV lines end with a carriage return). */
export const LIVE_NAMES = {
  profile: 'frontdesk profile list -o table --columns name --no-header --quiet',
  run: 'frontdesk runs list -o table --columns run --no-header --limit 20 --quiet',
} as const;

/** The beginning of a description, up to a semicolon, without code marks. */
export function shortText(text: string): string {
  const [first = ''] = text.replaceAll('`', '').split(/;\s/, 1);
  return first.trim();
}

/** The top of a generated script. */
export const SCRIPT_HEADER: readonly string[] = [
  '# Completions of frontdesk. Written by `npm run generate` from the command tree; changes here are lost.',
  '# `frontdesk completion --help` says how to install it.',
];

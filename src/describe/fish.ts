import { COMMON_OPTIONS } from '../options/common.ts';
import type { OptionSpec } from '../options/option.ts';
import {
  type CompletionNode,
  LIVE_NAMES,
  liveNamesOf,
  offeredFor,
  SCRIPT_HEADER,
  shortText,
  valueNames,
} from './completion-model.ts';

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function valueFlags(option: OptionSpec): string {
  const value = offeredFor(option);
  if (value === undefined) return '';
  const names = { profile: `'(${LIVE_NAMES.profile} 2>/dev/null)'`, words: quote(value.choices.join(' ')) };
  if (value.what === 'file') return ' -r -F';
  return value.what === 'any' ? ' -x' : ` -x -a ${names[value.what]}`;
}

function optionLine(option: OptionSpec, condition: string): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  return `complete -c frontdesk${condition}${short} -l ${option.long}${valueFlags(option)} -d ${quote(shortText(option.text))}`;
}

function liveLines(node: CompletionNode, condition: string): readonly string[] {
  const live = liveNamesOf(node);
  if (live === undefined) return [];
  // Runs stay in order, newest first.
  const keep = live === 'run' ? ' -k' : '';
  return [`complete -c frontdesk${condition}${keep} -a '(${LIVE_NAMES[live]} 2>/dev/null)'`];
}

/** Does the command give a common option another meaning? */
function isSpecial({ options }: CompletionNode): boolean {
  return COMMON_OPTIONS.some((common) => !options.includes(common));
}

function nodeLines(node: CompletionNode): readonly string[] {
  const condition = ` -n ${quote(`__frontdesk_at ${quote(node.words)}`)}`;
  const options = isSpecial(node) ? node.options : node.options.filter((option) => !COMMON_OPTIONS.includes(option));
  return [
    ...node.children.map((child) => `complete -c frontdesk${condition} -a ${child.name} -d ${quote(child.summary)}`),
    ...node.arguments.flatMap((argument) =>
      argument.choices === undefined
        ? []
        : [`complete -c frontdesk${condition} -a ${quote(argument.choices.join(' '))}`],
    ),
    ...liveLines(node, condition),
    ...options.map((option) => optionLine(option, condition)),
  ];
}

/** The script for fish: descriptions, values, files. Only names of profiles and runs call frontdesk. */
export function fishCompletion(nodes: readonly CompletionNode[]): string {
  return [
    ...SCRIPT_HEADER,
    '',
    '# Finds the command words of the line, without options and their values; kept until the line changes.',
    'function __frontdesk_path',
    '    set -l tokens (commandline -opc)',
    '    if test "$tokens" != "$__frontdesk_line"',
    '        set -g __frontdesk_line "$tokens"',
    "        set -g __frontdesk_words ''",
    '        set -l skip 0',
    '        for token in $tokens[2..-1]',
    '            if test $skip -eq 1',
    '                set skip 0',
    '                continue',
    '            end',
    '            switch $token',
    `                case ${valueNames(nodes).join(' ')}`,
    '                    set skip 1',
    "                case '-*'",
    "                case '*'",
    '                    set -l longer (string trim -- "$__frontdesk_words $token")',
    '                    if contains -- "$longer" $__frontdesk_paths',
    '                        set __frontdesk_words $longer',
    '                    end',
    '            end',
    '        end',
    '    end',
    'end',
    '',
    'function __frontdesk_at',
    '    __frontdesk_path\n    test "$__frontdesk_words" = "$argv[1]"',
    'end',
    '',
    '# Commands that give a common option a meaning of their own.',
    'function __frontdesk_common',
    '    __frontdesk_path\n    not contains -- "$__frontdesk_words" $__frontdesk_special',
    'end',
    '',
    `set -g __frontdesk_paths ${nodes.map((node) => quote(node.words)).join(' ')}`,
    `set -g __frontdesk_special ${nodes
      .filter(isSpecial)
      .map(({ words }) => quote(words))
      .join(' ')}`,
    "set -g __frontdesk_line ''",
    '',
    'complete -c frontdesk -f',
    ...COMMON_OPTIONS.map((option) => optionLine(option, ' -n __frontdesk_common')),
    ...nodes.flatMap(nodeLines),
    '',
  ].join('\n');
}

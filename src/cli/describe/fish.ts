import { COMMON_OPTIONS } from '../../input/options/common.ts';
import type { OptionSpec, ValueSpec } from '../../input/options/option.ts';
import {
  type CompletionNode,
  LIVE_NAMES,
  offeredFor,
  plainText,
  SCRIPT_HEADER,
  valueNames,
} from './completion-model.ts';

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A list that `complete` makes of a command's lines or of words. To fish the value of `-o=js` is `=js`. */
function listed(words: string): string {
  return `-a '(__frontdesk_values ${words})'`;
}

/** What `complete` offers for a value; undefined: nothing. */
function offer(value: ValueSpec): string | undefined {
  const { what, choices } = offeredFor(value);
  switch (what) {
    case 'any':
      return undefined;
    case 'words':
      return `-x ${listed(choices.join(' '))}`;
    case 'file':
      return '-r -F';
    case 'at-file':
      return "-x -a '(__frontdesk_at_files)'";
    case 'run':
      // Runs stay in order, newest first.
      return `-x -k ${listed(`(${LIVE_NAMES.run} 2>/dev/null)`)}`;
    default:
      return `-x ${listed(`(${LIVE_NAMES.profile} 2>/dev/null)`)}`;
  }
}

function optionLine(option: OptionSpec, condition: string): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const value = option.value === undefined ? '' : ` ${offer(option) ?? '-x'}`;
  return `complete -c frontdesk${condition}${short} -l ${option.long}${value} -d ${quote(plainText(option.text))}`;
}

/** Does the command give a common option another meaning? */
function isSpecial({ options }: CompletionNode): boolean {
  return COMMON_OPTIONS.some((common) => !options.includes(common));
}

function nodeLines(node: CompletionNode): readonly string[] {
  const condition = ` -n ${quote(`__frontdesk_at ${quote(node.words)}`)}`;
  const next = ` -n ${quote(`__frontdesk_next ${quote(node.words)}`)}`;
  const options = isSpecial(node) ? node.options : node.options.filter((option) => !COMMON_OPTIONS.includes(option));
  const [first] = node.arguments;
  const offered = first === undefined ? undefined : offer(first);
  return [
    ...node.children.map((child) => `complete -c frontdesk${next} -a ${child.name} -d ${quote(child.summary)}`),
    ...(offered === undefined ? [] : [`complete -c frontdesk${next} ${offered.replace(/^-[xr] /, '')}`]),
    ...options.map((option) => optionLine(option, condition)),
  ];
}

function functions(nodes: readonly CompletionNode[]): readonly string[] {
  return [
    '# Finds the command words of the line, without options and their values; kept until the line changes.',
    'function __frontdesk_path',
    '    set -l tokens (commandline -opc)',
    '    if test "$tokens" != "$__frontdesk_line"',
    '        set -g __frontdesk_line "$tokens"',
    "        set -g __frontdesk_words ''",
    '        set -g __frontdesk_others 0',
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
    '                    else',
    '                        set __frontdesk_others (math $__frontdesk_others + 1)',
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
    '# May a word stand here that belongs to this path?',
    'function __frontdesk_next',
    '    __frontdesk_at $argv[1]\n    and test $__frontdesk_others -eq 0',
    'end',
    '',
    'function __frontdesk_values',
    "    set -l equals (string match -r '^-[A-Za-z]+(=)' -- (commandline -ct))",
    '    printf "$equals[2]%s\\n" $argv',
    'end',
    '',
    '# The files behind an @.',
    'function __frontdesk_at_files',
    `    set -l typed (string replace -r '^(--[a-z-]+=)?["\\']?' '' -- (commandline -ct))`,
    "    string match -q '@*' -- $typed\n    or return",
    '    printf "@%s\\n" (__fish_complete_path (string sub -s 2 -- $typed))',
    'end',
    '',
    '# Commands that give a common option a meaning of their own.',
    'function __frontdesk_common',
    '    __frontdesk_path\n    not contains -- "$__frontdesk_words" $__frontdesk_special',
    'end',
    '',
  ];
}

/** The script for fish: descriptions, values, files. Only names of profiles and runs call frontdesk. */
export function fishCompletion(nodes: readonly CompletionNode[]): string {
  return [
    ...SCRIPT_HEADER,
    '',
    ...functions(nodes),
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

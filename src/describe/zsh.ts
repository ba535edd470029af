import type { ArgumentSpec, OptionSpec } from '../options/option.ts';
import { type CompletionNode, LIVE_NAMES, offeredFor, SCRIPT_HEADER, shortText } from './completion-model.ts';

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Text for the brackets or colons of an `_arguments` specification. */
function plain(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(/[[\]:]/g, (sign) => `\\${sign}`);
}

function functionName(words: string): string {
  return words === '' ? '_frontdesk' : `_frontdesk_${words.replaceAll(/[ -]/g, '_')}`;
}

function actionOf(option: OptionSpec): string {
  const { what, choices } = offeredFor(option) ?? { what: 'any', choices: [] };
  return { profile: LIVE.profile, file: '_files', words: `(${choices.join(' ')})`, any: ' ' }[what];
}

function optionSpec(option: OptionSpec): string {
  const takesValue = option.value !== undefined;
  const many = option.repeatable === true ? '*' : '';
  const value = takesValue ? `:${plain(option.value ?? '')}:${actionOf(option)}` : '';
  const text = `[${plain(shortText(option.text))}]${value}`;
  const long = `--${option.long}${takesValue ? '=' : ''}`;
  if (option.short === undefined) return quote(`${many}${long}${text}`);
  const excluded = many === '' ? `'(-${option.short} --${option.long})'` : `'*'`;
  return `${excluded}{-${option.short}${takesValue ? '+' : ''},${long}}${quote(text)}`;
}

const LIVE = { profile: '_frontdesk_profile_names', run: '_frontdesk_run_names' } as const;

function argumentSpec(argument: ArgumentSpec, at: number): string {
  const place = argument.variadic === true ? '*' : String(at + 1);
  const optional = argument.required || argument.variadic === true ? '' : ':';
  const action =
    argument.names === undefined
      ? argument.choices === undefined
        ? ' '
        : `(${argument.choices.join(' ')})`
      : LIVE[argument.names];
  return quote(`${place}:${optional}${plain(argument.name)}:${action}`);
}

function commandFunction(node: CompletionNode): readonly string[] {
  const specs = [...node.options.map(optionSpec), ...node.arguments.map(argumentSpec)];
  return [`${functionName(node.words)}() {`, '  _arguments -s -S \\', ...join(specs), '}', ''];
}

function join(specs: readonly string[]): readonly string[] {
  return specs.map((spec, at) => `    ${spec}${at === specs.length - 1 ? '' : ' \\'}`);
}

function groupFunction(node: CompletionNode): readonly string[] {
  const specs = [...node.options.map(optionSpec), "'1: :->command'", "'*:: :->rest'"];
  return [
    `${functionName(node.words)}() {`,
    '  local curcontext=$curcontext state line',
    '  local -a commands',
    '  _arguments -s -S -C \\',
    ...join(specs),
    '  case $state in',
    '    command)',
    '      commands=(',
    ...node.children.map((child) => `        ${quote(`${child.name}:${plain(child.summary)}`)}`),
    '      )',
    "      _describe -t commands 'command' commands ;;",
    '    rest)',
    '      case $line[1] in',
    ...node.children.map((child) => `        ${child.name}) ${functionName(`${node.words} ${child.name}`.trim())} ;;`),
    '      esac ;;',
    '  esac',
    '}',
    '',
  ];
}

/** Offers names that frontdesk prints. `order`: the option of `compadd`. */
function namesFunction(name: string, command: string, order: string): readonly string[] {
  const read = `  names=(\${(f)"$(${command} 2>/dev/null)"})`;
  return [`${name}() {`, '  local -a names', read, `  compadd ${order} names`, '}', ''];
}

/** The script for zsh: descriptions, values, files. Only names of profiles and runs call frontdesk. */
export function zshCompletion(nodes: readonly CompletionNode[]): string {
  return [
    '#compdef frontdesk',
    ...SCRIPT_HEADER,
    '',
    ...namesFunction(LIVE.profile, LIVE_NAMES.profile, '-a'),
    ...namesFunction(LIVE.run, LIVE_NAMES.run, '-V runs -a'),
    ...nodes.flatMap((node) => (node.children.length > 0 ? groupFunction(node) : commandFunction(node))),
    '# The first call, when the file is loaded as a function of its own; after `source` it is only registered.',
    'if [ "$funcstack[1]" = "_frontdesk" ]; then',
    '  _frontdesk "$@"',
    'else',
    '  compdef _frontdesk frontdesk',
    'fi',
    '',
  ].join('\n');
}

import type { ArgumentSpec, OptionSpec, ValueSpec } from '../../input/options/option.ts';
import { type CompletionNode, LIVE_NAMES, offeredFor, plainText, SCRIPT_HEADER } from './completion-model.ts';

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

/** The functions that offer what only this machine knows. */
const FUNCTIONS = {
  profile: '_frontdesk_profile_names',
  run: '_frontdesk_run_names',
  file: '_frontdesk_files',
  'at-file': '_frontdesk_at_files',
} as const;

function actionOf(value: ValueSpec): string {
  const { what, choices } = offeredFor(value);
  if (what === 'any') return ' ';
  return what === 'words' ? `_frontdesk_choices ${choices.join(' ')}` : FUNCTIONS[what];
}

function optionSpec(option: OptionSpec): string {
  const takesValue = option.value !== undefined;
  const many = option.repeatable === true ? '*' : '';
  const value = takesValue ? `:${plain(option.value ?? '')}:${actionOf(option)}` : '';
  const text = `[${plain(plainText(option.text))}]${value}`;
  const long = `--${option.long}${takesValue ? '=' : ''}`;
  if (option.short === undefined) return quote(`${many}${long}${text}`);
  const excluded = many === '' ? `'(-${option.short} --${option.long})'` : `'*'`;
  return `${excluded}{-${option.short}${takesValue ? '+' : ''},${long}}${quote(text)}`;
}

/** Names what may stand there; not at an option, which zsh would list instead of completing it. */
const ANY = '_frontdesk_any';

function argumentSpec(argument: ArgumentSpec, at: number): string {
  const place = argument.variadic === true ? '*' : String(at + 1);
  const optional = argument.required || argument.variadic === true ? '' : ':';
  const name = plain(argument.name);
  const action = actionOf(argument);
  return quote(`${place}:${optional}${name}:${action === ' ' ? ` ${ANY} ${name}` : action}`);
}

function commandFunction(node: CompletionNode): readonly string[] {
  const specs = [...node.options.map(optionSpec), ...node.arguments.map(argumentSpec)];
  return [`${functionName(node.words)}() {`, '  _arguments -s -S \\', ...join(specs), '}', ''];
}

function join(specs: readonly string[]): readonly string[] {
  return specs.map((spec, at) => `    ${spec}${at === specs.length - 1 ? '' : ' \\'}`);
}

function groupFunction(node: CompletionNode, places: ReadonlySet<string>): readonly string[] {
  const behind = node.children.map(({ name }) => ({ name, words: `${node.words} ${name}`.trim() }));
  const cases = behind.flatMap(({ name, words }) =>
    places.has(words) ? [`        ${name}) ${functionName(words)} ;;`] : [],
  );
  const rest = cases.length === 0 ? [] : ['    rest)', '      case $line[1] in', ...cases, '      esac ;;'];
  const specs = [...node.options.map(optionSpec), "'1: :->command'", ...(rest.length === 0 ? [] : ["'*:: :->rest'"])];
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
    ...rest,
    '  esac',
    '}',
    '',
  ];
}

/** Offers names that frontdesk prints. `order`: the option of `compadd`. */
function namesFunction(name: string, command: string, order: string): readonly string[] {
  const read = `  names=(\${(f)"$(${command} 2>/dev/null)"})`;
  return [`${name}() {`, '  local -a names', read, AFTER_EQUALS, `  compadd ${order} names`, '}', ''];
}

/** The value of `-o=json`, which `_arguments` takes for `=json`. */
const AFTER_EQUALS = "  [[ $words[CURRENT] == -* ]] && compset -P '='";

/** The script for zsh: descriptions, values, files. Only names of profiles and runs call frontdesk. */
export function zshCompletion(nodes: readonly CompletionNode[]): string {
  const places = new Set(nodes.map((node) => node.words));
  return [
    '#compdef frontdesk',
    ...SCRIPT_HEADER,
    '',
    ...namesFunction(FUNCTIONS.profile, LIVE_NAMES.profile, '-a'),
    ...namesFunction(FUNCTIONS.run, LIVE_NAMES.run, '-V runs -a'),
    ...[`${ANY}() {`, '  [[ $PREFIX == -* ]] || _message "$1"', '}', ''],
    ...['_frontdesk_choices() {', AFTER_EQUALS, '  compadd "$@"', '}', ''],
    ...[`${FUNCTIONS.file}() {`, AFTER_EQUALS, '  _files "$@"', '}', ''],
    ...[`${FUNCTIONS['at-file']}() {`, "  compset -P '@' && _files", '}', ''],
    ...nodes.flatMap((node) => (node.children.length > 0 ? groupFunction(node, places) : commandFunction(node))),
    '# The first call, when the file is loaded as a function of its own; after `source` it is only registered.',
    'if [ "$funcstack[1]" = "_frontdesk" ]; then',
    '  _frontdesk "$@"',
    'else',
    '  compdef _frontdesk frontdesk',
    'fi',
    '',
  ].join('\n');
}

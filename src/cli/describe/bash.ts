// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is bash, whose own ${…} it is.
import type { ValueSpec } from '../../input/options/option.ts';
import { type CompletionNode, LIVE_NAMES, namesOf, offeredFor, SCRIPT_HEADER, valueNames } from './completion-model.ts';

function quote(words: readonly string[]): string {
  return `'${words.join(' ')}'`;
}

/** Assignments that say what may stand there; empty: anything. */
function offer(value: ValueSpec): string {
  const { what, choices } = offeredFor(value);
  if (what === 'any') return '';
  return what === 'words' ? `words=${quote(choices)}` : `kind=${what}`;
}

function nextWord({ children, arguments: [first] }: CompletionNode): string {
  if (children.length > 0) return `words=${quote(children.map((child) => child.name))}`;
  return first === undefined ? '' : offer(first);
}

/** Lines of a `case` over `$path`. Equal bodies share a label. */
function caseByPath(nodes: readonly CompletionNode[], body: (node: CompletionNode) => string): readonly string[] {
  const byBody = new Map<string, string[]>();
  for (const node of nodes) {
    const text = body(node);
    if (text !== '') byBody.set(text, [...(byBody.get(text) ?? []), `'${node.words}'`]);
  }
  return [...byBody].map(([text, labels]) => `    ${labels.join(' | ')}) ${text} ;;`);
}

function valueCases(node: CompletionNode): readonly string[] {
  return node.options.flatMap((option) => {
    const text = option.value === undefined ? '' : offer(option);
    return text === '' ? [] : [`${namesOf(option).join(' | ')}) ${text} ;;`];
  });
}

const COMPLETE = [
  '_frontdesk() {',
  "  local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} typed=() path= option= words= kind= prefix= cur=$2",
  '  local word gap longer index others=0',
  '  COMPREPLY=()',
  '  # bash splits words at = and @ too. What stands together in the line is one word.',
  '  for ((index = 0; index <= COMP_CWORD; index += 1)); do',
  '    word=${COMP_WORDS[index]}',
  '    gap=${line%%[![:space:]]*}',
  '    line=${line#"$gap"}',
  '    line=${line#"$word"}',
  '    if [ "$index" -gt 0 ] && [ -z "$gap" ]; then typed[${#typed[@]} - 1]+=$word; else typed+=("$word"); fi',
  '  done',
  '  for ((index = 1; index < ${#typed[@]} - 1; index += 1)); do',
  '    word=${typed[index]}',
  '    if [ -n "$option" ]; then',
  '      option=',
  '      continue',
  '    fi',
  '    case $word in',
  '      --) return ;;',
  '      -*=*) ;;',
  '      -*) if _frontdesk_takes_value "$word"; then option=$word; fi ;;',
  '      *)',
  '        longer="${path:+$path }$word"',
  '        if _frontdesk_is_path "$longer"; then path=$longer; else ((others += 1)); fi ;;',
  '    esac',
  '  done',
  '  word=${typed[index]}',
  '  if [ -z "$option" ] && [[ $word == -*=* ]]; then',
  '    option=${word%%=*}',
  '    # What Readline replaces begins behind the equals sign, unless the user has changed that.',
  '    case $cur in',
  '      =) cur= ;;',
  '      -*=*) prefix=$option= cur=${cur#*=} ;;',
  '    esac',
  '  fi',
  '  if [ -n "$option" ]; then',
  '    _frontdesk_value "$option"',
  '  elif [[ $cur == -* ]]; then',
  '    _frontdesk_options',
  '  elif [ "$others" -eq 0 ]; then',
  '    _frontdesk_words',
  '  fi',
  '  # Readline quotes file names; where it cannot be asked (bash 3.2), names come as they are.',
  '  case $kind in',
  `    profile) words=$(${LIVE_NAMES.profile} 2>/dev/null) ;;`,
  `    run) words=$(${LIVE_NAMES.run} 2>/dev/null) ;;`,
  "    file) if ! compopt -o default 2>/dev/null; then _frontdesk_files ''; fi ;;",
  '    at-file) if [[ ${cur#\\\\} == @* ]]; then _frontdesk_files @; fi ;;',
  '  esac',
  '  for word in $words; do',
  '    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$prefix$word"); fi',
  '  done',
  '}',
  '',
  '# Offers the files that begin with $cur, which may hold backslashes, behind $1.',
  '_frontdesk_files() {',
  "  local IFS=$'\\n' file begun=${cur//\\\\/}",
  '  for file in $(compgen -f -- "${begun#"$1"}"); do',
  '    if [ -d "$file" ]; then file=$file/; fi',
  '    # An open quote quotes already.',
  `    if [[ $word != *[\\"\\']* ]]; then printf -v file %q "$file"; fi`,
  '    COMPREPLY+=("$prefix$1$file")',
  '  done',
  '  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi',
  '}',
];

/** The script for bash 3.2 and later. Only names of profiles and runs call frontdesk. */
export function bashCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter((node) => node.words !== '').map((node) => `'${node.words}'`);
  return [
    ...SCRIPT_HEADER,
    '',
    '# Options whose next word is a value; it is no command.',
    '_frontdesk_takes_value() {',
    '  case $1 in',
    `    ${valueNames(nodes).join(' | ')}) return 0 ;;`,
    '  esac',
    '  return 1',
    '}',
    '',
    '_frontdesk_is_path() {',
    '  case $1 in',
    `    ${paths.join(' | ')}) return 0 ;;`,
    '  esac',
    '  return 1',
    '}',
    '',
    '# What may follow the path as a word.',
    '_frontdesk_words() {',
    '  case $path in',
    ...caseByPath(nodes, nextWord),
    '  esac',
    '}',
    '',
    '_frontdesk_options() {',
    '  case $path in',
    ...caseByPath(nodes, (node) => `words=${quote(node.options.flatMap(namesOf))}`),
    '  esac',
    '}',
    '',
    '# What the value of option $1 may be.',
    '_frontdesk_value() {',
    '  case $path in',
    ...caseByPath(nodes, (node) =>
      ['case $1 in', ...valueCases(node).map((line) => `      ${line}`), '    esac'].join('\n'),
    ),
    '  esac',
    '}',
    '',
    ...COMPLETE,
    '',
    'complete -F _frontdesk frontdesk',
    '',
  ].join('\n');
}

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is bash, whose own ${…} it is.
import {
  type CompletionNode,
  LIVE_NAMES,
  liveNamesOf,
  namesOf,
  offeredFor,
  SCRIPT_HEADER,
  valueNames,
} from './completion-model.ts';

function quote(words: readonly string[]): string {
  return `'${words.join(' ')}'`;
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
    const value = offeredFor(option);
    if (value === undefined || value.what === 'any') return [];
    const words = value.what === 'words' ? ` words=${quote(value.choices)}` : '';
    return [`${namesOf(option).join(' | ')}) kind=${value.what}${words} ;;`];
  });
}

const COMPLETE = [
  '_frontdesk() {',
  '  local cur=${COMP_WORDS[COMP_CWORD]} before= path= words= kind= prefix= word index',
  '  COMPREPLY=()',
  '  [ "$COMP_CWORD" -gt 0 ] && before=${COMP_WORDS[COMP_CWORD - 1]}',
  '  # bash splits --output=json at the equals sign.',
  '  if [ "$cur" = \'=\' ]; then',
  '    cur=',
  '  elif [ "$before" = \'=\' ] && [ "$COMP_CWORD" -gt 1 ]; then',
  '    before=${COMP_WORDS[COMP_CWORD - 2]}',
  '  elif [[ $cur == --*=* ]]; then',
  '    before=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}',
  '  fi',
  '  for ((index = 1; index < COMP_CWORD; index += 1)); do',
  '    word=${COMP_WORDS[index]}',
  '    case $word in',
  '      --) return ;;',
  '      =) ((index += 1)) ;;',
  '      -*) if [ "${COMP_WORDS[index + 1]}" != \'=\' ] && _frontdesk_takes_value "$word"; then ((index += 1)); fi ;;',
  '      *) if _frontdesk_is_path "${path:+$path }$word"; then path="${path:+$path }$word"; fi ;;',
  '    esac',
  '  done',
  '  if _frontdesk_takes_value "$before"; then',
  '    _frontdesk_value "$before"',
  '    case $kind in',
  '      file)',
  '        # Readline quotes file names; where it cannot be asked (bash 3.2), names come as they are.',
  '        if ! compopt -o default 2>/dev/null; then',
  "          local IFS=$'\\n'",
  '          COMPREPLY=($(compgen -f -- "$cur"))',
  '        fi',
  '        return ;;',
  '    esac',
  '  elif [[ $cur == -* ]]; then',
  '    _frontdesk_options',
  '  else',
  '    _frontdesk_words',
  '  fi',
  '  case $kind in',
  `    profile) words=$(${LIVE_NAMES.profile} 2>/dev/null) ;;`,
  `    run) words=$(${LIVE_NAMES.run} 2>/dev/null) ;;`,
  '  esac',
  '  for word in $words; do',
  '    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$prefix$word"); fi',
  '  done',
  '}',
];

/** The script for bash 3.2 and later. Only names of profiles, runs and (in 3.2) files start another process. */
export function bashCompletion(nodes: readonly CompletionNode[]): string {
  const labels = (list: readonly CompletionNode[]) => list.map((node) => `'${node.words}'`).join(' | ');
  const commands = nodes.filter((node) => node.children.length === 0);
  const groups = nodes.filter((node) => node.children.length > 0 && node.words !== '');
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
    `    ${labels([...groups, ...commands])}) return 0 ;;`,
    '  esac',
    '  return 1',
    '}',
    '',
    '# What may follow the path as a word: commands, or the choices of an argument.',
    '_frontdesk_words() {',
    '  case $path in',
    ...caseByPath(nodes, (node) => {
      const live = liveNamesOf(node);
      if (live !== undefined) return `kind=${live}`;
      const choices = node.arguments.flatMap((argument) => argument.choices ?? []);
      const words = [...new Set([...node.children.map((child) => child.name), ...choices])];
      return words.length === 0 ? '' : `words=${quote(words)}`;
    }),
    '  esac',
    '}',
    '',
    '_frontdesk_options() {',
    '  case $path in',
    ...caseByPath(nodes, (node) => `words=${quote(node.options.flatMap(namesOf))}`),
    '  esac',
    '}',
    '',
    '# What the value of option $1 is: words, a file or a profile.',
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

import type { CommandDoc } from '../../command/command.ts';
import type { Child, GroupEntry, Registry } from '../../command/command-tree.ts';
import { BULK_OPTIONS, BULK_WRITE_OPTIONS, COMMON_OPTIONS, PLAN_OPTIONS } from '../../input/options/common.ts';
import { type ArgumentSpec, type OptionSpec, optionName } from '../../input/options/option.ts';
import { commonOptions, exitCodeRow } from './command-doc.ts';
import { type Block, type Row, rows, text } from './text-block.ts';

/** `[cardId...]`, `<name>`. */
export function argumentName(argument: ArgumentSpec): string {
  const name = argument.variadic === true ? `${argument.name}...` : argument.name;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** What an option does, with its values and its variable. */
export function optionText(option: OptionSpec): string {
  const saysChoices = option.choices === undefined || option.value === option.choices.join('|');
  const choices = saysChoices ? '' : ` (${option.choices?.join(', ')})`;
  const often = option.repeatable === true ? '; may be given more than once' : '';
  const env = option.env === undefined ? '' : ` [${option.env}]`;
  return `${option.required === true ? 'required: ' : ''}${option.text}${choices}${often}${env}`;
}

function optionRows(options: readonly OptionSpec[]): readonly Row[] {
  const anyShort = options.some((option) => option.short !== undefined);
  const indentOf = ({ short }: OptionSpec) => (anyShort && short === undefined ? '    ' : '');
  return options.map((option) => ({ name: indentOf(option) + optionName(option), text: optionText(option) }));
}

function listed(title: string, list: readonly Row[]): readonly Block[] {
  return list.length === 0 ? [] : [{ kind: 'rows', title, rows: list }];
}

/** Options that only a file of rows needs, explained by `help bulk`. */
const FILE_OPTIONS = [...BULK_OPTIONS, ...BULK_WRITE_OPTIONS, ...PLAN_OPTIONS].filter(
  ({ long }) => long !== 'from' && long !== 'plan',
);

/** The options of a command that takes a file: daily ones in full, others by name. */
function ownOptions(doc: CommandDoc): readonly Block[] {
  const takesFile = doc.options.some(({ long }) => long === 'from');
  const isBulk = ({ long }: OptionSpec) => takesFile && FILE_OPTIONS.some((option) => option.long === long);
  const bulk = doc.options.filter(isBulk).map(({ long }) => `--${long}`);
  return [
    ...listed('Options', optionRows(doc.options.filter((option) => !isBulk(option)))),
    ...(bulk.length === 0 ? [] : [text(`Bulk options: ${bulk.join(' ')}. For details, run \`frontdesk help bulk\`.`)]),
  ];
}

/** Exit codes with their names: `0, 3 NOT_FOUND, 129, 130 CANCELLED`. Those with one name share it. */
function exitCodeList(exitCodes: readonly number[]): string {
  const names = new Map<string, number[]>();
  for (const exitCode of exitCodes) {
    const { code } = exitCodeRow(exitCode);
    names.set(code, [...(names.get(code) ?? []), exitCode]);
  }
  return [...names].map(([code, numbers]) => `${numbers.join(', ')} ${code}`.trim()).join(', ');
}

/** Everything about one command, most urgent first. What all share is explained elsewhere. */
export function commandBlocks(doc: CommandDoc): readonly Block[] {
  const examples = doc.examples.map((example) => ({ ...example, line: `frontdesk ${example.line}` }));
  const shortest = commonOptions(doc).map(({ short, long }) => (short === undefined ? `--${long}` : `-${short}`));
  return [
    text(doc.summary),
    text(doc.description),
    text(['Usage: frontdesk', doc.command, ...doc.arguments.map(argumentName), '[options]'].join(' ')),
    { kind: 'examples', title: 'Examples', examples },
    ...listed(
      'Arguments',
      doc.arguments.map((argument) => {
        const choices = argument.choices === undefined ? '' : `: ${argument.choices.join(', ')}`;
        return { name: argumentName(argument), text: argument.text + choices };
      }),
    ),
    ...ownOptions(doc),
    text(`Exit codes: ${exitCodeList(doc.exitCodes)}. For details, run \`frontdesk help exit-codes\`.`),
    text(`Global options: ${shortest.join(' ')}. For details, run \`frontdesk help options\`.`),
  ];
}

/** A group of commands, and what it does without a subcommand. */
export function groupBlocks(
  path: readonly string[],
  group: GroupEntry | undefined,
  children: readonly Child[],
  defaultDoc: CommandDoc | undefined,
): readonly Block[] {
  const words = `frontdesk ${path.join(' ')}`;
  return [
    text(group?.summary ?? words),
    text(`Usage: ${words} <command> [options]`),
    ...(group?.note === undefined ? [] : [text(group.note)]),
    ...listed(
      'Commands',
      children.map((child) => ({ name: child.name, text: child.summary })),
    ),
    ...(defaultDoc === undefined
      ? []
      : [text(`\`${words}\` without a subcommand runs \`frontdesk ${defaultDoc.command}\`.`)]),
    text(`For details, run \`${words} <command> --help\`.`),
  ];
}

/** What a page of 24 rows lists in full. */
const FIRST = ['card', 'desk'];

/** The other commands, a line for each subject. What no line names stands in the last one. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  Calendars: ['calendar'],
  Setup: ['auth', 'profile', 'config', 'doctor', 'sandbox', 'completion'],
  Records: ['history', 'runs', 'plan'],
};
const OTHERS = 'Programs';

/** The commands of a subject in short: `history`, and of a group with groups each path. */
function subjectText(registry: Registry, words: readonly string[]): string {
  const isDeep = (word: string) => registry.entries.some(({ path }) => path[0] === word && path.length > 2);
  const names = (word: string) =>
    isDeep(word) ? registry.entries.filter(({ path }) => path[0] === word).map(({ path }) => path.join(' ')) : [word];
  return words.flatMap(names).join(', ');
}

/** The page of `frontdesk` alone, on 24 rows of 80 columns: every command, how to begin, and where to read on. */
export function overviewBlocks(registry: Registry, topics: readonly string[]): readonly Block[] {
  const named = [...FIRST, ...Object.values(SUBJECTS).flat(), 'help'];
  const others = registry.childrenOf([]).flatMap(({ name }) => (named.includes(name) ? [] : [name]));
  const cards = registry.entries.filter(({ path: [first = ''] }) => FIRST.includes(first));
  const subjects = Object.entries({ ...SUBJECTS, [OTHERS]: others });
  return [
    {
      kind: 'rows',
      title: 'Gift cards',
      rows: cards.map(({ path, summary }) => ({ name: path.join(' '), text: summary })),
    },
    rows('More', Object.fromEntries(subjects.map(([name, words]) => [name, subjectText(registry, words)]))),
    rows('Begin', {
      'with the sandbox': 'list cards to try with -p sandbox: frontdesk sandbox info',
      'with your service': 'frontdesk auth login',
    }),
    text(`Details: frontdesk <command> --help, frontdesk help <topic> (${topics.join(', ')})`),
  ];
}

export function optionBlocks(title: string, which: 'common' | 'bulk'): readonly Block[] {
  return listed(title, optionRows(which === 'common' ? COMMON_OPTIONS : FILE_OPTIONS));
}

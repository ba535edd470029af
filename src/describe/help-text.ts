import type { CommandDoc } from '../command/command.ts';
import type { Child, GroupEntry, Registry } from '../command/command-tree.ts';
import { BULK_OPTIONS, BULK_WRITE_OPTIONS, COMMON_OPTIONS, PLAN_OPTIONS } from '../options/common.ts';
import type { ArgumentSpec, OptionSpec } from '../options/option.ts';
import { commonOptions, exitCodeRow } from './command-doc.ts';
import { type Block, type Row, rows, text } from './text-block.ts';

/** `[cardId...]`, `<name>`. */
export function argumentName(argument: ArgumentSpec): string {
  const name = argument.variadic === true ? `${argument.name}...` : argument.name;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** `-o, --output <format>`. */
export function optionName(option: OptionSpec): string {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  return `${short}--${option.long}${option.value === undefined ? '' : ` <${option.value}>`}`;
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

/** Everything about one command, most urgent first. What all share is explained elsewhere. */
export function commandBlocks(doc: CommandDoc): readonly Block[] {
  const codes = doc.exitCodes.map((exitCode) => `${exitCode} ${exitCodeRow(exitCode).code}`.trim());
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
    text(`Exit codes: ${codes.join(', ')}. For details, run \`frontdesk help exit-codes\`.`),
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

/** The headings of the overview with top-level commands. `spread`: a line for each command, else for each group. */
const SECTIONS = [
  { title: 'Calendars', words: ['calendar'], spread: true },
  { title: 'Setup', words: ['auth', 'profile', 'config', 'doctor', 'sandbox', 'completion'], spread: false },
];

const OTHERS = 'Bulk changes, history and automation';

/** Last, so that support sees it on a screen of 24 rows. */
const LAST = { title: 'Gift cards', words: ['card', 'desk'], spread: true };

function sectionRows(registry: Registry, child: Child, spread: boolean): readonly Row[] {
  if (spread) {
    return registry.entries
      .filter((entry) => entry.path[0] === child.name)
      .map((entry) => ({ name: entry.path.join(' '), text: entry.summary }));
  }
  const names = registry.childrenOf([child.name]).map((below) => below.name);
  return [{ name: child.name, text: names.length === 0 ? child.summary : `${child.summary} (${names.join(', ')})` }];
}

/** The page of `frontdesk` alone: every command, what to try first, and where to read on. */
export function overviewBlocks(registry: Registry, topics: readonly string[]): readonly Block[] {
  const children = registry.childrenOf([]).filter(({ name }) => name !== 'help');
  const named = [...SECTIONS, LAST].flatMap((section) => section.words);
  const others = children.map((child) => child.name).filter((name) => !named.includes(name));
  return [
    text('Manage gift cards and calendars from the command line.\nUsage: frontdesk <command> [options]'),
    ...[...SECTIONS, { title: OTHERS, words: others, spread: false }, LAST].flatMap(({ title, words, spread }) =>
      listed(
        title,
        words.flatMap((word) => {
          const child = children.find((candidate) => candidate.name === word);
          return child === undefined ? [] : sectionRows(registry, child, spread);
        }),
      ),
    ),
    rows('Get started', {
      'frontdesk sandbox info': 'IDs to try: frontdesk -p sandbox card get <cardId>',
      'frontdesk <command> --help': 'options with their limits, examples, exit codes',
      'frontdesk help <topic>': topics.join(', '),
    }),
  ];
}

/** The common options, or those of bulk commands. */
export function optionBlocks(title: string, which: 'common' | 'bulk'): readonly Block[] {
  return listed(title, optionRows(which === 'common' ? COMMON_OPTIONS : FILE_OPTIONS));
}

import type { Child, GroupEntry, Registry } from '../commands/command-tree.ts';
import { COMMON_OPTIONS } from '../options/common.ts';
import type { ArgumentSpec, OptionSpec } from '../options/option.ts';
import { type CommandDoc, commonOptions, exitCodeRow } from './command-doc.ts';
import { childrenOf } from './command-tree.ts';
import { type Block, examples, type Row, rows, text } from './text-block.ts';

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

/** What an option does, with its values, and the variable that says the same. */
export function optionText(option: OptionSpec): string {
  const saysChoices = option.choices === undefined || option.value === option.choices.join('|');
  const choices = saysChoices ? '' : ` (${option.choices?.join(', ')})`;
  const often = option.repeatable === true ? '; may be given more than once' : '';
  const env = option.env === undefined ? '' : ` [${option.env}]`;
  return `${option.required === true ? 'required: ' : ''}${option.text}${choices}${often}${env}`;
}

function argumentText(argument: ArgumentSpec): string {
  return argument.choices === undefined ? argument.text : `${argument.text}: ${argument.choices.join(', ')}`;
}

function optionRows(options: readonly OptionSpec[]): readonly Row[] {
  const anyShort = options.some((option) => option.short !== undefined);
  return options.map((option) => ({
    name: `${anyShort && option.short === undefined ? '    ' : ''}${optionName(option)}`,
    text: optionText(option),
  }));
}

function listed(title: string, list: readonly Row[]): readonly Block[] {
  return list.length === 0 ? [] : [{ kind: 'rows', title, rows: list }];
}

/** Everything about one command, what a hurried reader needs first; what all have in common is explained elsewhere. */
export function commandBlocks(doc: CommandDoc): readonly Block[] {
  const codes = doc.exitCodes.map((exitCode) => `${exitCode} ${exitCodeRow(exitCode).code}`.trim());
  const shortest = commonOptions(doc).map(({ short, long }) => (short === undefined ? `--${long}` : `-${short}`));
  return [
    text(doc.summary),
    text(doc.description),
    text(['Usage: frontdesk', doc.command, ...doc.arguments.map(argumentName), '[options]'].join(' ')),
    {
      kind: 'examples',
      title: 'Examples',
      examples: doc.examples.map((example) => ({ ...example, line: `frontdesk ${example.line}` })),
    },
    ...listed(
      'Arguments',
      doc.arguments.map((argument) => ({ name: argumentName(argument), text: argumentText(argument) })),
    ),
    ...listed('Options', optionRows(doc.options)),
    text(`Exit codes: ${codes.join(', ')}. See \`frontdesk help exit-codes\`.`),
    text(`Options of every command: ${shortest.join(' ')}. See \`frontdesk help options\`.`),
  ];
}

/** A group of commands, and what it does when it is named alone. */
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
    ...listed(
      'Commands',
      children.map((child) => ({ name: child.name, text: child.summary })),
    ),
    ...(defaultDoc === undefined ? [] : [text(`\`${words}\` alone is \`frontdesk ${defaultDoc.command}\`.`)]),
    text(`See \`${words} <command> --help\`.`),
  ];
}

/**
 * The headings of the overview and the top-level commands under each, in this order. `spread`: each command gets a line of
 * its own; else each group does.
 */
const SECTIONS = [
  { title: 'Gift cards', words: ['card', 'desk'], spread: true },
  { title: 'Calendars', words: ['calendar'], spread: true },
  { title: 'Where it goes', words: ['auth', 'profile', 'config'], spread: false },
  { title: 'What will be done, what was done', words: ['plan', 'history', 'runs'], spread: false },
];

const OTHERS = 'Trying, scripting, fixing';

function sectionRows(registry: Registry, child: Child, spread: boolean): readonly Row[] {
  if (spread) {
    return registry.entries
      .filter((entry) => entry.path[0] === child.name)
      .map((entry) => ({ name: entry.path.join(' '), text: entry.summary }));
  }
  const names = childrenOf(registry, [child.name]).map((below) => below.name);
  return [{ name: child.name, text: names.length === 0 ? child.summary : `${child.summary} (${names.join(', ')})` }];
}

/** What `frontdesk` alone shows: every command in sight, what to try first, and where to read on. */
export function overviewBlocks(registry: Registry, topics: readonly string[]): readonly Block[] {
  const children = childrenOf(registry, []);
  const named = SECTIONS.flatMap((section) => section.words);
  const others = children.map((child) => child.name).filter((name) => !named.includes(name));
  return [
    text('frontdesk: gift cards and calendars from the command line'),
    text('Usage: frontdesk <command> [options]'),
    ...[...SECTIONS, { title: OTHERS, words: others, spread: false }].flatMap(({ title, words, spread }) =>
      listed(
        title,
        words.flatMap((word) => {
          const child = children.find((candidate) => candidate.name === word);
          return child === undefined ? [] : sectionRows(registry, child, spread);
        }),
      ),
    ),
    examples('First minute, no account needed', {
      'Ids to try': 'frontdesk sandbox info',
      'A card of the sandbox': 'frontdesk -p sandbox card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    }),
    rows('Help', {
      'frontdesk <command> --help': 'options with their limits, examples, exit codes',
      'frontdesk help <topic>': topics.join(', '),
    }),
  ];
}

/** The options that every command has, for the long form of the overview. */
export function commonOptionBlocks(): readonly Block[] {
  return listed('Options of every command', optionRows(COMMON_OPTIONS));
}

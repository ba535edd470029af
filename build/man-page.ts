import { exitCodeRows } from '../src/cli/describe/command-doc.ts';
import type { CommandTree } from '../src/cli/describe/command-tree.ts';
import { ENVIRONMENT } from '../src/cli/describe/environment.ts';
import { argumentName, optionText } from '../src/cli/describe/help-text.ts';
import { type Block, foldCommand, type Row, wrap } from '../src/cli/describe/text-block.ts';
import { TOPICS } from '../src/cli/describe/topics.ts';
import type { CommandDoc } from '../src/command/command.ts';
import { COMMON_OPTIONS } from '../src/input/options/common.ts';
import type { Example, OptionSpec } from '../src/input/options/option.ts';

/** Text as troff takes it: nothing in it is a request or an escape, and `-` stays a minus that can be copied. */
function troff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', "'")
    .replaceAll('…', '...')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq');
}

/** A paragraph, on short lines; one that begins with a dot would be a request. */
function line(text: string): string {
  return wrap(text, 60).map(lineAsIs).join('\n');
}

function lineAsIs(text: string): string {
  const escaped = troff(text);
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}

/** An argument of a macro in double quotes. */
function quoted(text: string): string {
  return `"${troff(text).replaceAll('"', '\\(dq')}"`;
}

function tagged(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ name, text }) => ['.TP', `\\fB${troff(name)}\\fR`, line(text === '' ? name : text)]);
}

function optionTag(option: OptionSpec): string {
  const short = option.short === undefined ? '' : `\\fB\\-${option.short}\\fR, `;
  const value = option.value === undefined ? '' : ` \\fI${troff(option.value)}\\fR`;
  return `${short}\\fB\\-\\-${troff(option.long)}\\fR${value}`;
}

function options(list: readonly OptionSpec[]): readonly string[] {
  return list.flatMap((option) => ['.TP', optionTag(option), line(optionText(option))]);
}

/** A terminal of 80 columns less the margins of a manual page. */
const EXAMPLE_WIDTH = 68;

function examples(list: readonly Example[]): readonly string[] {
  return list.flatMap((example) => [
    '.PP',
    line(`${example.text}:`),
    '.PP',
    '.RS 4',
    '.nf',
    ...foldCommand(example.line, EXAMPLE_WIDTH).map(lineAsIs),
    '.fi',
    '.RE',
  ]);
}

function command(doc: CommandDoc): readonly string[] {
  const usage = [
    `\\fBfrontdesk ${troff(doc.command)}\\fR`,
    ...doc.arguments.map((argument) => `\\fI${troff(argumentName(argument))}\\fR`),
  ];
  const codes = doc.exitCodes.join(', ');
  return [
    `.SS ${quoted(doc.command)}`,
    `${usage.join(' ')} [options]`,
    '.PP',
    ...doc.description.split('\n').flatMap((paragraph, at) => [...(at === 0 ? [] : ['.br']), line(paragraph)]),
    ...tagged(doc.arguments.map((argument) => ({ name: argumentName(argument), text: argument.text }))),
    ...options(doc.options),
    ...examples(doc.examples.map((example) => ({ text: example.text, line: `frontdesk ${example.line}` }))),
    '.PP',
    `Exit codes: ${troff(codes)}.`,
  ];
}

function block(part: Block): readonly string[] {
  switch (part.kind) {
    case 'text':
      return ['.PP', line(part.text)];
    case 'rows':
      return ['.PP', line(`${part.title}:`), ...tagged(part.rows)];
    case 'examples':
      return examples(part.examples);
  }
}

/** Topics that have a section of their own kind in a man page. */
const OWN_SECTION = ['exit-codes', 'options', 'environment'];

function topics(): readonly string[] {
  return TOPICS.filter((topic) => !OWN_SECTION.includes(topic.name)).flatMap((topic) => [
    `.SH ${quoted(topic.name.toUpperCase())}`,
    line(`${topic.summary}.`),
    ...topic.blocks.flatMap(block),
  ]);
}

const FILES: readonly Row[] = [
  {
    name: '~/.config/frontdesk',
    text: 'settings and credentials, readable by their owner only; FRONTDESK_CONFIG_DIR, else XDG_CONFIG_HOME, puts them elsewhere',
  },
  {
    name: '~/.local/state/frontdesk',
    text: 'history, runs with their input, and the state of the sandbox; FRONTDESK_STATE_DIR, else XDG_STATE_HOME, puts them elsewhere',
  },
  { name: '~/Library/Application Support/frontdesk', text: 'both, on macOS' },
];

/** When the manual was last rewritten by hand; readers see it at the foot of each page. */
const DATE = '2026-11-20';

/** Writes the manual page frontdesk(1) from the command tree. */
export function manPage(tree: CommandTree, version: string): string {
  const codes = exitCodeRows().map(({ exitCode, code, meaning, repeat }) => ({
    name: `${exitCode} ${code}`.trim(),
    text: repeat === '' ? meaning : `${meaning} (safe to repeat: ${repeat})`,
  }));
  return [
    '.\\" Written by `npm run generate` from the command tree; changes here are lost.',
    `.TH FRONTDESK 1 ${DATE} ${quoted(`frontdesk ${version}`)} "User Commands"`,
    '.SH NAME',
    'frontdesk \\- gift cards and calendars from the command line',
    '.SH SYNOPSIS',
    '\\fBfrontdesk\\fR \\fIcommand\\fR [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    line(
      'frontdesk reads and changes gift cards, calendars, events and subscribers of a service: one at a time, or many rows from a file. The result is on stdout, everything else on stderr. A built-in sandbox (-p sandbox) needs no account and no network.',
    ),
    '.SH COMMANDS',
    ...tree.docs.flatMap(command),
    '.SH OPTIONS',
    'Every command has these options.',
    ...options(COMMON_OPTIONS),
    ...topics(),
    '.SH ENVIRONMENT',
    ...tagged(ENVIRONMENT),
    '.SH FILES',
    ...tagged(FILES),
    '.SH EXIT STATUS',
    ...tagged(codes),
    '',
  ].join('\n');
}

import type { Context } from '../../base/context.ts';
import { Failure } from '../../base/failure.ts';
import type { CommandDoc } from '../../command/command.ts';
import type { Registry } from '../../command/command-tree.ts';
import { type Format, isJson } from '../../screen/options.ts';
import { commonOptions, exitCodeRow, exitCodeRows } from './command-doc.ts';
import { loadDoc } from './command-tree.ts';
import { commandBlocks, groupBlocks, overviewBlocks } from './help-text.ts';
import { type Block, helpWidth, layOut } from './text-block.ts';
import { TOPIC_LIST, TOPIC_NAMES } from './topic-list.ts';

/** A help page: blocks for people, and the same as plain data. */
export interface HelpPage {
  readonly blocks: readonly Block[];
  readonly json: Readonly<Record<string, unknown>>;
  /** Columns that are enough, however wide the terminal is. */
  readonly columns?: number;
}

function commandFacts(doc: CommandDoc) {
  return { ...doc, commonOptions: commonOptions(doc), exitCodes: doc.exitCodes.map(exitCodeRow) };
}

async function groupPage(path: readonly string[], registry: Registry): Promise<HelpPage> {
  const children = registry.childrenOf(path);
  const entry = registry.defaultOf(path);
  const doc = entry === undefined ? undefined : await loadDoc(entry);
  const group = registry.groups.find((candidate) => candidate.path.join(' ') === path.join(' '));
  // A group without a subcommand has options too, and `frontdesk history --help` is where users look.
  const own = doc === undefined ? [] : commandBlocks({ ...doc, command: path.join(' ') });
  return {
    blocks: [...groupBlocks(path, group, children, doc), ...own],
    json: {
      command: path.join(' '),
      summary: group?.summary ?? '',
      commands: children.map((child) => ({ ...child, command: [...path, child.name].join(' ') })),
      ...(doc === undefined ? {} : { default: commandFacts(doc) }),
    },
  };
}

function overviewPage(registry: Registry): HelpPage {
  return {
    blocks: overviewBlocks(registry, TOPIC_NAMES),
    columns: 80,
    json: {
      command: '',
      summary: 'gift cards and calendars from the command line',
      commands: registry.entries.map(({ path, summary }) => ({ command: path.join(' '), summary })),
      topics: TOPIC_LIST.map(({ name, summary }) => ({ topic: name, summary })),
    },
  };
}

async function topicPage(name: string): Promise<HelpPage | undefined> {
  const { TOPICS } = await import('./topics.ts');
  const topic = TOPICS.find((candidate) => candidate.name === name);
  if (topic === undefined) return undefined;
  const { ENVIRONMENT } = await import('./environment.ts');
  const { summary, blocks } = topic;
  return {
    blocks: [{ kind: 'text', text: summary }, ...blocks],
    json: {
      topic: name,
      summary,
      ...(name === 'exit-codes' ? { exitCodes: exitCodeRows() } : {}),
      ...(name === 'environment' ? { variables: ENVIRONMENT } : {}),
      sections: blocks.map(({ kind, ...section }) => section),
    },
  };
}

/** The help page of a command, group, topic, or (no words) the program. USAGE, with the nearest word, for others. */
export async function findHelp(words: readonly string[], registry: Registry): Promise<HelpPage> {
  if (words.length === 0) return overviewPage(registry);
  const entry = registry.find(words);
  if (entry !== undefined) {
    const doc = await loadDoc(entry);
    return { blocks: commandBlocks(doc), json: commandFacts(doc) };
  }
  if (registry.childrenOf(words).length > 0) return groupPage(words, registry);
  const [first = ''] = words;
  const topic = words.length === 1 ? await topicPage(first) : undefined;
  if (topic !== undefined) return topic;
  throw await unknownHelp(words, registry);
}

async function unknownHelp(words: readonly string[], registry: Registry): Promise<Failure> {
  const { nearest } = await import('../../screen/nearest.ts');
  const wrong = words.findIndex((_, at) => registry.childrenOf(words.slice(0, at + 1)).length === 0);
  const path = words.slice(0, wrong);
  const known = [...registry.childrenOf(path).map((child) => child.name), ...(wrong === 0 ? TOPIC_NAMES : [])];
  const word = words[wrong] ?? '';
  const near = nearest(word, known.includes(word) ? [] : known);
  // `resume` alone for `runs resume`.
  const [below, ...others] = registry.entries.filter(({ path: [, ...rest] }) => wrong === 0 && rest.includes(word));
  const close = near ?? (others.length === 0 ? below?.path.join(' ') : undefined);
  const owner = ['frontdesk help', ...path].join(' ');
  const meant = close === undefined ? [] : [`did you mean \`${owner} ${close}\`?`];
  const hints = [...meant, `choose one of ${TOPIC_NAMES.join(', ')}. For the commands, run \`frontdesk help\``];
  return new Failure('USAGE', `${words.join(' ')}: neither a command nor a help topic`, { hints });
}

/** A help page for the terminal. A pipe has no width: COLUMNS, or stderr behind a pager, may know it. */
export function helpText({ blocks, columns }: HelpPage, { stdout, stderr, env }: Context): string {
  const fromVariable = /^[1-9][0-9]{0,3}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : undefined;
  return layOut(blocks, helpWidth(stdout.columns ?? fromVariable ?? stderr.columns, columns));
}

/** The help page of these words for stdout: text, or the same as JSON. */
export async function helpOutput(
  words: readonly string[],
  registry: Registry,
  { context, format }: { readonly context: Context; readonly format: Format },
): Promise<string> {
  const page = await findHelp(words, registry);
  return isJson(format) ? `${JSON.stringify(page.json, null, format === 'json' ? 2 : 0)}\n` : helpText(page, context);
}

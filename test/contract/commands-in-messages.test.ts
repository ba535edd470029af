import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listMessages } from '../../build/messages.ts';
import type { Failure } from '../../src/base/failure.ts';
import { NEXT_STEPS, pasteable } from '../../src/base/next-step.ts';
import { parseInput } from '../../src/cli/argv.ts';
import { locateCommand } from '../../src/cli/program.ts';
import type { Command } from '../../src/command/command.ts';
import { readCommandValues } from '../../src/command/command-values.ts';
import { REGISTRY } from '../../src/registry.ts';
import { shellWords } from '../support/shell-words.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a message has in braces, as it may be; a value of any kind for the others. */
const VALUES: Readonly<Record<string, string>> = { flag: '', profileFlag: '', family: 'cards', key: 'rejected' };

/** Commands that a message names without meaning them to be typed as they stand. */
const MENTIONS = ['frontdesk card get', 'frontdesk plan apply', 'frontdesk config', 'frontdesk runs results'];

/** A sentence may begin with the name of the program too. */
const FIRST_WORDS = new Set(REGISTRY.entries.map(({ path: [word = ''] }) => word));

function filled(text: string): string {
  return text
    .replaceAll(/\{([^}]*)\}/g, (_, name: string) => VALUES[name] ?? 'x')
    .replaceAll(/<([^>|]+)(?:\|[^>]*)?>/g, (_, name: string) => (name === 'cardId' ? 'x' : name.replaceAll(' ', '-')));
}

/** The commands of a message: all that stands behind `: `, what is in backquotes, and lines that are one. */
function commandsIn(message: string): readonly string[] {
  return filled(message)
    .split('\n')
    .flatMap((line) => [
      ...[...line.matchAll(/`(frontdesk [a-z-][^`]*)`/g)].map(([, command = '']) => command),
      ...[...line.matchAll(/(?:: |^ +|^)(frontdesk (?:-p \S+ )?[a-z][^`]*)$/g)].map(([, command = '']) => command),
    ])
    .filter((command) => {
      const [, word = ''] = /^frontdesk (?:-p \S+ )?(\S+)/.exec(command) ?? [];
      return !MENTIONS.includes(command) && FIRST_WORDS.has(word);
    });
}

/** What is wrong with a command that is pasted, by the parser that would read it; nothing where it can be run. */
async function problemsOf(line: string): Promise<readonly string[]> {
  if (/[;|]|\bor\b/.test(line.replaceAll(/"[^"]*"|'[^']*'/g, ''))) return ['more than a command stands there'];
  const [, ...argv] = shellWords(line);
  const { path, rest, unknown } = locateCommand(argv, REGISTRY);
  if (unknown !== undefined) return [`${unknown} is no command`];
  if (rest.includes('--help')) return [];
  const entry = REGISTRY.find(path) ?? REGISTRY.defaultOf(path);
  if (entry === undefined) return rest.length === 0 && path.length === 0 ? [] : ['it needs a command after it'];
  const command: Command = await entry.load();
  const faults: Failure[] = [];
  const given = readCommandValues(command, parseInput(rest, command, faults));
  const isWithout = ({ name, isOwnQuestion, required }: Command['arguments'][number]) =>
    (required || isOwnQuestion === true) && [undefined, ''].includes(String(given.own[name] ?? ''));
  const left = given.typed.has('last') || given.typed.has('older-than') ? [] : command.arguments.filter(isWithout);
  return [
    ...faults.map(({ message }) => message),
    ...[...given.faults, ...given.commonFaults].map(({ where, problem }) => `${where}: ${problem}`),
    ...given.missing.map(({ fault }) => `${fault.where} is missing`),
    ...left.map(({ name }) => `<${name}> is missing`),
  ];
}

it.each(Object.entries(NEXT_STEPS))('the step "%s" has a command to be pasted: frontdesk %s', async (_, words) => {
  const abouts = !words.includes('{}') ? [undefined] : words.includes('--id') ? ['x'] : ['x', 'two words'];
  const optionLike = /^(?:card|profile|plan)/.test(words) && words.includes('{}') ? ['--all'] : [];
  for (const about of [...abouts, ...optionLike]) {
    expect(await problemsOf(filled(pasteable(words, { about, profile: 'live' })))).toEqual([]);
  }
});

it('every command in a message can be pasted: the parser takes it, and it has what it needs', async () => {
  const found = listMessages(root).flatMap(({ file, text }) => commandsIn(text).map((command) => ({ file, command })));
  expect(found.length).toBeGreaterThan(30);
  const wrong = await Promise.all(
    found.map(async ({ file, command }) => {
      const problems = await problemsOf(command);
      return problems.length === 0 ? [] : [`${file}: ${command}: ${problems.join('; ')}`];
    }),
  );
  expect([...new Set(wrong.flat())]).toEqual([]);
});

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listMessages, MESSAGES_PATH, messagesPage } from '../../build/messages.ts';
import { locateCommand } from '../../src/engine/program.ts';
import { COMMON_OPTIONS } from '../../src/options/common.ts';
import { REGISTRY } from '../../src/registry.ts';
import { parseFaults } from '../support/parse-faults.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MESSAGES = listMessages(ROOT);

/** What the library says is for developers. */
const FOR_DEVELOPERS = /^library\//;

it('the messages of the program are found where they are', () => {
  expect(MESSAGES.length).toBeGreaterThan(1000);
  expect(MESSAGES).toContainEqual({
    file: 'call/confirm.ts',
    text: 'check that this is the right card',
  });
});

it('the messages of the program are those of the snapshot (else run `npm run generate`, read the difference and commit it)', async () => {
  await expect(messagesPage(ROOT)).toMatchFileSnapshot(join(ROOT, MESSAGES_PATH));
});

it.each([
  ['journal', /\bjournal/i],
  ['interface', /\binterfaces?\b/i],
  ['family', /\b(?:family [AB]|the family)\b/],
  ['mend', /\bmend/i],
  ['shows no way', /shows no way/],
  ['read of card', /\bread of card\b/],
  ['doubled', /\bdoubled\b/],
  // Not English: it is not a folder.
  ['is no', /\b(?:it|this|which|\}) (?:is|are) no (?!longer\b)/],
])('the messages of the program do not say "%s" to people', (_word, pattern) => {
  const said = MESSAGES.filter(({ file, text }) => !FOR_DEVELOPERS.test(file) && pattern.test(text));
  expect(said).toEqual([]);
});

/** Beginnings of commands that a message takes from elsewhere in its file. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  base: 'frontdesk runs resume {run}',
  call: 'frontdesk{profileFlag} plan',
  program: 'frontdesk{profileFlag}',
};

/** Every command that a message gives to be run: in backticks, after a colon to the end, or on a line of its own. */
function commandsIn(message: string): readonly string[] {
  const text = message.replaceAll(/\{(base|call|program)\}(?= )/g, (_, name: string) => BEGINNINGS[name] ?? '');
  const quoted = [...text.matchAll(/`frontdesk ([^`]+)`/g)].map((match) => match[1] ?? '');
  const ending = [...text.matchAll(/(?:: |^|\n {2})frontdesk ((?:[a-z{<-][^;,:()`]*))/g)].map(
    (match) => match[1] ?? '',
  );
  return [...quoted, ...ending];
}

/** A card id stands for what is filled in; words of a path stay as they are. */
const SAMPLE = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

/** Their examples are run by a test of their own. */
const FOR_HELP = /^(?:describe|commands|local\/completion)/;

const COMMANDS = MESSAGES.filter(({ file }) => !FOR_HELP.test(file)).flatMap(({ file, text }) =>
  commandsIn(text).map((command) => ({ file, command: command.trim() })),
);

it('a command that a message gives to be run is given often', () => {
  expect(COMMANDS.length).toBeGreaterThan(40);
});

it('a command that a message gives to be run is found wherever a message names one', () => {
  const names = REGISTRY.childrenOf([]).map(({ name }) => name);
  const named = new RegExp(`frontdesk (?:-p \\S+ )?(?:${names.join('|')})\\b`);
  const missed = MESSAGES.filter(
    ({ file, text }) => !FOR_HELP.test(file) && named.test(text) && commandsIn(text).length === 0,
  );
  expect(missed).toEqual([]);
});

it.each(COMMANDS)('a command that a message gives to be run: $file: frontdesk $command', ({ command }) => {
  const argv = command
    .replaceAll(/--\{family\}-url/g, '--cards-url')
    .replaceAll(/\{(?:flag|profileFlag)\}/g, ' -p live')
    .replaceAll(/\{(?:[^}]*)\}|<[^>]*>|…/g, SAMPLE)
    .split(/\s+/)
    .filter((word) => word !== '');
  const { path, rest, unknown } = locateCommand(argv, REGISTRY, COMMON_OPTIONS);
  const isFilledIn = unknown === SAMPLE;
  expect(isFilledIn ? undefined : unknown).toBeUndefined();
  const entry = REGISTRY.find(path) ?? REGISTRY.defaultOf(path);
  return entry === undefined || rest.includes('--help')
    ? undefined
    : entry.load().then((loaded) => {
        expect(parseFaults(rest, loaded)).toEqual([]);
      });
});

it('a command that a message gives to be run names the profile wherever it depends on one', () => {
  const bare = COMMANDS.filter(
    ({ command }) =>
      /^(?:card|calendar|auth login|api)\b/.test(command) &&
      !/-p\b|--profile|\{(?:flag|profileFlag)\}/.test(command) &&
      // How to begin, said where there is nothing yet.
      !['auth login', 'card get', 'card block --from cards.csv'].includes(command),
  );
  expect(bare).toEqual([]);
});

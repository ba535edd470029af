import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPages } from '../../build/pages.ts';
import { commentLines, parseText, testTitles } from '../../build/syntax.ts';
import { findHelp } from '../../src/cli/describe/help.ts';
import { layOut } from '../../src/cli/describe/text-block.ts';
import { TOPIC_NAMES } from '../../src/cli/describe/topic-list.ts';
import { ERROR_WORDS } from '../../src/input/spreadsheet-errors.ts';
import { REGISTRY } from '../../src/registry.ts';

const root = new URL('../..', import.meta.url).pathname;

/** Words that a reader has to read twice, each with the word that is used in its place. */
const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bway back\b/i, 'cannot be undone'],
  [/\bthere is no way to\b/i, 'the service documents no …'],
  [/\bread(?:ing|s)? (?:it |the card |them )?back\b/i, 'check the card'],
  [/\bread-backs?\b/i, 'card check'],
  [/\bsittings?\b/i, 'session'],
  [/\bwhoever\b/i, 'you, frontdesk, the service'],
  [/\bours?\b|\bwe\b/i, 'frontdesk'],
  [/\bplay(?:s|ed)?\b/i, 'simulate'],
  [/\bbecame of\b/i, 'state, outcome'],
  [/\b(?:put|take|took|taken) (?:it |them )?back\b/i, 'restore'],
  [/\btakes? \w+ away\b/i, 'remove, reset'],
  [/\ball the same\b/i, 'anyway'],
  [/\blikewise\b/i, 'say it again'],
  [/\bsettl(?:es?|ed|ing)\b/i, 'resolve'],
  [/\bflags?\b/i, 'option'],
  [/\bin doubt\b/i, 'outcome unknown'],
  [/\bnot shown by\b|\bshows? (?:no rule|none)\b/i, 'not documented'],
  [/\b(?:is|are) told\b/i, 'who tells'],
  [/\bgo(?:es)? on with\b/i, 'resume'],
  [/\bcolou?red\b/i, 'color'],
  [/(?:behavi|neighb|fav|hon|col)our|licence|\w(?:al|ial|gn|an)is(?:e|ed|es|ing)\b|\bgrey\b/i, 'American spelling'],
  [/\bno person can be asked\b/i, 'there is no terminal to ask on'],
  [/\bprofile in use\b/i, 'current profile'],
  [/\blies in the\b/i, 'is in'],
  [/\bnothing real is touched\b/i, 'no real cards or calendars are affected'],
  [/\bwrites? of many rows\b|\bmany-row runs?\b/i, 'bulk change, bulk run'],
  [/\bas it (?:had to|was meant to) be\b/i, 'did not match what was expected'],
  [/\b(?:rows?|\d+|\w+(?:st|nd|rd|th)) in a row\b/i, 'consecutive'],
  [/\btokens? ends in\b/i, 'expires in'],
];

/** Files of words that stand in a table of the help, where a semicolon is allowed. */
const HELP =
  /^(?:service\/api|cli\/commands|cli\/describe|base\/failure|mcp|input\/options|sandbox)\b|^desk\/command\.ts/;

/** Messages that keep one: counts of a run, a line of `--verbose`, a label of the desk, a row of a plan's view, HTML and XML. */
const KEPT = [
  'desk/desk.ts',
  'service/http/sender.ts',
  'runs/plan/plan-view.ts',
  'runs/report/html.ts',
  'runs/summary.ts',
  'screen/workbook.ts',
];

function messages(): readonly (readonly [file: string, text: string])[] {
  return readFileSync(join(root, 'test/contract/__snapshots__/messages.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part]);
}

function found(text: string, place: string): readonly string[] {
  // Names of placeholders are not said.
  const said = text.replaceAll(/\{[^}]*\}/g, '');
  return said
    .split('\n')
    .flatMap((line) =>
      BANNED.filter(([pattern]) => pattern.test(line)).map(([, instead]) => `${place}: "${line.trim()}": ${instead}`),
    );
}

it('plain words in every message', () => {
  const all = messages();
  expect(all.length).toBeGreaterThan(100);
  expect(all.flatMap(([file, part]) => found(part, file))).toEqual([]);
});

it('plain words without a semicolon between two sentences of a message', () => {
  const others = messages().filter(([file]) => !HELP.test(file) && !KEPT.includes(file));
  const chained = others.flatMap(([file, part]) =>
    part.split('\n').flatMap((line) => (/^- .*;/.test(line) ? [`${file}: ${line}`] : [])),
  );
  expect(chained).toEqual([]);
});

it('plain words on every page', () => {
  const more = ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
  const pages = [...readPages(root), ...more.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)];
  // Tables that are made of the program's own words, what a console prints, and names of files.
  const prose = (text: string) =>
    text.replaceAll(/<!-- generated[\s\S]*?<!-- \/generated -->|```[\s\S]*?```|\]\(.*?\)/g, '');
  expect(pages.flatMap(([path, text]) => found(prose(text), path))).toEqual([]);
});

/** Comments and titles that mean such a word in another sense: a part of their file's path, and what they say. */
const MEANT: readonly (readonly [file: string, text: string])[] = [
  ['src/base/json/unsafe-characters.ts', 'flag'],
  ['test/command/outcomes.test.ts', 'colour=red'],
];

/** Files of TypeScript and JavaScript, by path from the root. */
function sources(): readonly string[] {
  return ['src', 'test', 'build', 'bench', 'bin'].flatMap((folder) => {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`).filter((path) => /\.[cm]?[jt]s$/.test(path));
  });
}

// Every file is parsed: that takes long on a busy machine.
it('plain words in every comment, in the titles of tests, and in the names of files', () => {
  const all = sources();
  expect(all.length).toBeGreaterThan(700);
  const flaws = all.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const program = parseText(text, path);
    const titles = path.endsWith('.test.ts') ? testTitles(text, program) : [];
    const said = [...commentLines(text, program), ...titles].filter(
      (line) => !MEANT.some(([file, meant]) => path.includes(file) && line.text.includes(meant)),
    );
    const name = found(path.replaceAll(/[-/.]/g, ' '), path);
    return [...name, ...said.flatMap((line) => found(line.text, `${path}:${line.line}`))];
  });
  expect(flaws).toEqual([]);
}, 120_000);

it('plain words would be named with their place', () => {
  expect(found('There is no way back.', 'x.ts')).toEqual(['x.ts: "There is no way back.": cannot be undone']);
});

const all = [...REGISTRY.entries.map(({ path }) => path), ...TOPIC_NAMES.map((name) => [name])];

/** How a file of people is taken needs more than a page. */
const LONGER: Readonly<Record<string, number>> = { bulk: 66 };

it.each(all)('help fits on a screen of %s in 60 lines of 100 columns', async (...path) => {
  const { blocks } = await findHelp(path, REGISTRY);
  // The list of words that spreadsheets show for an error is looked up, not read.
  const read = blocks.filter((block) => !(block.kind === 'text' && block.text === ERROR_WORDS.join(' ')));
  expect(layOut(read, 100).trimEnd().split('\n').length).toBeLessThanOrEqual(LONGER[path.join(' ')] ?? 60);
});

it.each(REGISTRY.entries.map(({ path, summary }) => [path.join(' '), summary] as const))(
  'help fits on a screen with a summary of %s in 50 characters',
  (_, summary) => {
    expect(summary.length).toBeLessThanOrEqual(50);
    expect(summary).toMatch(/^[A-Z][a-z]+ [^.]+$/);
  },
);

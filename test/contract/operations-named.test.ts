import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { layOut } from '../../src/cli/describe/text-block.ts';
import { TOPICS } from '../../src/cli/describe/topics.ts';
import type { CallCommand } from '../../src/command/command.ts';
import { WRITE_TOOLS } from '../../src/mcp/tools.ts';
import { REGISTRY } from '../../src/registry.ts';
import { NEXT_STEPS } from '../../src/screen/card-view.ts';

// What is written for people names operations by hand. Each list is held against the commands, so that an operation
// that is added is named where it belongs, or left out on purpose: with a line in LEFT_OUT.

const calls = (await Promise.all(REGISTRY.entries.map((entry) => entry.load()))).filter(
  (command): command is CallCommand => command.kind === 'call',
);
const writes = calls.filter(({ writes: isWrite }) => isWrite);

/** Provisioning makes a secret that is shown once: nothing for a menu, for a list of next steps, or for an assistant. */
const LEFT_OUT = ['card provision'];

const wordsOf = ({ path }: CallCommand) => path.join(' ');

const namesOf = (commands: readonly CallCommand[]) => commands.map(wordsOf).filter((name) => !LEFT_OUT.includes(name));

/** The commands whose last word, `block` of `card block`, or whose last two words do not stand in a text. */
function unnamedIn(text: string, commands: readonly CallCommand[]): readonly string[] {
  return commands
    .filter(({ path }) => {
      const words = path.length > 2 ? path.slice(-2) : path.slice(-1);
      return !new RegExp(`\\b${words.join(' ')}\\b`).test(text);
    })
    .map(wordsOf);
}

const topic = (name: string) => layOut(TOPICS.find((one) => one.name === name)?.blocks ?? [], 1000);

const page = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');

function section(file: string, heading: string): string {
  const [, text = ''] = page(file).split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

const bulk = calls.filter((command) => command.bulk);
const ofCards = writes.filter(({ path }) => path[0] === 'card');

it.each([
  ['`help bulk`: those that take many rows', topic('bulk'), bulk],
  ['`help plans`: writes that take many rows', topic('plans'), bulk.filter((command) => command.writes)],
  ['`help outcomes`: every write, with what to do then', topic('outcomes').split('What to do')[1], writes],
  ['the guide to unknown outcomes', section('guides/unknown-outcome.md', 'Check, by command'), writes],
  ['the page of outcomes', section('reference/outcomes.md', 'What is tried again'), ofCards],
])('help and pages name every command where it belongs in %s', (_, text = '', commands) => {
  expect(unnamedIn(text, commands)).toEqual([]);
});

it('menus offer every write on a card in the card view, for some status', () => {
  const steps = [...NEXT_STEPS.values()].flat();
  expect(namesOf(ofCards).filter((name) => !steps.some((step) => step.startsWith(`${name} `)))).toEqual([]);
});

it('assistants have a tool for every write', () => {
  const tools = WRITE_TOOLS.map(({ operation }) => operation?.command.replaceAll('.', ' '));
  expect(namesOf(writes).filter((name) => !tools.includes(name))).toEqual([]);
});

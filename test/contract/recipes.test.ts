import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REGISTRY } from '../../src/registry.ts';
import { parseFaults } from '../support/parse-faults.ts';
import { shellWords } from '../support/shell-words.ts';

const folder = new URL('../../docs/recipes/', import.meta.url);

/** Each command of a recipe: what follows `frontdesk ` in a step of a workflow or between backticks. */
const lines = readdirSync(folder).flatMap((name) =>
  [...readFileSync(new URL(name, folder), 'utf8').matchAll(/(?:run: |`)(frontdesk [^`\n]+)/g)].map(([, line = '']) => [
    name,
    line,
  ]),
);

it('the recipes are looked at', () => {
  expect(lines.length).toBeGreaterThan(2);
});

it.each(lines)('the recipes: %s: %s', async (_, line) => {
  const words = shellWords(line).slice(1);
  const entry = REGISTRY.entries
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .sort((a, b) => b.path.length - a.path.length)[0];
  expect(entry, line).toBeDefined();
  const command = await entry?.load();
  if (command === undefined) return;
  const rest = words.slice(command.path.length);
  expect(parseFaults(rest, command)).toEqual([]);
});

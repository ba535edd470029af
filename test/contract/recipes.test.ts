import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseLine } from '../support/parse-faults.ts';

const folder = new URL('../../docs/recipes/', import.meta.url);

/** Each command of a recipe: what follows `frontdesk ` in a step of a workflow or between backticks. */
const lines = readdirSync(folder).flatMap((name) =>
  [...readFileSync(new URL(name, folder), 'utf8').matchAll(/(?:run: |`)(frontdesk [^`\n]+)/g)].map(([, line = '']) => [
    name,
    line,
  ]),
);

it('the recipes are looked at', () => expect(lines.length).toBeGreaterThan(2));

it.each(lines)('the recipes: %s: %s', async (_, line) => expect((await parseLine(line)).faults).toEqual([]));

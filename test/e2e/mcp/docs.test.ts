import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';

const page = readFileSync(new URL('../../../docs/guides/assistants.md', import.meta.url), 'utf8');

/** Whatever a client's settings look like: somewhere in them a program has arguments. */
function argumentsIn(value: unknown): readonly string[][] {
  if (typeof value !== 'object' || value === null) return [];
  // The members of an object that JSON gave.
  const { command, args } = value as { command?: unknown; args?: unknown };
  // As every snippet has it; anything else fails below.
  if (command === 'frontdesk') return [args as string[]];
  return Object.values(value).flatMap(argumentsIn);
}

const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

const snippets = [
  ...blocks('json').flatMap((text) => argumentsIn(JSON.parse(text))),
  // The TOML of a list of texts is JSON.
  ...blocks('toml').map((text) => JSON.parse(/^args = (.*)$/m.exec(text)?.[1] ?? 'null') as string[]),
];

it.each(snippets.map((args, index) => [index + 1, args.join(' '), args] as const))(
  'snippet %i of the guide for assistants starts the server: frontdesk %s',
  async (_, _line, args) => {
    const home = createHome();
    await runFrontdesk(['profile', 'set', 'live', '--cards-url', 'https://api.example.com'], { home });
    const { code, stderr } = await runFrontdesk(args, { home });
    expect(code).toBe(0);
    expect(stderr).toContain('serving assistants with profile live');
  },
);

it('the guide for assistants shows two forms of settings, and commands in its skill that exist', async () => {
  expect(snippets).toHaveLength(2);
  const [skill = ''] = blocks('markdown');
  const commands = [...skill.matchAll(/`frontdesk ((?:[a-z]+ ?)+)/g)].map(([, words = '']) => words.trim().split(' '));
  expect(commands).toHaveLength(5);
  for (const words of commands) expect((await runFrontdesk([...words, '--help'])).code).toBe(0);
});

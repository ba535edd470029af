import { expect, it } from 'vitest';
import { findHelp } from '../../../../src/cli/describe/help.ts';
import { layOut } from '../../../../src/cli/describe/text-block.ts';
import { REGISTRY } from '../../../../src/registry.ts';

const pages = [
  { words: '' },
  ...REGISTRY.groups.map((group) => ({ words: group.path.join(' ') })),
  ...REGISTRY.entries.map((entry) => ({ words: entry.path.join(' ') })),
  ...['exit-codes', 'options', 'environment', 'output', 'bulk', 'outcomes', 'plans', 'agents', 'accessibility'].map(
    (words) => ({ words }),
  ),
];

/** Lines that a single word makes longer than the width: nothing can break them. */
function tooLong(text: string, width: number): string[] {
  return text.split('\n').filter((line) => line.length > width && line.trim().replace(/ \\$/, '').includes(' '));
}

it.each(pages)('help $words fits 60, 80 and 120 columns', async ({ words }) => {
  for (const width of [60, 80, 120]) {
    const { blocks } = await findHelp(words === '' ? [] : words.split(' '), REGISTRY);
    const quoted = /"[^"]{30,}"|'[^']{30,}'/;
    expect(
      tooLong(layOut(blocks, width), width).filter((line) => !quoted.test(line)),
      `${width}`,
    ).toEqual([]);
  }
});

it('help of a command has usage, examples, arguments, options, exit codes and the common options, in this order', async () => {
  const text = layOut((await findHelp(['card', 'block'], REGISTRY)).blocks, 80);
  const titles = text.split('\n').filter((line) => /^[A-Z][A-Za-z ]*$/.test(line));
  expect(titles).toEqual(['Examples', 'Arguments', 'Options']);
  const usage = 'Usage: frontdesk card block [cardId...] [options]';
  const places = ['In a terminal, frontdesk shows the card', usage, 'Examples', '--reason'];
  const found = places.map((place) => text.indexOf(place));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found[0]).toBeGreaterThan(0);
});

it('help of a command names its exit codes and the common options on a few lines, and says where they are explained', async () => {
  const text = layOut((await findHelp(['card', 'wait'], REGISTRY)).blocks, 100).split('\n\n');
  const codes = text.find((part) => part.startsWith('Exit codes: ')) ?? '';
  expect(codes).toContain('0, 1 INTERNAL, 2 USAGE, 3 NOT_FOUND');
  expect(codes).toContain('124 TIMEOUT');
  expect(codes.split('\n').length).toBeLessThanOrEqual(4);
  expect(codes).toContain('`frontdesk help exit-codes`');
  expect(text.at(-1)).toMatch(
    /^Global options: -p -o --json [\s\S]*-h\. For\sdetails,\srun\s`frontdesk\shelp\soptions`\.\n$/,
  );
});

it('help of a command shows the options of every day in full and names those for many rows, which `help bulk` explains', async () => {
  const page = layOut((await findHelp(['card', 'block'], REGISTRY)).blocks, 100);
  const bulk = layOut((await findHelp(['bulk'], REGISTRY)).blocks, 100);
  for (const option of ['--reason <text>', '--expect <field=value>', '--from <file>', '--dry-run', '--yes']) {
    expect(page).toMatch(new RegExp(`^ +(?:-., |    )${option} {2,}\\S`, 'm'));
  }
  const named =
    /^Bulk options: ([^.]*)\. For\sdetails,\srun\s`frontdesk\shelp\sbulk`\.$/m.exec(page)?.[1]?.split(/\s+/) ?? [];
  expect(named).toEqual(expect.arrayContaining(['--concurrency', '--max-failures', '--run', '--resend-unknown']));
  for (const option of named) expect(bulk).toMatch(new RegExp(`^ +(?:-., |    )${option}(?: <\\S+>)? {2,}\\S`, 'm'));
});

it('help of a command: the topic `options` explains the common ones', async () => {
  const text = layOut((await findHelp(['options'], REGISTRY)).blocks, 100);
  for (const option of ['--profile', '--output', '--query', '--retry-max-time', '--ca-file'])
    expect(text).toContain(option);
});

it('help of a command says the limits of the API', async () => {
  const list = layOut((await findHelp(['calendar', 'subscribers', 'list'], REGISTRY)).blocks, 120);
  expect(list).toContain('--limit <n>');
  expect(list).toContain('(1 to 100)');
  const update = layOut((await findHelp(['calendar', 'update'], REGISTRY)).blocks, 120);
  expect(update).toContain('name that is shown (at most 5000 characters)');
  expect(update).toContain('displayable long-form text (at most 40000 characters)');
});

it('help of a command gives the same facts as data, and of a group that runs a command when it is named alone shows the options of that command too', async () => {
  const { json } = await findHelp(['card', 'provision'], REGISTRY);
  expect(json).toMatchObject({ command: 'card provision', arguments: [{ name: 'cardId', required: true }] });
  const unknown = { exitCode: 8, code: 'OUTCOME_UNKNOWN', meaning: expect.any(String), repeat: 'no, check first' };
  expect(json).toHaveProperty('exitCodes', expect.arrayContaining([unknown]));
  const text = layOut((await findHelp(['history'], REGISTRY)).blocks, 80);
  expect(text).toContain('`frontdesk history` without a subcommand runs `frontdesk history list`.');
  expect(text).toContain('--since <age|date>');
});

it('the overview shows every command, one by one or under its group', async () => {
  const text = layOut((await findHelp([], REGISTRY)).blocks, 80);
  // A row of a command, or the names in a row of "More".
  const rows = (/^More\n([\s\S]*?)\n\n/m.exec(text)?.[1] ?? '').replaceAll(/^ {2}[A-Z]\w* +/gm, '').split(/,\s+|\n\s*/);
  const listed = rows.map((names) => names.trim().split(' ')[0]);
  for (const { path } of REGISTRY.entries) {
    const [word] = path;
    if (word === 'help') expect(text).toContain('frontdesk help <topic>');
    else if (!listed.includes(word)) expect(text).toMatch(new RegExp(`^  (?:frontdesk )?${word}\\b`, 'm'));
  }
  expect(text).toContain('  card block      Block gift cards (cannot be undone)\n');
  expect(text).not.toContain('--retry-max-time');
});

it.each([
  { words: ['exitcodes'], near: 'frontdesk help exit-codes' },
  { words: ['outcome'], near: 'frontdesk help outcomes' },
  { words: ['card', 'blok'], near: 'frontdesk help card block' },
  { words: ['clendar'], near: 'frontdesk help calendar' },
  { words: ['resume'], near: 'frontdesk help runs resume' },
])('words that name nothing are a usage error with the nearest name: $words', async ({ words, near }) => {
  await expect(findHelp(words, REGISTRY)).rejects.toMatchObject({
    code: 'USAGE',
    hints: expect.arrayContaining([`did you mean \`${near}\`?`]),
  });
  // A word of several commands.
  const several = expect.not.objectContaining({ hints: expect.arrayContaining([expect.stringContaining('mean')]) });
  await expect(findHelp(['update'], REGISTRY)).rejects.toEqual(several);
});

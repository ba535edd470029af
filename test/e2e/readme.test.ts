import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readPages } from '../../build/pages.ts';
import { parseLine } from '../support/parse-faults.ts';
import { folderWithProgram, ROOT, startIn } from '../support/shell.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The README and the guides, by path: pages whose commands a reader types. */
const PAGES = [...readPages(ROOT)].filter(([path]) => path === 'README.md' || path.startsWith('docs/guides/'));

interface Step {
  readonly command: string;
  /** Output as printed in the README, stdout and stderr as a terminal mixes them. */
  readonly output: string;
}

/** The steps of every ```console block, block by block. */
function sessions(markdown: string): readonly (readonly Step[])[] {
  return [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map((block) =>
    (block[1] ?? '')
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return { command: part.slice(0, end), output: part.slice(end + 1) };
      }),
  );
}

/** Runs a session in one shell; answers the end of each step. Sessions take a list of stolen cards for granted. */
async function run(steps: readonly Step[]) {
  const folder = folderWithProgram();
  const cards = 'cardId,clientReference\n0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101,order-10001\n';
  writeFileSync(join(folder, 'stolen.csv'), cards);
  const script = steps.map(({ command }) => `(exit $__s)\n${command}\n__s=$?; echo "@@@$__s"\n`).join('');
  const { stdout } = await startIn(folder, ['bash', '-c', `exec 2>&1\n__s=0\n${script}`], {
    FRONTDESK_PROFILE: 'sandbox',
  }).ended;
  // The pages show runs of a second.
  const printed = stdout.replace(/(?<=, run \S+, )\d+ s$/gm, '1 s');
  const ends = [...printed.matchAll(/([\s\S]*?)@@@(\d+)\n/g)];
  return ends.map(([, output = '', exitCode]) => ({ output, exitCode: Number(exitCode) }));
}

it('the README says what the sandbox chose, and that a plan is known to this state folder alone', () => {
  const text = README.replace(/\s+/g, ' ');
  expect(text).toContain(
    'the sandbox chose one: statuses after a change, the card that a reissue returns, error statuses of calendars',
  );
  expect(text).toContain('Another machine, or one where the run was removed, does not know of that.');
});

it('the README has at most 125 lines', () => expect(README.split('\n').length).toBeLessThanOrEqual(126));

it('every other page has at most 150 lines', () => {
  const others = ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
  const texts = others.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);
  const long = [...readPages(ROOT), ...texts].filter(([, text]) => text.split('\n').length > 151);
  expect(long.map(([path]) => path)).toEqual([]);
});

/** What GitHub makes of a heading, for the end of a link. */
function anchor(heading: string): string {
  const said = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\- ]/gu, '');
  return said.replaceAll(' ', '-');
}

/** The relative links of a page that lead to no file, or to no heading of one. */
function deadLinks(path: string, text: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
  const dead = links.filter(([, link = '', heading]) => {
    const target = link === '' ? path : join(dirname(path), link);
    if (!existsSync(join(ROOT, target))) return true;
    const headings = [...(pages.get(target) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchor(title));
    return heading !== undefined && !headings.includes(heading);
  });
  return dead.map(([whole]) => `${path}: ${whole}`);
}

it('every link of every page leads to a file and a heading', () => {
  const pages = new Map(readPages(ROOT));
  for (const path of ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'])
    pages.set(path, readFileSync(join(ROOT, path), 'utf8'));
  expect([...pages].flatMap(([path, text]) => deadLinks(path, text, pages))).toEqual([]);
});

const found = PAGES.flatMap(([, text]) => sessions(text));

it('the README and the guides have sessions to run', () => expect(found.length).toBeGreaterThanOrEqual(3));

it.each(found.map((steps) => [(steps[1] ?? steps[0])?.command ?? '', steps] as const))(
  'the session runs as printed: %s …',
  async (_name, steps) => {
    const results = await run(steps);
    for (const [index, { command, output }] of steps.entries()) {
      // A step without a printed output has to succeed, whatever it says.
      if (output === '') expect({ command, ...results[index] }).toMatchObject({ command, exitCode: 0 });
      else expect(`$ ${command}\n${results[index]?.output}`).toBe(`$ ${command}\n${output}`);
    }
    expect(results).toHaveLength(steps.length);
  },
);

/** The lines of the other blocks that call frontdesk, without their comments. */
const LINES = PAGES.flatMap(([, text]) => [...text.matchAll(/^\s*```([a-z]*)\n(.*?)^\s*```$/gms)])
  .flatMap(([, language, text = '']) => (language === '' || language === 'sh' ? text.split('\n') : []))
  .map((line) => line.trim())
  .filter((line) => line.startsWith('frontdesk '))
  .map((line) => line.replace(/\s+# .*| >>? .*/g, '').replaceAll(/<([a-z]+)>/g, '$1'));

it('the README and the guides have command lines outside sessions', () => {
  expect(LINES.length).toBeGreaterThanOrEqual(40);
});

it.each(LINES)('the line of a page is a valid call: %s', async (line) => {
  expect((await parseLine(line)).faults).toEqual([]);
});

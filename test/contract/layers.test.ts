import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { breachesOf, LAYERS, layerBreaches, ONLY_IMPORTER } from '../../build/layers.ts';

const root = new URL('../..', import.meta.url).pathname;

it('the table of layers finds no breach in the sources', () => expect(layerBreaches(root)).toEqual([]));

it('the table of layers names every folder and file at the top of src', () => {
  const names = readdirSync(join(root, 'src')).map((name) => name.replace(/\.ts$/, ''));
  expect(LAYERS.map(({ name }) => name).sort()).toEqual(names.sort());
});

it.each(
  LAYERS.flatMap(({ name, never = [] }, place) =>
    LAYERS.filter((other, at) => at < place || never.includes(other.name)).map((other) => [name, other.name]),
  ),
)('the table of layers: %s that imports %s is a breach, by its types too', (name, other) => {
  expect(breachesOf(`src/${name}/deep/canary.ts`, `import type { Some } from '../../${other}/some.ts';`)).toEqual([
    `src/${name}/deep/canary.ts: ${name} may not import ${other}`,
  ]);
  expect(breachesOf(`src/${name}/canary.ts`, `await import('../${other}/some.ts');`)).toEqual([
    `src/${name}/canary.ts: ${name} may not import ${other}`,
  ]);
});

it('the table of layers lets an import pass that the table allows', () => {
  expect(
    breachesOf(
      'src/runs/canary.ts',
      "import '../../src/base/json/parse.ts';\nimport '../../src/runs/plan/plan-file.ts';",
    ),
  ).toEqual([]);
});

it('the table of layers refuses a folder that is not in the table', () => {
  expect(breachesOf('src/attic/canary.ts', '')).toEqual([
    'src/attic/canary.ts: attic is not in the table of layers (build/layers.ts)',
  ]);
});

it.each(Object.entries(ONLY_IMPORTER))('the table of layers: %s is imported by %s alone', (name, only) => {
  expect(breachesOf('src/cli/canary.ts', `await import('${name}/deep');`)).toEqual([
    `src/cli/canary.ts: only ${only} imports ${name}`,
  ]);
  expect(breachesOf(only, `import '${name}';`)).toEqual([]);
});

/** Breaches of what the linter checks, each in files of their own, and what it must say about the first. */
const LINTED = [
  [{ 'src/cli/canary.ts': 'process.exitCode = 1;' }, 'Do not use the global variable process'],
  [{ 'src/runs/canary.ts': 'console.log(1);' }, 'Do not use the global variable console'],
  [
    {
      'src/runs/one.ts': "import type { Two } from './two.ts';\nexport type One = Two | 1;",
      'src/runs/two.ts': "import type { One } from './one.ts';\nexport type Two = One | 2;",
    },
    'This import is part of a cycle',
  ],
] as const;

function lint(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-layers-'));
  try {
    const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    const own = { ...config, $schema: undefined, vcs: { enabled: false } };
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(own));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    const program = join(root, 'node_modules', '.bin', 'biome');
    return spawnSync(program, ['lint', '--reporter=json', '--max-diagnostics=none', '.'], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it.each(LINTED)('the linter names the breach in %j', (files, message) => expect(lint(files)).toContain(message));

/** A line that breaks the rule of its room, in a file where no room may do it. */
const CANARIES = {
  desk: "const session = openSession({ caller: 'desk' });",
  mcp: "import type { Server } from '@modelcontextprotocol/server';",
  cli: 'const { argv } = context;',
  runs: 'const limiter = new Limiter(5);',
  writes: 'const result = await client.call(input, options);',
  command: 'function show(session: Session) {}',
  records: "const path = join(stateDir, 'runs');",
  profile: "const { spawn } = await import('node:child_process');",
  input: "const text = bytes.toString('utf16le');",
  screen: 'const safe = escapeUnsafe(text, show);',
  sandbox: "import { createServer } from 'node:http';",
  service: "import { connect } from 'node:tls';",
  base: 'const now = Date.now();',
};

it.each(Object.entries(CANARIES))('the table of layers: what breaks a rule of %s is named', (room, line) => {
  const elsewhere = room === 'command' ? 'src/screen/canary.ts' : 'src/command/canary.ts';
  expect(breachesOf(elsewhere, line)).toEqual([expect.stringContaining(`${elsewhere}: only ${room} `)]);
  const [place = `src/${room}/`] = LAYERS.find(({ name }) => name === room)?.rule?.places ?? [];
  expect(breachesOf(place.endsWith('/') ? `${place}canary.ts` : place, line)).toEqual([]);
});

it('the table of layers has a rule for every room, and a canary for every rule', () => {
  const rooms = LAYERS.map(({ name }) => name).filter((name) => name !== 'main' && name !== 'registry');
  expect(LAYERS.flatMap(({ name, rule }) => (rule === undefined ? [] : [name]))).toEqual(rooms);
  expect(Object.keys(CANARIES)).toEqual(rooms);
});

it('the table of layers names a source of more than 330 lines', () => {
  expect(breachesOf('src/cli/canary.ts', '\n'.repeat(330))).toEqual([]);
  expect(breachesOf('src/cli/canary.ts', '\n'.repeat(331))).toEqual(['src/cli/canary.ts: 331 lines, more than 330']);
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { breachesOf, LAYERS, layerBreaches, ONLY_IMPORTER, tableFaults } from '../../build/layers.ts';

const root = new URL('../..', import.meta.url).pathname;

it('the table of layers finds no breach in the sources', () => {
  expect(layerBreaches(root)).toEqual([]);
});

it('the table of layers names every folder and file at the top of src', () => {
  const names = readdirSync(join(root, 'src')).map((name) => name.replace(/\.ts$/, ''));
  expect(LAYERS.map(({ name }) => name).sort()).toEqual(names.sort());
});

it('the table of layers refuses a layer that imports one above it', () => {
  const low = { name: 'low', holds: '', imports: ['high'] };
  const high = { name: 'high', holds: '', imports: ['low'] };
  expect(tableFaults([low, high])).toEqual(['low stands below high']);
});

it.each(
  LAYERS.flatMap(({ name, imports }) =>
    LAYERS.filter((other) => other.name !== name && !imports.includes(other.name)).map((other) => [name, other.name]),
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
  expect(breachesOf('src/run/canary.ts', "import '../json/parse.ts';\nimport './plan.ts';")).toEqual([]);
});

it('the table of layers refuses a folder that is not in the table', () => {
  expect(breachesOf('src/attic/canary.ts', '')).toEqual([
    'src/attic/canary.ts: attic is not in the table of layers (build/layers.ts)',
  ]);
});

it.each(Object.entries(ONLY_IMPORTER))('the table of layers: %s is imported by %s alone', (name, only) => {
  expect(breachesOf('src/engine/canary.ts', `await import('${name}/deep');`)).toEqual([
    `src/engine/canary.ts: only ${only} imports ${name}`,
  ]);
  expect(breachesOf(only, `import '${name}';`)).toEqual([]);
});

/** Breaches of what the linter checks, each in files of their own, and what it must say about the first. */
const LINTED = [
  [{ 'src/engine/canary.ts': 'process.exitCode = 1;' }, 'Do not use the global variable process'],
  [{ 'src/run/canary.ts': 'console.log(1);' }, 'Do not use the global variable console'],
  [
    {
      'src/run/one.ts': "import type { Two } from './two.ts';\nexport type One = Two | 1;",
      'src/run/two.ts': "import type { One } from './one.ts';\nexport type Two = One | 2;",
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

it.each(LINTED)('the linter names the breach in %j', (files, message) => {
  expect(lint(files)).toContain(message);
});

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

it.each(['Date.now(', 'Math.random', 'performance.now('])(
  'clock and chance come from Context: %s stands in src/process only',
  (text) => {
    const found = sources('src').filter((path) => readFileSync(join(root, path), 'utf8').includes(text));
    expect(found.filter((path) => !path.startsWith('src/process/'))).toEqual([]);
  },
);

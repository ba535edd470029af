import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODES } from '../support/nodes.ts';
import { smoke } from '../support/smoke.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'frontdesk-package-'));
const prefix = join(folder, 'prefix');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

interface LockedPackage {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
}

/** Members that these tests read; npm and this project wrote the files. */
interface Manifest {
  readonly version: string;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

function readJson<T>(path: string): T {
  // Each caller names the shape of a file that npm or this project wrote.
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

function npm(args: readonly string[], cwd: string): string {
  const env = { ...process.env, npm_config_cache: join(folder, 'npm-cache'), npm_config_update_notifier: 'false' };
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}

let packed: Packed;

beforeAll(() => {
  mkdirSync(prefix);
  // What `prepack` would build is built already: these are tests of it.
  const answer: unknown = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
  // npm 11 answers an object by name, earlier ones an array; both hold one entry.
  [packed] = Object.values(answer as Record<string, Packed>) as [Packed];
  const install = 'install --offline --ignore-scripts --no-audit --no-fund --prefix'.split(' ');
  npm([...install, prefix, join(folder, packed.filename)], folder);
}, 120_000);

describe('the package', () => {
  it('the package is at most 2 MB and has no dependency', () => {
    const { dependencies, optionalDependencies } = readJson<Manifest>(join(root, 'package.json'));
    expect(packed.size).toBeLessThanOrEqual(2_000_000);
    expect({ dependencies, optionalDependencies }).toEqual({});
    expect(Object.keys(readJson<{ packages: object }>(join(prefix, 'package-lock.json')).packages)).toEqual([
      '',
      'node_modules/frontdesk',
    ]);
  });

  it('the package has the program, its manual, completions, licenses and changes, and no sources or tests', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'CHANGELOG.md', 'bin/frontdesk.js', 'bin/package.json', 'completions/_frontdesk'],
        ...['completions/frontdesk.bash', 'completions/frontdesk.fish', 'completions/frontdesk.ps1'],
        ...['dist/THIRD-PARTY-NOTICES.md', 'dist/build-id', 'dist/chunks/main.cjs', 'docs/reference/outcomes.md'],
        ...['docs/reference/output.md', 'man/frontdesk.1', 'package.json'],
      ]),
    );
    const expected =
      /^(?:bin|completions|dist|man|docs)\/|^(?:LICENSE|action\.yml|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|package\.json)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    // Made for the Node that built it: an installed package starts without.
    expect(paths.filter((path) => path.startsWith('dist/compiled/'))).toEqual([]);
  });

  it('each link and picture of a page of the package leads to a file of it', () => {
    const pages = packed.files.map(({ path }) => path).filter((path) => path.endsWith('.md'));
    const links = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/```.*?```|`[^`]*`/gs, '');
      const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target = '']) => target);
      return targets.map((target) => posix.join(posix.dirname(page), target));
    });
    expect(links.length).toBeGreaterThan(100);
    const there = (path: string) => packed.files.some((file) => file.path === path || file.path.startsWith(`${path}/`));
    expect(links.filter((path) => !there(path.replace(/\/$/, '')))).toEqual([]);
  });

  it('the package has no fault that publint knows', async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(prefix, 'node_modules', 'frontdesk'),
      strict: true,
      pack: false,
    });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it.each([
    ['import', "await import('frontdesk')"],
    ['require', "createRequire(import.meta.url)('frontdesk')"],
    ['a subpath', "await import('frontdesk/dist/chunks/main.cjs')"],
  ])('the package exports nothing but its manifest: %s', (_way, load) => {
    const text = `import { createRequire } from 'node:module';
      try { ${load}; console.log('loaded'); } catch (error) { console.log(error.code); }
      console.log(createRequire(import.meta.url)('frontdesk/package.json').name);`;
    const args = ['--input-type=module', '--eval', text];
    const { stdout } = spawnSync(process.execPath, args, { cwd: prefix, encoding: 'utf8' });
    expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\nfrontdesk\n');
  });

  it('the package has no script that an installation would run', () => {
    const { scripts } = readJson<Manifest>(join(root, 'package.json'));
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  const installed = join(prefix, 'node_modules', 'frontdesk', 'bin', 'frontdesk.js');
  describe.each(NODES)('installed, on Node $major', ({ major, path }) => {
    it.skipIf(path === undefined)(`the installed package works anywhere on Node ${major} (skipped without it)`, () => {
      expect(smoke([path ?? '', installed])).toEqual([]);
    });
  });

  it('installing the package puts a command into the prefix', () => {
    const name = process.platform === 'win32' ? 'frontdesk.cmd' : 'frontdesk';
    const command = join(prefix, 'node_modules', '.bin', name);
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' });
    expect(stdout).toBe(`${readJson<Manifest>(join(root, 'package.json')).version}\n`);
  });
});

const LICENSES = new Set('MIT ISC BSD-2-Clause BSD-3-Clause Apache-2.0 0BSD BlueOak-1.0.0 MPL-2.0'.split(' '));
const headings = [
  ...readFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES.md'), 'utf8').matchAll(/^## (\S+) (\S+) \((.+)\)$/gm),
];
const bundled = headings.map(([, name = '', version = '', license = '']) => ({ name, version, license }));

it('each bundled package is named in the notices, under a license that allows it', () => {
  expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(['commander', 'undici', 'zod']));
  expect(bundled.filter(({ license }) => !LICENSES.has(license))).toEqual([]);
});

const lock = readJson<{ packages: Readonly<Record<string, LockedPackage>> }>(join(root, 'package-lock.json'));
it('each bundled package accepts Node 20.19.0, as the lock says', () => {
  const refusing = Object.entries(lock.packages)
    .filter(([path]) => bundled.some(({ name }) => path.endsWith(`node_modules/${name}`)))
    .filter(([, { engines }]) => engines?.node !== undefined && !acceptsOldest(engines.node))
    .map(([path, { engines }]) => `${path}: ${engines?.node}`);
  expect(refusing).toEqual([]);
});

it('installing the lock runs no script but the known ones', () => {
  const { allowScripts } = readJson<Manifest>(join(root, 'package.json'));
  const names = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names.filter((name) => !(name in allowScripts) && name !== 'fsevents')).toEqual([]);
});

/** Whether a range such as `>=18 || ^20.17` has Node 20.19.0. One of another form counts as refusing: it is to be looked at. */
function acceptsOldest(range: string): boolean {
  return range
    .replaceAll(' ', '')
    .split('||')
    .some((part) => {
      const [, sign, major = '', minor = '0'] = /^(>=|\^)v?(\d+)(?:\.(\d+))?(?:\.[\d*]+)?$/.exec(part) ?? [];
      const isBelow = Number(major) < 20 || (major === '20' && Number(minor) <= 19);
      return isBelow && (sign === '>=' || (sign === '^' && major === '20'));
    });
}

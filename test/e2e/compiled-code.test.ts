import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

// The build compiles the program for its own Node. What another Node or build made, or what was damaged, is not used,
// and a call does what it does without.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CALL = ['config', 'get', 'concurrency', '--json'];
const folder = mkdtempSync(join(tmpdir(), 'frontdesk-compiled-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8' };

/** V8 prints each code that it takes. The option is none of those under which it refuses code. */
const start = (program: string, ...options: readonly string[]) => {
  const args = ['--profile-deserialization', ...options, join(program, 'bin/frontdesk.js'), ...CALL];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => !line.startsWith('['));
  return { status, stderr, printed: lines.join('\n'), taken: stdout.match(/^\[Deserializing from /gm)?.length ?? 0 };
};

/** The program in a folder of its own. */
function copy(name: string): string {
  const program = join(folder, name);
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(program, part), { recursive: true });
  return program;
}

const compiledIn = (program: string) => join(program, 'dist/compiled', `${process.versions.node}-${process.arch}`);
const none = copy('none');
rmSync(join(none, 'dist/compiled'), { recursive: true });
/** Without compiled code of the program, V8 takes that of Node's own modules. */
const WITHOUT = start(none);

it('a start uses the compiled code of its build, in CI too, and writes nothing', () => {
  const found = start(ROOT);
  expect(found).toEqual({ ...WITHOUT, taken: found.taken });
  expect(found.taken).toBeGreaterThan(WITHOUT.taken + 4);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('compiled code has each chunk of the build', () => {
  const chunks = readdirSync(join(ROOT, 'dist/chunks')).sort();
  expect(readdirSync(compiledIn(ROOT)).sort()).toEqual([...chunks, 'header'].sort());
});

it('ten starts at once use the same compiled code', async () => {
  const program = join(ROOT, 'bin/frontdesk.js');
  const starts = Array.from({ length: 10 }, () => {
    const child = spawn(process.execPath, [program, ...CALL], { env });
    let stdout = '';
    child.stdout.on('data', (part: Buffer) => (stdout += part));
    return new Promise((resolve) => child.on('close', (code) => resolve([code, stdout])));
  });
  expect(await Promise.all(starts)).toEqual(Array.from({ length: 10 }, () => [0, '8\n']));
});

it.each([
  ['nothing', () => 0],
  ['half a head', () => 15],
  ['all but the last byte', (size: number) => size - 1],
])('compiled code of which %s is left is not used, and a call works', (what, lengthOf) => {
  const program = copy(what.replaceAll(' ', '-'));
  for (const name of readdirSync(compiledIn(program))) {
    const path = join(compiledIn(program), name);
    if (name !== 'header') truncateSync(path, lengthOf(statSync(path).size));
  }
  expect(start(program)).toEqual(WITHOUT);
});

it.each([
  ['another build', () => `0000000000000000 ${process.platform}\n`],
  ['another system', (header: string) => header.replace(/ .*/, ' plan9')],
])('T20 compiled code of %s is not used', (what, headerOf) => {
  const program = copy(what.replace(' ', '-'));
  const path = join(compiledIn(program), 'header');
  writeFileSync(path, headerOf(readFileSync(path, 'utf8')));
  expect(start(program)).toEqual(WITHOUT);
});

it('a start without compiled code works', () => {
  expect(WITHOUT).toMatchObject({ status: 0, stderr: '', printed: '8\n' });
});

it('a start under other options of V8 than those of the build works without compiled code', () => {
  expect(start(ROOT, '--max-old-space-size=300')).toEqual({ ...WITHOUT, taken: 0 });
});

it.each(['18.20.4', '20.18.3', '21.7.3', '22.0.0', '22.2.0'])(
  'Node %s, which lacks what the program needs, is refused before anything else (2)',
  (version) => {
    const preload = join(folder, `node-${version}.cjs`);
    writeFileSync(preload, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    for (const args of [['--version'], CALL]) {
      const words = ['--require', preload, join(ROOT, 'bin/frontdesk.js'), ...args];
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
      expect({ status, stdout, stderr }).toEqual({
        status: 2,
        stdout: '',
        stderr: `frontdesk: needs Node 20.19 or a later 20, or 22.3 or later, and this is Node ${version}\n`,
      });
    }
  },
);

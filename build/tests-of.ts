// `npm run test:of src/writes/confirm.ts`: runs what tests a file of src. Without a file it names those that nothing tests,
// as well as tests that stand beside no file of src, and exits 1: `npm run check:tested`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*'(\.[^']+)'/gm;

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** What a file imports of this repository. */
function importsOf(file: string): readonly string[] {
  return [...textOf(file).matchAll(IMPORT)].map(([, path = '']) => posix.join(posix.dirname(file), path));
}

/** Files by what imports them, tests and what supports them included. */
function importers(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    for (const target of importsOf(file)) found.set(target, [...(found.get(target) ?? []), file]);
  }
  return found;
}

const SOURCES = filesBelow('src');
const TESTS = filesBelow('test');
const IMPORTERS = importers([...SOURCES, ...TESTS]);

/** What every run of the built program goes through, and the tests that look at it. */
const BY_PROGRAM: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['test/command/commands.test.ts'],
  'src/desk/card-visit.ts': ['test/e2e/terminal/desk.test.ts'],
  'src/command/seen-cards.ts': ['test/command/card-find.test.ts'],
  'src/command/session.ts': ['test/command/options.test.ts'],
  'src/mcp/arguments.ts': ['test/e2e/mcp/tools.test.ts'],
  'src/writes/confirm.ts': ['test/command/confirmation.test.ts'],
  'src/cli/argv.ts': ['test/command/options.test.ts'],
  'src/cli/mask-arguments.ts': ['test/command/credentials.test.ts'],
  'src/cli/local-call.ts': ['test/command/options.test.ts'],
  'src/cli/failure-hints.ts': ['test/command/errors.test.ts'],
  'src/cli/program.ts': ['test/command/errors.test.ts'],
  'src/base/process/context.ts': ['test/command/streams.test.ts'],
  'src/base/process/wasm.ts': ['test/e2e/startup-chunks.test.ts'],
};

/** A command is run by the tests that have its words, as one text or as several; a new one by those of all operations. */
function runBy(file: string): readonly string[] {
  const words = /^src\/cli\/commands\/(.+)\.ts$/.exec(file)?.[1]?.split('/') ?? [];
  if (words.length === 0) return [];
  const typed = new RegExp(`['"\`]${words.join(`(?:', '| )`)}\\b`);
  const own = TESTS.filter((test) => /^test\/(?:command|e2e)\//.test(test) && typed.test(textOf(test)));
  const ofAll = testsAmong(['test/support/sample-calls.ts']).filter((test) => !/^test\/(?:fuzz|simulate)\//.test(test));
  return own.length > 0 ? own : ofAll;
}

/** The tests above some files: a test is one itself, what supports tests is used by several. */
function testsAmong(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    if (file.endsWith('.test.ts')) return [file];
    return file.startsWith('test/') ? testsAmong(IMPORTERS.get(file) ?? []) : [];
  });
}

/** What tests a file: its namesake below test/unit, tests that import it, and those that run it as a command. */
function testsOf(file: string): readonly string[] {
  const namesake = file.replace(/^src\//, 'test/unit/').replace(/\.ts$/, '.test.ts');
  const own = existsSync(join(ROOT, namesake)) ? [namesake] : [];
  return [...new Set([...own, ...testsAmong(IMPORTERS.get(file) ?? []), ...runBy(file), ...(BY_PROGRAM[file] ?? [])])];
}

/** A file that is further away from any test than that counts as untested. */
const MOST_STEPS = 2;

/** The tests of a file, else those of the files that use it, as few steps away as there are any. */
function nearestTests(file: string): readonly string[] {
  const seen = new Set([file]);
  let now: readonly string[] = [file];
  for (let steps = 0; steps <= MOST_STEPS; steps += 1) {
    const tests = [...new Set(now.flatMap(testsOf))];
    if (tests.length > 0) return tests;
    now = now.flatMap((one) => IMPORTERS.get(one) ?? []).filter((one) => one.startsWith('src/') && !seen.has(one));
    for (const one of now) seen.add(one);
  }
  return [];
}

/** Unit tests without a file of src of the same name: each is named after one, or after one and what it checks. */
function misplaced(): readonly string[] {
  const names = SOURCES.map((file) => file.replace(/^src\//, 'test/unit/').replace(/\.ts$/, ''));
  const isAt = (test: string) => names.some((name) => test === `${name}.test.ts` || test.startsWith(`${name}-`));
  return TESTS.filter((test) => /^test\/unit\/.*\.test\.ts$/.test(test) && !isAt(test));
}

/** Files of src that nothing tests, and tests in the table above that are not there. */
function untested(): readonly string[] {
  const lost = Object.values(BY_PROGRAM).flat();
  return [
    ...SOURCES.filter((file) => nearestTests(file).length === 0),
    ...lost.filter((test) => !TESTS.includes(test)),
  ];
}

/** Runs the tests of the files; the built program first where one runs it. Returns the exit code. */
function runTestsOf(files: readonly string[]): number {
  const tests = [...new Set(files.flatMap(nearestTests))].sort();
  console.log(tests.join('\n'));
  if (tests.length === 0) return 1;
  const run = (...command: readonly string[]) => spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
  if (tests.some((test) => !test.startsWith('test/unit/'))) run('build/build.mjs');
  return run('node_modules/vitest/vitest.mjs', 'run', ...tests).status ?? 1;
}

const asked = process.argv.slice(2);
if (asked.length > 0) process.exitCode = runTestsOf(asked);
else {
  const missed = untested();
  for (const file of missed) console.log(`no test: ${file}`);
  for (const test of misplaced()) console.log(`beside no file of src: ${test}`);
  if (missed.length + misplaced().length > 0) process.exitCode = 1;
}

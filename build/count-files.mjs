// Prints what a walk through the program costs a reader: how many files of src a call runs through, and in how many the
// untyped command line is named. `npm run build` writes no maps, so the sources run as they are, under coverage.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

/** Calls and how many files each may run through. */
const WALKS = [
  ['config list', ['config', 'list', '--json'], 35],
  ['card get', ['card', 'get', CARD, '--json'], 100],
];

/** Names of the untyped command line, where they may stand, and in how many files. */
const NAMES = [
  ['RawInput', /\bRawInput\b/, 6],
  ['lastValue(', /\blastValue\(/, 1],
  ['hasOption(', /\bhasOption\(/, 1],
];

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(root, 'src', name), 'utf8') }));

/** What the loader adds to each file that it reads. */
const OF_LOADER = /^(?:__\w+|<static_initializer>|)$/;

/** The files of src that a call runs a function of; one that is only loaded is not walked through. */
async function filesOf(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-walk-'));
  try {
    const places = { FRONTDESK_CONFIG_DIR: join(folder, 'config'), FRONTDESK_STATE_DIR: join(folder, 'state') };
    await promisify(execFile)(process.execPath, ['--import', 'tsx', join(root, 'build/dev.ts'), ...args], {
      cwd: root,
      env: { ...process.env, ...places, ...env, NODE_V8_COVERAGE: join(folder, 'coverage') },
    });
    const files = new Set();
    for (const name of readdirSync(join(folder, 'coverage'))) {
      const { result } = JSON.parse(readFileSync(join(folder, 'coverage', name), 'utf8'));
      for (const { url, functions } of result) {
        const path = url.startsWith('file:') ? fileURLToPath(url).replaceAll('\\', '/') : '';
        const at = path.lastIndexOf('/src/');
        if (!path.startsWith(root.replaceAll('\\', '/')) || path.includes('/node_modules/') || at === -1) continue;
        // The first range of a function says whether it ran.
        const ran = functions.some(
          ({ functionName, ranges }) => !OF_LOADER.test(functionName) && (ranges[0]?.count ?? 0) > 0,
        );
        if (ran) files.add(path.slice(at + 1));
      }
    }
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const lines = sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
console.log(`src: ${lines} lines in ${sources.length} files`);
let isOver = false;
function report(what, count, most) {
  isOver ||= count > most;
  console.log(`${what}: ${count} files, at most ${most}${count > most ? '  <-- too many' : ''}`);
}
for (const [what, pattern, most] of NAMES) {
  report(what, sources.filter(({ text }) => pattern.test(text)).length, most);
}
const card = {
  cardId: CARD,
  status: 'ACTIVE',
  currentBalance: 1,
  initialBalance: 1,
  createdAt: '2027-04-02T18:00:00Z',
};
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(card));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
for (const [what, args, most] of WALKS) {
  const files = await filesOf(args, { FRONTDESK_CARDS_URL: url, FRONTDESK_CARDS_TOKEN: 'walk' });
  report(what, files.size, most);
  if (process.argv.includes('--list')) for (const file of [...files].sort()) console.log(`  ${file}`);
}
server.close();
process.exitCode = isOver ? 1 : 0;

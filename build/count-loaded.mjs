// `npm run check:loaded`: how many files of src three commands load, and of how many a named function runs, by V8's
// coverage of the sources. A number above build/loaded.json fails; one below is written there. The sandbox is left out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KNOWN = join(ROOT, 'build', 'loaded.json');
const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const COMMANDS = {
  'card block ID --yes': ['card', 'block', CARD, '--yes'],
  'card get ID': ['card', 'get', CARD],
  'config list': ['config', 'list', '--json'],
};

const isCounted = (path) => path.includes('/src/') && path.endsWith('.ts') && !path.includes('/src/sandbox/');

/** The numbers of one command in a new home. */
function count(args) {
  const home = mkdtempSync(join(tmpdir(), 'frontdesk-loaded-'));
  const folder = join(home, 'coverage');
  try {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      NODE_V8_COVERAGE: folder,
      FRONTDESK_CONFIG_DIR: join(home, 'config'),
      FRONTDESK_STATE_DIR: join(home, 'state'),
      FRONTDESK_PROFILE: 'sandbox',
    };
    const run = ['--import', 'tsx', join('build', 'dev.ts'), ...args];
    const { status, stderr } = spawnSync(process.execPath, run, { cwd: ROOT, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}: ${stderr}`);
    const loaded = new Set();
    const ran = new Set();
    for (const name of readdirSync(folder)) {
      for (const { url, functions } of JSON.parse(readFileSync(join(folder, name), 'utf8')).result) {
        const path = url.split('?')[0];
        if (!path.startsWith('file:') || !isCounted(path)) continue;
        loaded.add(path);
        if (
          functions.some(
            ({ functionName, ranges }) => functionName !== '' && functionName !== '__name' && ranges[0].count > 0,
          )
        )
          ran.add(path);
      }
    }
    return { files: [...loaded].map((path) => path.slice(path.indexOf('/src/') + 1)).sort(), ran: ran.size };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const known = JSON.parse(readFileSync(KNOWN, 'utf8'));
const now = {};
for (const [name, args] of Object.entries(COMMANDS)) {
  const { files, ran } = count(args);
  if (process.argv.includes('--list')) console.log(`${name}:\n  ${files.join('\n  ')}`);
  now[name] = { loaded: files.length, run: ran };
  for (const kind of ['loaded', 'run']) {
    const before = known[name]?.[kind] ?? Number.POSITIVE_INFINITY;
    if (now[name][kind] <= before) continue;
    process.exitCode = 1;
    console.error(`${name}: ${now[name][kind]} files of src are ${kind}, and were ${before} (list them with --list)`);
  }
}
const text = `${JSON.stringify(now, undefined, 2)}\n`;
if (process.exitCode !== 1 && text !== readFileSync(KNOWN, 'utf8')) writeFileSync(KNOWN, text);

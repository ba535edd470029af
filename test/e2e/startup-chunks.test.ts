import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, listingLoaded, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// What a call loads is what it costs to start. A failure here asks: is the new weight worth it on every call? If it
// is, write it down here; if not, load it where it is used.

const PROGRAM = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));
const CHUNKS = fileURLToPath(new URL('../../dist/chunks/', import.meta.url));

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}, stdin = '') {
  const home = createHome();
  // Nothing is kept, as keeping it loads a little more: once for each build.
  const { env: hook, loaded } = listingLoaded(home);
  const { code, stderr } = await runFrontdesk(args, { home, stdin, env: { ...env, ...hook } });
  expect({ code, stderr: stderr.replace(/^\{"summary".*\n$/, '') }).toEqual({ code: 0, stderr: '' });
  return loaded();
}

const ALWAYS = ['base.cjs', 'main.cjs', 'rolldown-runtime.cjs'];
const HELP = [...ALWAYS, 'help.cjs'];
const CALL = [...ALWAYS, 'call.cjs', 'transport.cjs'];
/** What makes the file of the cards that `card find` knows at the first read. Later ones need own-state and remember-cards. */
const REMEMBERS = ['_lazy-0', 'atomic', 'own-state', 'process-identity', 'remember-cards'].map((name) => `${name}.cjs`);
/** Node 20 is given options for compiling the parser of HTTP, which needs node:v8. */
const PARSER = process.versions.node.startsWith('20.') ? ['v8'] : [];

it.each<readonly [args: readonly string[], chunks: readonly string[], builtins: readonly string[]]>([
  [['--version'], [], []],
  [['card', 'block', '--help'], HELP, []],
  [['card', 'get', '-h'], HELP, []],
  [['card', '--help'], HELP, []],
  [['--help'], HELP, []],
  [
    ['card', 'get', CARD_ID, '--json'],
    [...CALL, 'card-get.cjs', ...REMEMBERS],
    ['crypto', 'fs/promises', ...PARSER],
  ],
])('a call loads no more than it needs: %j', async (args, chunks, builtins) => {
  const server = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
  expect(await loadedBy(args, server.env)).toEqual({ chunks: [...chunks].sort(), builtins });
});

/** What only some calls use: a new feature of that kind adds the names of its chunks. */
const FEATURES: readonly (readonly [feature: string, chunks: RegExp])[] = [
  ['plans', /^(?:make-plan|read-plan|plan-review|apply-plan|plan-show|plan-apply|plan-file)\.cjs$/],
  ['assistants', /^(?:serve|tools|secret-arguments)\.cjs$/],
  ['workbooks', /^workbook/],
  ['questions', /^drawn\.cjs$/],
  ['the spinner', /^ora\.cjs$/],
  ['tables on a terminal', /^terminal-table\.cjs$/],
  ['queries', /^query/],
  ['descriptions of the program', /^(?:openapi|json-schema|completions|command-schema)\.cjs$/],
  ['the sandbox', /^(?:open|file-store|faults)\.cjs$/],
];

it.each(FEATURES)('%s has a chunk of its name', (_, chunks) => {
  expect(readdirSync(CHUNKS).filter((name) => chunks.test(name))).not.toEqual([]);
});

it.each([
  [['--help']],
  [['card', 'get', CARD_ID, '--json']],
  [['card', 'get', CARD_ID]],
  [['card', 'block', CARD_ID, '--yes', '--json']],
  [['card', 'get', '--from', '-', '-q', '-o', 'ndjson']],
  [['card', 'block', '--from', '-', '-q', '-o', 'csv', '--yes']],
  [['history', '--json']],
  [['runs', 'list', '--json']],
])('a feature is not loaded by %j', async (args) => {
  const server = await startRecordingServer(({ method }) => ({
    body: cardText(method === 'GET' ? 'ACTIVE' : 'BLOCKED'),
  }));
  const { chunks } = await loadedBy(args, server.env, `${CARD_ID}\n`);
  const loaded = FEATURES.filter(([, names]) => chunks.some((name) => names.test(name)));
  expect(loaded.map(([feature]) => feature)).toEqual([]);
});

it('an empty stdin is no terminal without the module of terminals, which loads the network', () => {
  const { env: hook, loaded } = listingLoaded(createHome());
  const env = { PATH: process.env['PATH'], ...hook, FRONTDESK_CARDS_URL: 'http://127.0.0.1:9' };
  // 'ignore' is /dev/null, as scheduled jobs have it.
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const args = [PROGRAM, 'card', 'block', CARD_ID, '--json', '--dry-run'];
  expect([spawnSync(process.execPath, args, { env, stdio: [...stdio] }).status, loaded().builtins]).toEqual([0, []]);
});

it.each([
  ['base.cjs', 36_700],
  ['help.cjs', 11_000],
  ['call.cjs', 268_200],
  ['transport.cjs', 240_000],
])('what every call loads of %s stays below %i bytes', (name, limitBytes) => {
  expect(statSync(join(CHUNKS, name)).size).toBeLessThan(limitBytes);
});

it('a checkout that was not built says how to build it', () => {
  const folder = join(createHome().path, 'checkout');
  mkdirSync(folder);
  cpSync(join(PROGRAM, '..'), join(folder, 'bin'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin', 'frontdesk.js'), 'doctor'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 16, stdout: '' });
  expect(stderr).toMatch(
    /^frontdesk: could not start: ENOENT: .*build-id'\nhint: in a checkout, build it: npm run build\n$/,
  );
});

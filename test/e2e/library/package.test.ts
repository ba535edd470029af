import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { startRecordingServer } from '../../support/recording-server.ts';
import { runFrontdesk, startFrontdesk } from '../../support/run-frontdesk.ts';
import { SAMPLE_CALLS, WRITES } from '../../support/sample-calls.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

// The library as a program finds it: by the name of the package, in both module systems, typed and untyped.

const root = fileURLToPath(new URL('../../..', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const folder = mkdtempSync(join(tmpdir(), 'frontdesk-library-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(root, join(folder, 'node_modules', 'frontdesk'), 'junction');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** Compiles files as a program that uses the package would, and answers what the compiler says. */
function compile(files: Readonly<Record<string, string>>, options: object): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    types: [],
    lib: ['es2022'],
    rootDir: '.',
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  return run([tsc, '-p', '.']).stdout;
}

it.each([
  ['import', "const { createClient } = await import('frontdesk');"],
  ['require', "const { createClient } = createRequire(import.meta.url)('frontdesk');"],
])(
  'importing the library by %s leaves the process as it is: no global, no listener, no handle, no file opened',
  (_, load) => {
    writeFileSync(
      join(folder, 'load.mjs'),
      `import { createRequire } from 'node:module';
      const state = () => JSON.stringify([Object.getOwnPropertyNames(globalThis).sort(),
        Object.getOwnPropertySymbols(globalThis).map(String).sort(), process.eventNames().map(String).sort(),
        process.getActiveResourcesInfo(), process.env]);
      const before = state();
      ${load}
      const client = createClient({ cards: { url: 'https://a.example', token: 'a-token' } });
      console.log(typeof client.card.block, state() === before ? 'same' : before + '\\n' + state());`,
    );
    expect(run(['load.mjs'])).toEqual({ status: 0, stdout: 'function same\n', stderr: '' });
  },
);

it('the library has the same names in both module systems', () => {
  writeFileSync(
    join(folder, 'both.mjs'),
    `import { createRequire } from 'node:module';
      import * as library from 'frontdesk';
      console.log(Object.keys(library), Object.keys(createRequire(import.meta.url)('frontdesk')));`,
  );
  expect(run(['both.mjs'])).toEqual({ status: 0, stdout: "[ 'createClient' ] [ 'createClient' ]\n", stderr: '' });
});

it('a program that forgets to close the client exits, and obeys no variable of the commands', async () => {
  // In a process of its own, which keeps its connections open.
  const service = startFrontdesk(['sandbox', 'serve', '--json']);
  await service.waitForOutput('calendarToken');
  const { stdout: cards } = await runFrontdesk(['sandbox', 'info', '--json']);
  // The shape of `sandbox info --json`.
  const { cardId } = (JSON.parse(cards) as { cards: [{ cardId: string }] }).cards[0];
  const where = service.output().stdout;
  writeFileSync(
    join(folder, 'forgets.cjs'),
    `const { createClient } = require('frontdesk');
      const { url, cardsToken } = JSON.parse(process.env.WHERE);
      createClient({ cards: { url, token: cardsToken } }).card.get('${cardId}').then((result) => console.log(result.ok));`,
  );
  const result = run(['forgets.cjs'], {
    WHERE: where,
    FRONTDESK_CARDS_URL: 'http://127.0.0.1:1',
    FRONTDESK_TIMEOUT: 'never',
    FRONTDESK_READ_ONLY: '1',
  });
  service.child.kill('SIGTERM');
  await service.result;
  expect(result).toEqual({ status: 0, stdout: 'true\n', stderr: '' });
});

it('the library reads no file but its own', async () => {
  const server = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
  writeFileSync(
    join(folder, 'files.cjs'),
    `const fs = require('node:fs');
      const { createClient } = require('frontdesk');
      const opened = [];
      for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'writeFile', 'writeFileSync', 'mkdir', 'mkdirSync']) {
        const original = fs[name];
        fs[name] = (path, ...rest) => { opened.push(String(path)); return original(path, ...rest); };
      }
      const client = createClient({ cards: { url: process.env.URL, token: 'a-token' } });
      client.card.block('${CARD_ID}').then(({ outcome }) => client.close().then(() => {
        console.log(outcome, JSON.stringify(opened.filter((path) => !path.includes('/dist/library/'))));
      }));`,
  );
  const child = startProgram('files.cjs', { URL: server.url });
  expect(await child).toEqual('applied []\n');
});

/** Without blocking this process, whose server it calls. */
async function startProgram(name: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder, env });
  return stdout;
}

const USE = `
    export async function end(client: Client): Promise<string> {
      const result = await client.card.block('id', { reason: 'lost' });
      switch (result.outcome) {
        case 'applied':
        case 'confirmed_by_read':
          return result.text;
        case 'rejected':
        case 'not_sent':
          return result.error.message;
        case 'unknown':
          return result.error.sentAt ?? '';
      }
    }`;

it('the types of the library need no other package, not even those of Node or of browsers', () => {
  const text = `import { createClient, type Client } from 'frontdesk';\n${USE}\nvoid createClient;\n`;
  expect(compile({ 'bare.mts': text, 'bare.cts': text }, { noEmit: true })).toBe('');
});

it.each([
  ['Node', { types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] }],
  ['a browser', { lib: ['es2022', 'dom'] }],
])('the types of the library take the AbortSignal of %s', (_, options) => {
  const text = `import type { Client } from 'frontdesk';
      export const read = (client: Client) => client.card.get('id', { signal: AbortSignal.timeout(1) });\n`;
  expect(compile({ 'signal.mts': text }, { ...options, noEmit: true, exactOptionalPropertyTypes: true })).toBe('');
});

it('the types of the library make a switch that forgets an outcome an error', () => {
  const forgetful = USE.replace("case 'unknown':\n          return result.error.sentAt ?? '';", '');
  const text = `import type { Client } from 'frontdesk';\n${forgetful}\n`;
  expect(compile({ 'forgets.mts': text }, { noEmit: true })).toMatch(/^forgets\.mts\(3,48\): error TS2366/);
});

it('the types of the library are found by every module resolution', async () => {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const { stdout } = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  // npm 11 answers an object by name, earlier ones an array; both hold one entry.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  const tarball = readFileSync(join(folder, packed?.filename ?? ''));
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  expect(analysis).toMatchObject({ packageName: 'frontdesk', types: { kind: 'included' }, problems: [] });
});

const text = readFileSync(join(root, 'docs', 'guides', 'library.md'), 'utf8');
const examples = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

it('docs/guides/library.md has examples that compile and do what they say, the switch over outcomes first', async () => {
  expect(examples[0]).toContain("case 'confirmed_by_read':");
  const files = Object.fromEntries(examples.map((code, index) => [`example-${index}.mts`, code]));
  const options = { types: ['node'], typeRoots: [join(root, 'node_modules', '@types')], outDir: 'out' };
  expect(compile(files, options)).toBe('');
  const service = startFrontdesk(['sandbox', 'serve', '--json']);
  await service.waitForOutput('calendarToken');
  // The shape of the line that `sandbox serve --json` prints.
  const { url, cardsToken, calendarToken } = JSON.parse(service.output().stdout) as Record<string, string>;
  const env = { CARDS_URL: url, CARDS_TOKEN: cardsToken, CALENDAR_URL: url, CALENDAR_TOKEN: calendarToken };
  const said = examples.map((_, index) => {
    const ended = run([join('out', `example-${index}.mjs`)], env as Record<string, string>);
    return [ended.status, ended.stderr, ended.stdout];
  });
  service.child.kill('SIGTERM');
  await service.result;
  expect(said.map(([status, stderr]) => [status, stderr])).toEqual(examples.map(() => [0, '']));
  const methods = new Set(WRITES.map((name) => SAMPLE_CALLS[name].method)).size;
  expect(said.map(([, , stdout]) => stdout)).toEqual([
    'done: 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 is BLOCKED\n',
    expect.stringMatching(
      new RegExp(
        String.raw`^WAITING_ACTIVATION \d+ \S+\ncustomer01@example\.com\n(?:\S+@\S+\n)*(?:applied\n){${methods}}$`,
      ),
    ),
  ]);
});

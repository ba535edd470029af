import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { GOOD_CERTIFICATE, TEST_CA } from '../../support/tls-server.ts';

// A program that uses the library is bundled into one file, which then runs where no package is installed.

type Format = 'esm' | 'cjs';

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-bundled-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(fileURLToPath(new URL('../../..', import.meta.url)), join(folder, 'node_modules', 'frontdesk'), 'junction');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOADS = {
  import: "import { createClient } from 'frontdesk';",
  require: "const { createClient } = require('frontdesk');",
};

const PROGRAM = `
  const { CARDS, CALENDAR, CA } = process.env;
  const client = createClient({ cards: { url: CARDS, token: 'a-token' }, calendar: { url: CALENDAR, token: 'b-token' }, ca: CA });
  client.card.get('${CARD_ID}').then(async (card) => {
    const { outcome } = await client.calendar.update('cal-1', { name: 'Tours' });
    console.log(card.ok, outcome);
  });`;

/** What a bundler makes of a program, as it is used without any option but the platform and the format. */
const BUNDLERS = {
  esbuild: (entry: string, into: string, format: Format) =>
    build({ entryPoints: [entry], outdir: into, bundle: true, platform: 'node', format, logLevel: 'silent' }),
  rolldown: async (entry: string, into: string, format: Format) => {
    const bundle = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' });
    await bundle.write({ dir: into, format });
    await bundle.close();
  },
};

async function startSecureServer(): Promise<string> {
  const server = createServer({ key: GOOD_CERTIFICATE.key, cert: GOOD_CERTIFICATE.cert }, (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":"cal-1","name":"Tours"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address of this kind.
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const cases = (['esbuild', 'rolldown'] as const).flatMap((bundler) =>
  (['import', 'require'] as const).flatMap((load) =>
    (['esm', 'cjs'] as const).map((format) => [bundler, load, format] as const),
  ),
);

it.each(cases)('%s makes one file of a program that %ss it, in format %s, which runs by itself', async (...of) => {
  const [bundler, load, format] = of;
  const name = of.join('-');
  const entry = join(folder, `${name}.${load === 'import' ? 'mjs' : 'cjs'}`);
  writeFileSync(entry, `${LOADS[load]}\n${PROGRAM}`);
  const into = join(folder, `made-${name}`);
  await BUNDLERS[bundler](entry, into, format);
  const files = readdirSync(into);
  expect(files).toHaveLength(1);
  const elsewhere = mkdtempSync(join(tmpdir(), 'frontdesk-alone-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  const alone = join(elsewhere, format === 'esm' ? 'alone.mjs' : 'alone.cjs');
  copyFileSync(join(into, files[0] ?? ''), alone);
  // Bundlers name the files that they took, in comments and as keys; none may be loaded from there.
  expect(readFileSync(alone, 'utf8')).not.toMatch(/(?:from|import|require)\s*\(?\s*["'][^"']*frontdesk-bundled-/);
  const cards = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
  const env = { CARDS: cards.url, CALENDAR: await startSecureServer(), CA: TEST_CA };
  expect(await promisify(execFile)(process.execPath, [alone], { env })).toEqual({
    stdout: 'true applied\n',
    stderr: '',
  });
});

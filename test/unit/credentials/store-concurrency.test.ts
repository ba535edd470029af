import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCredentials } from '../../../src/credentials/store.ts';
import { readSettings } from '../../../src/settings/read.ts';
import { changeSettings } from '../../../src/settings/write.ts';
import { realClock, temporaryFolder } from '../files/place.ts';

const built = mkdtempSync(join(tmpdir(), 'frontdesk-writer-'));
afterAll(() => rmSync(built, { recursive: true, force: true }));

// Once, so that the sixteen processes below only run it.
beforeAll(async () => {
  const made = await rolldown({ input: join(import.meta.dirname, 'writer.ts'), platform: 'node' });
  await made.write({ dir: built, entryFileNames: 'writer.mjs', format: 'esm' });
  await made.close();
});

function startWriter(...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(built, 'writer.mjs'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

it('several processes that write at the same time lose nothing of each other (C10, G10)', {
  timeout: 120_000,
}, async () => {
  const folder = join(temporaryFolder(), 'config');
  const writers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => startWriter(folder, name, '4'));
  const endings = await Promise.all(writers.map((writer) => once(writer, 'exit')));
  expect(endings.map(([status]) => status)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  const credentials = await readCredentials({ configDir: folder, platform: process.platform });
  const settings = await readSettings(folder);
  expect(new Set(credentials.map(({ profile }) => profile)).size).toBe(32);
  expect(settings.profiles.size).toBe(32);
  expect(readdirSync(folder).sort()).toEqual(['credentials.json', 'settings.json']);
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
});

it('a process that is killed while it writes damages nothing, blocks nobody, and leaves nothing after the next change (C11, G10)', {
  timeout: 120_000,
}, async () => {
  const folder = join(temporaryFolder(), 'config');
  for (let round = 0; round < 8; round += 1) {
    const writer = startWriter(folder, 'k', 'forever');
    // Each kill falls a little later into a round of writing than the one before.
    await once(writer.stdout ?? writer, 'data');
    for (let turn = 0; turn < round * 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    await changeSettings({ configDir: folder, pid: process.pid, clock: realClock() }, (settings) => settings);
    const credentials = await readCredentials({ configDir: folder, platform: process.platform });
    for (const { profile, value } of credentials) expect(value).toBe(`token-of-${profile}`);
    const left = readdirSync(folder).filter((name) => name !== 'credentials.json' && name !== 'settings.json');
    expect(left).toEqual([]);
  }
});

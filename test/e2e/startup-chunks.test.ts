import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// What a call loads is what it costs to start. A failure here asks: is the new weight worth it on every call? If it
// is, write it down here; if not, load it where it is used.

const HOOK = fileURLToPath(new URL('../support/loaded-files.cjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));
const CHUNKS = fileURLToPath(new URL('../../dist/chunks/', import.meta.url));

interface Loaded {
  readonly chunks: readonly string[];
  readonly builtins: readonly string[];
}

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Loaded> {
  const home = createHome();
  const list = join(home.path, 'loaded.json');
  // Nothing is kept, as keeping it loads a little more: once for each build.
  const options = { NODE_OPTIONS: `--require ${HOOK}`, LOADED_FILES_LIST: list, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { code, stderr } = await runFrontdesk(args, { home, env: { ...env, ...options } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // The hook writes exactly this shape.
  return JSON.parse(readFileSync(list, 'utf8')) as Loaded;
}

describe('a call loads no more than it needs', () => {
  it('--version loads nothing of the program', async () => {
    expect(await loadedBy(['--version'])).toEqual({ chunks: [], builtins: [] });
  });

  it.each([['block', '--help'], ['get', '-h'], ['--help']])(
    'card %s loads the help and nothing else',
    async (...words) => {
      expect(await loadedBy(['card', ...words])).toEqual({
        chunks: ['base.cjs', 'help.cjs', 'main.cjs', 'rolldown-runtime.cjs'],
        builtins: [],
      });
    },
  );

  it('--help loads the help, the topics and nothing else', async () => {
    expect(await loadedBy(['--help'])).toEqual({
      chunks: ['base.cjs', 'environment.cjs', 'help.cjs', 'main.cjs', 'rolldown-runtime.cjs', 'topics.cjs'],
      builtins: [],
    });
  });

  it('card get --json loads the call and the transport, and no module of Node that is slow to load', async () => {
    const server = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
    // Node 20 is told how to compile the parser, which needs node:v8.
    const v8 = process.versions.node.startsWith('20.') ? ['v8'] : [];
    expect(await loadedBy(['card', 'get', CARD_ID, '--json'], server.env)).toEqual({
      chunks: ['base.cjs', 'call.cjs', 'get.cjs', 'main.cjs', 'rolldown-runtime.cjs', 'transport.cjs'],
      builtins: v8,
    });
  });
});

describe('a stdin that holds nothing', () => {
  it('is known for no terminal without the module of terminals, which brings the network along', () => {
    const home = createHome();
    const list = join(home.path, 'loaded.json');
    const env = {
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--require ${HOOK}`,
      LOADED_FILES_LIST: list,
      FRONTDESK_CARDS_URL: 'http://127.0.0.1:9',
    };
    // 'ignore' is /dev/null, as scheduled jobs have it.
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const args = [PROGRAM, 'card', 'block', CARD_ID, '--json', '--dry-run'];
    const { status } = spawnSync(process.execPath, args, { env, stdio: [...stdio] });
    expect(status).toBe(0);
    // The hook writes exactly this shape.
    expect((JSON.parse(readFileSync(list, 'utf8')) as Loaded).builtins).toEqual([]);
  });
});

describe('the weight of what every call loads', () => {
  it.each([
    ['base.cjs', 26_000],
    ['help.cjs', 16_000],
    ['call.cjs', 230_000],
    ['transport.cjs', 250_000],
  ])('%s stays below %i bytes', (name, limitBytes) => {
    expect(statSync(join(CHUNKS, name)).size).toBeLessThan(limitBytes);
  });
});

import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cardId, cardNumber, idLines, playService } from '../support/plain-service.ts';
import { CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, type RunResult, runFrontdesk } from '../support/run-frontdesk.ts';

// E20: every call of the file system below settings, state and temporary files is made to fail in turn. Whatever fails,
// the end says what the service saw.

const PRELOAD = fileURLToPath(new URL('../support/fail-at.cjs', import.meta.url));
const IS_LONG = process.env['FRONTDESK_LONG'] === '1';
/** Between two calls that are made to fail; 1 in the long form. */
const STEP = IS_LONG ? 1 : 11;
const CODES = [0, 2, 4, 7, 8, 15, 16];

interface Case {
  readonly args: readonly string[];
  readonly before?: readonly (readonly string[])[];
  readonly lists?: boolean;
}

const BLOCK = ['card', 'block', '--from', '-', '--yes', '-o', 'ndjson', '-j', '2'];
const STOPPED = [...BLOCK, '--run', 'may', '--max-failures', '1', '-j', '1', '--timeout', '1ms', '--retries', '0'];
const CASES: Readonly<Record<string, Case>> = {
  'a run': { args: [...BLOCK, '--run', 'june'] },
  'a resume': { before: [STOPPED], args: ['runs', 'resume', 'may', '-o', 'ndjson', '--timeout', '30s'] },
  'a plan': { args: ['card', 'block', '--from', '-', '--plan', 'p.plan'] },
  'a plan that is applied': {
    before: [['card', 'block', '--from', '-', '--plan', 'p.plan']],
    args: ['plan', 'apply', 'p.plan', '--yes', '-o', 'ndjson'],
  },
  'a single write': { args: ['card', 'block', cardId(1), '--yes', '--json'] },
  'a login': { args: ['auth', 'login', '--family', 'cards', '--token-command', 'echo x'] },
  'a change of settings': { args: ['config', 'set', 'retries', '1'] },
  'a profile that is removed': { args: ['profile', 'remove', 'live', '--yes'] },
  'the history': { before: [['card', 'block', cardId(1), '--yes']], args: ['history', '--json'], lists: true },
  'a prune': {
    before: [['card', 'block', cardId(1), '--yes']],
    args: ['history', 'prune', '--older-than', '1d', '--yes'],
  },
  'the list of runs': { before: [STOPPED], args: ['runs', 'list', '--json'], lists: true },
  'the results of a run': { before: [STOPPED], args: ['runs', 'results', 'may', '-o', 'ndjson'] },
};

async function stage(before: Case['before'] = []) {
  const home = createHome();
  const applied = new Map<number, number>();
  const service = playService();
  const server = await startRecordingServer((request, count) => {
    if (request.method === 'POST') applied.set(cardNumber(request), (applied.get(cardNumber(request)) ?? 0) + 1);
    return service(request, count);
  });
  const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN, TMPDIR: join(home.path, 'tmp') };
  mkdirSync(env.TMPDIR);
  const run = (at: Home, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { home: at, env: { ...env, TMPDIR: join(at.path, 'tmp'), ...more }, stdin: idLines(6) });
  await run(home, ['profile', 'set', 'live', '--cards-url', server.url]);
  for (const args of before) await run(home, args);
  return { home, run, applied };
}

/** A home with all that is in another, and nothing of what a failed call leaves. */
function copyOf(from: Home): Home {
  const home = createHome();
  cpSync(from.path, home.path, { recursive: true });
  return home;
}

function outcomes(stdout: string): ReadonlyMap<number, string> {
  const rows = stdout.split('\n').flatMap((line): [number, string][] => {
    const found = /^\{"row":(\d+),.*?"outcome":"(\w+)"/.exec(line);
    return found === null ? [] : [[Number(found[1]), found[2] ?? '']];
  });
  return new Map(rows);
}

function judge(
  what: string,
  { code, stdout, stderr }: RunResult,
  applied: ReadonlyMap<number, number>,
  lists: boolean,
) {
  expect(CODES, `${what}: ${stderr}`).toContain(code);
  expect(stderr, what).not.toContain('internal error');
  for (const [row, outcome] of outcomes(stdout)) {
    const count = applied.get(row) ?? 0;
    if (outcome === 'applied') expect(count, `${what}, row ${row}: ${stderr}`).toBe(1);
    if (outcome === 'not_sent') expect(count, `${what}, row ${row}: ${stderr}`).toBe(0);
  }
  for (const [row, count] of applied) expect(count, `${what}: row ${row} was sent twice`).toBe(1);
  if (lists && code === 0) expect(JSON.parse(stdout), `${what}: ${stderr}`).not.toEqual([]);
}

describe('E20 every call of the file system fails in turn', () => {
  it.each(Object.entries(CASES))('%s', { timeout: 600_000 }, async (name, { args, before, lists = false }) => {
    const { home, run, applied } = await stage(before);
    const began = new Map(applied);
    const ids = ['EIO', 'ENOSPC'];
    for (const [index, errno] of ids.entries()) {
      for (let at = 1 + index; ; at += STEP) {
        applied.clear();
        for (const [row, count] of began) applied.set(row, count);
        const copy = copyOf(home);
        const count = join(copy.path, 'count');
        const ended = await run(copy, args, {
          NODE_OPTIONS: `--require ${PRELOAD}`,
          FAIL_AT: `${at}`,
          FAIL_ON: at % 2 === 0 ? '1' : '',
          FAIL_WITH: errno,
          FAIL_BELOW: [copy.configDir, copy.stateDir, join(copy.path, 'tmp')].join(':'),
          FAIL_COUNT: count,
          FRONTDESK_DEBUG: '1',
        });
        judge(`${name}, ${errno} at call ${at}`, ended, applied, lists);
        if (Number(readFileSync(count, 'utf8')) < at) break;
      }
    }
  });
});

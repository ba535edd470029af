import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cardId, cardNumber, idLines, playService } from '../support/plain-service.ts';
import { CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { copyHome, createHome, type Home, type RunResult, runFrontdesk } from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';
import { writtenWorkbook } from '../support/workbooks.ts';
import { putLockHere } from '../unit/files/locks.ts';
import { IS_LONG } from './seeded-random.ts';

// E20: every call of the file system below settings, state and temporary files is made to fail in turn. Whatever fails,
// the end says what the service saw.

const PRELOAD = fileURLToPath(new URL('../support/fail-at.cjs', import.meta.url));
const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ESTALE', 'SHORT'];
/** The long form makes each call fail in each way, the short one every eighth, each way in turn. */
const STRIDE = 8;
const STEP = IS_LONG ? 1 : STRIDE * ERRORS.length;
const LIMIT_MS = IS_LONG ? 60 * 60_000 : 10 * 60_000;
const CODES = [0, 2, 4, 7, 8, 15, 16];

interface Case {
  readonly args: readonly string[];
  readonly before?: readonly (readonly string[])[];
  readonly lists?: boolean;
  /** The service answers what was done before in a way that leaves it unknown. */
  readonly isUnknownBefore?: boolean;
  /** Files that are there before. */
  readonly arrange?: (home: Home) => void | Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  /** The same call goes on where it stopped, so that a second one sends no row again. */
  readonly goesOn?: boolean;
  /** How it ends when no call fails; 0 unless given. */
  readonly code?: number;
}

const BLOCK = ['card', 'block', '--from', '-', '--yes', '-o', 'ndjson', '-j', '2'];
const STOPPED = [...BLOCK, '--run', 'may', '--max-failures', '1', '-j', '1', '--timeout', '1ms', '--retries', '0'];
const OLD = 'id,email,first_name\ns1,a@x,Ann\ns2,b@x,Bob\n';
const CHANGED = [
  'calendar',
  'subscribers',
  'update',
  '--from',
  'new.csv',
  '--changed-from',
  'old.csv',
  '--yes',
  '--run',
  'may',
];

function work(home: Home, name: string, content: string | Uint8Array): void {
  writeFileSync(join(home.path, 'work', name), content);
}

/** The lock of a process of this machine that was killed: no process has the start `1`. */
function deadLock(home: Home): void {
  putLockHere(join(home.stateDir, 'runs', 'may', 'lock'), 'dead');
}

// The row that the stop left in doubt stays so.
const RESUME = { goesOn: true, code: 8, args: ['runs', 'resume', 'may', '-o', 'ndjson', '--timeout', '30s'] };

const CASES: Readonly<Record<string, Case>> = {
  'a run': { goesOn: true, args: [...BLOCK, '--run', 'june'] },
  'a resume': { ...RESUME, before: [STOPPED] },
  'a plan': { args: ['card', 'block', '--from', '-', '--plan', 'p.plan'] },
  'a plan that is applied': {
    goesOn: true,
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
  'a takeover': { ...RESUME, before: [STOPPED], arrange: deadLock },
  'a reconcile of a run': {
    goesOn: true,
    isUnknownBefore: true,
    before: [[...BLOCK, '--run', 'may']],
    args: ['runs', 'resume', 'may', '--reconcile', '-o', 'ndjson'],
  },
  'a reconcile of the history': {
    isUnknownBefore: true,
    before: [['card', 'block', cardId(1), '--yes']],
    args: ['history', 'reconcile'],
  },
  'a revert': {
    arrange: (home) => {
      work(home, 'old.csv', OLD);
      work(home, 'new.csv', OLD.replaceAll('@x', '@y'));
    },
    before: [CHANGED],
    args: ['runs', 'revert', 'may', '--plan', 'back.plan'],
  },
  'a report': { before: [STOPPED], args: ['runs', 'report', 'may', '--as', 'markdown'] },
  'rows of a file': { arrange: (home) => work(home, 'ids.txt', idLines(6)), args: BLOCK.with(3, 'ids.txt') },
  'rows of a workbook': {
    arrange: async (home) => {
      const rows = idLines(6).trim().split('\n');
      work(home, 'ids.xlsx', await writtenWorkbook([{ name: 'Rows', rows: [['cardId'], ...rows.map((id) => [id])] }]));
    },
    args: BLOCK.with(3, 'ids.xlsx'),
  },
  'an answer in a file': {
    args: ['card', 'provision', cardId(1), '--wallet', 'wallet_a', '--out', 'answer.json', '--yes'],
  },
  'a second record': { args: BLOCK, env: { FRONTDESK_AUDIT_LOG: 'audit.log' } },
  'the results of a run': { before: [STOPPED], args: ['runs', 'results', 'may', '-o', 'ndjson'] },
};

async function stage({ before = [], isUnknownBefore = false, arrange }: Case) {
  const home = createHome();
  const applied = new Map<number | string, number>();
  const service = playService();
  let isBefore = true;
  const server = await startRecordingServer((request, count) => {
    const key = cardNumber(request) || request.url;
    if (request.method !== 'GET') applied.set(key, (applied.get(key) ?? 0) + 1);
    if (request.method === 'POST' && isBefore && isUnknownBefore) return { body: 'no JSON' };
    if (request.method === 'GET' && isUnknownBefore) return { body: cardText('BLOCKED', cardId(cardNumber(request))) };
    return service(request, count);
  });
  const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN, FRONTDESK_CALENDAR_TOKEN: 'calendar-token' };
  const run = (at: Home, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { home: at, env: { ...env, TMPDIR: join(at.path, 'tmp'), ...more }, stdin: idLines(6) });
  mkdirSync(join(home.path, 'tmp'));
  await run(home, ['profile', 'set', 'live', '--cards-url', server.url, '--calendar-url', server.url]);
  if (before.length > 0 && arrange !== deadLock) await arrange?.(home);
  for (const args of before) await run(home, args);
  if (before.length === 0 || arrange === deadLock) await arrange?.(home);
  isBefore = false;
  return { home, run, applied };
}

function outcomes(stdout: string): ReadonlyMap<number, string> {
  const rows = stdout.split('\n').flatMap((line): [number, string][] => {
    const found = /^\{"row":(\d+),.*?"outcome":"(\w+)"/.exec(line);
    return found === null ? [] : [[Number(found[1]), found[2] ?? '']];
  });
  return new Map(rows);
}

/** What is wrong with an end, given how often the service counted each row. */
function faultsOf({ code, stdout, stderr }: RunResult, applied: ReadonlyMap<number | string, number>, lists: boolean) {
  const told = [...outcomes(stdout)].map(([row, outcome]) => ({ row, outcome, count: applied.get(row) ?? 0 }));
  return [
    ...(CODES.includes(code ?? -1) ? [] : [`it ended with ${code}`]),
    ...(stderr.includes('internal error') ? ['internal error'] : []),
    ...told
      .filter(({ outcome, count }) => outcome === 'applied' && count !== 1)
      .map(({ row }) => `${row} was not applied`),
    ...told.filter(({ outcome, count }) => outcome === 'not_sent' && count !== 0).map(({ row }) => `${row} was sent`),
    ...[...applied].filter(([, count]) => count !== 1).map(([row, count]) => `${row} was sent ${count} times`),
    ...(lists && code === 0 && stdout.trim() === '[]' ? ['an empty list, without a word'] : []),
  ].map((fault) => `${fault}: ${stderr}`);
}

describe('E20 every call of the file system fails in turn', () => {
  it.each(Object.entries(CASES))('%s', { timeout: LIMIT_MS }, async (name, given) => {
    const { home, run, applied } = await stage(given);
    const began = new Map(applied);
    const { code, stderr } = await run(copyHome(home), given.args, given.env);
    expect(code, stderr).toBe(given.code ?? 0);
    const found: string[] = [];
    let tried = 0;
    const judge = (what: string, ended: RunResult, lists: boolean) =>
      found.push(...faultsOf(ended, applied, lists).map((fault) => `${what}: ${fault}`));
    /** Whether that call was reached, and so failed. */
    const failAt = async (errno: string, at: number, goesOn: boolean): Promise<boolean> => {
      applied.clear();
      for (const [row, count] of began) applied.set(row, count);
      const copy = copyHome(home);
      const count = join(copy.path, 'count');
      const ended = await run(copy, given.args, {
        ...given.env,
        NODE_OPTIONS: `--require ${PRELOAD}`,
        FAIL_AT: `${at}`,
        FAIL_ON: goesOn ? '1' : '',
        FAIL_WITH: errno,
        FAIL_BELOW: [copy.configDir, copy.stateDir, join(copy.path, 'tmp'), join(copy.path, 'work')].join(':'),
        FAIL_COUNT: count,
        FRONTDESK_DEBUG: '1',
      });
      const what = `${errno} at call ${at}${goesOn ? ' and from then on' : ''}`;
      judge(what, ended, given.lists === true);
      if (IS_LONG && given.goesOn === true)
        judge(`${what}, and then again`, await run(copy, given.args, given.env), false);
      const isReached = Number(readFileSync(count, 'utf8')) >= at;
      rmSync(copy.path, { recursive: true, force: true });
      if (isReached) tried += 1;
      return isReached;
    };
    for (const [index, errno] of ERRORS.entries()) {
      let at = 1 + (IS_LONG ? 0 : index * STRIDE);
      // Alone by turns, and with all that come after it.
      while (await failAt(errno, at, (at + index) % 2 === 0)) at += STEP;
    }
    process.stdout.write(`${name}: ${tried} calls failed\n`);
    expect(found).toEqual([]);
  });
});

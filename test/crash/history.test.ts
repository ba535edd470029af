import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cardId, cardNumber } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home } from '../support/run-frontdesk.ts';
import { BUILT_PROGRAM, type ProgramEnd, startProgram } from './program.ts';

const DIE = fileURLToPath(new URL('die-in-history.cjs', import.meta.url));
const DAY_MS = 86_400_000;
/** A sweep that finds fewer steps would prove nothing; one that never ends neither. */
const FEWEST_STEPS = 8;
const MOST_STEPS = 200;

/** A history of old and young writes to cards; those of which the outcome is not known are the cards 3 and 4. */
function homeWithHistory(host: string): Home {
  const home = createHome();
  mkdirSync(home.stateDir, { recursive: true, mode: 0o700 });
  const lines = [200, 100, 2, 1].flatMap((daysAgo, index) => {
    const time = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    const entry = `${time.replace(/[-:.Z]/g, '')}-a1-00000${index}`;
    const about = { operation: 'card.block', id: cardId(index + 1), user: 'ada', profile: 'default', host };
    const outcome = index < 2 ? 'applied' : 'unknown';
    return [
      { event: 'begin', entry, time, ...about },
      { event: 'end', entry, outcome, attempts: 1, httpStatus: 502 },
    ];
  });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(home.stateDir, 'history.jsonl'), `${text}{"event":"beg`, { mode: 0o600 });
  return home;
}

function run(
  home: Home,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  at?: number,
): Promise<ProgramEnd> {
  const crash = at === undefined ? {} : { NODE_OPTIONS: `--require ${JSON.stringify(DIE)}`, CRASH_AT: String(at) };
  return startProgram({ program: BUILT_PROGRAM, args, home, env: { ...env, ...crash } }).ended;
}

/** The cards in the history with the outcomes of their writes. */
async function known(home: Home): Promise<readonly string[]> {
  const { stdout, stderr } = await run(home, {}, ['history', '--json', '--limit', '100']);
  expect(stderr).toBe('');
  // The array of the contract's section 10.
  const entries = JSON.parse(stdout) as { id: string; outcome: string }[];
  return entries.map(({ id, outcome }) => `${Number(id.slice(-12))} ${outcome}`);
}

/** Kills the command at each of its steps in turn, each time on a new history, and hands over what that left. */
async function sweep(
  host: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  judge: (home: Home) => Promise<void>,
): Promise<number> {
  for (let at = 1; at <= MOST_STEPS; at += 1) {
    const home = homeWithHistory(host);
    const { signal } = await run(home, env, args, at);
    await judge(home);
    if (signal === null) return at - 1;
  }
  throw new Error('it never came to its end');
}

describe('the history, killed at each step', () => {
  it('of prune, has every young write, all old ones or none, and is pruned by the next', {
    timeout: 3_600_000,
  }, async () => {
    const args = ['history', 'prune', '--older-than', '90d', '--yes', '-q'];
    const young = ['4 unknown', '3 unknown'];
    const steps = await sweep('h', {}, args, async (home) => {
      expect([[...young], [...young, '2 applied', '1 applied']]).toContainEqual(await known(home));
      expect((await run(home, {}, args)).code).toBe(0);
      expect(await known(home)).toEqual(young);
      // The index of open writes may be there: it is made anew from the history.
      const left = readdirSync(home.stateDir).filter((name) => !['history.jsonl', 'open-writes.json'].includes(name));
      expect(left).toEqual([]);
    });
    process.stdout.write(`prune: ${steps} steps\n`);
    expect(steps).toBeGreaterThan(FEWEST_STEPS);
  });

  it('of reconcile, has every write as unknown or settled, and is settled by the next', {
    timeout: 3_600_000,
  }, async () => {
    const server = await startRecordingServer((request) => ({
      body: { cardId: cardId(cardNumber(request)), status: 'BLOCKED' },
    }));
    const host = server.url.slice('http://'.length);
    const args = ['history', 'reconcile', '-q', '--json'];
    const steps = await sweep(host, server.env, args, async (home) => {
      const left = await known(home);
      expect(left).toHaveLength(4);
      expect(left[0]).toMatch(/^4 (?:unknown|confirmed_by_read)$/);
      expect(left[1]).toMatch(/^3 (?:unknown|confirmed_by_read)$/);
      expect((await run(home, server.env, args)).code).toBe(0);
      expect(await known(home)).toEqual(['4 confirmed_by_read', '3 confirmed_by_read', '2 applied', '1 applied']);
    });
    expect(server.requests.every(({ method }) => method === 'GET')).toBe(true);
    process.stdout.write(`reconcile: ${steps} steps\n`);
    expect(steps).toBeGreaterThan(FEWEST_STEPS);
  });
});

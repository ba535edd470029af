import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHome } from '../support/run-frontdesk.ts';
import { IS_LONG } from '../support/seeded-random.ts';
import { keyOf, startCountingServer } from './counting-server.ts';
import { Pod, UNSHARE } from './pod.ts';
import { printedRows, startProgram } from './program.ts';

/** A minute of patience is over in three seconds. */
const SPEED = 20;
const ROWS = 30;
const HOUR_MS = 3_600_000;
const CHANGES = IS_LONG ? 100 : 12;

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

/** A run that pods can share, and the service that counts what it is asked. */
async function sharedRun() {
  const home = createHome();
  const server = await startCountingServer('reissue', 30);
  const rows = Array.from({ length: ROWS }, (_, index) => `${keyOf(index + 1)};"worn; torn"\r\n`);
  writeFileSync(join(home.path, 'work', 'cards.csv'), `cardId;reason\r\n${rows.join('')}`);
  const args = ['card', 'reissue', '--from', 'cards.csv', '--run', 'night', '--yes', '-j', '2', '-o', 'ndjson'];
  const start = (name: string, clockOffsetMs = 0, more: Readonly<Record<string, string>> = {}): Pod => {
    const env = { ...server.env, ...more };
    const pod = new Pod({ args, home, env, name, clockOffsetMs, speed: SPEED });
    cleanUps.push(() => pod.signal('SIGKILL'));
    return pod;
  };
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => server.listen((stage, number) => stage === 'arrived' && number === count && resolve()));
  return { home, server, start, arrived };
}

describe.skipIf(UNSHARE === undefined)('containers (needs unshare)', () => {
  it.each([
    ['M2 a run in a container that is paused for too long', {}],
    ['E22 a run in a container whose machine stands still, both clocks with it,', { CLOCK_STOPS: '1' }],
  ])('%s sends nothing more, and ends with 16 naming its successor', async (_what, env) => {
    const { server, start, arrived } = await sharedRun();
    const first = start('pod-1', 0, env);
    await arrived(10);
    first.signal('SIGSTOP');
    const before = await start('pod-2').ended;
    await server.quiet();
    const sent = server.order.length;
    first.signal('SIGCONT');
    const { code, stdout, stderr } = await first.ended;
    expect(stderr).toContain(
      'run night is no longer held by this process, which gave no sign of life for too long: another frontdesk on pod-2 (process 1) took it over. Nothing more of it is sent from here.',
    );
    expect(code).toBe(16);
    expect(server.order).toHaveLength(sent);
    expect(new Set(server.order).size).toBe(sent);
    // What was under way when it was paused is unknown to its successor. Only the one who was paused knows the answer,
    // or that its request never left.
    expect([0, 8]).toContain(before.code);
    const own = new Map(printedRows(stdout).map(({ row, outcome }) => [row, outcome]));
    const unknown = printedRows(before.stdout).filter(({ outcome }) => outcome === 'unknown');
    const truth = unknown.map(({ row }) => (server.applications(row) === 1 ? 'applied' : 'not_sent'));
    expect(unknown.map(({ row }) => own.get(row))).toEqual(truth);
    expect(sent).toBe(ROWS - truth.filter((outcome) => outcome === 'not_sent').length);
  });

  it('M4 a run in a container that is killed is succeeded by one that says so, waits and ends it by itself', async () => {
    const { server, start, arrived } = await sharedRun();
    const first = start('pod-1');
    await arrived(2);
    // While the first one lives: after its end the system may give its namespace to the next.
    const second = start('pod-2', -HOUR_MS);
    await arrived(8);
    first.signal('SIGKILL');
    const { code, stderr } = await second.ended;
    const said = [...stderr.matchAll(/"message":"(run night(?! of )[^"]*)"/g)].map(([, message]) => message);
    expect(said[0]).toBe(
      'run night is in use by another frontdesk on pod-1 (process 1). Waiting up to 90 s, then taking over if there was no sign of life for 60 s',
    );
    expect(said[1]).toMatch(
      /^run night: another frontdesk on pod-1 \(process 1\) gave its last sign of life \d+ s ago\. Still waiting$/,
    );
    expect(said.at(-1)).toBe(
      'run night is taken over: another frontdesk on pod-1 (process 1) gave no sign of life for 60 s',
    );
    expect([0, 8]).toContain(code);
    expect(server.order.toSorted()).toEqual([...new Set(server.order)].sort());
  });

  it('M6 a run in a container that is killed is succeeded by its own restart, in the same namespace or in another one', async () => {
    const { server, start, arrived } = await sharedRun();
    const first = start('pod-1');
    await arrived(10);
    first.signal('SIGKILL');
    await first.ended;
    expect([0, 8]).toContain((await start('pod-1').ended).code);
    expect(server.order.toSorted()).toEqual([...new Set(server.order)].sort());
  });

  it('M8 a run in a container ends in order at SIGTERM although it is process 1, so that nobody waits for it', async () => {
    const { server, start, arrived } = await sharedRun();
    const first = start('pod-1');
    await arrived(10);
    first.signal('SIGTERM');
    expect((await first.ended).code).toBe(143);
    const { code, stderr } = await start('pod-2', HOUR_MS).ended;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('is in use by') });
    expect(server.order.toSorted()).toEqual(Array.from({ length: ROWS }, (_, index) => keyOf(index + 1)).sort());
  });

  it('M5 a run in containers is begun once by three that start it together', async () => {
    const { server, start } = await sharedRun();
    const pods = [start('pod-1'), start('pod-2', HOUR_MS), start('pod-3', -HOUR_MS)];
    const ends = await Promise.all(pods.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code).filter((code) => code !== 0 && code !== 2)).toEqual([]);
    expect(ends.some(({ code }) => code === 0)).toBe(true);
    expect(server.order).toHaveLength(ROWS);
    expect(new Set(server.order).size).toBe(ROWS);
  });
});

it.skipIf(UNSHARE === undefined)(
  `M9 two machines whose clocks are two hours apart (needs unshare) lose and double nothing of ${CHANGES} changes each to settings, history and sandbox`,
  async () => {
    const home = createHome();
    const run = async (args: readonly string[], name: string, clockOffsetMs: number) => {
      const pod = new Pod({ args, home, env: {}, name, clockOffsetMs, speed: 1 });
      const { code, stderr } = await pod.ended;
      expect({ args, code, stderr }).toMatchObject({ code: 0 });
    };
    const machine = async (name: string, clockOffsetMs: number) => {
      for (let number = 1; number <= CHANGES; number += 1) {
        const profile = ['profile', 'set', `${name}-${number}`, '--cards-url', 'https://cards.example.com'];
        const event = ['calendar', 'event', 'create', '--calendar', 'cal_harbour_tours', '--name', `${name}-${number}`];
        await run(profile, name, clockOffsetMs);
        await run(['-p', 'sandbox', ...event, '--start', '2026-05-01'], name, clockOffsetMs);
      }
    };
    await Promise.all([machine('pod-1', HOUR_MS), machine('pod-2', -HOUR_MS)]);
    const wanted = ['pod-1', 'pod-2'].flatMap((name) =>
      Array.from({ length: CHANGES }, (_, index) => `${name}-${index + 1}`),
    );
    const settings = JSON.parse(readFileSync(join(home.configDir, 'settings.json'), 'utf8'));
    expect(Object.keys(settings.profiles).sort()).toEqual(wanted.toSorted());
    const state = JSON.parse(readFileSync(join(home.stateDir, 'sandbox', 'state.json'), 'utf8'));
    expect(state.events.map((event: { name: string }) => event.name).sort()).toEqual(wanted.toSorted());
    const args = ['history', 'list', '--json', '--limit', '1000'];
    const history = await startProgram(args, home, {}).ended;
    // One object a write.
    const entries = JSON.parse(history.stdout) as { outcome: string; resultId: string }[];
    expect(entries.map(({ outcome }) => outcome)).toEqual(wanted.map(() => 'applied'));
    const ids = state.events.map((event: { id: string }) => event.id);
    expect(entries.map(({ resultId }) => resultId).sort()).toEqual(ids.toSorted());
  },
  600_000,
);

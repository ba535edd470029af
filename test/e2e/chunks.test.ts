import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cardId, playService } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, listingLoaded, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHUNKS = join(ROOT, 'dist', 'chunks');

// An input is read once, by the command that checks it. What shows or resumes a run does not even load what
// reads inputs.

/** Said by the decoder alone, through which all text of an input goes. */
const OF_THE_DECODER = 'Nothing from here on was read';

it('runs resume, results, report and revert parse no input', async () => {
  const home = createHome();
  const [older, newer] = [join(home.path, 'old.csv'), join(home.path, 'new.csv')];
  const ids = [1, 2, 3, 4].map((n) => `sub_${n}`);
  writeFileSync(older, `id;email\r\n${ids.map((id) => `${id};${id}@old.example`).join('\r\n')}\r\n`);
  writeFileSync(newer, `id;email\r\n${ids.map((id) => `${id};${id}@new.example`).join('\r\n')}\r\n`);
  let isDown = true;
  const server = await startRecordingServer(
    playService(({ url }) => (isDown && url.includes('sub_3') ? { status: 401 } : undefined)),
  );
  const readers = readdirSync(CHUNKS).filter((name) =>
    readFileSync(join(CHUNKS, name), 'utf8').includes(OF_THE_DECODER),
  );
  expect(readers).toHaveLength(1);
  const { env: preload, loaded } = listingLoaded(home);
  /** Runs a command; answers its stdout, and how many chunks it loaded that read inputs. */
  const readBy = async (code: number, ...args: readonly string[]) => {
    const result = await runFrontdesk(args, { home, env: { ...server.env, ...preload } });
    expect(result.code, result.stderr).toBe(code);
    return { stdout: result.stdout, readings: loaded().chunks.filter((name) => readers.includes(name)).length };
  };
  const update = ['calendar', 'subscribers', 'update', '--from', newer, '--changed-from', older];
  expect((await readBy(4, ...update, '--run', 'r', '-j', '1', '--yes', '-o', 'ndjson')).readings).toBe(1);
  for (const path of [older, newer]) rmSync(path);
  expect(readdirSync(join(home.stateDir, 'runs', 'r')).sort()).toEqual([
    'header.json',
    'journal.jsonl',
    'reached',
    'rows',
  ]);
  isDown = false;
  const failed = join(home.path, 'failed.csv');
  expect((await readBy(0, 'runs', 'resume', 'r', '--failed', failed, '-o', 'ndjson')).readings).toBe(0);
  expect(server.requests.map(({ url, body }) => [url.split('/').at(-1), body])).toEqual([
    ['sub_1', '{"email":"sub_1@new.example"}'],
    ['sub_2', '{"email":"sub_2@new.example"}'],
    ['sub_3', '{"email":"sub_3@new.example"}'],
    ['sub_3', '{"email":"sub_3@new.example"}'],
    ['sub_4', '{"email":"sub_4@new.example"}'],
  ]);
  expect(await readBy(0, 'runs', 'results', 'r', '-o', 'csv')).toMatchObject({ readings: 0 });
  // In the dialect of the file that is gone.
  expect(await readBy(0, 'runs', 'results', 'r', '--as-input')).toEqual({
    stdout: `id;email;_outcome\r\n${ids.map((id) => `${id};${id}@new.example;applied`).join('\r\n')}\r\n`,
    readings: 0,
  });
  expect((await readBy(0, 'runs', 'report', 'r', '--as', 'html')).readings).toBe(0);
  expect((await readBy(0, 'runs', 'revert', 'r', '--plan', 'back.plan')).readings).toBe(0);
  const plan = readFileSync(join(home.path, 'work', 'back.plan'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1);
  expect(plan.map((line) => (JSON.parse(line) as { readonly body: unknown }).body)).toEqual(
    ids.map((id) => ({ email: `${id}@old.example` })),
  );
});

/** `$2` is the program of all tests. */
const OF_COPY = 'node=$1; shift 2; "$node" ../program/bin/frontdesk.js "$@"';

/** An installed copy of the program, and what an installation of another version does to it. */
function installed() {
  const home = createHome();
  const place = join(home.path, 'program');
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(place, part), { recursive: true });
  const chunks = join(place, 'dist', 'chunks');
  const replace = (): void => {
    for (const name of readdirSync(chunks)) {
      const text = readFileSync(join(chunks, name), 'latin1');
      writeFileSync(join(chunks, name), text.replace(/[0-9a-f]{16}$/, '0123456789abcdef'), 'latin1');
    }
  };
  return { home, place, replace };
}

it.each([
  { at: 'GET', sent: ['GET'], outcome: undefined },
  { at: 'POST', sent: ['GET', 'POST'], outcome: 'applied' },
])('a call whose program is replaced at its $at runs no chunk of another: 16, and the history knows', async (way) => {
  const { home, place, replace } = installed();
  const play = playService();
  const server = await startRecordingServer((request, count) => {
    if (request.method === way.at) replace();
    return play(request, count);
  });
  const reissue = ['card', 'reissue', cardId(1), '--expect', 'status=ACTIVE', '--yes', '-q'];
  const ended = await startFrontdesk(reissue, { home, env: server.env, script: OF_COPY }).result;
  expect([ended.code, ended.stdout]).toEqual([16, '']);
  expect(ended.stderr).toMatch(
    /^frontdesk: the rest of the program could not be loaded \(EREPLACED: another version was put in the place of this one, open '[^']+'\)\. Before you run it again, check what happened: frontdesk history$/m,
  );
  expect(server.requests.map(({ method }) => method)).toEqual(way.sent);
  const { stdout } = await startFrontdesk(['history', '--json'], { home }).result;
  expect(JSON.parse(stdout)[0]?.outcome).toBe(way.outcome);
  // A call that begins with the other version's files says so at once.
  writeFileSync(join(place, 'dist', 'build-id'), 'fedcba9876543210');
  const next = await startFrontdesk(['config', 'path'], { home, script: OF_COPY }).result;
  expect([next.code, next.stdout]).toEqual([16, '']);
  expect(next.stderr).toMatch(/^frontdesk: could not start: EREPLACED: /);
});

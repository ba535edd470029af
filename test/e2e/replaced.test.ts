import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { cardId, playService } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, startFrontdesk } from '../support/run-frontdesk.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
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

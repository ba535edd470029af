import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cardId, playService, REPLACEMENT_ID } from '../../support/plain-service.ts';
import { type Handler, startRecordingServer } from '../../support/recording-server.ts';
import { createHome, type Home, injecting, runFrontdesk } from '../../support/run-frontdesk.ts';

// The record of an end that the disk does not take, when the service has done the change.

/** Once this file exists, the disk fails each write that is meant to last. */
const fullIn = (home: Home) => join(home.path, 'full');

function fullDisk(home: Home) {
  return injecting(`
    import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const isFull = () => fs.existsSync(${JSON.stringify(fullIn(home))});
    const refuse = () => Object.assign(new Error('made to fail'), { code: 'EDQUOT', errno: -5, syscall: 'fdatasync' });
    const { fdatasync } = fs;
    fs.fdatasync = (fd, done) => (isFull() ? done(refuse()) : fdatasync(fd, done));
    syncBuiltinESMExports();
    const file = await fs.promises.open(process.execPath);
    const handle = Object.getPrototypeOf(file);
    await file.close();
    const { datasync } = handle;
    handle.datasync = function () { return isFull() ? Promise.reject(refuse()) : datasync.call(this); };
  `);
}

/** Does each change, and lets the disk fill up before it says so. */
const fills =
  (home: Home): Handler =>
  (request, count) => {
    if (request.method === 'POST') writeFileSync(fullIn(home), '');
    return playService()(request, count);
  };

/** Reissues these cards, one after the other, on such a disk. */
async function reissue(args: readonly string[]) {
  const home = createHome();
  const server = await startRecordingServer(fills(home));
  const env = { ...server.env, ...fullDisk(home) };
  const result = await runFrontdesk(['card', 'reissue', ...args, '--yes'], { home, env });
  return { ...result, home, posts: server.lines.filter((line) => line.startsWith('POST')) };
}

const WORDS = 'the disk quota is used up (EDQUOT)';

it('a change whose end meets a used-up quota is exit 16, with its outcome and the ID of the new card', async () => {
  const { code, stdout, stderr, posts } = await reissue([cardId(1), '--json']);
  expect({ code, stdout, posts }).toEqual({ code: 16, stdout: '', posts: [`POST /v1/cards/${cardId(1)}/reissue`] });
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({ code: 'LOCAL_IO', exitCode: 16, id: cardId(1), outcome: 'applied' });
  expect(error.hint).toBe('free space within the quota of this user, or have it raised');
  expect(error.resultId).toBe(REPLACEMENT_ID);
  expect(error.message).toMatch(/^could not write the end of entry \S+ to the history \(/);
  expect(error.message).toContain(`: ${WORDS}. The change WAS applied. The ID in the response is ${REPLACEMENT_ID}.`);
});

it('a row whose end meets a used-up quota is named with its outcome and the ID of the new card, and the run stops', async () => {
  const ids = [cardId(1), cardId(2)];
  const { code, stderr, posts, home } = await reissue([...ids, '-j', '1', '--run', 'till', '-o', 'ndjson']);
  expect({ code, posts }).toEqual({ code: 16, posts: [`POST /v1/cards/${cardId(1)}/reissue`] });
  const [unrecorded, stopped, end] = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(unrecorded).toEqual({
    notice: {
      code: 'UNRECORDED',
      message: `row 1: card reissue of ${cardId(1)} ended applied, and that could not be recorded. The ID in the response is ${REPLACEMENT_ID}`,
    },
  });
  expect(stopped.notice.message).toContain(`: ${WORDS}.`);
  expect(end.summary).toMatchObject({
    outcomes: { not_sent: 1, unknown: 1 },
    unrecorded: 1,
    exitCode: 16,
    resume: 'frontdesk runs resume till',
  });
  // As a resume will find it.
  const { stdout } = await runFrontdesk(['runs', 'results', 'till', '-o', 'ndjson', '--query', 'outcome'], { home });
  expect(stdout).toBe('"unknown"\n"not_sent"\n');
});

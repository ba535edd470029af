import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call, RawClient, YES } from '../support/mcp-process.ts';
import { lastLine } from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// A script that looks for 8 must find it: an unknown outcome comes before a record that cannot be written (16).

/** A service that takes a write and says nothing, while a file takes the place of the history's folder. */
function breaksHistory(home: Home) {
  return startRecordingServer(({ method }) => {
    if (method === 'GET') return { body: cardText('ACTIVE') };
    // An outcome that is not known yet is noted among the open writes.
    const folder = join(home.stateDir, 'open');
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '', { mode: 0o600 });
    return 'reset';
  });
}

const NOT_RECORDED = /The\s+end\s+of\s+its\s+record\s+could\s+not\s+be\s+written/;

it.each<readonly [string, readonly string[]]>([
  ['card block', ['card', 'block', CARD_ID, '--yes']],
  ['api', ['api', 'POST', '/v1/cards/import/rows', '--data', '{}', '--yes']],
])('an unknown outcome whose record cannot be written exits with 8: %s', async (_, args) => {
  const home = createHome();
  const server = await breaksHistory(home);
  const result = await runFrontdesk([...args, '--json'], { home, env: { ...server.env, ...NO_PAUSE } });
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 8, stdout: '' });
  // The last line of stderr is the error.
  const { error } = lastLine(result.stderr) as { error: object };
  expect(error).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    exitCode: 8,
    outcome: 'unknown',
    message: expect.stringMatching(NOT_RECORDED),
  });
  expect(server.lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

it('the desk exits with 8 for an unknown outcome whose record cannot be written', async () => {
  const home = createHome();
  const server = await breaksHistory(home);
  const env = { ...server.env, ...NO_PAUSE, FRONTDESK_ACCESSIBLE: '1' };
  const terminal = openTerminal(['desk'], { home, columns: 200, env });
  await terminal.talk(
    [/Card ID/, `${CARD_ID}\r`],
    [/Look again/, '4\r'],
    [/Block card .*\(y\/N/, 'y\r'],
    [/sent at[\s\S]*NOT KNOWN YET[\s\S]*\(1 to \d+\)/, 'leave\r'],
  );
  expect((await terminal.end).code).toBe(8);
});

it('mcp returns 8 for an unknown outcome whose record cannot be written', async () => {
  const home = createHome();
  const server = await breaksHistory(home);
  const client = new RawClient(['--allow-writes'], { home, env: { ...server.env, ...NO_PAUSE } });
  await client.initialize();
  client.send(call(1, 'card_block', { cardId: CARD_ID, reason: 'lost' }));
  client.send({ jsonrpc: '2.0', id: (await client.question()).id, result: YES });
  expect((await client.answerTo(1)).result).toMatchObject({
    isError: true,
    structuredContent: { outcome: 'unknown', exitCode: 8, text: expect.stringMatching(NOT_RECORDED) },
  });
  await client.end();
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REGISTRY } from '../../src/registry.ts';
import { type Behavior, json, raw, reply, resetAfterRequest } from '../support/fault-server.ts';
import { NAMES, type OperationName, SAMPLE_CALLS, typedCall } from '../support/sample-calls.ts';
import { CARD_ID } from '../support/sample-card.ts';
import { findCanary } from './faults/canary.ts';
import { CALENDAR_CANARY, CARDS_CANARY, leaksInFiles, onStage, STORED_CANARY, type Stage } from './faults/stage.ts';

/**
 * Planted tokens (goal G7). The stage of the tests of this folder looks for them itself, in stdout, stderr,
 * arguments and every file; here that look is proven to see, and everything is called that could say too much.
 */

const GET = ['card', 'get', CARD_ID];
const NO_URLS = { FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };
const NO_TOKENS = { FRONTDESK_CARDS_TOKEN: undefined, FRONTDESK_CALENDAR_TOKEN: undefined };

function sampleArgs(name: OperationName): readonly string[] {
  const { command, choice, asks, ends } = SAMPLE_CALLS[name];
  return [
    ...typedCall(name).slice(command.split(' ').length),
    ...(choice === undefined ? [] : ['--show-sensitive']),
    ...(asks?.when === 'always' ? ['--yes'] : []),
    // It is called more than once.
    ...(ends === 'blind' ? ['--again'] : []),
  ];
}

/** Arguments with which a command does something here; the others need none. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(NAMES.map((name) => [SAMPLE_CALLS[name].command, sampleArgs(name)])),
  'card activate': [CARD_ID, CARD_ID.replace('7', '8'), '--yes'],
  'card reissue': [CARD_ID, '--yes', '--dry-run'],
  'card find': ['order-1'],
  'card wait': [CARD_ID, '--status', 'ACTIVE'],
  'auth status': [],
  'profile show': ['live'],
  'runs report': ['--last', '--as', 'html'],
  'profile use': ['live'],
  'config get': ['retries'],
  'config set': ['retries', '1'],
  'config unset': ['retries'],
  'history prune': ['--older-than', '90d', '--yes'],
  'runs show': ['--last'],
  'runs results': ['--last'],
  'runs resume': ['--last'],
  api: ['GET', `/v1/cards/${CARD_ID}`],
  completion: ['bash'],
};

/** Ask for a listening server, an entry of history, or take away what the others need: tested in files of their own. */
const LEFT_OUT = [
  ...['sandbox serve', 'history show', 'history resolve', 'auth login', 'auth logout', 'profile set', 'profile remove'],
  ...['runs remove', 'runs revert', 'plan show', 'plan apply', 'desk', 'mcp'],
];

async function logIn(stage: Stage): Promise<void> {
  for (const family of ['cards', 'calendar']) {
    const words = `auth login -p live --token-stdin --family ${family} --${family}-url`.split(' ');
    const args = [...words, stage.server.url];
    expect((await stage.run(args, { env: { ...NO_URLS, ...NO_TOKENS }, stdin: `${STORED_CANARY}\n` })).code).toBe(0);
  }
}

test.each([
  ['plain', (token: string) => token],
  ['plain', (token: string) => `cut: ${token.slice(0, 20)}…`],
  ['percent-encoded', (token: string) => encodeURIComponent(token)],
  ['base64', (token: string) => Buffer.from(token).toString('base64')],
  ['base64', (token: string) => Buffer.from(`:${token}`).toString('base64')],
  ['base64', (token: string) => Buffer.from(`user:${token}@`).toString('base64')],
  ['base64', (token: string) => Buffer.from(`x ${token}`).toString('base64url')],
  ['hex', (token: string) => Buffer.from(token).toString('hex')],
])('the search for planted tokens finds a token that is %s (%#)', (form, disguise) => {
  const found = findCanary(Buffer.from(`before ${disguise(CARDS_CANARY)} after`), [STORED_CANARY, CARDS_CANARY]);
  expect(found).toContain(`token 2, ${form}`);
  expect(found.filter((name) => name.startsWith('token 1'))).toEqual([]);
});

test('the search for planted tokens finds none in innocent text', () => {
  expect(findCanary(Buffer.from('fdCanary Bearer *** ends with ==, d3fa 7f3a'), [CARDS_CANARY])).toEqual([]);
});

test('the search for planted tokens fails a test in which a token was an argument, was printed, or was written to a file', async () => {
  await expect(onStage(async (stage) => void (await stage.run([...GET, CALENDAR_CANARY])))).rejects.toThrow('by argv');
  await expect(onStage(async (stage) => void (await stage.shell('echo $FRONTDESK_CARDS_TOKEN')))).rejects.toThrow(
    'a planted token was seen',
  );
  await expect(onStage(async (stage) => void stage.file('notes.txt', `x${STORED_CANARY}`))).rejects.toThrow(
    'were written to files',
  );
});

test.concurrent('tokens are printed by no command, with --verbose and FRONTDESK_DEBUG too', () =>
  onStage(async (stage) => {
    await logIn(stage);
    const paths = REGISTRY.entries.map(({ path }) => path).filter((path) => !LEFT_OUT.includes(path.join(' ')));
    const call = async (path: readonly string[], env: Readonly<Record<string, undefined>>) => {
      const args = [...path, ...(ARGUMENTS[path.join(' ')] ?? []), '--verbose', '--json'];
      const { code, stderr } = await stage.run(args, { env: { ...env, FRONTDESK_DEBUG: '1' } });
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.any(String) });
    };
    // The first ten call the service, with the stored tokens as well as with those of the environment.
    for (const path of paths.slice(0, 10)) await call(path, { ...NO_URLS, ...NO_TOKENS });
    for (const path of paths) await call(path, NO_URLS);
    expect(readFileSync(join(stage.home.configDir, 'credentials.json'), 'utf8').split(STORED_CANARY)).toHaveLength(3);
    expect(leaksInFiles(stage.home)).toEqual([]);
    expect(readdirSync(stage.home.stateDir).length).toBeGreaterThan(1);
  }));

test.concurrent('C20 tokens are printed by no failure, although the response echoes them', async () => {
  const echo = `${CARDS_CANARY} ${encodeURIComponent(CARDS_CANARY)} Bearer ${CARDS_CANARY}`;
  const faults: readonly Behavior[] = [
    json(401, { errorCode: CARDS_CANARY, message: echo, details: { echo: [echo] } }),
    json(403, { title: echo, detail: echo }),
    reply(404, { 'Content-Type': 'text/html' }, `<title>${echo}</title>${echo}`),
    reply(302, { Location: `https://user:${CARDS_CANARY}@evil.example/${encodeURIComponent(CARDS_CANARY)}` }, ''),
    json(429, { errorCode: 'X', message: echo }, { 'Retry-After': '99999', 'X-Request-Id': CARDS_CANARY }),
    json(500, echo),
    reply(200, { 'Content-Type': 'text/html', 'X-Echo': echo, 'Set-Cookie': `t=${CARDS_CANARY}` }, echo),
    raw(`HTTP/1.1 200 ${CARDS_CANARY}\r\nBad Header ${CARDS_CANARY}\r\n\r\n`),
    raw(CARDS_CANARY),
    resetAfterRequest(),
  ];
  const data: readonly Behavior[] = [
    json(200, `{"cardId":"${CARDS_CANARY}","status":"${echo}"}`),
    json(200, `{"a":1,"a":2,"token":"${echo}"}`),
  ];
  const play = (fault: Behavior, printsData: boolean) =>
    onStage(
      async (stage) => {
        const more = ['--verbose', '--retries', '0', '-o'];
        const env = { FRONTDESK_DEBUG: '1' };
        const [read, write, many] = await Promise.all([
          stage.run([...GET, ...more, 'table'], { env }),
          stage.run(['card', 'reissue', CARD_ID, '--yes', ...more, 'json'], { env }),
          stage.run(['card', 'get', CARD_ID, CARD_ID.replace('7', '8'), ...more, 'csv'], { env }),
        ]);
        for (const { code } of [read, write, many]) expect(code).not.toBe(1);
      },
      { route: () => fault, printsData },
    );
  await Promise.all([...faults.map((fault) => play(fault, false)), ...data.map((fault) => play(fault, true))]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { refused } from '../support/calls.ts';
import { cardId, idLines, openPlain, refusal } from '../support/plain-service.ts';
import type { RecordingServer } from '../support/recording-server.ts';
import { runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';

const TOKEN = 'stored-token-of-test-WXYZ';
const ID = cardId(1);
const GET = ['card', 'get', ID, '-o', 'ndjson'];
const CARDS = ['auth', 'login', '--family', 'cards'];

/** A home, and a service that answers so and that a login of its stores a token for. */
async function open(service?: Parameters<typeof openPlain>[0]) {
  const { home, server } = await openPlain(service);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { home, env });
  const login = (args: readonly string[], stdin = TOKEN) =>
    runFrontdesk([...CARDS, '--cards-url', server.url, ...args], { home, stdin });
  return { home, server, run, login, file: join(home.configDir, 'credentials.json') };
}

function bearer(server: RecordingServer): readonly unknown[] {
  return server.requests.map(({ headers }) => headers['authorization']);
}

function jwt(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`;
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

test('--token-command is run once per process, and once more after a 401; nothing is kept', async () => {
  const { home, server, login, file } = await open((_, count) => (count === 1 ? refusal(401, 'NO') : undefined));
  const command = 'echo once >> ran.txt; printf "command-token-%d" "$(wc -l < ran.txt)"';
  expect((await login(['--token-command', command])).code).toBe(0);
  const ran = join(home.path, 'work', 'ran.txt');
  expect(existsSync(ran)).toBe(false);
  expect((await runFrontdesk(['card', 'get', '--from', '-', '-j', '1'], { home, stdin: idLines(3) })).code).toBe(0);
  expect(readFileSync(ran, 'utf8')).toBe('once\nonce\n');
  expect(readFileSync(file, 'utf8')).not.toContain('command-token-1');
  expect(bearer(server)).toEqual([1, 2, 2, 2].map((token) => `Bearer command-token-${token}`));
});

test('the output of a token command counts when it exits, although a child of it holds the output open', async () => {
  const { server, run, login } = await open();
  expect((await login(['--token-command', 'echo token-of-a-command; sleep 25 &'])).code).toBe(0);
  const startedMs = performance.now();
  expect((await run(GET)).code).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  expect(bearer(server)).toEqual(['Bearer token-of-a-command']);
});

test.runIf(process.platform === 'linux')('Ctrl-C ends what a token command started, without its shell', async () => {
  const { home, server, login } = await open();
  const started = join(home.path, 'started');
  await login(['--token-command', `sleep 300 & echo $! > '${started}.new'; mv '${started}.new' '${started}'; wait`]);
  const program = spawn(process.execPath, [join('bin', 'frontdesk.js'), ...GET], {
    env: { PATH: process.env['PATH'], FRONTDESK_CONFIG_DIR: home.configDir, FRONTDESK_STATE_DIR: home.stateDir },
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(program, 'exit');
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), 30_000);
  // As a terminal does: to the whole group.
  process.kill(-(program.pid ?? 0), 'SIGINT');
  expect([...(await ended), ...server.lines]).toEqual([null, 'SIGINT']);
  const child = Number(readFileSync(started, 'utf8'));
  // Empty for a process that has ended and that nobody has waited for.
  const words = () => (existsSync(`/proc/${child}`) ? readFileSync(`/proc/${child}/cmdline`, 'utf8') : '');
  await vi.waitFor(() => expect(words()).toBe(''), 10_000);
  expect(server.requests).toEqual([]);
});

test('a token file may begin with a byte order mark, and a 401 names what is odd in the token', async () => {
  const { home, server, run, login } = await open(() => ({ status: 401 }));
  const file = join(home.path, 'token');
  writeFileSync(file, '\ufeff  token-$(x)-of-a-file \r\n', { mode: 0o600 });
  expect((await login(['--token-file', file])).code).toBe(0);
  const { code, stderr } = await run(GET.slice(0, 3));
  expect([code, bearer(server)[0]]).toEqual([4, 'Bearer token-$(x)-of-a-file']);
  expect(stderr).toContain('It holds $ ( ), which tokens rarely do');
  expect(stderr).not.toContain('of-a-file');
});

test.each([
  ['no family', ['--token-stdin'], '--family'],
  ['no token', ['--family', 'cards'], '--token-stdin'],
  ['two sources', ['--family', 'cards', '--token-stdin', '--token-file', 'x'], 'exclude each other'],
  ['a token as an argument', ['--family', 'cards', '--token', 'secret-argument'], 'no option that takes a token'],
  ['a family that is none', ['--family', 'card', '--token-stdin'], '--family'],
])('auth login: %s is exit 2', async (_what, args, problem) => {
  const stderr = await refused(['auth', 'login', ...args], { stdin: TOKEN });
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('secret-argument');
});

const MAP = ['card', 'block', '--from', 'x', '--map'];

test.each([
  ['before the command', ['--token', 'tok_x', 'card', 'get', ID], '--token: there is no option that takes a token'],
  ['between its words', ['card', '--api-token', 'tok_x', 'get', cardId(1)], '--api-token: there is no option'],
  ['after it', ['card', 'get', cardId(1), '--cards-token', 'tok_x'], '--cards-token: there is no option'],
  ['with one dash', ['-token', 'tok_x', 'card', 'get', cardId(1)], '-token: there is no option'],
  ['of another command', ['--token-command', 'echo tok_x', 'auth', 'login'], '--token-command: must come after its'],
  ['after --', ['auth', 'status', '--', '--token', 'tok_x'], 'unexpected argument: --token ***'],
  ['as an argument', ['auth', 'login', 'tok_x'], 'unexpected argument: ***'],
  ['as a command', ['auth', 'tok_x'], '***: unknown command of `frontdesk auth`'],
  ['after another name of a secret', ['card', 'get', '--api_key', 'tok_x'], '--api_key: there is no option'],
  ['after a shorter name', ['--pass', 'tok_x', 'card', 'get'], '--pass: there is no option'],
  ['with a name of its own', ['card', 'get', '--Cookie', 'a=tok_x'], '--Cookie: there is no option'],
  ['after -- and such a name', ['card', 'get', '--', '--pass_phrase', 'tok_x'], '"***" is not a card ID'],
  ['as a setting', ['config', 'set', 'cardsToken=tok_x1'], 'not "cardsToken=***"'],
  ['in a URL, as a key', ['api', 'GET', 'https://h.example/v1?key=tok_x1'], '"https://h.example/v1?key=***"'],
  ['in a URL', ['api', 'GET', 'https://h.example/v1?a=b&api_key=tok_x1'], '"https://h.example/v1?a=b&api_key=***"'],
  ['after the option that reads it from stdin', [...CARDS, '--token-stdin', 'tok_x'], 'unexpected argument: ***'],
  ['behind Bearer', ['card', 'get', ID, '--timeout', 'Bearer tok_x1'], '--timeout: must be a duration'],
  ['as --map', [...MAP, 'Bearer tok_x1'], 'must be "<column>=<field>", not "Bearer ***"'],
  ['as a column', [...MAP, 'sk-tok_x123456789=cardIdd'], '"***=cardIdd" names no field'],
  ['as a field', [...MAP.slice(0, -1), '--map=Ticket=sk-tok_x123456789'], '"Ticket=***" names no field'],
  ['but its column is', [...MAP, 'Token=cardIdd'], '"Token=cardIdd" names no field'],
  ['after a misspelt one', [...CARDS, '--token-stdn', 'tok_x'], 'did you mean --token-stdin?'],
])('C6 auth login never repeats a value that may be a secret: %s', async (_where, args, problem) => {
  const stderr = await refused(args);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('tok_x');
});

test.each([
  ['where a command is expected', ['tok-of-the-environment'], '***: unknown command'],
  ['where a message cuts it', ['card', 'get', `${'x'.repeat(90)}tok-of-the-environment`], 'is not a card ID'],
  ['in the name of a file', ['card', 'get', '--from', 'tok-of-the-environment.csv'], '"***.csv"'],
  ['in the name of a run', ['runs', 'show', 'tok-of-the-environment'], 'there is no run ***'],
  ['as a topic of help', ['help', 'tok-of-the-environment'], '***: neither a command nor a help topic'],
])('a token of the environment is never repeated: %s', async (_where, args, problem) => {
  const { stderr } = await runFrontdesk(args, { env: { FRONTDESK_CARDS_TOKEN: 'tok-of-the-environment' } });
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('tok-of-the');
});

test('a stored token in a reason is sent, and masked in the history', async () => {
  const { home, server, login } = await open();
  expect((await login(['--token-stdin'], 'the-stored-token')).code).toBe(0);
  const env = { FRONTDESK_CARDS_URL: server.url };
  const block = ['card', 'block', ID, '--yes', '--reason', 'used the-stored-token'];
  expect((await runFrontdesk(block, { home, env })).code).toBe(0);
  expect(server.requests.map(({ body }) => body)).toEqual(['{"reason":"used the-stored-token"}']);
  expect(JSON.parse((await runFrontdesk(['history', '--json'], { home, env })).stdout)[0].reason).toBe('used ***');
});

test('a credential that --check finds refused is not kept, and the earlier one stays', async () => {
  const { login, file } = await open(() => ({ status: 401, body: '{}' }));
  const first = await login(['--token-stdin', '--check', ID]);
  expect(first.code).toBe(4);
  expect(first.stderr).toContain('the credential is not kept. The profile default and its URL are saved');
  const kept = () => readFileSync(file, 'utf8');
  expect([JSON.parse(kept()).entries, (await login(['--token-stdin'], 'the-token-before')).code]).toEqual([[], 0]);
  const again = await login(['--token-stdin', '--check', ID], 'the-refused-token');
  expect(again.code).toBe(4);
  expect(again.stderr).toContain('the credential is not kept, and the one before it is in its place again');
  expect(kept()).toContain('the-token-before');
  expect(kept()).not.toContain('the-refused-token');
});

test('--check is refused where the environment has another token, which it would try', async () => {
  const { run, server } = await open();
  const args = [...CARDS, '--cards-url', server.url, '--token-command', 'echo x', '--check', ID];
  const { code, stderr } = await run(args, { FRONTDESK_CARDS_TOKEN: 'tok-other' });
  expect([code, server.requests.length]).toEqual([2, 0]);
  expect(stderr).toContain('--check: would try what FRONTDESK_CARDS_TOKEN says instead');
});

test('a credential that --check could not try is kept, with the exit code of the read', async () => {
  const { login, file } = await open(() => ({ status: 404, body: '{}' }));
  const { code, stderr } = await login(['--token-stdin', '--check', ID]);
  expect(code).toBe(3);
  expect(stderr).toContain('warning: the credential is stored, but it could not be tried');
  expect(readFileSync(file, 'utf8')).toContain(TOKEN);
});

test('a stored token stays valid if only the path prefix of its URL changes', async () => {
  const { server, run, login } = await open();
  await login(['--token-stdin']);
  await run(['profile', 'set', 'default', '--cards-url', `${server.url}/shop/`]);
  await run(GET);
  expect([server.lines, bearer(server)]).toEqual([[`GET /shop/v1/cards/${ID}`], [`Bearer ${TOKEN}`]]);
});

test('a bulk run warns if the card token expires before the run can end', async () => {
  const running = startFrontdesk(['card', 'activate', '--from', '-', '--yes', '-o', 'ndjson', '--rate', '1'], {
    env: { ...(await open()).server.env, FRONTDESK_CARDS_TOKEN: jwt({ exp: inSeconds(60) }) },
    stdin: idLines(90),
  });
  await running.waitForOutput('{"notice":{"code":"TOKEN_TOO_SHORT","message":"the token expires in ');
  await running.waitForOutput('and 90 rows take about 1 min 30 s');
  running.child.kill('SIGKILL');
  await running.result;
});

test('the environment alone is the profile default, and needs nothing stored', async () => {
  const { home, server } = await open();
  expect(await runFrontdesk(GET, { env: server.env, home })).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(home.configDir)).toBe(false);
  // `card find` remembers the card.
  expect(readdirSync(home.stateDir)).toEqual(['cards']);
});

test.each(['auth logout --yes', 'auth logout', 'sandbox reset --yes', 'sandbox reset'])(
  'outside a terminal nothing is asked: `%s`',
  async (words) => expect(await runFrontdesk(words.split(' '))).toMatchObject({ code: 0, stderr: '' }),
);

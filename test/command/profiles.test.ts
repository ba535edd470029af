import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refused } from '../support/calls.ts';
import { cardId, openPlain } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const ID = cardId(1);

function atHome(home = createHome()) {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { home, env });
  const json = async (...args: Parameters<typeof run>) => JSON.parse((await run(...args)).stdout);
  return { home, run, json: (words: string, env = {}) => json([...words.split(' '), '--json'], env) };
}

/** A profile `live` with these settings, at a service that accepts every call. */
async function live(settings: readonly string[]) {
  const { home, server } = await openPlain();
  const { run } = atHome(home);
  await run(['profile', 'set', 'live', '--cards-url', server.url, '--calendar-url', server.url, ...settings]);
  const tokens = { FRONTDESK_CARDS_TOKEN: 'a-token', FRONTDESK_CALENDAR_TOKEN: 'b-token' };
  return { home, server, call: (args: readonly string[]) => run([...args, '--profile', 'live'], tokens), run };
}

test('profile set creates and changes a profile, printed under its documented keys', async () => {
  const { run } = atHome();
  const made = await run([
    ...['profile', 'set', 'live', '--cards-url', 'https://cards.example.com/shop/', '--read-only', 'true', '--json'],
    ...['--calendar-url', 'https://cal.example.com', '--require-reason', '[A-Z]+-[0-9]+', '--max-rows', '500'],
    ...['--output', 'json'],
  ]);
  const guards = { readOnly: true, maxRows: 500, requireReason: '[A-Z]+-[0-9]+' };
  const urls = { cardsUrl: 'https://cards.example.com/shop', calendarUrl: 'https://cal.example.com' };
  expect(JSON.parse(made.stdout)).toEqual({ name: 'live', current: true, ...urls, ...guards, output: 'json' });
  const changed = await run(['profile', 'set', 'live', '--read-only', 'false', '--json']);
  expect(JSON.parse(changed.stdout)).toMatchObject({ ...guards, readOnly: false });
});

test('profile list has the stored profiles and the sandbox, and profile use sets the current one', async () => {
  const { run, json } = atHome();
  await run(['profile', 'set', 'live', '--cards-url', 'https://a.example']);
  expect(await json('profile use live')).toMatchObject({ current: true });
  expect(await json('profile list')).toEqual([
    { name: 'live', current: true, cardsUrl: 'https://a.example' },
    { name: 'sandbox', current: false },
  ]);
  expect(await json('profile show')).toMatchObject({ name: 'live' });
});

test('the first login makes its profile current, and a later one does not change that', async () => {
  const { home, json } = atHome();
  for (const name of ['live', 'test']) {
    const login = ['auth', 'login', '-p', name, '--cards-url', `https://${name}.example`, '--token-stdin'];
    expect(await runFrontdesk(login, { home, stdin: 'a-token-of-the-test-0001' })).toMatchObject({ code: 0 });
  }
  expect(await json('profile list')).toMatchObject([
    { name: 'live', current: true },
    { name: 'test', current: false },
    { name: 'sandbox', current: false },
  ]);
});

test('profile remove needs --yes outside a terminal, and removes the credentials too', async () => {
  const { home, run } = atHome();
  const login = 'auth login -p live --family cards --cards-url https://a.example --token-stdin'.split(' ');
  await runFrontdesk(login, { home, stdin: 'a-token-of-the-test-0001' });
  expect(await run(['profile', 'remove', 'live'])).toMatchObject({ code: 2, stdout: '' });
  expect((await run(['profile', 'remove', 'live', '--yes'])).code).toBe(0);
  expect(readFileSync(join(home.configDir, 'credentials.json'), 'utf8')).not.toContain('a-token-of-the-test-0001');
  expect((await run(['profile', 'show', 'live'])).code).toBe(2);
});

test.each([
  ['cards.example.com', 'did you mean https://cards.example.com?'],
  ['cards.example.com:8443/api', 'did you mean https://cards.example.com:8443/api?'],
  ['ftp://cards.example.com', 'must begin with https://, not ftp://'],
])('an address without its scheme is refused and suggested with it: %s', async (url, said) => {
  expect(await refused(['profile', 'set', 'live', '--cards-url', url])).toContain(said);
});

test('config sets, gets, lists and unsets its keys, and prints the value in force', async () => {
  const { run, json } = atHome();
  for (const [key, value] of Object.entries({ output: 'table', timeout: '5s', retries: '3', concurrency: '4' })) {
    expect((await run(['config', 'set', key, value])).code).toBe(0);
  }
  expect(await json('config list')).toEqual({
    output: { value: 'table', source: 'config', default: 'table' },
    timeout: { value: '5s', source: 'config', default: '30s' },
    retries: { value: 3, source: 'config', default: 2 },
    concurrency: { value: 4, source: 'config', default: 8 },
    timeZone: { value: expect.any(String), source: 'built-in', default: expect.any(String) },
  });
  expect((await run(['config', 'get', 'timeout'])).stdout).toBe('5s\n');
  await run(['config', 'unset', 'timeout']);
  expect(await json('config get timeout')).toBe('30s');
});

test('config timeZone is the zone of the times in tables and messages, and of no others', async () => {
  const { run, json } = atHome();
  const env = { TZ: 'UTC' };
  expect((await run(['config', 'set', 'timeZone', 'Asia/Tokyo'])).stdout).toBe('Asia/Tokyo\n');
  const timeZone = { value: 'Asia/Tokyo', source: 'config', default: 'UTC' };
  expect(await json('config list', env)).toMatchObject({ timeZone });
  const server = await startRecordingServer([{ status: 404 }]);
  await run(['card', 'block', '0b7a6c1e-3f52-4d8a-9c41-000000000001', '--yes', '-q'], { ...server.env, ...env });
  expect((await run(['history'], env)).stdout).toMatch(/\b\d\d:\d\d:\d\d\+09\b|T\d\d:\d\d:\d\d\.\d{3}Z/);
  expect((await run(['history', '-o', 'csv'], env)).stdout).toMatch(/T\d\d:\d\d:\d\d\.\d{3}Z/);
  for (const zone of ['+01:00', 'Mars/Phobos']) await refused(['config', 'set', 'timeZone', zone]);
});

test.each([
  ['', 'UTC'],
  ['UTC-2', 'Etc/GMT-2'],
  ['XXX3', 'Etc/GMT+3'],
  ['Europe/Oslo', 'Europe/Oslo'],
])('with TZ=%j the zone in force is %s', async (TZ, zone) => {
  expect((await runFrontdesk(['config', 'get', 'timeZone'], { env: { TZ } })).stdout).toBe(`${zone}\n`);
});

test('a damaged settings file is exit 2 and left untouched, and doctor, help and --version still work', async () => {
  const { home, run } = atHome();
  await run(['config', 'set', 'retries', '3']);
  const path = join(home.configDir, 'settings.json');
  writeFileSync(path, '{"profiles');
  for (const words of ['profile list', 'config set retries 1', 'profile set x', `card get ${ID}`]) {
    expect(await refused(words.split(' '), { home })).toContain(path);
  }
  for (const words of ['doctor', 'help', '--version', 'card block --help']) {
    expect((await run(words.split(' '))).code).toBe(0);
  }
  expect(readFileSync(path, 'utf8')).toBe('{"profiles');
});

test('profile remove of the current profile makes no other one current, and says so', async () => {
  const { home, run } = atHome();
  for (const name of ['a', 'b']) await run(['profile', 'set', name, '--cards-url', `https://${name}.example`]);
  await run(['profile', 'use', 'a']);
  const note = 'frontdesk: note: no profile is current now. Choose one: frontdesk profile use <name>\n';
  const removed = await run(['profile', 'remove', 'a', '--yes']);
  expect(removed).toMatchObject({ code: 0, stdout: 'Profile a is removed.\n', stderr: note });
  expect(await refused(['card', 'get', ID], { home })).toContain('there is no current profile. Profiles: b\n');
  expect((await run(['profile', 'remove', 'b', '--yes'])).stderr).toBe('');
});

test('--profile and FRONTDESK_PROFILE with an unknown name are exit 2 wherever no profile is used, too', async () => {
  const { run } = atHome();
  for (const args of [['history'], ['runs'], ['profile', 'list'], ['config', 'list'], ['sandbox', 'info']]) {
    expect(await refused([...args, '-p', 'nope'])).toContain('there is no profile "nope"');
    expect(await refused(args, { env: { FRONTDESK_PROFILE: 'nope' } })).toContain('there is no profile "nope"');
  }
  for (const args of [['help'], ['schema'], ['--version'], ['doctor']]) {
    expect((await run(args, { FRONTDESK_PROFILE: 'nope' })).code).toBe(0);
  }
});

test('history and runs know the names in their records, and as an option one chooses', async () => {
  const { run, call } = await live([]);
  await call(['card', 'activate', ID]);
  await call(['card', 'block', cardId(2), cardId(3), '--yes', '--run', 'r']);
  await run(['card', 'activate', '4fbeb052-7396-41ce-8085-9263bed4f505', '-p', 'sandbox']);
  await run(['profile', 'remove', 'live', '--yes']);
  const of = async (...args: string[]) => JSON.parse((await run([...args, '--json', '--query', '[].profile'])).stdout);
  expect(await of('history', '-p', 'live')).toEqual(['live', 'live', 'live']);
  expect(await of('history', '-p', 'sandbox')).toEqual(['sandbox']);
  expect(await of('history')).toHaveLength(4);
  expect([await of('runs', '-p', 'live'), await of('runs', '-p', 'sandbox')]).toEqual([['live'], []]);
});

test('a settings file that is a link to nowhere is exit 2, and left as it is', async () => {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  const path = join(home.configDir, 'settings.json');
  symlinkSync('/drive-that-is-away/settings.json', path);
  for (const words of [`card get ${ID}`, 'profile set x --read-only true']) {
    expect(await refused(words.split(' '), { home })).toContain(path);
  }
  expect(readlinkSync(path)).toBe('/drive-that-is-away/settings.json');
});

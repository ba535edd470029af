import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Failure, type Notice } from '../../../../src/base/failure.ts';
import { hintText } from '../../../../src/base/next-step.ts';
import { type CredentialRequest, openCredential } from '../../../../src/profile/credentials/resolve.ts';
import { describeCredential } from '../../../../src/profile/credentials/status.ts';
import type { CredentialEntry, CredentialKind } from '../../../../src/profile/credentials/store.ts';
import { stoppedClock, temporaryFolder } from '../../base/files/place.ts';

const NOW_SECONDS = Date.parse('2026-05-01T12:00:00Z') / 1000;
const ORIGIN = 'https://a.example';

function entry(kind: CredentialKind, value: string, changes: Partial<CredentialEntry> = {}): CredentialEntry {
  return { profile: 'demo', family: 'cards', origin: ORIGIN, kind, value, ...changes };
}

function request(entries: readonly CredentialEntry[], changes: Partial<CredentialRequest> = {}) {
  const notices: Notice[] = [];
  return {
    notices,
    family: 'cards' as const,
    origin: ORIGIN,
    profile: 'demo',
    env: { PATH: process.env['PATH'] },
    platform: 'linux',
    clock: stoppedClock(),
    stored: async () => entries,
    ignoreExpiry: false,
    isInteractive: false,
    onNotice: (notice: Notice) => void notices.push(notice),
    ...changes,
  };
}

function jwt(secondsFromNow: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: NOW_SECONDS + secondsFromNow })}.`;
}

const noStore = () => Promise.reject(new Error('the store must not be read'));
const tokenOf = (...args: Parameters<typeof request>) => openCredential(request(...args)).token();

it('C3 C15 the order of sources takes the environment’s token without reading the store', async () => {
  const credential = openCredential(request([], { env: { FRONTDESK_CARDS_TOKEN: 'envtoken\n' }, stored: noStore }));
  expect(await credential.token()).toBe('envtoken');
  expect(credential.source).toMatchObject({
    ...{ name: 'environment (FRONTDESK_CARDS_TOKEN)', words: 'the token in FRONTDESK_CARDS_TOKEN' },
    remedy: 'put a valid token into FRONTDESK_CARDS_TOKEN',
  });
  expect(await credential.renew('envtoken')).toBeUndefined();
});

it('the order of sources takes the stored token of this profile, family and origin, and not before it is asked for', async () => {
  const others = [entry('token', 'x', { profile: 'other' }), entry('token', 'y', { family: 'calendar' })];
  const changes = { env: { FRONTDESK_CARDS_TOKEN: '' } };
  const credential = openCredential(request([...others, entry('token', 'mine')], changes));
  expect(await credential.token()).toBe('mine');
  const remedy = { do: 'log in', words: 'log in again', profile: 'demo', family: 'cards' };
  expect(credential.source).toMatchObject({ name: 'profile demo', words: 'the stored login of demo', remedy });
  expect(() => openCredential(request([], { stored: noStore }))).not.toThrow();
});

it.each<[string, CredentialKind, string, string, string?]>([
  ['another host', 'token', 'hunter2', 'https://b.example'],
  ['another host, by a command', 'command', 'echo hunter2', 'https://b.example'],
  ['another port', 'token', 'hunter2', 'https://a.example:8443'],
  ['another scheme', 'token', 'hunter2', 'http://a.example'],
  ['a subdomain', 'file', '/hunter2', 'https://x.a.example'],
  ['a shorter host', 'token', 'hunter2', ORIGIN, `${ORIGIN}.evil`],
  ['a longer host', 'token', 'hunter2', `${ORIGIN}.evil`],
  ['no port', 'token', 'hunter2', ORIGIN, `${ORIGIN}:8443`],
])('C2 the order of sources sends no credential to another origin: %s', async (_, kind, value, of, to = ORIGIN) => {
  await expect(tokenOf([entry(kind, value, { origin: of })], { origin: to })).rejects.toMatchObject({
    ...{ code: 'AUTH', exitCode: 4 },
    message: `the stored gift card credential of profile demo belongs to ${of} and is not sent to ${to}. Nothing was sent.`,
  });
});

it('C4 the order of sources does not take the other family’s token', async () => {
  const env = { FRONTDESK_CALENDAR_TOKEN: 'x' };
  await expect(tokenOf([entry('token', 'y', { family: 'calendar' })], { env })).rejects.toMatchObject({ code: 'AUTH' });
});

it.each([
  [true, 'log in: frontdesk auth login -p demo --family cards'],
  [false, 'set FRONTDESK_CARDS_TOKEN, or log in: frontdesk auth login --token-stdin -p demo --family cards'],
])('C1 the order of sources says how to log in (at a terminal: %s)', async (isInteractive, hint) => {
  const failure: unknown = await tokenOf([], { isInteractive }).catch((error: unknown) => error);
  const message = 'there is no gift card credential for https://a.example (profile demo). Nothing was sent.';
  expect(failure).toMatchObject({ code: 'AUTH', message });
  expect(failure instanceof Failure && failure.hints.map(hintText)).toEqual([hint]);
});

it('the order of sources passes on that the store is not safe', async () => {
  const stored = () => Promise.reject(new Failure('AUTH', 'unsafe'));
  await expect(tokenOf([], { stored })).rejects.toThrow('unsafe');
});

it('C5 the order of sources refuses what is no token in a variable with USAGE, and does not show it', async () => {
  const message = expect.stringMatching(/^FRONTDESK_CARDS_TOKEN holds (?!.*hunter2)/);
  const env = { FRONTDESK_CARDS_TOKEN: 'hunter2\nX: y' };
  await expect(tokenOf([], { env })).rejects.toMatchObject({ code: 'USAGE', message });
});

it('C17 expiry refuses a card token that has ended', async () => {
  const credential = openCredential(request([], { env: { FRONTDESK_CARDS_TOKEN: jwt(-7200) } }));
  await expect(credential.token()).rejects.toMatchObject({
    code: 'AUTH',
    message: expect.stringMatching(/^the gift card token of the environment \(FRONTDESK_CARDS_TOKEN\) expired 2 h ago/),
    hints: ['put a new token into FRONTDESK_CARDS_TOKEN', 'if this clock is wrong, add --ignore-expiry'],
  });
  expect(await credential.remainingMs()).toBe(-7_200_000);
});

it.each([
  ['with a second left', jwt(1), {}],
  ['with --ignore-expiry', jwt(-7200), { ignoreExpiry: true }],
  ['a key of the calendar API', jwt(-7200), { family: 'calendar' as const }],
])('expiry does not refuse one %s', async (_what, token, changes) => {
  const env = { FRONTDESK_CARDS_TOKEN: token, FRONTDESK_CALENDAR_TOKEN: token };
  expect(await openCredential(request([], { env, ...changes })).token()).toBe(token);
});

function counting(script: string) {
  const log = join(temporaryFolder(), 'log');
  return {
    command: `echo x >> '${log}'; ${script}`,
    runs: () => (existsSync(log) ? readFileSync(log, 'utf8').length / 2 : 0),
    log,
  };
}

it('a token command runs once per process, also for callers at the same time, and once more after a 401', async () => {
  const { command, runs, log } = counting('');
  const credential = openCredential(request([entry('command', `${command} wc -l < '${log}' | tr -d ' '`)]));
  expect(await Promise.all([credential.token(), credential.token(), credential.token()])).toEqual(['1', '1', '1']);
  expect(runs()).toBe(1);
  expect(credential.source).toMatchObject({
    name: 'token command of profile demo',
    words: 'the credential of profile demo (token command of profile demo)',
    remedy: 'check what the token command of profile demo gives',
  });
  expect(await Promise.all([credential.renew('1'), credential.renew('1')])).toEqual(['2', '2']);
  expect([await credential.token(), await credential.renew('2'), runs()]).toEqual(['2', undefined, 2]);
});

it('a token command has nothing new to offer when it prints the same again', async () => {
  const { command, runs } = counting('echo same');
  const credential = openCredential(request([entry('command', command)]));
  expect([await credential.token(), await credential.renew('same')]).toEqual(['same', undefined]);
  expect([await credential.token(), runs()]).toEqual(['same', 2]);
});

it('a token command that failed is not run again by the next call', async () => {
  const { command, runs } = counting('exit 3');
  const credential = openCredential(request([entry('command', command)]));
  await expect(credential.token()).rejects.toMatchObject({ code: 'AUTH' });
  await expect(credential.token()).rejects.toMatchObject({ code: 'AUTH' });
  expect(runs()).toBe(1);
});

it('C22 a token command does not see the tokens in its environment, but all else', async () => {
  const env = { PATH: process.env['PATH'], MINE: 'm', FRONTDESK_CALENDAR_TOKEN: 'hunter2', FRONTDESK_TIMEOUT: '3s' };
  const command = 'echo "$MINE:$FRONTDESK_CALENDAR_TOKEN:$FRONTDESK_TIMEOUT"';
  expect(await openCredential(request([entry('command', command)], { env })).token()).toBe('m::3s');
});

it.each([
  ['fails', 'echo hunter2; echo hunter2 >&2; exit 3', 'ended with exit status 3'],
  ['prints nothing', 'true', 'printed nothing'],
  ['prints only blanks', 'echo; echo', 'printed nothing'],
  ['is killed', 'kill -9 $$', 'was ended by SIGKILL'],
  ['does not exist', 'frontdesk-no-such-command-hunter2', 'ended with exit status 127'],
  ['prints without end', 'yes hunter2', 'printed more than a token can have'],
])('C16 a token command that %s is AUTH, without its output and another source', async (_what, command, problem) => {
  const message = `the gift card token command of profile demo ${problem} (its output is not shown). Nothing was sent.`;
  await expect(tokenOf([entry('command', command)])).rejects.toMatchObject({ code: 'AUTH', exitCode: 4, message });
});

it('C16 a token command that hangs is given up, although what it started continues', async () => {
  const ended = tokenOf([entry('command', 'sleep 30 | cat; echo late')], { commandTimeoutMs: 150 });
  const message = expect.stringContaining('did not finish within 0.15 s');
  await expect(ended).rejects.toMatchObject({ code: 'AUTH', message });
});

it('C5 a token command that prints what is no token is USAGE, and none of it is shown', async () => {
  const message = expect.not.stringContaining('hunter2');
  await expect(tokenOf([entry('command', 'echo hunter2 two')])).rejects.toMatchObject({ code: 'USAGE', message });
});

it('a token command whose new token has ended has nothing to offer', async () => {
  const { command, log } = counting('');
  const print = `[ $(wc -l < '${log}') = 1 ] && echo ${jwt(60)} || echo ${jwt(-7200)}`;
  const credential = openCredential(request([entry('command', `${command} ${print}`)]));
  expect([await credential.token(), await credential.renew(jwt(60))]).toEqual([jwt(60), undefined]);
});

it('a token command that fails the second time leaves the 401 as what is reported', async () => {
  const { command, log } = counting('');
  const used = request([entry('command', `${command} [ $(wc -l < '${log}') = 1 ] && echo first`)]);
  const credential = openCredential(used);
  expect(await credential.token()).toBe('first');
  expect([await credential.renew('first'), await credential.renew('first')]).toEqual([undefined, undefined]);
  expect(await credential.token()).toBe('first');
  expect(used.notices.map(({ code, level }) => [code, level])).toEqual([['TOKEN_NOT_RENEWED', 'warning']]);
});

/** A credential whose command prints how often it ran, and what takes its source away meanwhile. */
function lasting(command: (log: string) => string, changes: Partial<CredentialRequest> = {}) {
  const log = join(temporaryFolder(), 'log');
  const used = request([entry('command', `echo x >> '${log}'; ${command(log)}`)], { isLasting: true, ...changes });
  const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').length / 2 : 0);
  return { credential: openCredential(used), runs, log };
}
const countRuns = (log: string) => `wc -l < '${log}' | tr -d ' '`;

it('in a process that serves call after call: a token command runs once more after each 401, for all the calls that met it', async () => {
  const { credential, runs } = lasting(countRuns);
  expect(await credential.token()).toBe('1');
  expect(await Promise.all([credential.renew('1'), credential.renew('1')])).toEqual(['2', '2']);
  expect([await credential.renew('1'), await credential.token(), runs()]).toEqual(['2', '2', 2]);
  expect([await credential.renew('2'), await credential.token(), runs()]).toEqual(['3', '3', 3]);
});

it('in a process that serves call after call: a token command that failed is run again by the next call', async () => {
  const { credential } = lasting((log) => `[ $(wc -l < '${log}') = 2 ] && echo second`);
  await expect(credential.token()).rejects.toMatchObject({ code: 'AUTH' });
  expect(await credential.token()).toBe('second');
});

it('in a process that serves call after call: a token that has expired meanwhile is asked for anew at once, and once', async () => {
  const entries = [entry('token', jwt(-60))];
  const stored = async () => entries.splice(0, 1);
  entries.push(entry('token', jwt(60)), entry('token', jwt(-60)), entry('token', jwt(-60)), entry('token', jwt(60)));
  const credential = openCredential(request([], { isLasting: true, stored }));
  expect([await credential.token(), await credential.renew(jwt(60))]).toEqual([jwt(60), undefined]);
  expect(entries).toHaveLength(1);
});

it('in a process that serves call after call: a token command that fails after a 401 is run again by the next call, and reported once', async () => {
  const notices: Notice[] = [];
  const { credential, runs } = lasting((log) => `[ $(($(wc -l < '${log}') % 2)) = 1 ] && ${countRuns(log)}`, {
    onNotice: (notice) => void notices.push(notice),
  });
  expect([await credential.token(), await credential.renew('1')]).toEqual(['1', undefined]);
  expect([await credential.token(), await credential.renew('3')]).toEqual(['3', undefined]);
  expect([await credential.token(), runs(), notices.map(({ code }) => code)]).toEqual(['5', 5, ['TOKEN_NOT_RENEWED']]);
});

it('in a process that serves call after call: a bug is thrown, also where a token is renewed', async () => {
  const stored = vi.fn(async () => [entry('token', 'one')]);
  const credential = openCredential(request([], { isLasting: true, stored }));
  expect(await credential.token()).toBe('one');
  stored.mockRejectedValue(new TypeError('bug'));
  await expect(credential.renew('one')).rejects.toThrow('bug');
});

it('in a process that serves call after call: a call that is ended does not take along another that waits for the same command', async () => {
  const { credential, runs, log } = lasting((path) => `[ $(wc -l < '${path}') = 1 ] && sleep 30; echo later`);
  const stop = new AbortController();
  const ended = credential.token(stop.signal);
  const other = credential.token(new AbortController().signal);
  await expect.poll(() => existsSync(log)).toBe(true);
  stop.abort();
  await expect(ended).rejects.toMatchObject({ code: 'CANCELLED' });
  expect([await other, runs()]).toEqual(['later', 2]);
});

it('a token command is not run for a call that has ended already', async () => {
  const { credential, runs } = lasting(countRuns);
  await expect(credential.token(AbortSignal.abort('SIGINT'))).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(runs()).toBe(0);
});

it('in a process that serves call after call: a login meanwhile is found after a 401, and after there was none', async () => {
  const entries: CredentialEntry[] = [];
  const credential = openCredential(request(entries, { isLasting: true }));
  await expect(credential.token()).rejects.toMatchObject({ code: 'AUTH' });
  entries.push(entry('token', 'one'));
  expect(await credential.token()).toBe('one');
  expect(await credential.renew('one')).toBeUndefined();
  entries.splice(0, 1, entry('token', 'two'));
  expect(await credential.token()).toBe('two');
  entries.splice(0, 1, entry('token', 'three'));
  expect([await credential.renew('two'), await credential.token()]).toEqual(['three', 'three']);
});

function tokenFile(text: string, mode = 0o440): string {
  const path = join(temporaryFolder(), 'token');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

it('C9 a token file is read at each use, even if its group can read it', async () => {
  const path = tokenFile('one\n');
  const used = request([entry('file', path)]);
  const credential = openCredential(used);
  expect(await credential.token()).toBe('one');
  expect(await credential.renew('one')).toBeUndefined();
  chmodSync(path, 0o640);
  writeFileSync(path, 'two\n');
  expect([[await credential.renew('one'), await credential.token()], used.notices]).toEqual([['two', 'two'], []]);
  expect(credential.source?.remedy).toBe(`check what the token file ${path} gives`);
});

it('C9 a token file gives one warning when everybody can read it', async () => {
  const used = request([entry('file', tokenFile('one', 0o644))]);
  const credential = openCredential(used);
  await credential.token();
  await credential.token();
  expect(used.notices.map(({ code, level }) => [code, level])).toEqual([['TOKEN_FILE_WORLD_READABLE', 'warning']]);
});

it.each([
  ['missing', (path: string) => rmSync(path), 'no such file or folder (ENOENT)'],
  ['empty', (path: string) => writeFileSync(path, '\n'), 'it is empty'],
  ['huge', (path: string) => appendFileSync(path, 'x'.repeat(70_000)), 'it is larger than 65536 bytes'],
])('a token file that is %s is AUTH', async (_what, spoil, problem) => {
  const path = tokenFile('one', 0o600);
  spoil(path);
  const message = expect.stringContaining(`could not use the token file ${path}: ${problem}`);
  await expect(tokenOf([entry('file', path)])).rejects.toMatchObject({ code: 'AUTH', message });
});

it('a token file that is a folder is AUTH, and one that holds no token is USAGE', async () => {
  await expect(tokenOf([entry('file', temporaryFolder())])).rejects.toMatchObject({ code: 'AUTH' });
  const message = expect.not.stringContaining('hunter2');
  const words = tokenOf([entry('file', tokenFile('hunter2 two', 0o600))]);
  await expect(words).rejects.toMatchObject({ code: 'USAGE', message });
});

it('describeCredential shows the winning source, the ignored one and the life of the token', async () => {
  const token = jwt(18_000);
  const used = request([entry('command', 'echo hunter2')], { env: { FRONTDESK_CARDS_TOKEN: token } });
  expect((await describeCredential(used)).status).toEqual({
    ...{ family: 'cards', origin: 'https://a.example', source: 'environment (FRONTDESK_CARDS_TOKEN)' },
    ...{ lastFour: token.slice(-4), expiresAt: '2026-05-01T17:00:00.000Z', problem: null },
  });
});

it('describeCredential shows nothing of a short token', async () => {
  const shown = { source: 'profile demo', lastFour: null, expiresAt: null, problem: null };
  expect((await describeCredential(request([entry('token', 'hunter2')]))).status).toMatchObject(shown);
});

it.each([
  ['none', [], null, /^there is no gift card credential for https:\/\/a\.example \(profile demo\)$/],
  ['an expired one', [entry('token', jwt(-7200))], 'profile demo', /^the token has expired$/],
  ['a failing command', [entry('command', 'exit 9')], 'token command of profile demo', /exit status 9/],
  ['one of another origin', [entry('token', 'x', { origin: 'https://b.example' })], null, /https:\/\/b\.example/],
])('describeCredential says what is wrong with %s', async (_what, entries, source, problem) => {
  const { status } = await describeCredential(request(entries));
  expect(status).toMatchObject({ source, problem: expect.stringMatching(problem) });
});

it('describeCredential reports an unsafe store only where it would be used', async () => {
  const stored = () => Promise.reject(new Failure('AUTH', 'unsafe'));
  const statusOf = async (changes: object) => (await describeCredential(request([], { stored, ...changes }))).status;
  expect(await statusOf({})).toMatchObject({ source: null, problem: 'unsafe' });
  expect(await statusOf({ env: { FRONTDESK_CARDS_TOKEN: 'y' } })).toMatchObject({ problem: null });
});

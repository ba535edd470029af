import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { FileStore, resetSandbox } from '../../../src/sandbox/file-store.ts';
import { checkRequest } from '../../../src/sandbox/request.ts';
import { decide } from '../../../src/sandbox/server.ts';
import type { SandboxStore } from '../../../src/sandbox/state.ts';
import { putLock } from '../base/files/locks.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { ACTIVE, CLOCK, NOON, repeatableRandom, TOKENS, UNKNOWN, WAITING } from './simulated.ts';

const PORTS = { pid: process.pid, clock: CLOCK };

let stateDir: string;
let file: string;
beforeEach(() => {
  stateDir = join(temporaryFolder(), 'state');
  file = join(stateDir, 'sandbox', 'state.json');
});

const open = () => new FileStore(stateDir, PORTS);

let random = repeatableRandom();
async function post(store: SandboxStore, target: string, text?: string, meanwhile: () => void = () => undefined) {
  const token = target.startsWith('/v1/cards') ? TOKENS.cards : TOKENS.calendar;
  const contentType = 'application/json';
  const body = text === undefined ? undefined : Buffer.from(text);
  const call = checkRequest({ method: 'POST', target, authorization: `Bearer ${token}`, contentType, body }, TOKENS);
  const { reply } = await store.commit((state) => {
    meanwhile();
    return decide(state, call, { now: NOON, random });
  });
  return reply;
}

const statusOf = (store: SandboxStore, id: string) => store.read().cards.get(id)?.get('status');

it('state kept between commands begins with the built-in seed and writes no file to read it', () => {
  expect([statusOf(open(), ACTIVE), existsSync(stateDir)]).toEqual(['ACTIVE', false]);
});

it('state kept between commands is there for the next command, digit for digit', async () => {
  const { cardId } = JSON.parse((await post(open(), `/v1/cards/${ACTIVE}/reissue`, '{}')).body);
  const later = open();
  expect(statusOf(later, ACTIVE)).toBe('REISSUED');
  expect(later.read().cards.get(cardId)?.get('currentBalance')).toEqual({ text: '37.25' });
  expect(readFileSync(file, 'utf8')).toContain('"initialBalance":100.10,');
});

it('state kept between commands keeps which calendar a subscriber belongs to, and its texts whole, and is readable by this user only', async () => {
  await post(open(), '/v1/subscribers/sub_0016', JSON.stringify({ last_name: 'x'.repeat(6000) }));
  const subscriber = open().read().subscribers.get('sub_0016');
  expect([subscriber?.get('calendar'), subscriber?.get('last_name')]).toEqual(['cal_tea_ceremony', 'x'.repeat(6000)]);
  await post(open(), `/v1/cards/${WAITING}/activate`);
  expect([join(stateDir, 'sandbox'), file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(readdirSync(join(stateDir, 'sandbox'))).toEqual(['state.json']);
});

it('state kept between commands shows nothing of a change that could not be kept', async () => {
  const store = open();
  await post(store, `/v1/cards/${WAITING}/activate`);
  // Another process takes the lock of this one, which seems to have stood still.
  const takeOver = () => putLock(`${file}.lock`, { machine: 'pod-b', epoch: 2 });
  await expect(post(store, `/v1/cards/${ACTIVE}/block`, '{}', takeOver)).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(statusOf(store, ACTIVE)).toBe('ACTIVE');
});

it('state kept between commands writes no file for a refusal', async () => {
  expect([(await post(open(), `/v1/cards/${UNKNOWN}/block`, '{}')).status, existsSync(file)]).toEqual([404, false]);
});

it('a process sees at the next read of the state what another has changed', async () => {
  const [one, other] = [open(), open()];
  await post(one, `/v1/cards/${ACTIVE}/block`, '{}');
  expect(statusOf(other, ACTIVE)).toBe('BLOCKED');
  await post(other, `/v1/cards/${WAITING}/block`, '{}');
  expect(statusOf(one, WAITING)).toBe('BLOCKED');
});

it('two processes at one state lose no change of either', async () => {
  random = repeatableRandom(7);
  const stores = [open(), open(), open()];
  const body = '{"name":"n","start":"2025-07-01","calendar":"cal_tea_ceremony"}';
  const writes = stores.flatMap((store) => Array.from({ length: 30 }, () => post(store, '/v1/events', body)));
  const ids = (await Promise.all(writes)).map((reply) => JSON.parse(reply.body).id);
  expect([new Set(ids).size, new Set(open().read().events.keys())]).toEqual([90, new Set(ids)]);
});

it('M7 a process at the state of another sees a change that inode, size and time of the file do not show', async () => {
  await post(open(), `/v1/cards/${ACTIVE}/block`, '{}');
  const store = open();
  const before = statSync(file);
  const text = readFileSync(file, 'utf8');
  const changed = text.replace('BLOCKED', 'EXPIRED');
  writeFileSync(file, changed);
  utimesSync(file, before.atime, before.mtime);
  expect([text.length, statSync(file).ino, readFileSync(file, 'utf8')]).toEqual([changed.length, before.ino, changed]);
  const status = (all: SandboxStore) => [...all.read().cards.values()].map((card) => card.get('status'));
  expect(status(store)).toEqual(status(open()));
});

it('a process goes back to the seed when another one resets the sandbox', async () => {
  const store = open();
  await post(store, `/v1/cards/${ACTIVE}/block`, '{}');
  expect([await resetSandbox(stateDir, PORTS), statusOf(store, ACTIVE)]).toEqual([true, 'ACTIVE']);
  expect(await resetSandbox(stateDir, PORTS)).toBe(false);
});

function plant(text: string) {
  mkdirSync(join(stateDir, 'sandbox'), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}
const rows: [text: string, problem: string][] = [
  ['', 'is not JSON: line 1, column 1: there is no JSON here, the text is empty'],
  ['{"version":1,"cards":[{', 'is not JSON: line 1, column 24'],
  ['[]', 'is not a JSON object'],
  ['{"version":1,"cards":[{}]}', 'cards[0].cardId is missing or not a text'],
  ['{"version":2,"cards":[]}', 'it was written by another version of frontdesk'],
];
it.each(rows)('a state that cannot be used is refused and left as it is: %j', (text, problem) => {
  plant(text);
  const [message, hints] = [expect.stringContaining(problem), [{ do: 'start over from the built-in seed' }]];
  expect(open).toThrow(expect.objectContaining({ code: 'USAGE', message, hints }));
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('a state that cannot be used is fixed by a reset', async () => {
  plant('{"version":1');
  expect([await resetSandbox(stateDir, PORTS), statusOf(open(), ACTIVE)]).toEqual([true, 'ACTIVE']);
});

it('a state that cannot be used refuses a change that cannot be written and still allows reads', async () => {
  const state = '"cards":[],"calendars":[{"id":"c"}],"subscribers":[{"id":"s","calendar":"c"}],"events":[]';
  plant(`{"version":1,${state}}`);
  const store = open();
  // A file where the folder should be cannot be written into by any user, root too.
  rmSync(join(stateDir, 'sandbox'), { recursive: true });
  writeFileSync(join(stateDir, 'sandbox'), '');
  await expect(post(store, '/v1/subscribers/s', '{"email":"x"}')).rejects.toMatchObject({ code: 'LOCAL_IO' });
  rmSync(join(stateDir, 'sandbox'));
  plant(`{"version":1,${state}}`);
  expect(store.read().subscribers.get('s')?.has('email')).toBe(false);
  expect(JSON.parse((await post(store, '/v1/subscribers/s', '{"email":"x"}')).body).email).toBe('x');
});

it.skipIf(process.getuid?.() === 0)('a state that cannot be used reads the seed from a read-only folder', async () => {
  mkdirSync(stateDir, { recursive: true });
  chmodSync(stateDir, 0o500);
  const store = open();
  expect(statusOf(store, ACTIVE)).toBe('ACTIVE');
  await expect(post(store, `/v1/cards/${ACTIVE}/block`, '{}')).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(statusOf(store, ACTIVE)).toBe('ACTIVE');
  chmodSync(stateDir, 0o700);
});

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callAt, refused } from '../support/calls.ts';
import { type Handler, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

/** Answers as the service does, and repeats in the answer the id that was asked for. */
const service: Handler = ({ url, body }) => {
  const [, , kind, id = ''] = url.split(/[/?]/);
  if (url.includes('/provision/wallet_a')) return { body: '{"encryptedPaymentInstrument":"epi"}' };
  if (url.includes('/provision/')) {
    return { body: '{"primaryAccountNumberPrefix":"9","activationData":"ad","authenticationData":"au"}' };
  }
  if (url.endsWith('/reissue')) return { body: cardText('ACTIVE', CARD_ID.replace('7', '8')) };
  if (kind === 'cards') return { body: cardText(url.endsWith('/block') ? 'BLOCKED' : 'ACTIVE', id) };
  if (kind === 'events') return { body: { id: 'evt_1', object: 'event', ...JSON.parse(body) } };
  if (url.endsWith('/subscribers')) return { body: { object: 'list', data: [] } };
  if (kind === 'subscribers') return { body: { id: decodeURIComponent(id), object: 'subscriber' } };
  return { body: { id: decodeURIComponent(id), object: 'calendar' } };
};

const EVENT = ['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'n'];
const PROVISION = ['card', 'provision', CARD_ID, '--wallet'];

test.each<[string, readonly string[], string, string]>([
  ['activate sends no body', ['card', 'activate', CARD_ID], `/v1/cards/${CARD_ID}/activate`, ''],
  ['block sends {} when no field is given', ['card', 'block', CARD_ID, '-y'], `/v1/cards/${CARD_ID}/block`, '{}'],
  ['an empty reason', ['card', 'block', CARD_ID, '-y', '--reason', ''], `/v1/cards/${CARD_ID}/block`, '{"reason":""}'],
  [
    'provision sends the three fields of the API',
    [
      ...[...PROVISION, 'wallet_b', '--client-device-id', 'd'],
      ...['--client-wallet-provider', '', '--client-wallet-account-id', 'a'],
    ],
    `/v1/cards/${CARD_ID}/provision/wallet_b`,
    '{"clientDeviceID":"d","clientWalletProvider":"","clientWalletAccountID":"a"}',
  ],
  [
    'a calendar keeps empty texts',
    ['calendar', 'update', 'cal_1', '--name', '', '--description', '', '--url', '', '--image', '', '--active', 'false'],
    '/v1/calendars/cal_1',
    '{"name":"","description":"","image":"","url":"","active":false}',
  ],
  [
    'a subscriber has first_name and last_name',
    ['calendar', 'subscribers', 'update', 'sub_1', '--first-name', 'A', '--last-name', '', '--email', 'no address'],
    '/v1/subscribers/sub_1',
    '{"email":"no address","first_name":"A","last_name":""}',
  ],
])('a request body holds exactly the given fields: %s', async (_, args, target, body) => {
  // An answer that is given once is asked for in full.
  const shown = args.includes('provision') ? ['--show-sensitive'] : [];
  const { server, ...result } = await callAt(service, [...args, ...shown]);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(server.lines).toEqual([`POST ${target}`]);
  const [request] = server.requests;
  expect(request?.body === '' ? '' : JSON.parse(request?.body ?? '')).toEqual(body === '' ? '' : JSON.parse(body));
  expect(request?.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
});

test('--description-file sends the text of the file exactly', async () => {
  const server = await startRecordingServer(service);
  const home = createHome();
  const text = '\ufeffa\nb\r\n\n';
  writeFileSync(join(home.path, 'work', 'd.txt'), text);
  const fromFile = ['calendar', 'update', 'c', '--description-file', 'd.txt'];
  expect((await runFrontdesk(fromFile, { env: server.env, home })).code).toBe(0);
  const fromStdin = [...EVENT, '--start', '2026-05-01', '--description-file', '-'];
  expect((await runFrontdesk(fromStdin, { env: server.env, stdin: text })).code).toBe(0);
  expect(server.requests.map(({ body }) => JSON.parse(body).description)).toEqual([text, text]);
});

const calendar = (...args: string[]) => ['calendar', 'update', 'cal_1', ...args];
const out = (path: string) => [...PROVISION, 'wallet_a', '--out', path];

test.each<[readonly string[], ...string[]]>([
  [['card', 'get'], '<cardId>', 'is required'],
  [calendar('--description', 'a', '--description-file', '-'), '--description and --description-file'],
  [calendar('--description-file', 'missing.txt'), '--description-file', '"missing.txt"'],
  [EVENT, '--start', 'is required'],
  [['card', 'provision', CARD_ID], '--wallet', 'wallet_a or wallet_b'],
  [['card', 'block', CARD_ID, '-y', '--expect', 'status'], '--expect', 'status=<value>'],
  [out('there.json'), '--out: "there.json" exists'],
  [out(''), '--out: is empty'],
  [out('-'), '--out: must be a new file'],
])('%j is refused with exit 2 before anything is sent', async (args, ...told) => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'there.json'), 'mine');
  const stderr = await refused(args, { home });
  expect(stderr).toMatch(/^frontdesk: /);
  for (const text of told) expect(stderr).toContain(text);
});

test('provision --out writes the JSON to a new 0600 file, and hides the fields on stdout in every format', async () => {
  const server = await startRecordingServer(service);
  const home = createHome();
  const path = (name: string) => join(home.path, 'work', name);
  const run = (name: string, ...more: string[]) => runFrontdesk([...out(name), ...more], { env: server.env, home });
  expect((await run('a', '--json')).stdout).toBe('{\n  "encryptedPaymentInstrument": "<hidden, 3 characters>"\n}\n');
  expect((await run('b', '-o', 'ndjson')).stdout).toBe('{"encryptedPaymentInstrument":"<hidden, 3 characters>"}\n');
  expect((await run('c')).stdout).toBe('ENCRYPTED PAYMENT INSTRUMENT\n<hidden, 3 characters>\n');
  expect((await run('d', '--show-sensitive')).stdout).toContain('\nepi\n');
  for (const name of ['a', 'b', 'c', 'd']) {
    expect(statSync(path(name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(path(name), 'utf8')).toBe('{\n  "encryptedPaymentInstrument": "epi"\n}\n');
  }
  await server.stop();
  expect([(await run('e', '--retries', '0')).code, existsSync(path('e'))]).toEqual([7, false]);
});

import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type CallCommand, operationOf } from '../../src/command/command.ts';
import { REGISTRY } from '../../src/registry.ts';
import { isWrite, type Operation } from '../../src/service/api/operation.ts';
import { ALL_OPERATIONS, OPERATIONS } from '../../src/service/api/operations.ts';
import { ledgerIn } from '../support/open-service.ts';
import { cardId, idLines, jsonLines, openPlain, refusal } from '../support/plain-service.ts';
import { CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { runFrontdesk } from '../support/run-frontdesk.ts';
import { type OperationName, sampleId, sampleRows, typedCall, WRITES } from '../support/sample-calls.ts';

/** How one write of each operation is typed, without a reason. */
function oneOf(operation: Operation): readonly string[] {
  const name = keyOf(operation);
  return typedCall(name, sampleId(name), ['reason']);
}

function keyOf({ name }: Operation): OperationName {
  const found = WRITES.find((key) => OPERATIONS[key].name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

const commands = (await Promise.all(REGISTRY.entries.map((entry) => entry.load()))).filter(
  (command): command is CallCommand => command.kind === 'call',
);
const writes = ALL_OPERATIONS.filter(isWrite);

function isBulk(operation: Operation): boolean {
  return commands.some((command) => command.bulk && operationOf(command).command === operation.command);
}

const manyArgs = ({ command }: Operation): readonly string[] => [...command.split('.'), '--from', '-'];

const stdinOf = (operation: Operation) => sampleRows(keyOf(operation), ['reason']);

/** Of a raw write nothing is known, whatever the operation. */
const RAW = ['api', 'POST', '/v1/cards/import/rows', '--data', '{}'];

/** Every way to a write of an operation, as words and stdin. Plans and runs are made before the guards are up. */
const WAYS: Readonly<
  Record<
    string,
    (place: Awaited<ReturnType<typeof openPlain>>, operation: Operation) => Promise<readonly string[] | undefined>
  >
> = {
  one: async (_, operation) => oneOf(operation),
  'a dry run': async (_, operation) => [...oneOf(operation), '--dry-run'],
  rows: async (_, operation) => (isBulk(operation) ? manyArgs(operation) : undefined),
  'a named run': async (_, operation) => (isBulk(operation) ? [...manyArgs(operation), '--run', 'x'] : undefined),
  raw: async () => RAW,
  'a plan': async ({ run }, operation) => {
    if (!isBulk(operation)) return undefined;
    const made = await run([...manyArgs(operation), '--plan', 'p.plan'], stdinOf(operation));
    expect(made.code, made.stderr).toBe(0);
    return ['plan', 'apply', 'p.plan'];
  },
  'a run that goes on': async ({ run }, operation) => {
    if (!isBulk(operation)) return undefined;
    const nowhere = { FRONTDESK_CARDS_URL: 'http://127.0.0.1:9', FRONTDESK_CALENDAR_URL: 'http://127.0.0.1:9' };
    const args = [...manyArgs(operation), '--run', 'old', '--max-failures', '1', '-j', '1', '--yes', '--retries', '0'];
    expect((await run(args, stdinOf(operation), nowhere)).code).toBe(7);
    return ['runs', 'resume', 'old'];
  },
};

/** Each way to one operation, and each operation by the way that all of them have. */
const casesOf = (ways: readonly string[]) =>
  writes.flatMap((operation) =>
    ways
      .filter((way) => operation === OPERATIONS.cardBlock || way === 'one')
      .map((way) => [operation.name, way] as const),
  );

it.each(casesOf(Object.keys(WAYS)))('FRONTDESK_READ_ONLY refuses %s as %s, and nothing is sent', async (name, way) => {
  const operation = writes.find((row) => row.name === name);
  if (operation === undefined) throw new Error(name);
  const place = await openPlain();
  const args = await WAYS[way]?.(place, operation);
  if (args === undefined) throw new Error(`${name} as ${way}`);
  const before = place.sent().length;
  const all = args.includes('--dry-run') ? args : [...args, '--yes'];
  expect(await place.run(all, stdinOf(operation), { FRONTDESK_READ_ONLY: '1' })).toMatchObject({
    code: 5,
    stdout: '',
    stderr: 'frontdesk: changes are not allowed in this environment. Nothing was sent.\n',
  });
  expect(place.sent()).toHaveLength(before);
});

it.each([
  ['card', 'get', cardId(1)],
  ['api', 'GET', '/v1/cards/x'],
  ['card', 'block', '--from', '-', '--plan', 'p.plan'],
])('FRONTDESK_READ_ONLY allows reading and planning: %s %s', async (...args) => {
  const { run } = await openPlain();
  expect((await run(args, idLines(2), { FRONTDESK_READ_ONLY: '1' })).code).toBe(0);
});

it('FRONTDESK_READ_ONLY counts whatever the profile says', async () => {
  const { run } = await openPlain();
  const args = ['-p', 'sandbox', 'card', 'activate', '4fbeb052-7396-41ce-8085-9263bed4f505'];
  expect([(await run(args, '', { FRONTDESK_READ_ONLY: 'yes' })).code, (await run(args)).code]).toEqual([5, 0]);
});

const linesOf = (path: string) => jsonLines(readFileSync(path, 'utf8'));

it.skipIf(process.platform === 'win32')(
  'FRONTDESK_AUDIT_LOG refuses a file that everybody can write to (4), and nothing is sent',
  async () => {
    const { file, pathOf, read, run, sent } = await openPlain();
    const path = pathOf('audit.jsonl');
    file('audit.jsonl', '');
    chmodSync(path, 0o666);
    const { code, stderr } = await run(['card', 'block', cardId(1), '--yes'], '', { FRONTDESK_AUDIT_LOG: path });
    expect([code, sent(), read('audit.jsonl')]).toEqual([4, [], '']);
    expect(stderr).toContain(`the audit log ${path} can be written by every user. Nothing was sent.`);
    expect(stderr).toContain(`hint: fix it with: chmod o-w ${path}`);
  },
);

it('FRONTDESK_AUDIT_LOG has a change before it is sent and after, in a file of mode 0600, also with --no-history', async () => {
  const seen: string[] = [];
  const { home, pathOf, read, run } = await openPlain(() => void seen.push(read('audit.jsonl')));
  const path = pathOf('audit.jsonl');
  const block = (...more: string[]) =>
    run(['card', 'block', cardId(1), '--reason', 'X-1', '--yes', ...more], '', { FRONTDESK_AUDIT_LOG: path });
  expect((await block()).code).toBe(0);
  const begin = { event: 'begin', profile: 'default', operation: 'card.block', id: cardId(1), reason: 'X-1' };
  expect(seen.map((text) => JSON.parse(text))).toEqual([expect.objectContaining(begin)]);
  const events = linesOf(path);
  expect(events).toEqual([
    expect.objectContaining(begin),
    {
      ...{ event: 'end', entry: events[0].entry, time: expect.stringMatching(/Z$/), operation: 'card.block' },
      id: cardId(1),
      ...{ outcome: 'applied', httpStatus: 200, attempts: 1, clientReference: 'order-1', observedStatus: 'BLOCKED' },
      ...{ sentAtMs: expect.any(Number), durationMs: expect.any(Number) },
    },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const kept = readFileSync(ledgerIn(home), 'utf8');
  expect(JSON.parse(kept)).toMatchObject({ entry: events[0].entry, outcome: 'applied' });
  expect(readFileSync(path, 'utf8')).not.toContain(CARDS_TOKEN);
  // A log of the operator's making keeps its mode, and a line that was cut is left behind.
  appendFileSync(path, '{"event":"beg');
  expect((await block('--no-history')).code).toBe(0);
  const text = readFileSync(path, 'utf8').split('\n');
  expect(text[2]).toBe('{"event":"beg');
  expect(text.slice(3, -1).map((line) => JSON.parse(line).event)).toEqual(['begin', 'end']);
  expect(readFileSync(ledgerIn(home), 'utf8')).toBe(kept);
});

it('FRONTDESK_AUDIT_LOG has the rows of runs, whatever their outcome', async () => {
  const { pathOf, run } = await openPlain(({ url, method }) =>
    method === 'POST' && url.includes(cardId(2)) ? refusal(409, 'NO') : undefined,
  );
  const path = pathOf('audit.jsonl');
  const stdin = `cardId,status\n${cardId(1)},ACTIVE\n${cardId(2)},ACTIVE\n${cardId(3)},BLOCKED\n`;
  const given = ['--expect', 'status', '--run', 'r', '--reason', 'X-1', '--yes', '-j', '1'];
  expect((await run(['card', 'block', '--from', '-', ...given], stdin, { FRONTDESK_AUDIT_LOG: path })).code).toBe(15);
  const events = linesOf(path).map(({ event, entry, outcome, id, run }) => [event, entry, outcome, id, run]);
  expect(events).toEqual([
    ['begin', 'r:1', undefined, cardId(1), 'r'],
    ['end', 'r:1', 'applied', cardId(1), 'r'],
    ['begin', 'r:2', undefined, cardId(2), 'r'],
    ['end', 'r:2', 'rejected', cardId(2), 'r'],
    ['begin', 'r:3', undefined, cardId(3), 'r'],
    ['end', 'r:3', 'not_sent', cardId(3), 'r'],
  ]);
});

it.each([
  ['one write', ['card', 'block', cardId(1), '--yes']],
  ['one write without history', ['card', 'block', cardId(1), '--yes', '--no-history']],
  ['rows', ['card', 'activate', '--from', '-', '--yes']],
  ['a raw write', [...RAW, '--yes']],
])('FRONTDESK_AUDIT_LOG that cannot be written refuses %s (16), and nothing is sent', async (_, args) => {
  const { json, pathOf, run, sent } = await openPlain();
  mkdirSync(pathOf('folder'));
  execFileSync('mkfifo', [pathOf('pipe')]);
  for (const path of [pathOf('folder'), pathOf('missing/log'), pathOf('pipe')]) {
    const { code, stdout, stderr } = await run(args, idLines(2), { FRONTDESK_AUDIT_LOG: path });
    expect({ code, stdout }).toEqual({ code: 16, stdout: '' });
    expect(stderr).toContain(`could not write the audit log (${path})`);
  }
  expect([sent(), await json('history', '--outcome', 'unknown')]).toEqual([[], []]);
});

it.each([
  ['the end', 'POST', { applied: 1, not_sent: 1 }],
  ['the beginning', 'GET', { not_sent: 2 }],
])('FRONTDESK_AUDIT_LOG that lacks %s of a row leaves the row as its run has it (16)', async (_, method, outcomes) => {
  const place = await openPlain((request) => {
    const log = place.pathOf('log');
    if (request.method !== method || statSync(log).isDirectory()) return undefined;
    rmSync(log);
    mkdirSync(log);
    return undefined;
  });
  const { file, json, pathOf, run } = place;
  file('log', '');
  const rows = ['card', 'block', cardId(1), cardId(2), '--expect', 'status=ACTIVE', '-j', '1', '--yes', '--json'];
  const { code, stderr } = await run(rows, '', { FRONTDESK_AUDIT_LOG: pathOf('log') });
  const [stored] = await json('runs', 'list');
  const { summary } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  expect([code, stored.outcomes, summary.outcomes]).toEqual([16, outcomes, outcomes]);
});

it('FRONTDESK_AUDIT_LOG is never the file of a token: its next line would be read as one', async () => {
  const { file, pathOf, read, run, server, sent } = await openPlain();
  file('token', CARDS_TOKEN);
  chmodSync(pathOf('token'), 0o600);
  const url = server.env['FRONTDESK_CARDS_URL'] ?? '';
  await run(['auth', 'login', '-p', 'live', '--family', 'cards', '--cards-url', url, '--token-file', pathOf('token')]);
  const env = { FRONTDESK_AUDIT_LOG: pathOf('token'), FRONTDESK_CARDS_TOKEN: '', FRONTDESK_CARDS_URL: '' };
  const { code, stderr } = await run(['card', 'block', cardId(1), '--yes', '-p', 'live'], '', env);
  expect([code, sent(), read('token')]).toEqual([2, [], CARDS_TOKEN]);
  expect(stderr).toContain('is a token file. Nothing was sent.');
});

it('FRONTDESK_AUDIT_LOG is not needed for reading', async () => {
  const { run } = await openPlain();
  expect((await run(['card', 'get', cardId(1)], '', { FRONTDESK_AUDIT_LOG: '/nowhere/log' })).code).toBe(0);
});
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
/** Messages cut a value of more than 60 characters. */
const LONG = `${JWT}${'x'.repeat(60)}`;

const KEYS = [
  LONG,
  'sk_live_4eC39HqLyjWDarjtT1',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'xoxb-17653672481-19874698323',
  'q7Zk2Xf9Lw4Tn8Rb3Hc6',
  'k3v9x2m7p4q8w1z6t5r0y2u7',
];

it.each([
  ['-t', '*', 'card', 'get', cardId(1)],
  ['-t', 'hunter22', 'card', 'get', cardId(1)],
  ['*'],
  ['help', '*'],
  ['card', '*'],
  ['card', 'get', '*'],
  ['card', 'get', cardId(1), '*'],
  ['card', 'get', cardId(1), '-v*'],
  ['card', 'get', cardId(1), '-*'],
  ['card', 'get', cardId(1), '--*'],
  ['card', 'get', cardId(1), '-p', '*'],
  ['card', 'get', cardId(1), '-p*'],
  ['card', 'get', cardId(1), '-o', '*'],
  ['card', 'get', cardId(1), '-o*'],
  ['card', 'get', cardId(1), '--ca-file', '*'],
  ['card', 'get', cardId(1), '-H', 'Authorization:Bearer_*'],
  ['card', 'get', cardId(1), '--header', 'Authorization=*'],
  ['card', 'get', cardId(1), '-HAuthorization:*'],
  ['card', 'get', cardId(1), '--header', 'X-Key: hunter22'],
  ['card', 'get', '--from', '*'],
  ['card', 'find', '*', '-p', 'sandbox'],
  ['config', 'set', 'output', '*'],
  ['api', 'GET', '*'],
  ['api', '*', '/v1/cards/x'],
  ['runs', 'show', '*'],
  ['history', '--id', '*'],
  ['doctor', '--ca-file', '*'],
  ['schema', '*'],
])('a key is repeated on no stream, whatever its form and its place: %s %s %s %s %s', async (...args) => {
  for (const key of KEYS) {
    const given = args.map((word) => word.replace('*', key));
    const { stdout, stderr } = await runFrontdesk(given);
    for (const secret of [key, key.slice(-15), 'hunter22'])
      expect(`${stdout}${stderr}`, given.join(' ')).not.toContain(secret);
  }
});

it.each([
  ...['cal_harbour_tours', 'order-2026-11-30-000471', 'INV2026DE0000471100012', 'export20261130T120000Z'],
  ...['cards_2026-11-30_v2.xlsx', 'q7Zk2Xf9Lw4Tn8Rb3Hc6.csv', './q7Zk2Xf9Lw4Tn8Rb3Hc6/cards'],
  ...['HarbourToursSummer2027Calendar', '20261130T031456789Z-3039-a1b2c3', '507f1f77bcf86cd799439011'],
  ...['plan-3f9a0c44d1e2b7a8', '0b7a6c1e3f524d8a9c415e2f7a90b10g', '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b10'],
  ...['2027-04-02T18:00:00.000+02:00'],
])('an ordinary argument is repeated in the refusal of it: %s', async (value) => {
  expect((await runFrontdesk(['card', 'get', value])).stderr).toContain(value);
});

it('an ID that looks like a key is repeated where a change of it failed', async () => {
  const server = await startRecordingServer(() => ({ status: 404, body: {} }));
  const args = ['calendar', 'update', 'q7Zk2Xf9Lw4Tn8Rb3Hc6', '--name', 'x'];
  expect((await runFrontdesk(args, { env: server.env })).stderr).toContain('q7Zk2Xf9Lw4Tn8Rb3Hc6');
});

it('an unexpected argument is repeated in messages like any other word, but where tokens are typed', async () => {
  expect((await runFrontdesk(['profile', 'list', 'extra'])).stderr).toContain('unexpected argument: extra');
  const login = await runFrontdesk(['auth', 'login', '--family', 'cards', '--token-file', 'missing.txt', 'extra']);
  expect(login.stderr).toContain('unexpected argument: ***');
});

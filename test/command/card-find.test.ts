import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cardId, openPlain, REPLACEMENT_ID } from '../support/plain-service.ts';
import { runFrontdesk } from '../support/run-frontdesk.ts';

const EMPTY = '[]\n';

async function openShop(service?: Parameters<typeof openPlain>[0]) {
  const { home, server, file: write, run: runPlain } = await openPlain(service);
  const run = (...args: readonly string[]) => runPlain(args);
  /** Refused with 2 and nothing printed; its messages. */
  const refused = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  };
  const find = async (...words: string[]) => JSON.parse((await run('card', 'find', ...words, '--json')).stdout);
  return { home, server, run, write, refused, find };
}

test('card find knows the cards that were read or changed, the new one of a reissue too, and sends nothing', async () => {
  const { run, server, find } = await openShop();
  // Its card is read before, and has another status afterwards.
  await run('card', 'block', cardId(1), '--expect', 'status=ACTIVE', '--yes', '-q');
  await run('card', 'reissue', cardId(2), '--yes', '-q');
  const sent = server.requests.length;
  const found = await find(cardId(1));
  expect(found).toMatchObject([{ cardId: cardId(1), status: 'BLOCKED' }]);
  expect(Object.keys(found[0])).toEqual(['cardId', 'clientReference', 'status', 'seenAt']);
  expect(await find(REPLACEMENT_ID)).toHaveLength(1);
  expect(server.requests).toHaveLength(sent);
});

test('card find without a match prints an empty list and says since when cards are remembered', async () => {
  const { run } = await openShop();
  const first = await run('card', 'find', 'order-1', '--json');
  expect([first.code, first.stdout]).toEqual([0, EMPTY]);
  expect(first.stderr).toContain('this machine remembers no cards yet');
  await run('card', 'get', cardId(1), '-q');
  const second = await run('card', 'find', 'nothing-like-it', '--json');
  expect([second.code, second.stdout]).toEqual([0, EMPTY]);
  expect(second.stderr).toContain('this machine remembers cards since');
  const other = await run('card', 'find', 'order-1', '-p', 'sandbox');
  expect(other.stderr).toContain('import an export of orders: frontdesk card find --import <file> -p sandbox\n');
});

test('a client reference is remembered without a token that the service put into it', async () => {
  const { run, find, server } = await openShop(({ url, headers }) => {
    const [, token = ''] = String(headers['authorization']).split(' ');
    return { body: { cardId: url.split('/')[3], clientReference: `order-7 ${Buffer.from(token).toString('hex')}` } };
  });
  await run('card', 'get', cardId(1), '-q');
  expect(await find('order-7')).toMatchObject([{ clientReference: 'order-7 ***' }]);
  expect(server.requests).toHaveLength(1);
});

test('a client reference is remembered up to 1,000 characters', async () => {
  const { run, find } = await openShop(({ url }) => {
    const id = url.split('/')[3] ?? '';
    return { body: { cardId: id, clientReference: 'r'.repeat(id === cardId(1) ? 1000 : 1001) } };
  });
  await run('card', 'get', cardId(1), cardId(2), '-q');
  expect(await find('r'.repeat(1000))).toMatchObject([{ cardId: cardId(1) }]);
  expect(await find('r'.repeat(1001))).toEqual([]);
});

test('with FRONTDESK_NO_HISTORY no card is remembered', async () => {
  const { home, server } = await openShop();
  await runFrontdesk(['card', 'get', cardId(1)], { env: { ...server.env, FRONTDESK_NO_HISTORY: '1' }, home });
  expect(existsSync(home.stateDir)).toBe(false);
});

test('card find --forget needs --yes outside a terminal and takes no text, and forgets the cards of this base URL', async () => {
  const { run, refused, find } = await openShop();
  await run('card', 'get', cardId(1), '-q');
  await refused('card', 'find');
  await refused('card', 'find', 'order-1', '--forget', '--yes');
  expect(await refused('card', 'find', '--forget')).toContain('hint: add --yes to confirm without a prompt');
  expect(await find(cardId(1))).toHaveLength(1);
  expect([(await run('card', 'find', '--forget', '--yes')).code, await find(cardId(1))]).toEqual([0, []]);
});

test('a state folder that others can write to: a read warns, remembers nothing and ends well, card find ends with 4', async () => {
  const { home, run } = await openShop();
  await run('card', 'get', cardId(1), '-q');
  chmodSync(home.stateDir, 0o777);
  const read = await run('card', 'get', cardId(2), '-q');
  expect(read.code).toBe(0);
  expect(read.stderr).toMatch(/^frontdesk: warning: cards are not remembered: .* \(mode 0777\)\n$/);
  expect((await run('card', 'find', cardId(1))).code).toBe(4);
  chmodSync(home.stateDir, 0o700);
  expect((await run('card', 'find', cardId(2), '--json')).stdout).toBe(EMPTY);
  expect(readdirSync(join(home.stateDir, 'cards'))).toHaveLength(1);
});

test.each([
  ['runs', ['order-1']],
  ['writes', ['order-1']],
  ['open', ['order-1']],
  ['runs', ['--forget', '--yes']],
])('card find ends with 4 where others can write to %s alone: %j', async (folder, args) => {
  const { home, run } = await openShop();
  await run('card', 'get', cardId(1), '-q');
  mkdirSync(join(home.stateDir, folder), { recursive: true });
  chmodSync(join(home.stateDir, folder), 0o722);
  expect(await run('card', 'find', ...args)).toMatchObject({
    code: 4,
    stdout: '',
    stderr: `frontdesk: ${join(home.stateDir, folder)} was not used: others can write to it (mode 0722)\nhint: fix it with: chmod -R go-w ${home.stateDir}\n`,
  });
  expect(readdirSync(join(home.stateDir, 'cards'))).toHaveLength(1);
});

test('sandbox reset forgets the cards seen in the sandbox, and profile remove those of a base URL that no other has', async () => {
  const { home, run, server } = await openShop();
  const sandboxCard = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
  await run('card', 'get', sandboxCard, '-q', '-p', 'sandbox');
  const reset = 'The sandbox has its initial data again.';
  expect((await run('sandbox', 'reset')).stdout).toBe(`${reset} The remembered cards are deleted.\n`);
  expect((await run('sandbox', 'reset')).stdout).toBe(`${reset}\n`);
  expect((await run('card', 'find', sandboxCard, '--json', '-p', 'sandbox')).stdout).toBe(EMPTY);
  const url = String(server.env['FRONTDESK_CARDS_URL']);
  const local = (...args: readonly string[]) => runFrontdesk(args, { home });
  await local('profile', 'set', 'one', '--cards-url', url);
  await local('profile', 'set', 'two', '--cards-url', url);
  await run('card', 'get', cardId(1), '-q');
  const found = async (name: string) =>
    JSON.parse((await local('card', 'find', cardId(1), '--json', '-p', name)).stdout);
  await local('profile', 'remove', 'one', '--yes');
  expect(await found('two')).toHaveLength(1);
  await local('profile', 'remove', 'two', '--yes');
  await local('profile', 'set', 'three', '--cards-url', url);
  expect(await found('three')).toEqual([]);
});

test('a reference where a card ID is asked for is refused with the command for its card, never with --yes', async () => {
  const { run, refused, server } = await openShop();
  const reference = String(JSON.parse((await run('card', 'get', cardId(1), '--json', '-q')).stdout).clientReference);
  const sent = server.requests.length;
  const hint = `hint: "${reference}" is known here as the client reference of card ${cardId(1)}\n`;
  const stderr = await refused('card', 'block', reference, '--yes');
  expect(stderr).toContain(`${hint}hint: check the ID, then run: frontdesk card block ${cardId(1)}\n`);
  expect((await run('card', 'get', 'no-such-reference')).stderr).not.toContain('hint:');
  expect(server.requests).toHaveLength(sent);
});

test('references in a file of IDs are refused with their cards', async () => {
  const { run, refused, server, write } = await openShop();
  const orders = ['A-1', 'A-2', 'B-1', 'B-1'].map((reference, at) => `${reference},${cardId(at + 1)}\n`);
  write('orders.csv', `clientReference,cardId\n${orders.join('')}`);
  await run('card', 'find', '--import', 'orders.csv');
  write('rows.csv', `cardId,reason\na-1,lost\n${cardId(9)},lost\nA-2,lost\n`);
  const rows = await refused('card', 'block', '--from', 'rows.csv', '--yes');
  expect(rows).toContain('line 2 and 1 more, column cardId: "a-1" is not a card ID');
  expect(rows).toContain(`hint: "a-1" is known here as the client reference of card ${cardId(1)}\n`);
  write('rows.ids', `A-2\nB-1\nA-1\nno-such-reference\n`);
  const lines = await refused('card', 'block', '--from', 'rows.ids', '--yes');
  const [one, two] = [1, 2].map((n) => `"A-${n}" is known here as the client reference of card ${cardId(n)}`);
  expect(lines).toContain(`\nhint: ${two}, ${one}\n`);
  expect(server.requests).toEqual([]);
});

test('a file with the name of its only reference is left in its command', async () => {
  const { run, refused, write } = await openShop();
  write('orders.csv', `clientReference,cardId\nA-1,${cardId(1)}\n`);
  await run('card', 'find', '--import', 'orders.csv');
  write('A-1', 'cardId\nA-1\n');
  const stderr = await refused('card', 'block', '--from', 'A-1', '--yes');
  expect(stderr).toContain(`"A-1" is known here as the client reference of card ${cardId(1)}\n`);
  expect(stderr).not.toContain('then run:');
});

test('card find --import remembers the rows of a file whole or not at all, and keeps a status that a row lacks', async () => {
  const { home, run, refused, server, write, find } = await openShop();
  await run('card', 'get', cardId(1), '-q');
  const sent = server.requests.length;
  write('orders.csv', `Order,cardId,status,till\nA-1,${cardId(1)},,7\nA-2,${cardId(2)},BLOCKED,#REF!\n`);
  const map = ['--map', 'Order=clientReference'];
  const imported = await run('card', 'find', '--import', 'orders.csv', ...map, '--json');
  expect([imported.code, JSON.parse(imported.stdout)]).toEqual([0, { imported: 2 }]);
  const first = { cardId: cardId(1), clientReference: 'A-1', status: 'ACTIVE' };
  expect([await find('a-'), await find('a-1')]).toMatchObject([[], [first]]);
  write('faulty.csv', `cardId,clientReference\n${cardId(3)},B-1\nnot-an-id,B-2\n${cardId(4)},\n`);
  const faulty = await refused('card', 'find', '--import', 'faulty.csv', '--json');
  const faults = [3, 4].map((line, at) => ({ line, field: ['cardId', 'clientReference'][at] }));
  expect(JSON.parse(faulty)).toMatchObject({ error: { code: 'USAGE', faultCount: 2, faults } });
  expect(await find('B-1')).toEqual([]);
  for (const [text, more, problem] of [
    [`${cardId(3)}\n`, [], 'line 1: there are IDs alone: give each one a clientReference'],
    [`{"cardId":"${cardId(3)}","clientReference":42}\n`, [], 'column clientReference: must be a text, not 42'],
    ['cardId,order\n', [], 'no column clientReference: the columns are "cardId", "order" (--map reads one as a field)'],
    ['Card ID,clientReference\n', [], 'hint: read them as these fields: `--map "Card ID=cardId"`'],
    ['cardId,order,clientReference\n', ['--map', 'order=clientReference'], 'there are two columns clientReference'],
    [
      `{"cardId":"${cardId(3)}","order":"A-3","clientReference":"B-3"}\n`,
      ['--map', 'order=clientReference'],
      'line 1: the row has a member clientReference, and --map reads that field from "order"',
    ],
    ['cardId,order\n', ['--map', 'order=design'], '"order=design" names no field: the fields are cardId, id,'],
  ] as const) {
    write('other', text);
    expect(await refused('card', 'find', '--import', 'other', ...more)).toContain(problem);
  }
  const env = { ...server.env, FRONTDESK_NO_HISTORY: '1' };
  expect((await runFrontdesk(['card', 'find', '--import', 'orders.csv', ...map], { env, home })).code).toBe(2);
  expect(server.requests).toHaveLength(sent);
});

test('history --id takes an order number: of rows of a run and of a write before its card was known, too', async () => {
  const { home, run, write } = await openShop();
  await run('card', 'block', cardId(1), cardId(2), '--yes', '-q');
  write('orders.csv', `cardId,clientReference\n${cardId(2)},A-2\n`);
  await run('card', 'find', '--import', 'orders.csv', '-q');
  const listed = async (id: string) => JSON.parse((await run('history', '--id', id, '--json')).stdout);
  expect(await listed('A-2')).toMatchObject([{ operation: 'card.block', id: cardId(2) }]);
  expect([await listed('a-2'), await listed('A-')]).toEqual([[], []]);
  expect(JSON.parse((await runFrontdesk(['history', '--id', 'A-2', '--json'], { home })).stdout)).toHaveLength(1);
});

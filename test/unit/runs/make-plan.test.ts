import { expect, it } from 'vitest';
import { command as calendarEventCreate } from '../../../src/cli/commands/calendar/event/create.ts';
import { command as calendarSubscribersUpdate } from '../../../src/cli/commands/calendar/subscribers/update.ts';
import { command as cardBlock } from '../../../src/cli/commands/card/block.ts';
import type { CallCommand } from '../../../src/command/command.ts';
import type { CallOptions } from '../../../src/input/options/call-options.ts';
import { runBulk } from '../../../src/runs/bulk.ts';
import { planSingle } from '../../../src/runs/make-plan.ts';
import { type Bench, cardId, failureOf, given, openBench } from '../../support/session-bench.ts';
import { answer, card } from '../service/http/fakes.ts';

const BLOCK = cardBlock;
const UPDATE = calendarSubscribersUpdate;
const CREATE = calendarEventCreate;
const TWO_CARDS = `id,reason\n${cardId(1)},lost\n${cardId(2)},stolen\n`;
const CARD = { status: 'ACTIVE', updatedAt: '2025-01-02T00:00:00Z' };

/** Options that ask for a plan that may be applied for a minute. */
function planning(bench: Bench, more: CallOptions = {}): CallOptions {
  return { plan: `${bench.folder}/p.plan`, planExpires: { text: '1m', ms: 60_000 }, ...more };
}

function planOf(bench: Bench) {
  const lines = bench.read('p.plan').trimEnd().split('\n');
  const [header, ...rows] = lines.map((line) => JSON.parse(line));
  return { header, rows };
}

function plan(bench: Bench, command: CallCommand, text: string, more: CallOptions = {}): Promise<number> {
  return runBulk(bench.session, command, given({ from: bench.file('in.csv', text), ...planning(bench), ...more }));
}

const OF_BLOCK = { operation: 'card.block' };
const OF_UPDATE = { operation: 'calendar.subscribers.update' };

it('a plan of cards has what will be sent and what each card was, and sends no write', async () => {
  const bench = openBench(OF_BLOCK);
  expect(await plan(bench, BLOCK, TWO_CARDS)).toBe(0);
  expect(bench.sent).toEqual([`GET /v1/cards/${cardId(1)}`, `GET /v1/cards/${cardId(2)}`]);
  const { header, rows } = planOf(bench);
  const made = { createdBy: 'ada', createdAt: '2026-05-01T12:00:00.000Z', nonce: '800000000000', source: 'in.csv' };
  const counts = { rows: 2, unchanged: 0, skipped: 0, expiresAt: '2026-05-01T12:01:00.000Z' };
  const where = { operation: 'card.block', url: 'https://api.example.com', profile: 'demo' };
  expect(header).toMatchObject({ frontdeskPlan: 1, ...where, ...made, ...counts });
  const known = { before: CARD, about: { clientReference: 'r-1' }, drift: 'checked' };
  const reasons = ['lost', 'stolen'];
  expect(rows).toEqual(reasons.map((reason, at) => ({ row: at + 1, id: cardId(at + 1), body: { reason }, ...known })));
  const path = `${bench.folder}/p.plan`;
  expect(bench.stderr()).toBe(
    `frontdesk: note: nothing was sent. Review the plan: frontdesk plan show ${path}\nfrontdesk: note: apply it: frontdesk plan apply ${path}\n`,
  );
  expect(bench.stdout()).toContain(header.plan);
  expect(bench.names('state')).toEqual([]);
});

it('a plan of cards is not written when one card cannot be read, and how many is said (15)', async () => {
  const bench = openBench({ ...OF_BLOCK, respond: (line) => (line.endsWith('0002') ? answer(404) : undefined) });
  expect(await plan(bench, BLOCK, TWO_CARDS, { failed: `${bench.folder}/failed.csv` })).toBe(15);
  expect(bench.names()).toEqual(['failed.csv', 'in.csv']);
  expect(bench.read('failed.csv')).toContain(cardId(2));
  expect(bench.read('failed.csv')).not.toContain(cardId(1));
  expect(bench.stderr()).toContain(
    'frontdesk: warning: no plan was written, because 1 of 2 rows cannot be planned. Nothing was sent.\n',
  );
  expect(bench.stderr()).toContain(
    `could not read card ${cardId(2)} at api.example.com (profile demo): the service returned 404`,
  );
  expect(bench.stderr().match(/note: .*/g)).toEqual([`note: ${without(2)}`]);
});

it('a plan of cards tells a program in one summary what the rows came to', async () => {
  const bench = openBench({ ...OF_BLOCK, output: { format: 'json' }, respond: () => answer(404) });
  expect(await plan(bench, BLOCK, TWO_CARDS)).toBe(15);
  const lines = bench.stderr().trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ summary: { rows: 2, exitCode: 15 } });
  expect(lines.at(-1)).not.toContain('rejected":');
  expect(bench.stderr().match(/"code":"NOT_PLANNED"/g)).toHaveLength(2);
});

it('a plan of cards is not written when a card is not as its row expects', async () => {
  const bench = openBench(OF_BLOCK);
  expect(await plan(bench, BLOCK, TWO_CARDS, { expect: ['status=BLOCKED'] })).toBe(15);
  expect(bench.names()).toEqual(['in.csv']);
  expect(bench.stderr()).toContain(`row 1: could not plan to block card ${cardId(1)}: `);
  const good = bench.again(OF_BLOCK);
  expect(await plan(good, BLOCK, TWO_CARDS, { expect: ['status=ACTIVE', 'clientReference=r-1'] })).toBe(0);
  expect(planOf(good).header.expect).toEqual(['status', 'clientReference']);
  expect(planOf(good).rows[1].expect).toEqual({ status: 'ACTIVE', clientReference: 'r-1' });
  const column = openBench(OF_BLOCK);
  expect(await plan(column, BLOCK, `id,status\n${cardId(1)},ACTIVE\n`, { expect: ['status'] })).toBe(0);
  expect([planOf(column).header.expect, planOf(column).rows[0].expect]).toEqual([['status'], { status: 'ACTIVE' }]);
});

it('a plan of cards says that a card could not be read, and not what was expected of it', async () => {
  const bench = openBench({ ...OF_BLOCK, respond: () => answer(404) });
  expect(await plan(bench, BLOCK, TWO_CARDS, { expect: ['status=ACTIVE'] })).toBe(15);
  expect(bench.stderr()).not.toContain('could not plan');
});

it('a plan of cards has the balance of a card that has one, for who reviews it', async () => {
  const seen = card('ACTIVE', { cardId: cardId(1), currentBalance: 7, initialBalance: 9 });
  const bench = openBench({ ...OF_BLOCK, respond: () => answer(200, seen) });
  expect(await plan(bench, BLOCK, `id\n${cardId(1)}\n`)).toBe(0);
  expect(planOf(bench).rows[0].about).toEqual({ clientReference: 'r-1', currentBalance: 7 });
});

it('a plan of cards of ids that were typed or piped has no name of a file', async () => {
  const typed = openBench(OF_BLOCK);
  await runBulk(typed.session, BLOCK, given(planning(typed), [cardId(1), cardId(2)]));
  const piped = openBench(OF_BLOCK);
  await runBulk(piped.session, BLOCK, given(planning(piped, { from: '-', fromFormat: 'ids' })));
  for (const bench of [typed, piped]) expect(planOf(bench).header).not.toHaveProperty('source');
  expect(planOf(typed).rows.map(({ id }) => id)).toEqual([cardId(1), cardId(2)]);
});

it('a plan of cards is printed as JSON where that was asked for', async () => {
  const bench = openBench({ ...OF_BLOCK, output: { format: 'json', suggestions: undefined }, random: 0.0071 });
  expect([await plan(bench, BLOCK, TWO_CARDS), JSON.parse(bench.stdout())]).toEqual([0, planOf(bench).header]);
  expect(planOf(bench).header).toMatchObject({ createdAt: '2026-05-01T12:00:00.000Z', nonce: '01d14e3bcd35' });
  const message = expect.stringContaining('Review the plan: frontdesk plan show ');
  expect(JSON.parse(bench.stderr().split('\n')[0] ?? '').notice).toMatchObject({ code: 'PLANNED', message });
});

it('a plan of cards without rows leaves no row in the file of failed ones', async () => {
  const bench = openBench(OF_BLOCK);
  expect(await plan(bench, BLOCK, 'id\n', { failed: `${bench.folder}/failed.csv` })).toBe(0);
  expect(bench.names()).toEqual(['failed.csv', 'in.csv', 'p.plan']);
});

it('a plan of cards stops at a token that is not accepted, and no plan is written', async () => {
  const bench = openBench({ ...OF_BLOCK, respond: () => answer(401) });
  expect([await plan(bench, BLOCK, TWO_CARDS), bench.names()]).toEqual([4, ['in.csv']]);
});

it('a plan is never put in the place of a file, and no card is read', async () => {
  const bench = openBench(OF_BLOCK);
  bench.file('p.plan', 'mine');
  expect(await failureOf(plan(bench, BLOCK, TWO_CARDS))).toMatchObject({ code: 'USAGE' });
  expect(await failureOf(single(bench, BLOCK, cardId(1), {}))).toMatchObject({ code: 'USAGE' });
  expect([bench.read('p.plan'), bench.sent]).toEqual(['mine', []]);
});

it('a new plan of cards is a page without its rows in a terminal, and names the command that shows them', async () => {
  const bench = openBench({ ...OF_BLOCK, isTerminal: true, profile: { namedBy: '--profile' } });
  expect(await plan(bench, BLOCK, TWO_CARDS)).toBe(0);
  expect(bench.stdout()).toContain(`Plan ${planOf(bench).header.plan}`);
  expect(bench.stdout()).not.toContain(cardId(2));
  expect(bench.stderr()).toMatch(/frontdesk plan show \S+ -p demo\n/);
});

const rows = 'id,email\ns1,a\ns2,b\n';

it('a plan of what cannot be read has the rows as they are, and asks the service nothing', async () => {
  const bench = openBench(OF_UPDATE);
  expect(await plan(bench, UPDATE, rows)).toBe(0);
  const drift = 'unchecked';
  const planned = [
    { row: 1, id: 's1', body: { email: 'a' }, drift },
    { row: 2, id: 's2', body: { email: 'b' }, drift },
  ];
  expect([bench.sent, planOf(bench).rows]).toEqual([[], planned]);
});

it('a plan of what cannot be read has the old values of an older file, and says what was left', async () => {
  const bench = openBench(OF_UPDATE);
  const changedFrom = bench.file('old.csv', 'id,email\ns1,x\ns2,b\ns3,c\n');
  expect(await plan(bench, UPDATE, rows, { changedFrom })).toBe(0);
  const { header, rows: planned } = planOf(bench);
  expect(header).toMatchObject({ rows: 1, unchanged: 1, missing: 1 });
  expect(header).not.toHaveProperty('emptied');
  expect(planned).toEqual([{ row: 1, id: 's1', body: { email: 'a' }, before: { email: 'x' }, drift: 'unchecked' }]);
});

it('a plan of what cannot be read counts cells that are empty now, and rows that are gone only where some are', async () => {
  const bench = openBench(OF_UPDATE);
  const changedFrom = bench.file('old.csv', 'id,email,first_name\ns1,a,Ann\ns2,b,Ben\n');
  expect(await plan(bench, UPDATE, 'id,email,first_name\ns1,x,\ns2,,\n', { changedFrom })).toBe(0);
  expect(planOf(bench).header).toMatchObject({ rows: 1, emptied: 3 });
  expect(planOf(bench).header).not.toHaveProperty('missing');
  expect(bench.signals.listening).toBe(0);
});

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a plan of what cannot be read is not written when %s comes meanwhile', async (signal, exitCode) => {
  const bench = openBench(OF_UPDATE);
  const { onSignal } = bench.signals;
  // The signal comes as soon as the rows are being planned.
  bench.signals.onSignal = (listener) => {
    const stop = onSignal.call(bench.signals, listener);
    bench.signals.send(signal);
    return stop;
  };
  expect([await plan(bench, UPDATE, rows), bench.stdout()]).toEqual([exitCode, '']);
  expect(bench.stderr()).toContain('no plan was written, because 2 of 2 rows cannot be planned. Nothing was sent.\n');
  expect(bench.names()).toEqual(['in.csv']);
});

type Fields = Record<string, string>;

const single = (bench: Bench, command: CallCommand, id: string | undefined, fields: Fields, more: CallOptions = {}) => {
  const typed = { ...given(planning(bench, more), id === undefined ? [] : [id]) };
  const options = { ...typed.options, ...fields };
  return planSingle(bench.session, command, { ...typed, options, typed: new Set(Object.keys(fields)) });
};

it('a plan of one call of a card has what it was', async () => {
  const bench = openBench(OF_BLOCK);
  expect(await single(bench, BLOCK, cardId(1), { reason: 'lost' }, { expect: ['status=ACTIVE'] })).toBe(0);
  expect(bench.sent).toEqual([`GET /v1/cards/${cardId(1)}`]);
  const { header, rows } = planOf(bench);
  expect(header).toMatchObject({ rows: 1, unchanged: 0, skipped: 0, expect: ['status'] });
  const known = { before: CARD, expect: { status: 'ACTIVE' }, about: { clientReference: 'r-1' }, drift: 'checked' };
  expect(rows).toEqual([{ row: 1, id: cardId(1), body: { reason: 'lost' }, ...known }]);
});

it('a plan of one call of an event has its fields', async () => {
  const bench = openBench({ operation: 'calendar.event.create' });
  expect(await single(bench, CREATE, undefined, { name: 'a', start: '2026-06-01', calendar: 'c' })).toBe(0);
  expect(planOf(bench).rows).toEqual([
    { row: 1, id: null, body: { name: 'a', start: '2026-06-01', calendar: 'c' }, drift: 'unchecked' },
  ]);
  expect(planOf(bench).header).not.toHaveProperty('expect');
  expect(bench.sent).toEqual([]);
});

it.each<[string, Parameters<typeof openBench>[0], CallOptions, string]>([
  ['a profile that requires another reason', { profile: { requireReason: 'OPS' } }, {}, 'USAGE'],
  ['another number of rows', {}, { expectRows: 2 }, 'PRECONDITION'],
  ['a card that is not as expected', {}, { expect: ['status=BLOCKED'] }, 'PRECONDITION'],
  ['a card that cannot be read', { respond: () => answer(500) }, {}, 'BAD_REPLY'],
  ['a card that is not there', { respond: () => answer(404) }, {}, 'NOT_FOUND'],
])('a plan of one call is not written with %s', async (_what, facts, more, code) => {
  const bench = openBench({ ...OF_BLOCK, ...facts });
  expect((await failureOf(single(bench, BLOCK, cardId(1), { reason: 'lost' }, more))).code).toBe(code);
  expect(bench.names()).toEqual([]);
});

it('a plan of one call says what is odd about its id', async () => {
  const bench = openBench(OF_UPDATE);
  expect(await single(bench, UPDATE, 's1 ', { email: 'a' })).toBe(0);
  expect(bench.stderr()).toContain('frontdesk: warning: ');
});

it('a plan of one call is a bug without --plan', async () => {
  const bench = openBench(OF_BLOCK);
  const { plan: path, planExpires } = planning(bench);
  for (const options of [{}, { plan: path }, { planExpires }]) {
    const made = planSingle(bench.session, BLOCK, given(options as CallOptions, [cardId(1)]));
    await expect(made).rejects.toThrow('a plan without --plan');
  }
});

const FAILED_FILE = 'to get a file of the rows that cannot be planned, add --failed <file>';
const without = (...numbers: readonly number[]) =>
  `to plan the other rows, add ${numbers.map((number) => `--where 'id!=${cardId(number)}'`).join(' ')}`;
const SEVEN = [1, 2, 3, 4, 5, 6, 7].map((number) => `${cardId(number)}\n`).join('');

it.each<[string, readonly number[], string, CallOptions, readonly string[]]>([
  ['one of seven', [2], `id\n${SEVEN}`, {}, [without(2), FAILED_FILE]],
  ['five of seven', [1, 2, 3, 4, 5], `id\n${SEVEN}`, {}, [without(1, 2, 3, 4, 5), FAILED_FILE]],
  ['six of seven', [1, 2, 3, 4, 5, 6], `id\n${SEVEN}`, {}, [FAILED_FILE]],
  ['all', [1, 2], TWO_CARDS, {}, [FAILED_FILE]],
  ['one of some rows', [2], `id\n${SEVEN}`, { rows: '1-3' }, [FAILED_FILE]],
  ['one of IDs alone', [2], SEVEN, { fromFormat: 'ids' }, [FAILED_FILE]],
  ['one of typed IDs', [2], '', {}, [FAILED_FILE]],
  ['one of another column', [2], `cardId\n${SEVEN}`, {}, [without(2).replace('id!', 'cardId!'), FAILED_FILE]],
])('where rows cannot be planned it is said how the others can: %s', async (_, refused, text, more, hints) => {
  const ids = refused.map(cardId);
  const respond = (line: string) => (ids.some((id) => line.endsWith(id)) ? answer(404) : undefined);
  const bench = openBench({ ...OF_BLOCK, respond });
  const options = planning(bench, { ...more, concurrency: 1 });
  const input =
    text === '' ? given(options, SEVEN.trim().split('\n')) : given({ ...options, from: bench.file('in.csv', text) });
  expect([await runBulk(bench.session, BLOCK, input), bench.stderr().match(/(?<=note: ).*/g)]).toEqual([15, hints]);
});

it('a plan says how its input was shaped, and one of a whole input says nothing of it', async () => {
  const text = `id,Store,reason\n${cardId(1)},7,lost\n${cardId(2)},8,lost\n`;
  const bench = openBench(OF_BLOCK);
  expect(await plan(bench, BLOCK, text, { where: ['Store=7'], ignoreColumns: ['Store'] })).toBe(0);
  expect(planOf(bench).header).toMatchObject({ rows: 1, shape: { where: ['Store=7'], leftOut: 1 } });
  const whole = openBench(OF_BLOCK);
  expect(await plan(whole, BLOCK, TWO_CARDS)).toBe(0);
  expect(planOf(whole).header).not.toHaveProperty('shape');
});

it('a plan leaves out the rows that --skip-if names, and counts them', async () => {
  const respond = (line: string) =>
    line.endsWith(cardId(2)) ? answer(200, { ...card('BLOCKED'), cardId: cardId(2) }) : undefined;
  const bench = openBench({ ...OF_BLOCK, respond });
  expect(await plan(bench, BLOCK, TWO_CARDS, { skipIf: ['status=BLOCKED'] })).toBe(0);
  const { header, rows } = planOf(bench);
  expect([header.rows, header.skipped, rows.map(({ id }) => id)]).toEqual([1, 1, [cardId(1)]]);
  const one = openBench(OF_BLOCK);
  expect(await single(one, BLOCK, cardId(1), {}, { skipIf: ['status=ACTIVE'] })).toBe(0);
  expect(planOf(one)).toMatchObject({ header: { rows: 0, skipped: 1 }, rows: [] });
});

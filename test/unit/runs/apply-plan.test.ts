import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromPlain, type JsonObject } from '../../../src/base/json/value.ts';
import { hintText } from '../../../src/base/next-step.ts';
import { applyPlan } from '../../../src/runs/apply-plan.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { cardId, cardRows, failureOf, openBench, writeTestPlan } from '../../support/session-bench.ts';
import { answer, card } from '../service/http/fakes.ts';

const YES = { common: { yes: true } };
const HOUR_MS = 3_600_000;

/** The requests of a plan that blocks the cards from 1 to `count`. */
function blocks(count: number, body = '{}'): readonly string[] {
  return cardRows(count).flatMap(({ id }) => [`GET /v1/cards/${id}`, `POST /v1/cards/${id}/block ${body}`]);
}

const rowOf = (row: number, id: string | undefined, body: object) => ({
  row,
  id,
  // Plain objects become JSON objects.
  body: fromPlain(body) as JsonObject,
  drift: 'unchecked' as const,
});

const EVENTS = [
  rowOf(1, undefined, { name: 'a', start: '2026-06-01', calendar: 'c' }),
  rowOf(2, undefined, { name: 'b', start: '2026-06-01', calendar: 'c' }),
];

it('a plan that is applied reads each card and sends its row, in a run that the plan names', async () => {
  const bench = openBench(YES);
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2, { reason: 'lost' }));
  expect(await applyPlan(bench.session, { maxFailures: { rows: 7 } }, path)).toBe(0);
  expect(bench.sent).toEqual(blocks(2, '{"reason":"lost"}'));
  expect(bench.names('state', 'runs')).toEqual([`plan-${plan}`]);
  expect(JSON.parse(bench.read('state', 'runs', `plan-${plan}`, 'header.json'))).toMatchObject({
    run: `plan-${plan}`,
    operation: 'card.block',
    profile: 'demo',
    host: 'https://api.example.com',
    inputFormat: 'plan',
    rows: 2,
    inputRows: 2,
    options: { source: 'p.plan', csvRaw: false, maxFailures: '7' },
  });
  expect(bench.read('state', 'runs', `plan-${plan}`, 'plan')).toBe(bench.read('p.plan'));
  expect(bench.stdout()).toBe(
    `ROW\tID\tOUTCOME\tSTATUS\tMESSAGE\n1\t${cardId(1)}\tapplied\t200\t\n2\t${cardId(2)}\tapplied\t200\t\n`,
  );
});

it('a plan that is applied sends nothing when it is applied again, asks nothing, and shows its state', async () => {
  const first = openBench(YES);
  const { path } = await writeTestPlan(first, OPERATIONS.cardBlock, cardRows(2));
  await applyPlan(first.session, {}, path);
  const second = first.again({ answer: () => true, remainingMs: 0 });
  expect(await applyPlan(second.session, {}, path)).toBe(0);
  expect([second.sent, second.questions]).toEqual([[], []]);
  expect(second.stdout()).toContain(`2\t${cardId(2)}\tapplied`);
  expect(second.stderr()).not.toContain('the token expires');
});

it('a plan that is applied needs --yes again outside a terminal', async () => {
  const first = openBench(YES);
  const { path, plan } = await writeTestPlan(first, OPERATIONS.cardBlock, cardRows(1));
  await applyPlan(first.session, {}, path);
  expect(await failureOf(applyPlan(first.again({}).session, {}, path))).toMatchObject({
    code: 'USAGE',
    message: `could not apply plan ${plan} (1 row): it needs confirmation, and there is no terminal to ask on. Nothing was sent.`,
    hints: ['add --yes to apply it without a prompt'],
  });
});

it('a plan that is applied leaves rows of unknown outcome alone when it is applied again, and asks nothing about them', async () => {
  const first = openBench({ ...YES, respond: () => answer(500) });
  const { path } = await writeTestPlan(first, OPERATIONS.eventCreate, EVENTS);
  expect(await applyPlan(first.session, { again: true }, path)).toBe(8);
  expect(first.sent).toHaveLength(2);
  const second = first.again({ answer: () => true });
  expect(await applyPlan(second.session, {}, path)).toBe(8);
  expect([second.sent, second.questions]).toEqual([[], []]);
});

it('a plan of events is refused off a terminal by a state folder that has no record of any change, unless again', async () => {
  const first = openBench(YES);
  const { path, plan } = await writeTestPlan(first, OPERATIONS.eventCreate, EVENTS);
  expect(await failureOf(applyPlan(first.session, {}, path))).toMatchObject({
    code: 'PRECONDITION',
    message: `could not apply plan ${plan}: the state folder ${first.folder}/state has no record of any change, so an earlier attempt would not be known. Nothing was sent.`,
    details: { outcome: 'not_sent' },
  });
  expect(first.sent).toEqual([]);
  expect(await applyPlan(first.session, { again: true }, path)).toBe(0);
  expect(first.sent).toHaveLength(2);
});

it('a plan of events is applied off a terminal by a state folder with a record, and on a terminal by any', async () => {
  const first = openBench(YES);
  const { path: cards } = await writeTestPlan(first, OPERATIONS.cardBlock, cardRows(1));
  expect(await applyPlan(first.session, {}, cards)).toBe(0);
  const later = first.again(YES);
  const { path } = await writeTestPlan(later, OPERATIONS.eventCreate, EVENTS, { name: 'events.plan' });
  expect(await applyPlan(later.session, {}, path)).toBe(0);
  const person = openBench({ answer: () => true });
  const { path: same } = await writeTestPlan(person, OPERATIONS.eventCreate, EVENTS);
  expect(await applyPlan(person.session, {}, same)).toBe(0);
});

it('a plan that is applied resumes a run that stopped, although the plan has expired, in the name of its profile', async () => {
  const first = openBench({ ...YES, respond: (line) => (line.startsWith('GET') ? answer(401) : undefined) });
  const { path, plan } = await writeTestPlan(first, OPERATIONS.cardBlock, cardRows(2));
  expect(await applyPlan(first.session, {}, path)).toBe(4);
  const second = first.again({ ...YES, profile: { name: 'other' } });
  second.clock.ms = 2 * HOUR_MS;
  expect(await applyPlan(second.session, {}, path)).toBe(0);
  expect(second.sent).toEqual(blocks(2));
  expect(JSON.parse(second.read('state', 'runs', `plan-${plan}`, 'header.json'))).toMatchObject({ profile: 'demo' });
});

it('a plan that is applied holds a row back whose card has changed since', async () => {
  const bench = openBench({
    ...YES,
    respond: (line) => (/GET.*0001$/.test(line) ? answer(200, card('BLOCKED')) : undefined),
  });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2));
  expect(await applyPlan(bench.session, {}, path)).toBe(15);
  expect(bench.sent.filter((line) => line.startsWith('POST'))).toEqual([`POST /v1/cards/${cardId(2)}/block {}`]);
});

it('a plan that is applied sends what was read, and what was shown, although the file changes meanwhile', async () => {
  const bench = openBench({
    answer: () => {
      writeFileSync(path, 'something else\n');
      return true;
    },
  });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.sent).toEqual(blocks(1));
});

it('a plan that is applied of an operation without fields is sent without any', async () => {
  const bench = openBench(YES);
  const rows = cardRows(1).map((row) => ({ ...row, body: undefined }));
  const { path } = await writeTestPlan(bench, OPERATIONS.cardActivate, rows);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.sent.at(-1)).toBe(`POST /v1/cards/${cardId(1)}/activate`);
});

it('a plan that is applied prints its rows in the chosen format', async () => {
  const bench = openBench({ ...YES, output: { csvRaw: true } });
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  await applyPlan(bench.session, {}, path);
  const header = JSON.parse(bench.read('state', 'runs', `plan-${plan}`, 'header.json'));
  expect(header.options).toMatchObject({ csvRaw: true });
});

it('a plan that is applied says how many of its rows could not be compared', async () => {
  const bench = openBench(YES);
  const { path } = await writeTestPlan(bench, OPERATIONS.subscriberUpdate, [rowOf(1, 'sub_1', { email: 'x' })]);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.stderr()).toContain('1 row could not be compared: no command can read them');
});

it('a plan that is applied leaves no copy of it behind', async () => {
  const bench = openBench({ answer: () => false });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  await failureOf(applyPlan(bench.session, {}, path));
  expect(bench.names('state', 'runs')).toEqual([]);
  expect(bench.sent).toEqual([]);
});

it('a plan that is applied has nothing to do without rows', async () => {
  const bench = openBench();
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, []);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect([bench.sent, bench.stdout(), bench.stderr()]).toEqual([
    [],
    'ROW\tID\tOUTCOME\tSTATUS\tMESSAGE\n',
    'frontdesk: note: nothing to do: the plan has no rows\n',
  ]);
  const json = bench.again({ output: { format: 'json' } });
  expect(await applyPlan(json.session, {}, path)).toBe(0);
  expect(json.stdout()).toBe('[]\n');
  expect(json.stderr()).toContain('"code":"NOTHING_TO_DO"');
  expect(JSON.parse(json.stderr().trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ summary: { rows: 0 } });
  expect(bench.names('state', 'runs')).toEqual([]);
});

it('the question about a plan names it, what it does, how often and where, below the plan itself', async () => {
  const bench = openBench({ answer: () => true });
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2));
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.questions).toEqual([`Apply plan ${plan}: block 2 cards at api.example.com (demo)?`]);
  expect(bench.stderr()).toContain(plan);
  expect(bench.stderr()).toContain(cardId(1));
});

it('the question about a plan sends nothing at a no', async () => {
  const bench = openBench({ answer: () => false });
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  expect(await failureOf(applyPlan(bench.session, {}, path))).toMatchObject({
    code: 'CANCELLED',
    exitCode: 130,
    message: `did not apply plan ${plan}: not confirmed. Nothing was sent.`,
  });
  expect(bench.sent).toEqual([]);
});

it('the question about a plan comes with a warning when the token expires before the rows are done', async () => {
  const bench = openBench({ ...YES, remainingMs: 10 });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2));
  await applyPlan(bench.session, { rate: 1 }, path);
  expect(bench.stderr()).toContain('the token expires in 10 ms, and 2 rows take about 2 s');
});

it.each([
  [
    'another profile',
    { name: 'live' },
    'apply it with the profile that it was made with: frontdesk plan apply {path} -p demo',
  ],
  [
    'the same profile, changed since',
    {},
    'profile demo led to https://api.example.com when the plan was made. Make the plan again for https://b.example',
  ],
])('a plan that is refused sends nothing for another address: %s', async (_what, more, hint) => {
  const bench = openBench({
    ...YES,
    profile: { cardsUrl: { url: 'https://b.example', source: 'profile', overrides: undefined }, ...more },
  });
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  const failure = await failureOf(applyPlan(bench.session, {}, path));
  expect(failure.message).toBe(
    `plan ${plan} is for https://api.example.com (profile demo), and profile ${bench.session.selectedProfile().name} leads to https://b.example. Nothing was sent.`,
  );
  expect(failure.hints.map(hintText).join()).toContain(hint.replace('{path}', path));
  expect([failure.code, bench.sent, bench.names('state', 'runs')]).toEqual(['USAGE', [], []]);
});

it.each([
  ['the sandbox', 'sandbox', { isSandbox: false }],
  ['a service', 'demo', { isSandbox: true, name: 'sandbox' }],
])('a plan that is refused sends nothing made for %s, whatever its address', async (_what, profile, more) => {
  const bench = openBench({ ...YES, profile: more });
  const url = bench.session.baseUrl('cards');
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1), { profile, url });
  expect((await failureOf(applyPlan(bench.session, {}, path))).code).toBe('USAGE');
  expect(bench.sent).toEqual([]);
});

it('a plan that is refused sends nothing from the moment at which it expires', async () => {
  const bench = openBench(YES);
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  bench.clock.ms = HOUR_MS;
  expect(await failureOf(applyPlan(bench.session, {}, path))).toMatchObject({
    code: 'PRECONDITION',
    exitCode: 17,
    message: `plan ${plan} expired at 2026-05-01T13:00:00.000Z. Nothing was sent.`,
    hints: ['make the plan again'],
    details: { outcome: 'not_sent' },
  });
  bench.clock.ms = HOUR_MS - 1;
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
});

it('a plan that is refused sends nothing when the profile is only to read', async () => {
  const bench = openBench({ ...YES, profile: { readOnly: true } });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  expect(await failureOf(applyPlan(bench.session, {}, path))).toMatchObject({ code: 'FORBIDDEN', exitCode: 5 });
  expect(bench.sent).toEqual([]);
});

it('a plan that is refused sends nothing when the profile requires another reason of a row', async () => {
  const bench = openBench({ ...YES, profile: { requireReason: 'OPS' } });
  const rows = cardRows(3).map((row) => ({ ...row, body: new Map([['reason', row.row === 1 ? 'OPS-1' : 'lost']]) }));
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, rows);
  const failure = await failureOf(applyPlan(bench.session, {}, path));
  expect(failure.message).toBe(
    `"${path}": line 3: reason: it does not match OPS, as this profile requires. Nothing was sent.`,
  );
  expect([failure.code, failure.hints]).toEqual(['USAGE', ['make the plan again with a reason that does']]);
  const wrong = await writeTestPlan(bench, OPERATIONS.cardBlock, rows.slice(1, 2), { name: 'wrong.plan' });
  expect((await failureOf(applyPlan(bench.session, {}, wrong.path))).message).toContain('line 2: reason:');
  const good = await writeTestPlan(bench, OPERATIONS.cardBlock, rows.slice(0, 1), { name: 'good.plan' });
  expect(await applyPlan(bench.session, {}, good.path)).toBe(0);
});

it.each([
  ['an empty text', '', 'f.csv', false],
  ['an empty text', '', 'f.ndjson', true],
  ['an empty text', '', 'f.JSON', true],
  ['an empty text', '', 'json', false],
  ['an empty text', '', 'f.ndjson.csv', false],
  ['an empty text', '', undefined, true],
  ['a text', 'a', 'f.csv', true],
])(
  'a plan that is refused sends nothing with %s (%j), when --failed is %s: %s',
  async (_what, email, failed, isTaken) => {
    const bench = openBench(YES);
    const rows = [rowOf(1, 'sub_1', { email: 'x' }), rowOf(2, 'sub_2', { email })];
    const { path } = await writeTestPlan(bench, OPERATIONS.subscriberUpdate, rows);
    const applied = applyPlan(bench.session, failed === undefined ? {} : { failed: `${bench.folder}/${failed}` }, path);
    if (isTaken) {
      expect(await applied).toBe(0);
      return;
    }
    expect(await failureOf(applied)).toMatchObject({
      code: 'USAGE',
      faults: [
        { where: '--failed', problem: 'the plan has an empty text or null, which CSV cannot tell from not given' },
      ],
      hints: ['give it a name that ends in .ndjson'],
    });
    expect(bench.sent).toEqual([]);
  },
);

it('a plan that is refused sends nothing with null, when --failed is a CSV file', async () => {
  const bench = openBench(YES);
  const event = rowOf(1, undefined, { name: 'a', start: '2026-06-01', calendar: 'c', url: null });
  const { path } = await writeTestPlan(bench, OPERATIONS.eventCreate, [event]);
  expect((await failureOf(applyPlan(bench.session, { again: true, failed: `${bench.folder}/f.csv` }, path))).code).toBe(
    'USAGE',
  );
  expect(bench.sent).toEqual([]);
});

it('a dry run of a plan shows its requests', async () => {
  const bench = openBench({ common: { dryRun: true } });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.stdout()).toContain(`/v1/cards/${cardId(1)}/block`);
  expect([bench.sent, bench.names('state', 'runs')]).toEqual([[], []]);
});

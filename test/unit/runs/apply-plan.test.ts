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

const EVENTS = ['a', 'b'].map((name, at) => rowOf(at + 1, undefined, { name, start: '2026-06-01', calendar: 'c' }));

/** A plan that blocks so many cards, and how it is applied. */
async function blocking(
  count: number,
  facts: Parameters<typeof openBench>[0] = YES,
  how: { profile?: string; url?: string } = {},
) {
  const bench = openBench(facts);
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(count), how);
  return { bench, path, plan, apply: (by = bench) => applyPlan(by.session, {}, path) };
}

it('a plan that is applied reads each card and sends its row, in a run that the plan names', async () => {
  const bench = openBench({ ...YES, output: { csvRaw: true } });
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2, { reason: 'lost' }));
  expect(await applyPlan(bench.session, { maxFailures: { rows: 7 } }, path)).toBe(0);
  expect(bench.sent).toEqual(blocks(2, '{"reason":"lost"}'));
  expect(bench.names('state', 'runs')).toEqual([`plan-${plan}`]);
  const origin = { operation: 'card.block', profile: 'demo', host: 'https://api.example.com', inputFormat: 'plan' };
  const options = { source: 'p.plan', csvRaw: true, maxFailures: '7' };
  const stored = { columns: ['cardId', 'reason'] };
  const header = { run: `plan-${plan}`, ...origin, rows: 2, inputRows: 2, options, stored };
  expect(JSON.parse(bench.read('state', 'runs', `plan-${plan}`, 'header.json'))).toMatchObject(header);
  expect(bench.read('state', 'runs', `plan-${plan}`, 'plan')).toBe(bench.read('p.plan'));
  expect(bench.stdout()).toBe(
    `ROW\tID\tOUTCOME\tSTATUS\tMESSAGE\n1\t${cardId(1)}\tapplied\t200\t\n2\t${cardId(2)}\tapplied\t200\t\n`,
  );
});

it('a plan that is applied sends nothing when it is applied again, asks nothing, and shows its state', async () => {
  const { apply, bench } = await blocking(2);
  await apply();
  const second = bench.again({ answer: () => true, remainingMs: 0 });
  expect([await apply(second), second.sent, second.questions]).toEqual([0, [], []]);
  expect(second.stdout()).toContain(`2\t${cardId(2)}\tapplied`);
  expect(second.stderr()).not.toContain('the token expires');
});

it('a plan that is applied needs --yes again outside a terminal', async () => {
  const { apply, bench, plan } = await blocking(1);
  await apply();
  expect(await failureOf(apply(bench.again({})))).toMatchObject({
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
  expect([await applyPlan(second.session, {}, path), second.sent, second.questions]).toEqual([8, [], []]);
});

it('a plan of events is refused off a terminal by a state folder that has no record of any change, unless again', async () => {
  const first = openBench(YES);
  const { path, plan } = await writeTestPlan(first, OPERATIONS.eventCreate, EVENTS);
  expect(await failureOf(applyPlan(first.session, {}, path))).toMatchObject({
    code: 'PRECONDITION',
    message: `could not apply plan ${plan}: the state folder ${first.folder}/state has no record of any change, so an earlier attempt would not be known. Nothing was sent.`,
    hints: ['keep the state folder of the earlier attempt (FRONTDESK_STATE_DIR), or add --again if there was none'],
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
  const respond = (line: string) => (line.startsWith('GET') ? answer(401) : undefined);
  const { apply, bench, plan } = await blocking(2, { ...YES, respond });
  expect(await apply()).toBe(4);
  const second = bench.again({ ...YES, profile: { name: 'other' } });
  second.clock.ms = 2 * HOUR_MS;
  expect([await apply(second), second.sent]).toEqual([0, blocks(2)]);
  expect(JSON.parse(second.read('state', 'runs', `plan-${plan}`, 'header.json'))).toMatchObject({ profile: 'demo' });
});

it('L3 a plan that is applied holds a row back whose card has changed since', async () => {
  const respond = (line: string) => (/GET.*0001$/.test(line) ? answer(200, card('BLOCKED')) : undefined);
  const { apply, bench } = await blocking(2, { ...YES, respond });
  expect(await apply()).toBe(15);
  expect(bench.sent.filter((line) => line.startsWith('POST'))).toEqual([`POST /v1/cards/${cardId(2)}/block {}`]);
});

it('a plan that is applied sends what was read, and what was shown, although the file changes meanwhile', async () => {
  const change = () => {
    writeFileSync(path, 'something else\n');
    return true;
  };
  const { apply, bench, path } = await blocking(1, { answer: change });
  expect([await apply(), bench.sent]).toEqual([0, blocks(1)]);
});

it('a plan that is applied of an operation without fields is sent without any', async () => {
  const bench = openBench(YES);
  const rows = cardRows(1).map((row) => ({ ...row, body: undefined }));
  expect(await applyPlan(bench.session, {}, (await writeTestPlan(bench, OPERATIONS.cardActivate, rows)).path)).toBe(0);
  expect(bench.sent.at(-1)).toBe(`POST /v1/cards/${cardId(1)}/activate`);
});

it('a plan that is applied says how many of its rows could not be compared', async () => {
  const bench = openBench(YES);
  const { path } = await writeTestPlan(bench, OPERATIONS.subscriberUpdate, [rowOf(1, 'sub_1', { email: 'x' })]);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.stderr()).toContain('1 row could not be compared: no command can read them');
});

it('a plan that is applied has nothing to do without rows', async () => {
  const bench = openBench();
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, []);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect([bench.sent, bench.stdout()]).toEqual([[], 'ROW\tID\tOUTCOME\tSTATUS\tMESSAGE\n']);
  expect(bench.stderr()).toBe('frontdesk: note: nothing to do: the plan has no rows\n');
  const json = bench.again({ output: { format: 'json' } });
  expect([await applyPlan(json.session, {}, path), json.stdout()]).toEqual([0, '[]\n']);
  expect(json.stderr()).toContain('"code":"NOTHING_TO_DO"');
  expect(JSON.parse(json.stderr().trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ summary: { rows: 0 } });
  expect(bench.names('state', 'runs')).toEqual([]);
});

it.each([
  ['block', 'ACTIVE', 'A block cannot be undone.\n'],
  ['block', 'BLOCKED', '▲ 2 of 2 were BLOCKED already when planned.\nA block cannot be undone.\n'],
  ['activate', 'NEW', undefined],
] as const)('the question about a plan says what, how often, where: %s of %s cards', async (verb, status, danger) => {
  const bench = openBench({ answer: () => true });
  const operation = verb === 'block' ? OPERATIONS.cardBlock : OPERATIONS.cardActivate;
  const rows = cardRows(2).map((row) => (verb === 'block' ? row : { ...row, body: undefined }));
  for (const { before } of rows) before.set('status', status);
  const { path, plan } = await writeTestPlan(bench, operation, rows);
  await applyPlan(bench.session, {}, path);
  expect(bench.questions).toEqual([`Apply plan ${plan}: ${verb} 2 cards at api.example.com (demo)?`]);
  const [shown = ''] = bench.stderr().split('2 cards of p.plan');
  expect(shown.split('\n\n').slice(1)).toEqual([expect.stringContaining(cardId(1)), danger].filter(Boolean));
});

it('a plan that is refused sends nothing where the run of its name applied another plan', async () => {
  const { apply, bench, plan } = await blocking(1);
  await apply();
  const header = ['state', 'runs', `plan-${plan}`, 'header.json'];
  bench.file(header.join('/'), bench.read(...header).replace(/"inputSha256": "./, '"inputSha256": "x'));
  const message = `run plan-${plan} applied another plan, whose hash begins with the same ${plan}. Nothing was sent.`;
  const again = bench.again(YES);
  expect(await failureOf(apply(again))).toMatchObject({ code: 'USAGE', message, hints: ['make the plan again'] });
  expect(again.sent).toEqual([]);
});

it('the question about a plan sends nothing at a no, and leaves no copy of the plan behind', async () => {
  const { apply, bench, plan } = await blocking(1, { answer: () => false });
  const message = `did not apply plan ${plan}: not confirmed. Nothing was sent.`;
  expect(await failureOf(apply())).toMatchObject({ code: 'CANCELLED', exitCode: 130, message });
  expect([bench.sent, bench.names('state', 'runs')]).toEqual([[], []]);
});

it('the question about a plan comes with a warning when the token expires before the rows are done', async () => {
  const bench = openBench({ ...YES, remainingMs: 10 });
  await applyPlan(bench.session, { rate: 1 }, (await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2))).path);
  expect(bench.stderr()).toContain('the token expires in 10 ms, and 2 rows take about 2 s');
});

it.each([
  ['another', { name: 'live' }, 'apply it with the profile that it was made with: frontdesk plan apply {path} -p demo'],
  [
    'the same profile, changed since',
    {},
    'profile demo led to https://api.example.com when the plan was made. Make the plan again for https://b.example',
  ],
])('a plan that is refused sends nothing for another address: %s', async (_what, more, hint) => {
  const cardsUrl = { url: 'https://b.example', source: 'profile', overrides: undefined } as const;
  const { apply, bench, path, plan } = await blocking(1, { ...YES, profile: { cardsUrl, ...more } });
  const failure = await failureOf(apply());
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
  const facts = { ...YES, profile: more };
  const { apply, bench } = await blocking(1, facts, { profile, url: openBench(facts).session.baseUrl('cards') });
  expect([(await failureOf(apply())).code, bench.sent]).toEqual(['USAGE', []]);
});

it('a plan that is refused sends nothing from the moment at which it expires', async () => {
  const { apply, bench, plan } = await blocking(1);
  bench.clock.ms = HOUR_MS;
  const message = `plan ${plan} expired at 2026-05-01T13:00:00.000Z. Nothing was sent.`;
  const rest = { hints: ['make the plan again'], details: { outcome: 'not_sent' } };
  expect(await failureOf(apply())).toMatchObject({ code: 'PRECONDITION', exitCode: 17, message, ...rest });
  bench.clock.ms = HOUR_MS - 1;
  expect(await apply()).toBe(0);
  const late = await blocking(1, {
    answer: () => {
      late.bench.clock.ms = HOUR_MS;
      return true;
    },
  });
  expect(await failureOf(late.apply())).toMatchObject({
    code: 'PRECONDITION',
    message: message.replace(plan, late.plan),
  });
  expect([late.bench.questions.length, late.bench.sent]).toEqual([1, []]);
});

it('a plan that is refused sends nothing when the profile is only to read', async () => {
  const { apply, bench } = await blocking(1, { ...YES, profile: { readOnly: true } });
  expect(await failureOf(apply())).toMatchObject({ code: 'FORBIDDEN', exitCode: 5 });
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

/** Applies a plan of a text, into a file of failed rows of that name. */
async function failing(email: string, failed: string | undefined) {
  const bench = openBench(YES);
  const rows = [rowOf(1, 'sub_1', { email: 'x' }), rowOf(2, 'sub_2', { email })];
  const { path } = await writeTestPlan(bench, OPERATIONS.subscriberUpdate, rows);
  const pace = failed === undefined ? {} : { failed: `${bench.folder}/${failed}` };
  return { bench, applied: applyPlan(bench.session, pace, path) };
}

it.each(['f.csv', 'json', 'f.ndjson.csv'])('a plan with an empty text is refused if --failed is %s', async (failed) => {
  const { applied, bench } = await failing('', failed);
  const problem = 'the plan has an empty text or null, which CSV cannot tell from not given';
  const hints = ['give it a name that ends in .ndjson'];
  expect(await failureOf(applied)).toMatchObject({ code: 'USAGE', faults: [{ where: '--failed', problem }], hints });
  expect(bench.sent).toEqual([]);
});

it.each([
  ['', 'f.ndjson'],
  ['', 'f.JSON'],
  ['', undefined],
  ['a', 'f.csv'],
])('a plan with the text %j is applied, when --failed is %s', async (email, failed) => {
  expect(await (await failing(email, failed)).applied).toBe(0);
});

it('a plan that is refused sends nothing with null, when --failed is a CSV file', async () => {
  const bench = openBench(YES);
  const event = rowOf(1, undefined, { name: 'a', start: '2026-06-01', calendar: 'c', url: null });
  const { path } = await writeTestPlan(bench, OPERATIONS.eventCreate, [event]);
  const applied = applyPlan(bench.session, { again: true, failed: `${bench.folder}/f.csv` }, path);
  expect([(await failureOf(applied)).code, bench.sent]).toEqual(['USAGE', []]);
});

it('a dry run of a plan shows its requests', async () => {
  const { apply, bench } = await blocking(1, { common: { dryRun: true } });
  expect(await apply()).toBe(0);
  expect(bench.stdout()).toContain(`/v1/cards/${cardId(1)}/block`);
  expect([bench.sent, bench.names('state', 'runs')]).toEqual([[], []]);
});

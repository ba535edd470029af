import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { applyPlan } from '../../../src/bulk/apply-plan.ts';
import { fromPlain, type JsonObject } from '../../../src/json/value.ts';
import { type Bench, cardId, cardRows, failureOf, openBench, writeTestPlan } from '../../support/session-bench.ts';
import { answer, card } from '../http/fakes.ts';

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
    options: { source: 'p.plan', approvedBy: [], csvRaw: false, maxFailures: '7' },
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
  expect(await applyPlan(first.session, {}, path)).toBe(8);
  expect(first.sent).toHaveLength(2);
  const second = first.again({ answer: () => true });
  expect(await applyPlan(second.session, {}, path)).toBe(8);
  expect([second.sent, second.questions]).toEqual([[], []]);
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
  expect(bench.questions).toEqual([`Apply plan ${plan}: card block of 2 rows on demo (api.example.com)?`]);
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
    'apply it with the profile that it was made with: frontdesk -p demo plan apply',
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
    `plan ${plan} is for https://api.example.com (profile demo), and profile ${bench.session.profile.name} leads to https://b.example. Nothing was sent.`,
  );
  expect(failure.hints).toEqual([expect.stringContaining(hint)]);
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
  expect((await failureOf(applyPlan(bench.session, { failed: `${bench.folder}/f.csv` }, path))).code).toBe('USAGE');
  expect(bench.sent).toEqual([]);
});

it('a dry run of a plan shows its requests, and counts no approval', async () => {
  const bench = openBench({ common: { dryRun: true }, profile: { approvals: 1 } });
  const { path } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.stdout()).toContain(`/v1/cards/${cardId(1)}/block`);
  expect([bench.sent, bench.names('state', 'runs')]).toEqual([[], []]);
});

const KEY = `SHA256:${'a'.repeat(43)}`;

/** A plan with signatures under these names, and a tool in the place of ssh-keygen for which that of ann is good. */
async function signed(
  names: readonly string[],
  onAsked: (run: string) => void = () => undefined,
  output: Partial<Bench['session']['output']> = {},
) {
  const bench = openBench();
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(2));
  for (const name of names) bench.file(`p.plan.${name}.sig`, `signature of ${name}`);
  const approvers = bench.file('allowed', 'ann ssh-ed25519 AAAA\n');
  chmodSync(approvers, 0o600);
  mkdirSync(`${bench.folder}/bin`);
  const says = (name: string) =>
    `*-I\\ ${name}\\ *) echo 'Good "frontdesk-plan" signature for ${name} with ED25519 key ${KEY}';;`;
  const good = `${says('ann')} ${says('ben')}`;
  const script = `#!/bin/sh\ncat > '${bench.folder}/signed'\ncase "$*" in ${good} *) exit 255;; esac\n`;
  writeFileSync(`${bench.folder}/bin/ssh-keygen`, script, { mode: 0o755 });
  const next = bench.again({
    answer: () => {
      onAsked(`plan-${plan}`);
      return true;
    },
    profile: { approvers, approvals: 1 },
    output,
    env: { PATH: `${bench.folder}/bin:${process.env['PATH']}` },
  });
  return { bench: next, path, plan };
}

it('a plan that others have to approve is sent when enough of them count, and the run keeps their signatures and names', async () => {
  const { bench, path, plan } = await signed(['ann']);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.sent).toEqual(blocks(2));
  const run = ['state', 'runs', `plan-${plan}`];
  expect(bench.names(...run)).toContain('plan.ann.sig');
  expect(bench.read(...run, 'plan.ann.sig')).toBe('signature of ann');
  expect(JSON.parse(bench.read(...run, 'header.json')).options.approvedBy).toEqual([`ann ${KEY}`]);
  expect(bench.read('signed')).toBe(bench.read('p.plan'));
});

it('a plan that others have to approve is not sent when none counts, and why is said', async () => {
  const { bench, path, plan } = await signed(['bob']);
  expect(await failureOf(applyPlan(bench.session, {}, path))).toMatchObject({
    code: 'FORBIDDEN',
    message: `profile demo demands an approval, and plan ${plan} has 0 valid ones. Nothing was sent.`,
    hints: [`have it approved: frontdesk plan approve ${path} --key <key> --as <name>`, 'see `frontdesk help plans`'],
  });
  expect(bench.stderr()).toMatch(
    /^frontdesk: warning: .*bob.*does not count.*\. Ask those who keep the approvers file/,
  );
  expect([bench.sent, bench.names('state', 'runs')]).toEqual([[], []]);
});

it('a plan that others have to approve reports a second signature with the same key, which does not count', async () => {
  const { bench, path } = await signed(['ann', 'ben']);
  expect(await applyPlan(bench.session, {}, path)).toBe(0);
  expect(bench.stderr()).toMatch(/warning: .*ben.* does not count: ann signed with the same key\n/);
  const { bench: json, path: same } = await signed(['ann', 'ben'], undefined, { format: 'json' });
  expect(await applyPlan(json.session, {}, same)).toBe(0);
  expect(json.stderr()).toContain('"code":"NOT_COUNTED"');
});

it.each<[string, (bench: Bench, run: string) => void, string]>([
  [
    'goes away',
    ({ folder }) => rmSync(`${folder}/p.plan.ann.sig`),
    'the approvals of run RUN could not be kept: no such file or folder (ENOENT)',
  ],
  [
    'finds no place',
    ({ folder }, run) => void mkdirSync(`${folder}/state/runs/${run}/plan.ann.sig`, { recursive: true }),
    'could not save an approval of the run',
  ],
])(
  'a plan that others have to approve is not sent when a signature %s before the run has it, and its run is free',
  async (_what, spoil, message) => {
    const { bench, path, plan } = await signed(['ann'], (run) => spoil(bench, run));
    const failure = await failureOf(applyPlan(bench.session, {}, path));
    expect([failure.code, failure.message]).toEqual([
      'LOCAL_IO',
      expect.stringContaining(message.replace('RUN', `plan-${plan}`)),
    ]);
    expect(failure.message).toContain('Nothing was sent.');
    expect(bench.sent).toEqual([]);
    expect(bench.names('state', 'runs', `plan-${plan}`)).not.toContain('lock');
  },
);

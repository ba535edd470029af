import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { command as calendarSubscribersUpdate } from '../../../src/cli/commands/calendar/subscribers/update.ts';
import { ledgerFile } from '../../../src/records/ledger.ts';
import { type HistoryEntry, printRecord } from '../../../src/records/write-record.ts';
import { applyPlan } from '../../../src/runs/apply-plan.ts';
import { runBulk } from '../../../src/runs/bulk.ts';
import { revertRun } from '../../../src/runs/revert-run.ts';
import { startRun } from '../../../src/runs/run.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { type Bench, cardRows, failureOf, given, openBench, writeTestPlan } from '../../support/session-bench.ts';
import { answer } from '../service/http/fakes.ts';
import { ended, runPlan } from './fakes.ts';

const UPDATE = calendarSubscribersUpdate;
const SESSION = { operation: 'calendar.subscribers.update', common: { yes: true } };
const OLD = 'id,email,active\ns1,a@old.example,true\ns2,b@old.example,true\ns3,,false\ns4,d@old.example,true\n';
const NEW =
  'id,email,active\ns1,a@new.example,false\ns2,b@new.example,true\ns3,c@new.example,false\ns4,e@new.example,true\n';

/** A run `r` that was made with --changed-from; `respond` says what the service answered. */
async function ran(respond: Parameters<typeof openBench>[0], older = OLD, newer = NEW): Promise<Bench> {
  const bench = openBench({ ...SESSION, ...respond });
  const [from, changedFrom] = [bench.file('new.csv', newer), bench.file('old.csv', older)];
  await runBulk(bench.session, UPDATE, given({ from, changedFrom, run: 'r' }));
  return bench.again({ ...SESSION, operation: 'runs.revert', ...respond });
}

async function reverted(bench: Bench, run = 'r') {
  const code = await revertRun(bench.session, { path: `${bench.folder}/back.plan`, lifeMs: 60_000 }, run);
  const lines = bench.read('back.plan').trimEnd().split('\n');
  const [header, ...rows] = lines.map((line) => JSON.parse(line));
  return { code, header, rows };
}

it('the plan that undoes a run puts the old cells back where a row was or may have been applied, in its own order', async () => {
  const bench = await ran({
    respond: (line) => (line.includes('/s2') ? answer(500) : line.includes('/s4') ? answer(422) : undefined),
  });
  const { code, header, rows } = await reverted(bench);
  expect(code).toBe(0);
  const where = { operation: 'calendar.subscribers.update', url: 'https://api.example.com', profile: 'demo' };
  const made = { createdBy: 'ada', expiresAt: expect.stringMatching(/Z$/) };
  expect(header).toMatchObject({ ...where, ...made, rows: 3, unchanged: 0, skipped: 0 });
  expect(rows.map(({ row, id, body, before, drift }) => [row, id, body, before, drift])).toEqual([
    [1, 's1', { email: 'a@old.example', active: true }, { email: 'a@new.example', active: false }, 'unchecked'],
    [2, 's2', { email: 'b@old.example' }, { email: 'b@new.example' }, 'unchecked'],
    [3, 's3', { email: '' }, { email: 'c@new.example' }, 'unchecked'],
  ]);
  expect(bench.sent).toEqual([]);
  expect(bench.stderr()).toBe(
    `frontdesk: note: nothing was sent. Review the plan: frontdesk plan show ${bench.folder}/back.plan -p demo\nfrontdesk: note: apply it: frontdesk plan apply ${bench.folder}/back.plan -p demo\n` +
      'frontdesk: note: 1 row left out, because nothing was applied: row 4 (s4)\n',
  );
});

it('the plan that undoes a run says nothing of rows left out where none is, and names no profile that needs no name', async () => {
  const bench = await ran({ profile: { name: 'default' } });
  expect(await reverted(bench)).toMatchObject({ code: 0, header: { rows: 4, profile: 'default' } });
  expect(bench.stderr()).toBe(
    `frontdesk: note: nothing was sent. Review the plan: frontdesk plan show ${bench.folder}/back.plan\nfrontdesk: note: apply it: frontdesk plan apply ${bench.folder}/back.plan\n`,
  );
});

it('the plan that undoes a run in which nothing was applied is empty, and twenty of its rows are named', async () => {
  const numbers = Array.from({ length: 21 }, (_, index) => index + 1);
  const file = (email: string) => `id,email\n${numbers.map((number) => `s${number},${email}\n`).join('')}`;
  const bench = await ran({ respond: () => answer(422) }, file('old'), file('new'));
  expect(await reverted(bench)).toMatchObject({ code: 0, header: { rows: 0 }, rows: [] });
  const named = numbers.slice(0, 20).map((number) => `row ${number} (s${number}), `);
  expect(bench.stderr()).toContain(`note: 21 rows left out, because nothing was applied: ${named.join('')}…\n`);
});

it('the plan that undoes a run of a run in the sandbox is for the sandbox', async () => {
  const bench = await ran({ profile: { name: 'sandbox', isSandbox: true } });
  expect((await reverted(bench)).header).toMatchObject({ profile: 'sandbox', url: bench.session.baseUrl('calendar') });
  expect(bench.session.baseUrl('calendar')).not.toBe('https://api.example.com');
});

/** The run of a plan of one subscriber that was applied. */
async function planned(before?: ReadonlyMap<string, string>) {
  const bench = openBench({ common: { yes: true } });
  const row = { row: 7, id: 's7', body: new Map([['email', 'new']]), before, drift: 'unchecked' as const };
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.subscriberUpdate, [row]);
  await applyPlan(bench.session, {}, path);
  return { bench, run: `plan-${plan}` };
}

it('the plan that undoes a run takes the cells of a plan that knew them, and is itself undone so', async () => {
  const { bench, run } = await planned(new Map([['email', 'old']]));
  const { code, rows } = await reverted(bench, run);
  expect([code, rows]).toMatchObject([0, [{ row: 7, id: 's7', body: { email: 'old' }, before: { email: 'new' } }]]);
});

const older = 'id,email\ns1,a@old.example\ns2,b@old.example\n';
const newer = 'id,email,active\ns1,a@new.example,\ns2,b@new.example,true\n';

it('rows whose old values are not known are reported, each with the columns that the older file lacks, and are not in the plan (15)', async () => {
  const bench = await ran({}, older, newer);
  expect(await reverted(bench)).toMatchObject({ code: 15, header: { rows: 1 }, rows: [{ row: 1, id: 's1' }] });
  expect(bench.stderr()).toContain(
    'frontdesk: row 2: s2 is not in the plan: the older file does not say what active was\n',
  );
  expect(bench.stderr()).not.toContain('left out');
});

it('rows whose old values are not known are reported in JSON with their command, number and ID', async () => {
  const json = (await ran({}, older, newer)).again({ operation: 'runs.revert', output: { format: 'json' } });
  expect((await reverted(json)).code).toBe(15);
  const [first = ''] = json.stderr().split('\n');
  expect(JSON.parse(first).error).toMatchObject({ code: 'PARTIAL', operation: 'runs.revert', row: 2, id: 's2' });
  const both = await ran({}, 'id\ns1\n', 'id,email,active\ns1,a,true\n');
  expect((await reverted(both)).code).toBe(15);
  expect(both.stderr()).toContain('the older file does not say what email, active was\n');
  const refused = await ran({ respond: () => answer(422) });
  const toldOf = refused.again({ operation: 'runs.revert', output: { format: 'json' } });
  await reverted(toldOf);
  expect(toldOf.stderr()).toContain('"code":"LEFT_OUT"');
  expect(toldOf.stderr()).toContain('nothing was applied: row 1 (s1), row 2 (s2), row 3 (s3), row 4 (s4)"');
});

it.each([
  [100, 100, undefined],
  [101, 100, 'and 1 more rows are not in the plan for that reason'],
])('rows whose old values are not known are reported singly up to a hundred: of %i %i', async (count, told, more) => {
  const ids = Array.from({ length: count }, (_, index) => `s${index + 1}`);
  const bench = await ran({}, `id\n${ids.join('\n')}\n`, `id,active\n${ids.map((id) => `${id},true\n`).join('')}`);
  expect(await reverted(bench)).toMatchObject({ code: 15, header: { rows: 0 } });
  expect(bench.stderr().split('is not in the plan:')).toHaveLength(told + 1);
  if (more === undefined) expect(bench.stderr()).not.toContain('more rows');
  else expect(bench.stderr()).toContain(`frontdesk: warning: ${more}\n`);
});

it.each<[string, Partial<HistoryEntry>, boolean]>([
  ['changed again', {}, true],
  ['perhaps changed again', { callOutcome: ended({ outcome: 'unknown' }) }, true],
  ['changed before', { time: '2026-05-01T11:00:00.000Z' }, false],
  ['changed at that very time', { time: '2026-05-01T12:00:00.000Z' }, true],
  ['changed with another profile', { profile: 'live' }, false],
  ['changed at another host', { host: 'other.example.com' }, false],
  ['not changed, as it was refused', { callOutcome: ended({ outcome: 'rejected' }) }, false],
  ['not changed, as nothing was sent', { callOutcome: ended({ outcome: 'not_sent' }) }, false],
  ['not changed, but an event was', { operation: 'calendar.update' }, false],
  ['not changed, but another was', { id: 's9' }, false],
])('a row that was %s since', async (_what, more, isLeft) => {
  const bench = await ran({});
  const time = more.time ?? '2026-05-01T13:00:00.000Z';
  const made = { entry: `${time.replace(/[-:.Z]/g, '')}-1-aaaaaa`, time, user: 'bo', profile: 'demo' };
  const of = { host: 'api.example.com', operation: 'calendar.subscribers.update', id: 's1', run: undefined };
  const entry = { ...made, ...of, callOutcome: ended({ outcome: 'applied' }), read: undefined, ...more };
  const path = ledgerFile(`${bench.folder}/state`, entry.entry);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  appendFileSync(path, printRecord(entry, time), { mode: 0o600 });
  const { code, rows } = await reverted(bench);
  expect([code, rows.map(({ id }) => id)]).toEqual(isLeft ? [15, ['s2', 's3', 's4']] : [0, ['s1', 's2', 's3', 's4']]);
  const why = `s1 is not in the plan: it was changed again on 1 May 2026, ${time.slice(11, 16)} UTC (entry ${entry.entry}), and old values would undo that\n`;
  expect(bench.stderr().includes(why)).toBe(isLeft);
});

const refusal = async (bench: Bench, run = 'r') => {
  const failure = await failureOf(revertRun(bench.session, { path: `${bench.folder}/back.plan`, lifeMs: 1000 }, run));
  expect(bench.names()).not.toContain('back.plan');
  return failure;
};

it('a run that cannot be undone is one of cards', async () => {
  const bench = openBench({ common: { yes: true } });
  const { path, plan } = await writeTestPlan(bench, OPERATIONS.cardBlock, cardRows(1));
  await applyPlan(bench.session, {}, path);
  expect(await refusal(bench, `plan-${plan}`)).toMatchObject({
    code: 'USAGE',
    message: `could not revert run plan-${plan}: card block cannot be undone. Nothing was sent.`,
  });
});

it.each([200, 422])('a run that cannot be undone is one that compared nothing, at a %i too', async (status) => {
  const bench = openBench({ ...SESSION, respond: () => (status === 200 ? undefined : answer(status)) });
  await runBulk(bench.session, UPDATE, given({ from: bench.file('new.csv', NEW), run: 'r' }));
  expect((await refusal(bench)).message).toBe(
    'run r was not made with --changed-from, so the old values are not known. Nothing was sent.',
  );
});

it('a run that cannot be undone is one of a plan that knew no old value', async () => {
  const { bench, run } = await planned();
  expect((await refusal(bench, run)).message).toContain('was not made with --changed-from');
});

it('a run that is running cannot be reverted', async () => {
  const bench = openBench(SESSION);
  const planned = runPlan({ operation: 'calendar.subscribers.update', options: { changedFrom: '0'.repeat(64) } });
  const active = await startRun(bench.session, { ...planned, name: 'r' });
  const failure = await refusal(bench);
  await active.close();
  const message = 'run r is running. Nothing was sent.';
  expect(failure).toMatchObject({ code: 'USAGE', message, hints: ['wait until it has exited'] });
});

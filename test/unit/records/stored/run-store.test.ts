import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Unread } from '../../../../src/base/files/io-failure.ts';
import { temporaryName } from '../../../../src/base/files/process-identity.ts';
import { findRunName, makeRunName, runFolder } from '../../../../src/records/stored/run-folder.ts';
import { lastRunName, listRuns, showRun } from '../../../../src/records/stored/run-list.ts';
import { removeRun, removeRuns, runsBefore, stampOf } from '../../../../src/records/stored/run-removal.ts';
import {
  beginRun,
  type RunPorts,
  refuseOtherPlace,
  resumeRun,
  spoolPath,
  staleRunWarning,
} from '../../../../src/records/stored/run-store.ts';
import { StoredRun } from '../../../../src/records/stored/stored-run.ts';
import { runRows } from '../../../../src/runs/row-runner.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import {
  admitting,
  answered,
  CARD_SHAPE,
  ended,
  FakeClock,
  INPUT,
  INPUT_SHA256,
  planOf,
  rejected,
  rowsTo,
  runPlan,
  runPorts,
} from '../../runs/fakes.ts';

/** Removes a run as it is now. */
const remove = (ports: RunPorts, name: string) => removeRun(ports, name, stampOf(runFolder(ports.stateDir, name)));

/** Removes the runs of more than 90 days ago. */
async function removeOld(ports: RunPorts, unread: Unread) {
  return removeRuns(ports, await runsBefore(ports, ports.clock.now() - 90 * 86_400_000, unread), unread);
}

/** A state folder with a run `may` that is not held, and a function that begins it again. */
async function begun(more: Parameters<typeof runPlan>[0] = {}) {
  const stateDir = temporaryFolder();
  const begin = (other = more) => beginRun(runPorts(stateDir), runPlan({ name: 'may', ...other }));
  const run = await begin();
  await run.close();
  return { stateDir, begin, run, resume: () => resumeRun(runPorts(stateDir), 'may') };
}

/** No process has this pid: Linux ends at 4194304, others far below. */
const DEAD_PID = 999_999_999;

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('a run keeps header, rows and journal for its user only', async () => {
  const stateDir = temporaryFolder();
  const run = await beginRun(runPorts(stateDir), runPlan({ name: 'may' }));
  const folder = join(stateDir, 'runs', 'may');
  expect(readdirSync(folder).sort()).toEqual(['header.json', 'journal.jsonl', 'lock', 'rows']);
  expect([mode(folder), mode(join(folder, 'rows')), mode(join(folder, 'header.json'))]).toEqual(['700', '600', '600']);
  expect(readFileSync(join(folder, 'rows'))).toEqual(Buffer.from(INPUT));
  const origin = { operation: 'card.block', profile: 'demo', host: 'https://cards.example', user: 'ada' };
  const input = { inputSha256: INPUT_SHA256, rowsSha256: INPUT_SHA256, inputFormat: 'ids', rows: 3, inputRows: 3 };
  const stored = { sha256: INPUT_SHA256, shape: CARD_SHAPE, columns: ['cardId'] };
  const begun = { options: { concurrency: 8 }, stored, startedAt: '2026-05-01T12:00:00.000Z' };
  const header = { version: 2, run: 'may', ...origin, ...input, ...begun };
  expect(JSON.parse(readFileSync(join(folder, 'header.json'), 'utf8'))).toEqual(header);
  await run.close();
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});

it('a run gets a name of at most 20 characters that sorts by time and ends with what is enough to type', () => {
  expect(makeRunName(new FakeClock(), () => 0.5)).toBe('20260501-1200-800000');
});

it('a run is found by its name, and by any part of it that no other run has', async () => {
  const stateDir = temporaryFolder();
  for (const run of ['20260501-1200-7f3a2b', '20260501-1200-8f3a2c', '20260502-0900-7f3a2c', '7f3a2c']) {
    mkdirSync(join(stateDir, 'runs', run), { recursive: true });
  }
  expect(await findRunName(stateDir, '7f3a2b')).toBe('20260501-1200-7f3a2b');
  expect(await findRunName(stateDir, '0502')).toBe('20260502-0900-7f3a2c');
  // A whole name wins over those that it is a part of.
  expect(await findRunName(stateDir, '7f3a2c')).toBe('7f3a2c');
  expect(await findRunName(stateDir, 'ffff')).toBeUndefined();
  expect(await findRunName(stateDir, '')).toBeUndefined();
  const message = 'several runs have "1200" in their ID: 20260501-1200-8f3a2c, 20260501-1200-7f3a2b';
  await expect(findRunName(stateDir, '1200')).rejects.toMatchObject({ code: 'USAGE', message });
});

it('a run moves its rows out of the spool', async () => {
  const stateDir = temporaryFolder();
  const path = await spoolPath(runPorts(stateDir));
  writeFileSync(path, INPUT);
  const run = await beginRun(runPorts(stateDir), runPlan({ name: 'may', spool: path }));
  await run.close();
  expect([readdirSync(join(stateDir, 'runs')), readFileSync(run.folder.rows)]).toEqual([['may'], Buffer.from(INPUT)]);
});

it.each(['rows', 'plan'])('K1 a run has its file of %s before it can be resumed', async (name) => {
  const stateDir = temporaryFolder();
  const folder = join(stateDir, 'runs', 'may');
  const spool = join(temporaryFolder(), 'spool');
  writeFileSync(spool, 'as they are');
  const diesHere = async (): Promise<never> => {
    throw Object.assign(new Error('this process is dead'), { code: 'EIO' });
  };
  const wanted = runPlan({ name: 'may', spool, inputFormat: name === 'plan' ? 'plan' : 'csv' });
  const crashed = beginRun({ ...runPorts(stateDir), openFile: diesHere }, wanted);
  await expect(crashed).rejects.toThrow('the device reported an error');
  expect([readdirSync(folder), readFileSync(join(folder, name), 'utf8')]).toEqual([[name], 'as they are']);
});

it('a run removes what killed processes left of inputs, and leaves what a living one is writing', async () => {
  const stateDir = temporaryFolder();
  const runs = join(stateDir, 'runs');
  const ofTheDead = temporaryName(DEAD_PID);
  const ofTheLiving = temporaryName(process.pid);
  mkdirSync(join(runs, 'may'), { recursive: true });
  for (const name of [ofTheDead, ofTheLiving, `may/${ofTheDead}`]) writeFileSync(join(runs, name), INPUT);
  await (await beginRun(runPorts(stateDir), runPlan({ name: 'may' }))).close();
  expect(readdirSync(runs).sort()).toEqual([ofTheLiving, 'may']);
  expect(readdirSync(join(runs, 'may')).sort()).toEqual(['header.json', 'journal.jsonl', 'reached', 'rows']);
});

it('a run is not listed while its spool or a folder without a header is all there is', async () => {
  const stateDir = temporaryFolder();
  writeFileSync(await spoolPath(runPorts(stateDir)), INPUT);
  mkdirSync(join(stateDir, 'runs', 'begun'));
  expect(await listRuns(runPorts(stateDir))).toEqual({ runs: [], older: 0 });
  await (await beginRun(runPorts(stateDir), runPlan({ name: 'begun' }))).close();
});

it.each(['', '.', '..', 'a/b', 'a b', 'ü', 'x'.repeat(65)])('a run cannot be named %j', async (name) => {
  const stateDir = temporaryFolder();
  await expect(beginRun(runPorts(stateDir), runPlan({ name }))).rejects.toMatchObject({ code: 'USAGE' });
  expect(readdirSync(stateDir)).toEqual([]);
});

it('--run with a name that exists takes the run up when command, input and place are the same', async () => {
  const { begin } = await begun();
  const again = await begin({ options: { concurrency: 2 } });
  expect(again.header.options).toEqual({ concurrency: 8 });
  await again.close();
});

it('--run with a name that exists resumes with the same rows, in whatever bytes and format they come', async () => {
  const { begin } = await begun();
  const other = { inputSha256: 'e'.repeat(64), inputFormat: 'csv' };
  const run = await begin({ ...other, stored: { sha256: 'f'.repeat(64), shape: CARD_SHAPE, columns: ['cardId'] } });
  expect(run.header).toMatchObject({ inputSha256: runPlan().inputSha256, inputFormat: 'ids' });
  await run.close();
});

it.each([
  ['its first row', 1, 'has 0 rows (0 ended), and had 1 (1 ended)'],
  ['the end of a row', 2, 'has 1 row (0 ended), and had 1 (1 ended)'],
])('a run whose record was cut before %s since it ended is damaged (16)', async (_, lines, lost) => {
  const stateDir = temporaryFolder();
  const run = await beginRun(runPorts(stateDir), runPlan({ name: 'may' }));
  await run.journal.intent({ row: 1, id: 'card-1' });
  await run.journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'applied' }));
  await run.close();
  const left = readFileSync(run.folder.journal, 'utf8').split('\n').slice(0, lines);
  writeFileSync(run.folder.journal, `${left.join('\n')}\n`);
  const message = expect.stringContaining(`the run's record ${lost}`);
  await expect(resumeRun(runPorts(stateDir), 'may')).rejects.toMatchObject({ code: 'LOCAL_IO', message });
  expect(await showRun(runPorts(stateDir), 'may')).toMatchObject({ outcomes: undefined });
});

it('the last run is the one that was begun last, also if a clock was put right before', async () => {
  const stateDir = temporaryFolder();
  const clock = new FakeClock();
  clock.ms = 86_400_000;
  await (await beginRun(runPorts(stateDir, { clock }), runPlan({ name: 'first' }))).close();
  clock.ms = 0;
  await (await beginRun(runPorts(stateDir, { clock }), runPlan({ name: 'second' }))).close();
  expect(await lastRunName({ stateDir, clock })).toBe('second');
  expect((await listRuns({ stateDir, clock })).runs.map(({ run }) => run)).toEqual(['second', 'first']);
});

it.each([
  ['another place', (text: string) => text.replace('cards.example', 'b.example')],
  ['another profile', (text: string) => text.replace('demo', 'live')],
  ['another way to read its rows', (text: string) => text.replaceAll('"cardId"', '"card"')],
])('--run with a name that exists is not resumed if its header has %s than its record (16)', async (_what, change) => {
  const { run, resume } = await begun();
  const header = readFileSync(run.folder.header, 'utf8');
  expect(change(header)).not.toBe(header);
  writeFileSync(run.folder.header, change(header));
  const message = expect.stringContaining('the rows of run may are not those with which its record begins');
  await expect(resume()).rejects.toMatchObject({ code: 'LOCAL_IO', message });
});

it.each([
  ['is gone', rmSync],
  ['was emptied', (path: string) => writeFileSync(path, '')],
])('a run whose record %s is not resumed: its rows would look as if they were not sent (16)', async (_what, lose) => {
  const { begin, resume, run, stateDir } = await begun();
  lose(run.folder.journal);
  const gone = { code: 'LOCAL_IO', message: expect.stringContaining("the run's record is gone") };
  await expect(resume()).rejects.toMatchObject(gone);
  await expect(begin()).rejects.toMatchObject(gone);
  expect(await showRun(runPorts(stateDir), 'may')).toMatchObject({ state: 'interrupted', outcomes: undefined });
});

it.each([
  ['another command', { operation: 'card.activate' }, 'its command is card.block, not card.activate'],
  ['another profile', { profile: 'live' }, 'its profile is demo, not live'],
  ['another place', { host: 'https://b.example' }, 'its service is https://cards.example, not https://b.example'],
  ['other rows', { rowsSha256: 'f'.repeat(64) }, 'its rows differ'],
  ['another shard', { rows: 2 }, 'it has 3 rows, not 2'],
])('K9 --run with a name that exists refuses %s', async (_what, change, difference) => {
  const { begin, stateDir } = await begun();
  const message = `could not start run may: it exists, and ${difference}. Nothing was sent.`;
  await expect(begin(change)).rejects.toMatchObject({ code: 'USAGE', message });
  expect(existsSync(join(stateDir, 'runs', 'may', 'lock'))).toBe(false);
});

it('P16 a run that exists is worked on by one process only', async () => {
  const stateDir = temporaryFolder();
  const run = await beginRun(runPorts(stateDir), runPlan({ name: 'may' }));
  await expect(resumeRun(runPorts(stateDir), 'may')).rejects.toMatchObject({ code: 'USAGE', exitCode: 2 });
  await expect(remove(runPorts(stateDir), 'may')).rejects.toMatchObject({ code: 'USAGE' });
  await run.close();
});

it.each([
  ['are gone', (path: string) => rmSync(path)],
  ['were changed after they were written', (path: string) => writeFileSync(path, 'card-2\n')],
])('I24 a run that exists whose rows %s gets them again when begun with the same input', async (problem, harm) => {
  const { begin, resume, run } = await begun();
  harm(run.folder.rows);
  const message = `the rows of run may ${problem} (${run.folder.path}). Nothing was sent.`;
  const again = 'to write them again, run the command that started it, with the same input and --run may';
  const unsent = { do: 'remove it', words: 'or remove it, since no row of it was sent', about: 'may' };
  await expect(resume()).rejects.toMatchObject({ message, hints: [again, unsent] });
  const stored = { sha256: 'f'.repeat(64), shape: CARD_SHAPE, columns: ['cardId'] };
  await expect(begin({ stored })).rejects.toMatchObject({ message });
  const second = await begin();
  expect(readFileSync(second.folder.rows)).toEqual(Buffer.from(INPUT));
  await second.journal.intent({ row: 1, id: 'card-1' });
  await second.close();
  harm(run.folder.rows);
  await expect(resume()).rejects.toMatchObject({ message, hints: [again, { do: 'see its rows', about: 'may' }] });
});

it('a run that exists of a plan that is gone gets it again when the plan is applied again', async () => {
  const stateDir = temporaryFolder();
  const planned = () => {
    const spool = join(temporaryFolder(), 'plan');
    writeFileSync(spool, 'a plan');
    const inputSha256 = createHash('sha256').update('a plan').digest('hex');
    return runPlan({ name: 'may', inputFormat: 'plan', inputSha256, spool });
  };
  const run = await beginRun(runPorts(stateDir), planned());
  await run.close();
  rmSync(run.folder.plan);
  const again = { do: 'apply the plan again', words: 'to write them again, apply its plan again' };
  await expect(resumeRun(runPorts(stateDir), 'may')).rejects.toMatchObject({
    code: 'LOCAL_IO',
    hints: [again, { do: 'remove it', words: 'or remove it, since no row of it was sent', about: 'may' }],
  });
  await (await beginRun(runPorts(stateDir), planned())).close();
  expect(readFileSync(run.folder.plan, 'utf8')).toBe('a plan');
  await (await resumeRun(runPorts(stateDir), 'may')).close();
});

it('a run that exists is refused when it was written by a newer version, and left alone', async () => {
  const { resume, run } = await begun();
  writeFileSync(run.folder.header, '{"version":3}');
  await expect(resume()).rejects.toMatchObject({ code: 'USAGE' });
  expect(readFileSync(run.folder.header, 'utf8')).toBe('{"version":3}');
});

it('a run that exists does not go on at another address', async () => {
  const { header } = (await begun()).run;
  expect(() => refuseOtherPlace(header, 'https://b.example')).toThrow(/now leads to https:\/\/b\.example/);
  expect(() => refuseOtherPlace(header, 'https://cards.example')).not.toThrow();
});

it.each([
  [6, undefined],
  [7, 'run may was started 7 days ago. Check that its rows are still what you want'],
])('K14 a run that is resumed after %d days warns: %j', async (days, warning) => {
  const { run } = await begun();
  expect(staleRunWarning(run.header, Date.parse('2026-05-01T12:00:00Z') + days * 86_400_000)).toBe(warning);
});

it('a run that does not exist is a usage error', async () => {
  const stateDir = temporaryFolder();
  const none = { code: 'USAGE', message: 'there is no run june' };
  await expect(resumeRun(runPorts(stateDir), 'june')).rejects.toMatchObject(none);
  await expect(remove(runPorts(stateDir), 'june')).rejects.toMatchObject({ code: 'USAGE' });
  await expect(lastRunName(runPorts(stateDir))).rejects.toMatchObject({ code: 'USAGE' });
});

it('runs list tells running, finished, stopped and interrupted runs apart, newest first', async () => {
  const clock = new FakeClock();
  const ports = runPorts(temporaryFolder(), { clock });
  const begin = (name: string) => {
    clock.ms += 1000;
    return beginRun(ports, runPlan({ name, rows: 3, inputRows: 3 }));
  };
  const finished = await begin('finished');
  await runRows(planOf(3, admitting(), { journal: finished.journal }));
  await finished.close();
  const stopped = await begin('stopped');
  const refusing = admitting(({ row }) => (row === 2 ? rejected(401) : answered()));
  await runRows(planOf(3, refusing, { journal: stopped.journal }));
  await stopped.close();
  const killed = await begin('killed');
  await killed.journal.intent({ row: 1, id: 'card-1' });
  await killed.close();
  const running = await begin('running');
  const { runs } = await listRuns(ports);
  await running.close();
  expect(runs.map(({ run, state, outcomes }) => ({ run, state, outcomes }))).toEqual([
    { run: 'running', state: 'running', outcomes: { not_sent: 3 } },
    { run: 'killed', state: 'interrupted', outcomes: { unknown: 1, not_sent: 2 } },
    { run: 'stopped', state: 'stopped', outcomes: { applied: 1, rejected: 1, not_sent: 1 } },
    { run: 'finished', state: 'finished', outcomes: { applied: 3 } },
  ]);
  const outcomes = { applied: 1, rejected: 1, not_sent: 1 };
  const its = { operation: 'card.block', profile: 'demo', state: 'stopped', rows: 3, outcomes };
  expect(await showRun(ports, 'stopped')).toEqual({ run: 'stopped', ...its, startedAt: '2026-05-01T12:00:02.000Z' });
  expect(await lastRunName(ports)).toBe('running');
});

/** Runs that were begun a day apart, each header as old as its run; the names say nothing of it. */
async function daily(names: readonly string[]) {
  const stateDir = temporaryFolder();
  const clock = new FakeClock();
  const ports = runPorts(stateDir, { clock });
  for (const name of names) {
    const run = await beginRun(ports, runPlan({ name }));
    await run.close();
    utimesSync(run.folder.header, clock.now() / 1000, clock.now() / 1000);
    clock.ms += 86_400_000;
  }
  return { ports, headerOf: (name: string) => join(stateDir, 'runs', name, 'header.json') };
}

it('runs list of the newest reads no older one', async () => {
  const { ports, headerOf } = await daily(['c', 'a', 'd', 'b']);
  const { mtime } = statSync(headerOf('c'));
  writeFileSync(headerOf('c'), 'damaged');
  utimesSync(headerOf('c'), mtime, mtime);
  const unread: Unread = new Map();
  expect(await listRuns(ports, { limit: 2, unread })).toMatchObject({ runs: [{ run: 'b' }, { run: 'd' }], older: 2 });
  expect([await lastRunName(ports), unread]).toEqual(['b', new Map()]);
  const three = { runs: [{ run: 'b' }, { run: 'd' }, { run: 'a' }], older: 0 };
  expect(await listRuns(ports, { limit: 3, unread })).toMatchObject(three);
  expect([...unread.keys()]).toEqual(['c']);
});

it('runs list goes by when a run was begun, also where all files were copied at one time', async () => {
  const { ports, headerOf } = await daily(['c', 'a', 'd', 'b']);
  for (const name of ['b', 'a', 'd', 'c']) utimesSync(headerOf(name), 1_900_000_000, 1_900_000_000);
  const { runs, older } = await listRuns(ports, { limit: 3 });
  expect([[runs.map(({ run }) => run), older], await lastRunName(ports)]).toEqual([[['b', 'd', 'a'], 1], 'b']);
});

it('runs list of one state continues until enough are found', async () => {
  const { ports } = await daily(Array.from({ length: 105 }, (_, day) => `run-${day}`));
  const third = await resumeRun(ports, 'run-2');
  await third.journal.end('stopped', { not_sent: 3 });
  await third.close();
  expect(await listRuns(ports, { limit: 1, state: 'stopped' })).toMatchObject({ runs: [{ run: 'run-2' }], older: 0 });
  expect(await listRuns(ports, { limit: 1, state: 'interrupted' })).toMatchObject({ runs: [{ run: 'run-104' }] });
});

it('runs results gives every row in input order, also of a run that was killed', async () => {
  const run = await beginRun(runPorts(temporaryFolder()), runPlan({ name: 'may', rows: 4, inputRows: 4 }));
  await run.journal.intent({ row: 2, id: 'card-2' });
  await run.journal.intent({ row: 1, id: 'card-1' });
  const applied = ended({ outcome: 'applied', httpStatus: 200, attempts: 1, resultId: 'new-2' });
  await run.journal.result({ row: 2, id: 'card-2' }, applied);
  const stored = await StoredRun.readWhole(run);
  const found: unknown[] = [];
  for await (const { row, callOutcome, failure } of stored.results(rowsTo(4))) {
    found.push([row.row, callOutcome.outcome, callOutcome.attempts, callOutcome.resultId, failure?.code]);
  }
  expect(found).toEqual([
    [1, 'unknown', 1, undefined, 'OUTCOME_UNKNOWN'],
    [2, 'applied', 1, 'new-2', undefined],
    [3, 'not_sent', 0, undefined, 'PARTIAL'],
    [4, 'not_sent', 0, undefined, 'PARTIAL'],
  ]);
  const unknownRows: number[] = [];
  for await (const { row } of stored.results(rowsTo(4), { outcomes: new Set(['unknown']) })) unknownRows.push(row.row);
  expect(unknownRows).toEqual([1]);
  await stored.close();
  await run.close();
});

it('runs remove deletes everything the run kept, the names of its rows too', async () => {
  const { stateDir } = await begun();
  const open = join(stateDir, 'open');
  writeFileSync(join(open, 'once~card.reissue~0123456789ab.write'), '{"run":"may"}\n', { mode: 0o600 });
  writeFileSync(join(open, 'once~card.reissue~ba9876543210.write'), '{"run":"maybe"}\n', { mode: 0o600 });
  await remove(runPorts(stateDir), 'may');
  expect(readdirSync(join(stateDir, 'runs'))).toEqual([]);
  expect(readdirSync(open)).toEqual(['once~card.reissue~ba9876543210.write']);
});

it('runs remove: --older-than leaves young runs and running ones, and says which was resumed after the question', async () => {
  const stateDir = temporaryFolder();
  const clock = new FakeClock();
  const ports = runPorts(stateDir, { clock });
  for (const name of ['old', 'old-resumed']) await (await beginRun(ports, runPlan({ name }))).close();
  const running = await beginRun(ports, runPlan({ name: 'old-running' }));
  clock.ms += 91 * 86_400_000;
  await (await beginRun(ports, runPlan({ name: 'young' }))).close();
  const unread: Unread = new Map();
  const named = await runsBefore(ports, clock.now() - 90 * 86_400_000, unread);
  const resumed = await resumeRun(ports, 'old-resumed');
  expect(await removeRuns(ports, named, unread)).toEqual(['old']);
  expect(readdirSync(join(stateDir, 'runs')).sort()).toEqual(['old-resumed', 'old-running', 'young']);
  expect([...unread].map(([name, { code }]) => [name, code])).toEqual([['old-resumed', 'PRECONDITION']]);
  await Promise.all([running.close(), resumed.close()]);
});

it('runs remove leaves folders that are no runs, and what a run has of others', async () => {
  const stateDir = temporaryFolder();
  const clock = new FakeClock();
  clock.ms = Date.now();
  const ports = runPorts(stateDir, { clock });
  await (await beginRun(ports, runPlan({ name: 'mine' }))).close();
  await (await beginRun(ports, runPlan({ name: 'mixed' }))).close();
  const runs = join(stateDir, 'runs');
  writeFileSync(join(runs, 'mixed/notes.txt'), 'x');
  mkdirSync(join(runs, 'exp1/deep'), { recursive: true });
  // As a kill leaves it between the first and the second file that are removed.
  mkdirSync(join(runs, 'half'));
  writeFileSync(join(runs, 'half/rows'), '');
  clock.ms += 91 * 86_400_000;
  const unread: Unread = new Map();
  expect(await removeOld(ports, unread)).toEqual(['half', 'mine']);
  expect(readdirSync(runs).sort()).toEqual(['exp1', 'mixed']);
  expect([...unread].map(([name, { code, problem }]) => [name, code, problem])).toEqual([
    ['mixed', 'LOCAL_IO', expect.stringContaining('its folder also holds "notes.txt", which is not of frontdesk')],
  ]);
  await expect(remove(ports, 'exp1')).rejects.toMatchObject({ code: 'USAGE', problem: 'there is no run exp1' });
  expect(readdirSync(join(runs, 'exp1'))).toEqual(['deep']);
});

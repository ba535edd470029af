import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { syncFolder, writeFileAtomic } from '../../src/base/files/atomic.ts';
import { checkInput } from '../../src/input/records/check-input.ts';
import { openAuditLog } from '../../src/records/audit-log.ts';
import { openAppendFile, setApart } from '../../src/records/journal/append-file.ts';
import { RunJournal } from '../../src/records/journal/journal.ts';
import { openDigester } from '../../src/records/keyed-digest.ts';
import { appendLines, ledgerFile } from '../../src/records/ledger.ts';
import { openRecorder } from '../../src/records/record.ts';
import { runFolder } from '../../src/records/stored/run-folder.ts';
import { removeRun, stampOf } from '../../src/records/stored/run-removal.ts';
import { beginRun, spoolPath } from '../../src/records/stored/run-store.ts';
import { keyOfWrite } from '../../src/records/write-record.ts';
import { openFailedFile } from '../../src/runs/failed-file.ts';
import { openPlanWriter } from '../../src/runs/plan/write-plan.ts';
import { OPERATIONS } from '../../src/service/api/operations.ts';
import { createResultFile } from '../../src/writes/secret-answer.ts';
import { type Disk, recordDisk, type Tree } from '../unit/base/files/disk.ts';
import { temporaryFolder } from '../unit/base/files/place.ts';
import { CARD_SHAPE, ended, FakeClock, failed, HELD, runPlan, runPorts } from '../unit/runs/fakes.ts';

/** A folder whose disk may lose power; what `files` holds is on it. */
function disk(files: Tree = {}): Disk {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, name), text);
  }
  return recordDisk(root);
}

/** What each loss of power would have left under a name, each text once; undefined: nothing. */
const everLeft = ({ losses }: Disk, name: string): Set<string | undefined> => new Set(losses.map((tree) => tree[name]));

/** What a loss of power now would leave under a name, whether or not the disk has written names down by itself. */
const leftNow = (of: Disk, name: string): readonly (string | undefined)[] => of.left().map((tree) => tree[name]);

it('a disk that loses power forgets what was not synced, and maybe names whose folder was not', async () => {
  const on = disk({ kept: 'old' });
  const file = await open(join(on.root, 'new'), 'wx');
  await file.writeFile('text');
  expect(on.left()).toEqual([{ kept: 'old' }, { kept: 'old', new: '' }]);
  await file.sync();
  expect(on.left()).toEqual([{ kept: 'old' }, { kept: 'old', new: 'text' }]);
  await file.close();
  await rename(join(on.root, 'new'), join(on.root, 'kept'));
  expect(on.left()).toEqual([{ kept: 'old' }, { kept: 'text' }]);
  await syncFolder(on.root);
  expect(on.left()).toEqual([{ kept: 'text' }, { kept: 'text' }]);
});

const BY = { pid: process.pid, what: 'the test file' };

it('when the power goes, a file that is replaced as a whole is the old one or the new one at any moment, and the new one afterwards', async () => {
  const on = disk({ 'a.json': 'old' });
  await writeFileAtomic(join(on.root, 'a.json'), 'new', BY);
  expect([everLeft(on, 'a.json'), leftNow(on, 'a.json')]).toEqual([new Set(['old', 'new']), ['new', 'new']]);
});

it('when the power goes, the history has a whole key or none at any moment, and the key that was used afterwards', async () => {
  const on = disk();
  const stateDir = join(on.root, 'state');
  await openDigester(stateDir, process.pid);
  const key = readFileSync(join(stateDir, 'history-key'), 'utf8');
  expect(everLeft(on, 'state/history-key')).toEqual(new Set([undefined, key]));
  expect(leftNow(on, 'state/history-key')).toEqual([key, key]);
});

const DAY = 'writes/20260501.00000000.ndjson';
const ledgerAt = (on: Disk) => join(on.root, DAY);

const INTENT = { operation: 'card.block', id: 'card-1', reason: undefined, profile: 'demo', host: 'cards.example' };

/** A recorder, and what each loss of power would have left of its records now. */
function recorderOn(on: Disk) {
  const stateDir = join(on.root, 'state');
  const recorder = openRecorder({ stateDir, clock: new FakeClock(), ...BY, user: 'ada' });
  const ledger = `state/writes/${basename(ledgerFile(stateDir, '20260501'))}`;
  return { recorder, ledger, open: (entry: string) => `state/open/${entry}~${keyOfWrite(INTENT)}.write` };
}

it('when the power goes, what closes an open change is in its own file or in the ledger, and the change is in one of them', async () => {
  const on = disk();
  const { recorder, ledger, open } = recorderOn(on);
  const entry = await recorder.begin(INTENT);
  await recorder.end(entry, ended({ outcome: 'unknown' }));
  for (const text of leftNow(on, open(entry))) expect(text).toContain('"outcome":"unknown"');
  const from = on.losses.length;
  await recorder.resolve({ entry, operation: 'card.block', id: 'card-1' }, { as: 'applied' });
  for (const tree of [...on.losses.slice(from), ...on.left()])
    expect(`${tree[open(entry)]}${tree[ledger]}`).toContain(entry);
  for (const tree of on.left()) expect(`${tree[open(entry)]}${tree[ledger]}`).toContain('"as":"applied"');
});

it('when the power goes, the ledger has a change although the first of all could write a part of its line only, and died of it', async () => {
  const on = disk();
  const path = ledgerAt(on);
  on.mostBytes = 2;
  await expect(appendLines(path, 'one\n')).rejects.toMatchObject({
    code: 'ENOSPC',
    message: expect.stringContaining('only a part was written'),
  });
  on.mostBytes = Number.POSITIVE_INFINITY;
  await appendLines(path, 'two\n');
  expect(leftNow(on, DAY)).toEqual(['on\ntwo\n', 'on\ntwo\n']);
});

it('when the power goes, the ledger keeps what it had', async () => {
  const on = disk({ [DAY]: 'one\n' });
  await appendLines(ledgerAt(on), 'two\n');
  expect(everLeft(on, DAY)).toEqual(new Set(['one\n', 'one\ntwo\n']));
  expect(leftNow(on, DAY)).toEqual(['one\ntwo\n', 'one\ntwo\n']);
});

it('when the power goes, the audit log has a write before it may leave, also the first of all', async () => {
  const on = disk();
  const log = openAuditLog(join(on.root, 'audit.jsonl'));
  const end = { event: 'end', time: '2026-05-01T12:00:00.000Z', operation: 'card.block', id: 'a' } as const;
  await log.append([{ ...end, entry: 'one', callOutcome: ended({ outcome: 'applied' }) }]);
  for (const text of leftNow(on, 'audit.jsonl')) expect(text).toContain('"one"');
  await log.append([{ ...end, entry: 'two', callOutcome: ended({ outcome: 'applied' }) }]);
  for (const text of leftNow(on, 'audit.jsonl')) expect(text).toMatch(/"one".*\n.*"two"/);
});

it('when the power goes, the audit log has what came to it while another made it', async () => {
  const on = disk();
  const path = join(on.root, 'audit.jsonl');
  const end = { event: 'end', time: '2026-05-01T12:00:00.000Z', operation: 'card.block', id: 'a' } as const;
  await openAuditLog(path).append([{ ...end, entry: 'one', callOutcome: ended({ outcome: 'applied' }) }]);
  const made = on.losses.filter((tree) => tree['audit.jsonl'] !== undefined && tree['audit.jsonl'] !== '');
  // What is in the file at any moment has a name by then: another that finds text in it does not sync that.
  expect(on.losses.slice(on.losses.indexOf(made[0] ?? {})).map((tree) => tree['audit.jsonl'])).not.toContain(undefined);
});

it('when the power goes, a result that can be had once is in its file', async () => {
  const on = disk();
  const file = await createResultFile(join(on.root, 'out.json'), () => () => undefined);
  const kept = '{\n  "activationData": "secret"\n}\n';
  await file.keep(Buffer.from(kept));
  expect(leftNow(on, 'out.json')).toEqual([kept, kept]);
});

/** A failed file of an earlier run: any other is not replaced. */
const OLD = 'cardId,_row,_outcome,_error\r\n';

it('when the power goes, the file of failed rows is the old one or a whole new one', async () => {
  const on = disk({ 'failed.csv': OLD });
  const file = await openFailedFile({
    path: join(on.root, 'failed.csv'),
    inputFormat: 'csv',
    columns: ['cardId'],
    shape: { ...CARD_SHAPE, columns: ['cardId'] },
    csvRaw: false,
    isStored: true,
    pid: process.pid,
  });
  const call = failed('NOT_FOUND', { outcome: 'rejected' });
  if (call.kind !== 'failed') throw new Error('the row failed');
  await file.add({
    row: { row: 1, id: 'card-1', params: {}, body: undefined, expects: [], input: ['card-1'] },
    callOutcome: call.callOutcome,
    resource: undefined,
    failure: call.failure,
    source: 'sent',
  });
  await file.keep();
  const kept = 'cardId,_row,_outcome,_error\r\ncard-1,1,rejected,NOT_FOUND: it ended as NOT_FOUND\r\n';
  expect([everLeft(on, 'failed.csv'), leftNow(on, 'failed.csv')]).toEqual([new Set([OLD, kept]), [kept, kept]]);
});

it('when the power goes, a plan is whole or not there', async () => {
  const on = disk();
  const path = join(on.root, 'block.plan');
  const facts = {
    operation: 'card.block',
    url: 'https://cards.example',
    profile: 'live',
    createdBy: 'ann',
    createdAt: '2026-05-01T12:00:00.000Z',
    expiresAt: '2026-05-02T12:00:00.000Z',
    rows: 1,
    unchanged: 0,
    skipped: 0,
  };
  const writer = await openPlanWriter(path, facts, process.pid);
  await writer.add({ row: 1, id: 'card-1', body: undefined, before: undefined, drift: 'checked' });
  await writer.keep();
  const kept = readFileSync(path, 'utf8');
  expect([everLeft(on, 'block.plan'), leftNow(on, 'block.plan')]).toEqual([new Set([undefined, kept]), [kept, kept]]);
});

const CARD = '4f1c8e5a-0f2b-4c1d-9e3f-1a2b3c4d5e6f';

/** Begins a run whose input is checked and copied, as the command does. */
async function begun(on: Disk) {
  const ports = runPorts(join(on.root, 'state'), { openFile: on.openJournal });
  const rowsTo = await spoolPath(ports);
  const bytes = Buffer.from(`${CARD}\n`);
  const input = await checkInput(
    {
      name: 'ids.txt',
      async *bytes() {
        yield bytes;
      },
      close: async () => undefined,
    },
    {
      operation: OPERATIONS.cardBlock,
      path: 'ids.txt',
      format: undefined,
      csvRaw: false,
      sheet: undefined,
      shard: undefined,
      defaults: {},
      emptyCells: 'keep',
      resendUnknown: false,
      expectations: [],
    },
    { duplicates: 'refused', rowsTo, isStored: true },
  );
  return beginRun(ports, runPlan({ name: 'may', inputSha256: input.sha256, spool: rowsTo }));
}

const FOLDER = 'state/runs/may/';

it.each(['', 'runs', 'runs/may'])('a run is there after a loss of power that left %j not synced', async (made) => {
  const on = disk();
  mkdirSync(join(on.root, 'state', made), { recursive: true });
  const ports = runPorts(join(on.root, 'state'), { openFile: on.openJournal });
  await (await beginRun(ports, runPlan({ name: 'may' }))).close();
  for (const tree of on.left()) expect(tree).toHaveProperty([`${FOLDER}header.json`]);
});

it('when the power goes, a run that is removed is whole, or no run any more', async () => {
  const stateDir = temporaryFolder();
  await (await beginRun(runPorts(stateDir), runPlan({ name: 'may' }))).close();
  const on = recordDisk(stateDir);
  await removeRun(runPorts(stateDir), 'may', stampOf(runFolder(stateDir, 'may')));
  for (const tree of [...on.losses, ...on.left()]) {
    if (tree['runs/may/header.json'] === undefined) continue;
    for (const name of ['rows', 'journal.jsonl']) expect(tree).toHaveProperty([`runs/may/${name}`]);
  }
});

it('when the power goes, a run that has a header has all its rows and its journal too, and all of it once it is begun', async () => {
  const on = disk();
  const run = await begun(on);
  for (const tree of [...on.losses, ...on.left()]) {
    if (tree[`${FOLDER}header.json`] === undefined) continue;
    expect(JSON.parse(tree[`${FOLDER}header.json`] ?? '')).toMatchObject({ run: 'may' });
    expect(tree[`${FOLDER}rows`]).toBe(`[1,"${CARD}"]\n`);
    expect(tree).toHaveProperty([`${FOLDER}journal.jsonl`]);
  }
  for (const tree of on.left()) expect(tree).toHaveProperty([`${FOLDER}header.json`]);
  await run.close();
});

it('K2 when the power goes, a run has an intent before its request may leave, and a result before it is printed', async () => {
  const on = disk();
  const run = await begun(on);
  await run.journal.intent({ row: 1, id: CARD });
  for (const text of leftNow(on, `${FOLDER}journal.jsonl`)) expect(text).toContain('"s":"intent"');
  await run.journal.result({ row: 1, id: CARD }, ended({ outcome: 'applied' }));
  for (const text of leftNow(on, `${FOLDER}journal.jsonl`)) expect(text).toContain('"s":"applied"');
  await run.close();
});

it.each([
  ['cuts a torn end for good', '{"n":2,"t":17', ''],
  ['ends a last line for good', '', '\n'],
])('when the power goes, a run: %s before it is written to', async (_what, torn, cut) => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const first = await RunJournal.create(path, 3, { ...HELD, clock: new FakeClock() });
  await first.intent({ row: 1, id: CARD });
  await first.close();
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, cut === '' ? whole + torn : whole.slice(0, -1));
  const on = recordDisk(join(path, '..'));
  await (await RunJournal.resume(path, 3, { ...HELD, clock: new FakeClock(), openFile: on.openJournal })).close();
  // The first loss after the journal was mended, which is the first sync of it.
  expect(on.losses.map((tree) => tree['journal.jsonl'])).toContain(whole);
});

it('when the power goes, a run has the whole journal that was set apart, or the old one', async () => {
  const on = disk({ 'journal.jsonl': 'one\ntwo\nhal' });
  await setApart(join(on.root, 'journal.jsonl'), 8, { pid: process.pid, assertStillHeld: () => undefined });
  expect(everLeft(on, 'journal.jsonl')).toEqual(new Set(['one\ntwo\nhal', 'one\ntwo\n']));
  expect(leftNow(on, 'journal.jsonl')).toEqual(['one\ntwo\n', 'one\ntwo\n']);
});

it('a write of which the system takes only a part is continued in a journal', async () => {
  const on = disk();
  on.mostBytes = 7;
  const file = await openAppendFile(join(on.root, 'journal.jsonl'));
  file.append('a line that is longer than seven bytes\n');
  file.append('short\n');
  await file.close();
  expect(readFileSync(join(on.root, 'journal.jsonl'), 'utf8')).toBe('a line that is longer than seven bytes\nshort\n');
});

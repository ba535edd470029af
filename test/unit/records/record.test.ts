import fs, {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { printJson } from '../../../src/base/json/print.ts';
import { fromPlain } from '../../../src/base/json/value.ts';
import { openAuditLog } from '../../../src/records/audit-log.ts';
import { blockOf, historyJson } from '../../../src/records/entry-table.ts';
import { ledgerFile, pruneLedger } from '../../../src/records/ledger.ts';
import { type KnownBefore, SentElsewhere } from '../../../src/records/once.ts';
import { markSandboxReset, readOpenWrites, watchOpen } from '../../../src/records/open-files.ts';
import { readHistory, showHistory } from '../../../src/records/read.ts';
import { NO_RECORD, openRecorder, type WriteIntent } from '../../../src/records/record.ts';
import { SentSince, type Since, sinceNow } from '../../../src/records/sent-since.ts';
import { onceFile, openFile, runMark } from '../../../src/records/stored/open-folder.ts';
import { runFolder } from '../../../src/records/stored/run-folder.ts';
import { beginRun } from '../../../src/records/stored/run-store.ts';
import { keyOfWrite } from '../../../src/records/write-record.ts';
import type { CallOutcome } from '../../../src/service/call-outcome.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { ended, FakeClock, runPlan, runPorts } from '../runs/fakes.ts';

const CARD = '4f1c8e5a-0f2b-4c1d-9e3f-1a2b3c4d5e6f';
const DAY_MS = 86_400_000;

const PLACE = { profile: 'demo', host: 'cards.example' };
const intent: WriteIntent = { operation: 'card.block', id: CARD, reason: 'lost, INC-7', ...PLACE };

function setUp() {
  const stateDir = temporaryFolder();
  const clock = new FakeClock();
  const ports = { stateDir, clock, pid: process.pid };
  return {
    stateDir,
    clock,
    ports,
    recorder: openRecorder({ ...ports, user: 'ada' }),
    /** The file of the ledger of the first day. */
    path: ledgerFile(stateDir, '20260501'),
    openPath: (entry: string) => openFile(stateDir, entry, keyOfWrite(intent)),
  };
}

/** The same with a change that has begun. */
async function setUpBegun() {
  const all = setUp();
  return { ...all, entry: await all.recorder.begin(intent) };
}

/** Makes no line fit into a file any more, until what is returned is called. */
function fill(path: string): () => void {
  fs.rmSync(path);
  mkdirSync(path);
  return () => fs.rmdirSync(path);
}

it.each([
  ['while its folder was made a moment ago', 0, false],
  ['when its folder has not changed for long', 60_000, false],
  ['where no time of a folder is believed', 60_000, true],
])(
  'a run hears of writes of others, their new lines and their ends, not of itself, %s',
  async (_, laterMs, isExact) => {
    const { recorder, stateDir, clock, openPath } = setUp();
    await recorder.begin(intent);
    const own = runMark(stateDir, 'may');
    const laterClock = Object.assign(clock, { now: () => Date.now() + laterMs });
    const hasNews = watchOpen({ stateDir, clock: laterClock, ownRun: 'may' }, isExact);
    const isNews = async () => {
      const first = hasNews();
      await new Promise(setImmediate);
      return [first, hasNews(), await new Promise(setImmediate)].slice(0, 2);
    };
    expect(await isNews()).toEqual([false, false]);
    writeFileSync(own, '');
    appendFileSync(own, 'a line');
    expect(await isNews()).toEqual([false, false]);
    const entry = await recorder.begin(intent);
    expect(await isNews()).toEqual([true, false]);
    appendFileSync(openPath(entry), 'a line');
    expect(await isNews()).toEqual([true, false]);
    fs.rmSync(openPath(entry));
    expect(await isNews()).toEqual([true, false]);
  },
);

it('the record of a write is on the disk before the write is sent, for its user only', async () => {
  const { path, openPath, stateDir, ports, entry } = await setUpBegun();
  expect(entry).toMatch(/^20260501T120000000-[0-9a-f]+-[0-9a-f]{6}$/);
  for (const file of [path, openPath(entry)]) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  }
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  const begun = { entries: [{ entry, callOutcome: { outcome: 'unknown' } }] };
  expect(await readHistory(ports.stateDir, { limit: 50 })).toMatchObject(begun);
});

it('the record of a write says afterwards how it ended', async () => {
  const { recorder, clock, ports, entry } = await setUpBegun();
  clock.ms += 300;
  const answer = { httpStatus: 200, requestId: 'r-1', durationMs: 300, resultId: 'new-1' };
  await recorder.end(entry, ended({ outcome: 'applied', ...answer }));
  expect(printJson(historyJson(await showHistory(ports.stateDir, entry)))).toBe(
    `{"entry":"${entry}","time":"2026-05-01T12:00:00.000Z","user":"ada","profile":"demo","host":"cards.example",` +
      `"operation":"card.block","id":"${CARD}","resultId":"new-1","reason":"lost, INC-7","outcome":"applied",` +
      '"httpStatus":200,"requestId":"r-1","durationMs":300,"run":null}',
  );
});

it('the record of a write keeps the code of the service and not what it said, which may name a customer', async () => {
  const { recorder, path } = setUp();
  const said = { errorCode: 'CARD_EXPIRED', message: 'expired for kari@example.com' };
  await recorder.end(await recorder.begin(intent), ended({ outcome: 'rejected', code: 'REJECTED', ...said }));
  const kept = readFileSync(path, 'utf8');
  expect(kept).toContain('CARD_EXPIRED');
  expect(kept).not.toContain('kari');
});

it('the record of a write of a write without an id and an answer has null for what is not known', async () => {
  const { recorder, ports } = setUp();
  const unknown = { id: undefined, reason: undefined };
  const entry = await recorder.begin({ ...intent, operation: 'calendar.event.create', ...unknown });
  await recorder.end(entry, ended({ outcome: 'not_sent', durationMs: 1 }));
  const json = JSON.parse(printJson(historyJson(await showHistory(ports.stateDir, entry))));
  expect(json).toMatchObject({ id: null, reason: null, outcome: 'not_sent' });
  expect(json).toMatchObject({ httpStatus: null, requestId: null, resultId: null });
});

it('the record of a write keeps every entry of many writers at once', async () => {
  const { ports, stateDir } = setUp();
  const writers = Array.from({ length: 20 }, (_, user) => openRecorder({ ...ports, user: `user-${user}` }));
  await Promise.all(
    writers.map(async (writer) => {
      for (let write = 0; write < 5; write += 1) {
        await writer.end(await writer.begin(intent), ended({ outcome: 'applied', durationMs: 1 }));
      }
    }),
  );
  const { entries } = await readHistory(stateDir, { limit: 1000 });
  expect(entries).toHaveLength(100);
  expect(entries.every((entry) => entry.callOutcome.outcome === 'applied')).toBe(true);
});

it('the record of a write that cannot be begun refuses the write, with 16', async () => {
  const stateDir = join(temporaryFolder(), 'file');
  writeFileSync(stateDir, '');
  const recorder = openRecorder({ stateDir, clock: new FakeClock(), pid: process.pid, user: 'ada' });
  await expect(recorder.begin(intent)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    exitCode: 16,
    details: { outcome: 'not_sent' },
    hints: expect.arrayContaining([expect.objectContaining({ words: expect.stringContaining('--no-history') })]),
  });
});

it('the record of a write never follows a symbolic link', async () => {
  const { recorder, path, stateDir } = setUp();
  mkdirSync(dirname(path), { mode: 0o700 });
  symlinkSync(join(stateDir, 'elsewhere'), path);
  await expect(recorder.begin(intent)).rejects.toMatchObject({ code: 'AUTH' });
});

it('the record of a write that cannot be ended says that the write was applied, and the id in the answer', async () => {
  const { recorder, path, entry } = await setUpBegun();
  fs.rmSync(path);
  mkdirSync(path);
  const ending = recorder.end(entry, ended({ outcome: 'applied', durationMs: 1, resultId: 'new-1' }));
  await expect(ending).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: expect.stringContaining('The change WAS applied. The ID in the response is new-1'),
    details: { outcome: 'applied', resultId: 'new-1' },
  });
});

it('the record of a write that the audit log does not take says why, and that the write was applied', async () => {
  const { ports } = setUp();
  const log = join(ports.stateDir, 'audit.log');
  const recorder = openRecorder({ ...ports, user: 'ada', audit: openAuditLog(log) });
  const entry = await recorder.begin(intent);
  chmodSync(log, 0o666);
  await expect(recorder.end(entry, ended({ outcome: 'applied' }))).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `could not write the end of entry ${entry} to the audit log: the audit log ${log} can be written by every user. The change WAS applied.`,
  });
});

it('the record of a write has no name and nothing to end with --no-history', async () => {
  const { ports } = setUp();
  const entry = await NO_RECORD.begin(intent);
  await NO_RECORD.end(entry, ended({ outcome: 'applied', durationMs: 1 }));
  expect(entry).toBe('');
  expect(await readHistory(ports.stateDir, { limit: 50 })).toMatchObject({ entries: [] });
});

/** The process that sends a change, as if it were gone. */
const asGone = (path: string) => {
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"maker":"[^"]*"/g, '"maker":"00000000-1-1"'));
};

it('a change that was killed while it wrote its end stays open, and is unknown', async () => {
  const { ports, recorder, path, openPath, entry } = await setUpBegun();
  const begun = readFileSync(openPath(entry), 'utf8');
  await recorder.end(entry, ended({ outcome: 'applied', httpStatus: 200 }));
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
  writeFileSync(openPath(entry), begun, { mode: 0o600 });
  asGone(openPath(entry));
  const next = await recorder.begin({ ...intent, id: 'next' });
  const open = await readOpenWrites(ports);
  const inProgress = Object.fromEntries(open.map((each) => [each.entry, each.isInProgress ?? false]));
  expect(inProgress).toEqual({ [entry]: false, [next]: true });
  const { entries } = await readHistory(ports.stateDir, { limit: 50, outcome: 'unknown', id: CARD });
  expect(entries.map((each) => each.entry)).toEqual([entry]);
});

it('a change that another process is sending is in the list of open ones, and nobody closes it', async () => {
  const { ports, openPath, entry } = await setUpBegun();
  const begun = readFileSync(openPath(entry), 'utf8');
  const listed = await readOpenWrites(ports);
  expect(listed).toMatchObject([{ entry, callOutcome: { outcome: 'unknown' }, isInProgress: true }]);
  expect(readFileSync(openPath(entry), 'utf8')).toBe(begun);
});

it('a change that was killed after it wrote its end is not open, and its own file goes at the next look', async () => {
  const { ports, recorder, openPath, entry } = await setUpBegun();
  const begun = readFileSync(openPath(entry), 'utf8');
  await recorder.end(entry, ended({ outcome: 'applied', httpStatus: 200 }));
  writeFileSync(openPath(entry), begun, { mode: 0o600 });
  asGone(openPath(entry));
  expect([await readOpenWrites(ports), fs.existsSync(openPath(entry))]).toEqual([[], false]);
  expect(await showHistory(ports.stateDir, entry)).toMatchObject({ callOutcome: { outcome: 'applied' } });
});

it('a change whose end found the disk full is ended in its own file, and goes to the ledger at the next look', async () => {
  const { ports, recorder, path, openPath, entry } = await setUpBegun();
  const empty = fill(path);
  await expect(recorder.end(entry, ended({ outcome: 'applied' }))).rejects.toMatchObject({ code: 'LOCAL_IO' });
  empty();
  expect([await readOpenWrites(ports), fs.existsSync(openPath(entry))]).toEqual([[], false]);
  expect(readFileSync(path, 'utf8')).toContain('"outcome":"applied"');
});

it.each(['superseded', 'resolved'])('a change stays open while half a line says it was %s', async (event) => {
  const { ports, recorder, openPath, entry } = await setUpBegun();
  await recorder.end(entry, ended({ outcome: 'unknown', durationMs: 1 }));
  appendFileSync(openPath(entry), `{"at":"2026-05-01T12:00:00.000Z","entry":"${entry}","${event}`);
  expect((await readOpenWrites(ports)).map((each) => each.entry)).toEqual([entry]);
  // What is added next is a line of its own.
  const checked = ended({ outcome: 'unknown', httpStatus: 500 });
  await recorder.recordCheck({ entry, operation: 'card.block', id: CARD }, checked);
  expect(await showHistory(ports.stateDir, entry)).toMatchObject({ callOutcome: { httpStatus: 500 } });
});

it('a closing that the ledger had no room for stands in the file of the change, and is finished at the next look', async () => {
  const { ports, recorder, path, openPath, entry } = await setUpBegun();
  await recorder.end(entry, ended({ outcome: 'unknown' }));
  const empty = fill(path);
  await recorder.supersede([{ entry, operation: 'card.block', id: CARD }], 'later');
  expect(await readOpenWrites(ports)).toEqual([]);
  empty();
  expect([await readOpenWrites(ports), fs.existsSync(openPath(entry))]).toEqual([[], false]);
  expect(readFileSync(path, 'utf8')).toContain('"supersededBy":"later"');
});

it('history prune loses no entry that is written meanwhile', async () => {
  const { ports, clock } = setUp();
  const recorder = openRecorder({ ...ports, user: 'ada' });
  const begun: string[] = [];
  for (let round = 0; round < 15; round += 1) {
    await recorder.begin(intent);
    clock.ms += 100 * DAY_MS;
    const writes = Array.from({ length: 8 }, async () => {
      const entry = await recorder.begin({ ...intent, id: `round-${round}` });
      await recorder.end(entry, ended({ outcome: 'applied', durationMs: 1 }));
      begun.push(entry);
    });
    await Promise.all([pruneLedger(ports, clock.now() - 90 * DAY_MS), ...writes]);
    const { entries } = await readHistory(ports.stateDir, { id: `round-${round}`, limit: 1000 });
    expect(entries.map(({ callOutcome }) => callOutcome.outcome)).toEqual(Array<string>(8).fill('applied'));
  }
  expect(begun).toHaveLength(120);
});

it('a change that another machine closed meanwhile, and that ends unknown, keeps the one line that closed it', async () => {
  const { ports, recorder, path, entry } = await setUpBegun();
  await recorder.supersede([{ entry, operation: 'card.block', id: CARD }], 'later');
  await recorder.end(entry, ended({ outcome: 'unknown' }));
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  expect(await showHistory(ports.stateDir, entry)).toMatchObject({ supersededBy: 'later' });
  expect(await readOpenWrites(ports)).toEqual([]);
});

/** Is a change that must not happen twice sent, or what holds it back? */
const fateOf = (begins: Promise<string>) =>
  begins.then(
    () => 'sent',
    (error: unknown) => (error instanceof SentElsewhere ? `held, ${error.isOpen ? 'open' : 'ended'}` : error),
  );

it.each<
  [
    string,
    Partial<CallOutcome>,
    Partial<KnownBefore & { sinceMs: number; as: 'applied' | 'not_applied'; isReset: boolean }>,
    string,
  ]
>([
  ['was sent before the question', { outcome: 'applied' }, { sinceMs: 2 }, 'sent'],
  ['was sent while the question stood', { outcome: 'applied' }, {}, 'held, ended'],
  ['was refused while the question stood', { outcome: 'rejected' }, {}, 'held, ended'],
  ['was not sent', { outcome: 'not_sent' }, {}, 'sent'],
  ['is open', { outcome: 'unknown' }, { sinceMs: 2 }, 'held, open'],
  ['is open, and was named', { outcome: 'unknown' }, { named: ['first'] }, 'sent'],
  ['is open, with --again', { outcome: 'unknown' }, { isAgain: true }, 'sent'],
  ['was found done', { outcome: 'unknown' }, { as: 'applied' }, 'held, ended'],
  ['was named, and found done since', { outcome: 'unknown' }, { named: ['first'], as: 'applied' }, 'held, ended'],
  ['was named, and found not done since', { outcome: 'unknown' }, { named: ['first'], as: 'not_applied' }, 'sent'],
  ['was found not done', { outcome: 'unknown' }, { as: 'not_applied' }, 'sent'],
  ['is open, and the sandbox was reset', { outcome: 'unknown' }, { isReset: true }, 'sent'],
])('a change that must not happen twice, where the same one %s', async (_, callOutcome, how, expected) => {
  const { ports, recorder, clock } = setUp();
  const { as, isReset = false, named, sinceMs = 1, ...known } = how;
  const change = { ...intent, operation: 'card.reissue', profile: isReset ? 'sandbox' : 'live' };
  const at = (ms: number) => clock.now() - clock.ms + ms;
  clock.ms = 1;
  const first = await recorder.begin(change, undefined, { since: { ms: at(0) } });
  await recorder.end(first, ended(callOutcome));
  clock.ms = 2;
  if (as !== undefined) await recorder.resolve({ entry: first, operation: change.operation, id: CARD }, { as });
  if (isReset) await markSandboxReset(ports.stateDir);
  const once = { ...known, since: { ms: at(sinceMs) }, named: named?.map(() => first) };
  expect(await fateOf(recorder.begin(change, undefined, once))).toBe(expected);
});

it.each<[string, readonly string[], boolean, string, ('rejected' | 'not_sent' | 'unknown')?]>([
  ['has its name, and is about to be sent', [], true, 'held, open'],
  ['has its name, and no answer yet', [CARD], true, 'held, open'],
  ['has its name, and was killed after it was sent', [CARD], false, 'held, open'],
  ['has its name, and was killed before it was sent', ['other'], false, 'sent'],
  ['has ended, and was refused', [CARD], true, 'held, ended', 'rejected'],
  ['has ended, and was not sent', [CARD], true, 'sent', 'not_sent'],
  ['was unknown and named, and was found done since', [CARD], true, 'held, ended', 'unknown'],
])('a change that must not happen twice, where a row of a run %s', async (_, ids, isHeld, expected, outcome) => {
  const { stateDir, clock, recorder } = setUp();
  const change = { ...intent, operation: 'card.reissue', url: 'https://cards.example' };
  const run = await beginRun(runPorts(stateDir, { clock }), runPlan({ name: 'may', operation: change.operation }));
  const name = onceFile(stateDir, { operation: change.operation, key: keyOfWrite(change) });
  if (outcome === undefined) linkSync(runMark(stateDir, 'may'), name);
  for (const [at, id] of ids.entries()) await run.journal.intent({ row: at + 1, id });
  if (outcome !== undefined) await run.journal.result({ row: 1, id: CARD }, ended({ outcome }));
  const named = outcome === 'unknown' ? ['may:1'] : [];
  if (outcome === 'unknown') await run.journal.resolve(1, 'resolved_applied');
  if (!isHeld) await run.close();
  expect(await fateOf(recorder.begin(change, undefined, { since: { ms: clock.now() }, named }))).toBe(expected);
  if (isHeld) await run.close();
});

it('what was added since somebody looked is found whatever its clock said, and nothing older that was moved', async () => {
  const { stateDir, recorder, clock, ports } = setUp();
  const change = (id: string) => ({ ...intent, operation: 'card.reissue', url: 'https://cards.example', id });
  const single = async (id: string) => recorder.end(await recorder.begin(change(id)), ended({ outcome: 'applied' }));
  const run = await beginRun(runPorts(stateDir, { clock }), runPlan({ name: 'may', operation: 'card.reissue' }));
  const { journal } = runFolder(stateDir, 'may');
  const row = async (n: number, id: string) => {
    await run.journal.intent({ row: n, id });
    await run.journal.result({ row: n, id }, ended({ outcome: 'applied' }));
    fs.utimesSync(journal, 0, 0);
  };
  const openSent = (since: Since) => new SentSince(stateDir, 'card.reissue', since);
  const foundBy = async (sent: SentSince) => {
    const ids = ['old', 'old row', 'new', 'new row'];
    const all = await Promise.all(ids.map((id) => sent.find(keyOfWrite(change(id)), () => true)));
    return all.map((entry) => entry?.id).join();
  };
  await single('oldest');
  clock.ms = 10;
  await single('old');
  await row(1, 'old row');
  clock.ms = 60_000;
  const since = await sinceNow(stateDir, 'card.reissue', clock.now());
  const early = openSent(since);
  expect([await foundBy(early), await pruneLedger(ports, clock.now() - 59_995)]).toEqual([',,,', 1]);
  expect([await foundBy(early), await foundBy(openSent(since))]).toEqual([',,,', ',,,']);
  clock.ms = 20;
  await single('new');
  await row(2, 'new row');
  const found = [early, openSent(since), openSent({ ms: since.ms })];
  expect(await Promise.all(found.map(foundBy))).toEqual([',,new,new row', ',,new,new row', ',,,']);
  fs.cpSync(journal, `${journal}.copy`);
  fs.renameSync(`${journal}.copy`, journal);
  expect(await foundBy(openSent(since))).toBe(',,new,');
});

it('rows that look at once all find what was sent since, also behind a line of a clock that was set back', async () => {
  const { stateDir, recorder, clock } = setUp();
  const change = { ...intent, operation: 'card.reissue' };
  clock.ms = 60_000;
  const since = new SentSince(stateDir, change.operation, { ms: clock.now() });
  const sent = await recorder.begin(change, undefined, { since: { ms: clock.now() } });
  await recorder.end(sent, ended({ outcome: 'applied' }));
  clock.ms = 0;
  await recorder.end(await recorder.begin(intent), ended({ outcome: 'applied' }));
  const find = () => since.find(keyOfWrite(change), () => true);
  expect((await Promise.all([find(), find(), find()])).map((each) => each?.entry)).toEqual([sent, sent, sent]);
  clock.ms = 61_000;
  const later = { ...change, id: 'card-2' };
  const added = await recorder.begin(later, undefined, { since: { ms: clock.now() } });
  expect(await since.find(keyOfWrite(later), () => true)).toBeUndefined();
  await recorder.end(added, ended({ outcome: 'applied' }));
  expect(await since.find(keyOfWrite(later), () => true)).toMatchObject({ entry: added });
});

it('no record of a write holds a token that the service repeated, in the history or the audit log', async () => {
  const { ports, stateDir } = setUp();
  const log = join(stateDir, 'audit.ndjson');
  const mask = (text: string) => text.replaceAll('tok', '***');
  const recorder = openRecorder({ ...ports, user: 'ada', audit: openAuditLog(log), mask });
  const repeats = { observedStatus: 'tok', clientReference: 'a tok', resultId: 'tok' };
  const entry = await recorder.begin({ ...intent, clientReference: 'a tok' });
  await recorder.end(entry, ended({ outcome: 'unknown', ...repeats }));
  await recorder.recordCheck({ ...intent, entry }, ended({ outcome: 'confirmed_by_read', ...repeats }));
  await recorder.begin(intent, ended({ outcome: 'not_sent', ...repeats }));
  const { entries } = await readHistory(stateDir, { limit: 9 });
  expect(entries.map(({ clientReference }) => clientReference)).toEqual(['a ***', 'a ***']);
  expect(JSON.stringify(entries) + readFileSync(log, 'utf8')).not.toContain('tok');
});

it('a reference and a reason stand in quotes, so that neither is another line of the history', () => {
  const clientReference = `New card ${CARD}`;
  const reason = 'superseded by 04e0f9';
  const about = { entry: 'e', operation: 'card.reissue', id: CARD, user: 'ada', outcome: 'unknown' };
  const row = fromPlain({ ...about, clientReference, reason });
  const lines = blockOf([row])(row, { width: 80, colour: false, unicode: true, now: 0 });
  expect(lines[1]).toBe(`  ${CARD}`);
  expect(lines[2]).toBe(`  "New card ${CARD}"`);
  expect(lines[3]).toMatch(/^ {2}Reason "superseded by 04e0f9" +ada$/);
});

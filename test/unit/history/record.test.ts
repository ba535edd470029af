import fs, {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAuditLog } from '../../../src/history/audit-log.ts';
import { historyJson } from '../../../src/history/entry-table.ts';
import { readOpenWrites } from '../../../src/history/open-index.ts';
import { pruneHistory } from '../../../src/history/prune.ts';
import { readHistory, showHistory } from '../../../src/history/read.ts';
import { NO_RECORD, openRecorder, type WriteIntent } from '../../../src/history/record.ts';
import { printJson } from '../../../src/json/print.ts';
import { beginRun } from '../../../src/run/stored/run-store.ts';
import { temporaryFolder } from '../files/place.ts';
import { ended, FakeClock, runPlan, runPorts } from '../run/fakes.ts';

const CARD = '4f1c8e5a-0f2b-4c1d-9e3f-1a2b3c4d5e6f';
const DAY_MS = 86_400_000;

const intent: WriteIntent = {
  operation: 'card.block',
  id: CARD,
  reason: 'lost, INC-7',
  profile: 'demo',
  host: 'cards.example',
};

function setUp() {
  const stateDir = temporaryFolder();
  const clock = new FakeClock();
  const ports = { stateDir, clock, pid: process.pid };
  return {
    stateDir,
    clock,
    ports,
    recorder: openRecorder({ ...ports, user: 'ada' }),
    path: join(stateDir, 'history.jsonl'),
  };
}

it('the record of a write is on the disk before the write is sent, for its user only', async () => {
  const { recorder, path, stateDir, ports } = setUp();
  const entry = await recorder.begin(intent);
  expect(entry).toMatch(/^20260501T120000000-[0-9a-f]+-[0-9a-f]{6}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  expect(await readHistory(ports.stateDir, { limit: 50 })).toMatchObject({
    entries: [{ entry, callOutcome: { outcome: 'unknown' } }],
  });
});

it('the record of a write says afterwards how it ended', async () => {
  const { recorder, clock, ports } = setUp();
  const entry = await recorder.begin(intent);
  clock.ms += 300;
  await recorder.end(
    entry,
    ended({ outcome: 'applied', httpStatus: 200, requestId: 'r-1', durationMs: 300, resultId: 'new-1' }),
  );
  const shown = await showHistory(ports.stateDir, entry);
  expect(printJson(historyJson(shown))).toBe(
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
  const entry = await recorder.begin({
    ...intent,
    operation: 'calendar.event.create',
    id: undefined,
    reason: undefined,
  });
  await recorder.end(entry, ended({ outcome: 'not_sent', durationMs: 1 }));
  const json = printJson(historyJson(await showHistory(ports.stateDir, entry)));
  expect(JSON.parse(json)).toMatchObject({
    id: null,
    reason: null,
    outcome: 'not_sent',
    httpStatus: null,
    requestId: null,
    resultId: null,
  });
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

it('the record of a write keeps its own line when another process died in the middle of one', async () => {
  const { recorder, path, ports } = setUp();
  await recorder.begin(intent);
  appendFileSync(path, '{"event":"begin","entry":"half');
  const entry = await recorder.begin({ ...intent, id: 'other' });
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries).toHaveLength(2);
  expect(await showHistory(ports.stateDir, entry)).toMatchObject({ id: 'other' });
});

it('the record of a write that cannot be begun refuses the write, with 16', async () => {
  const stateDir = join(temporaryFolder(), 'file');
  writeFileSync(stateDir, '');
  const recorder = openRecorder({ stateDir, clock: new FakeClock(), pid: process.pid, user: 'ada' });
  await expect(recorder.begin(intent)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    exitCode: 16,
    details: { outcome: 'not_sent' },
    hints: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('--no-history') })]),
  });
});

it('the record of a write never follows a symbolic link', async () => {
  const { recorder, path, stateDir } = setUp();
  symlinkSync(join(stateDir, 'elsewhere'), path);
  await expect(recorder.begin(intent)).rejects.toMatchObject({ code: 'AUTH' });
});

it('the record of a write that cannot be ended says that the write was applied, and the id in the answer', async () => {
  const { recorder, path } = setUp();
  const entry = await recorder.begin(intent);
  rmSync(path);
  mkdirSync(path);
  await expect(
    recorder.end(entry, ended({ outcome: 'applied', durationMs: 1, resultId: 'new-1' })),
  ).rejects.toMatchObject({
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

it('frontdesk history is empty when nothing was written', async () => {
  expect(await readHistory(setUp().ports.stateDir, { limit: 50 })).toEqual({ entries: [], unread: new Map() });
});

async function threeWrites() {
  const all = setUp();
  const { recorder, clock } = all;
  const first = await recorder.begin(intent);
  await recorder.end(first, ended({ outcome: 'rejected', durationMs: 1 }));
  clock.ms += DAY_MS;
  const second = await recorder.begin({ ...intent, id: 'sub_1' });
  await recorder.end(second, ended({ outcome: 'applied', durationMs: 1, resultId: CARD }));
  clock.ms += DAY_MS;
  const third = await recorder.begin({ ...intent, id: 'SUB_1' });
  return { ...all, first, second, third };
}

it('frontdesk history shows the newest first, and so many as asked for', async () => {
  const { ports, second, third } = await threeWrites();
  const { entries } = await readHistory(ports.stateDir, { limit: 2 });
  expect(entries.map(({ entry }) => entry)).toEqual([third, second]);
});

it('frontdesk history finds a card whatever the case, also as the id in an answer; other ids exactly', async () => {
  const { ports, first, second, third } = await threeWrites();
  const find = async (id: string) =>
    (await readHistory(ports.stateDir, { id, limit: 50 })).entries.map(({ entry }) => entry);
  expect(await find(CARD.toUpperCase())).toEqual([second, first]);
  expect(await find('SUB_1')).toEqual([third]);
  expect(await find('nobody')).toEqual([]);
});

it('frontdesk history filters by time and outcome', async () => {
  const { ports, clock, second, third } = await threeWrites();
  const since = await readHistory(ports.stateDir, { sinceMs: clock.now() - DAY_MS, limit: 50 });
  expect(since.entries.map(({ entry }) => entry)).toEqual([third, second]);
  const applied = await readHistory(ports.stateDir, { outcome: 'applied', limit: 50 });
  expect(applied.entries.map(({ entry }) => entry)).toEqual([second]);
  const unknown = await readHistory(ports.stateDir, { outcome: 'unknown', limit: 50 });
  expect(unknown.entries.map(({ entry }) => entry)).toEqual([third]);
});

it('frontdesk history shows the rows of runs among the single writes, read from their journals', async () => {
  const { stateDir, ports, clock, recorder } = setUp();
  const single = await recorder.begin(intent);
  clock.ms += 1000;
  const run = await beginRun(runPorts(stateDir, { clock }), runPlan({ name: 'may' }));
  await run.journal.intent({ row: 2, id: 'card-2', reason: 'lost' });
  clock.ms += 1000;
  await run.journal.intent({ row: 1, id: 'card-1' });
  await run.journal.result(
    { row: 2, id: 'card-2' },
    ended({ outcome: 'applied', httpStatus: 200, requestId: 'r-2', durationMs: 9 }),
  );
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries.map(({ entry, callOutcome }) => [entry, callOutcome.outcome])).toEqual([
    ['may:1', 'unknown'],
    ['may:2', 'applied'],
    [single, 'unknown'],
  ]);
  expect(JSON.parse(printJson(historyJson(await showHistory(ports.stateDir, 'may:2'))))).toEqual({
    entry: 'may:2',
    time: '2026-05-01T12:00:01.000Z',
    user: 'ada',
    profile: 'demo',
    host: 'cards.example',
    operation: 'card.block',
    id: 'card-2',
    resultId: null,
    reason: 'lost',
    outcome: 'applied',
    httpStatus: 200,
    requestId: 'r-2',
    durationMs: 9,
    run: 'may',
  });
  await run.close();
});

it('frontdesk history holds only the newest rows of a large run', async () => {
  const { stateDir, ports, clock } = setUp();
  const run = await beginRun(runPorts(stateDir, { clock }), runPlan({ name: 'may', rows: 500, inputRows: 500 }));
  for (let row = 1; row <= 500; row += 1) {
    clock.ms += 1;
    void run.journal.intent({ row, id: `card-${row}` });
  }
  await run.close();
  const { entries } = await readHistory(ports.stateDir, { limit: 3 });
  expect(entries.map(({ entry }) => entry)).toEqual(['may:500', 'may:499', 'may:498']);
});

it('frontdesk history names a run that cannot be read and shows the rest', async () => {
  const { stateDir, ports, recorder } = setUp();
  await recorder.begin(intent);
  const run = await beginRun(runPorts(stateDir), runPlan({ name: 'may' }));
  await run.close();
  writeFileSync(run.folder.journal, 'x\ny\n');
  const page = await readHistory(ports.stateDir, { limit: 50 });
  expect(page.entries).toHaveLength(1);
  expect([...page.unread.keys()]).toEqual(['may']);
});

it.each(['nothing', 'may:1', '../x:1', 'may:0'])('frontdesk history has no entry %s', async (name) => {
  await expect(showHistory(setUp().ports.stateDir, name)).rejects.toMatchObject({ code: 'USAGE' });
});

const lastLine = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '';

it.each(['{"event":"end",', '"outcome":"applied"'])(
  'a change that was killed while it wrote its end up to %s stays open, and is unknown',
  async (upTo) => {
    const { ports, recorder, path } = setUp();
    const entry = await recorder.begin(intent);
    const { size } = statSync(path);
    await recorder.end(entry, ended({ outcome: 'applied', httpStatus: 200 }));
    const end = lastLine(path);
    const half = end.slice(0, end.indexOf(upTo) + upTo.length);
    expect(half.length).toBeLessThan(end.length);
    fs.truncateSync(path, size);
    // Of a process that is gone.
    const begin = readFileSync(path, 'utf8').replace(/"maker":"[^"]*"/, '"maker":"00000000-1-1"');
    writeFileSync(path, `${begin}${half}`);
    await recorder.begin({ ...intent, id: 'next' });
    expect((await readOpenWrites(ports)).open.map((each) => each.entry)).toEqual([entry]);
    const { entries } = await readHistory(ports.stateDir, { limit: 50, outcome: 'unknown', id: CARD });
    expect(entries.map((each) => each.entry)).toEqual([entry]);
  },
);

it.each(['superseded', 'resolved'])(
  'a write that was killed while it wrote its end stays open while half a line says that it was %s',
  async (event) => {
    const { ports, recorder, path } = setUp();
    const entry = await recorder.begin(intent);
    await recorder.end(entry, ended({ outcome: 'unknown', durationMs: 1 }));
    appendFileSync(path, `{"event":"${event}","entry":"${entry}","time":"2026-05-01T12:0\n`);
    expect((await readOpenWrites(ports)).open.map((each) => each.entry)).toEqual([entry]);
  },
);

it('history prune removes old entries whole and keeps young ones', async () => {
  const { ports, clock, recorder, path } = setUp();
  await recorder.end(await recorder.begin(intent), ended({ outcome: 'applied', durationMs: 1 }));
  await recorder.end(await recorder.begin(intent), ended({ outcome: 'rejected', durationMs: 1 }));
  clock.ms += 91 * DAY_MS;
  const young = await recorder.begin(intent);
  expect(await pruneHistory(ports, 90 * DAY_MS)).toBe(2);
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries.map(({ entry }) => entry)).toEqual([young]);
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await pruneHistory(ports, 90 * DAY_MS)).toBe(0);
});

it('history prune keeps an old write whose outcome is still unknown', async () => {
  const { ports, clock, recorder } = setUp();
  const open = await recorder.begin(intent);
  await recorder.end(open, ended({ outcome: 'unknown', durationMs: 1 }));
  await recorder.end(await recorder.begin({ ...intent, id: 'other' }), ended({ outcome: 'applied', durationMs: 1 }));
  clock.ms += 91 * DAY_MS;
  expect(await pruneHistory(ports, 90 * DAY_MS)).toBe(1);
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries.map(({ entry, callOutcome }) => [entry, callOutcome.outcome])).toEqual([[open, 'unknown']]);
});

it('history prune keeps an old write that is still under way, and its end with it', async () => {
  const { ports, clock, recorder } = setUp();
  const sleeping = await recorder.begin(intent);
  await recorder.end(await recorder.begin({ ...intent, id: 'other' }), ended({ outcome: 'applied', durationMs: 1 }));
  clock.ms += 91 * DAY_MS;
  expect(await pruneHistory(ports, 90 * DAY_MS)).toBe(1);
  await recorder.end(sleeping, ended({ outcome: 'unknown', durationMs: 1 }));
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries.map(({ entry, callOutcome }) => [entry, callOutcome.outcome])).toEqual([[sleeping, 'unknown']]);
  expect((await readOpenWrites(ports)).open.map(({ entry }) => entry)).toEqual([sleeping]);
});

it('history prune that was killed right after it replaced the file leaves what was written meanwhile to the next reader', async () => {
  const { ports, recorder, path } = setUp();
  await recorder.begin({ ...intent, id: 'judged' });
  const { size } = statSync(path);
  const late = await recorder.begin({ ...intent, id: 'late' });
  const second = `${path}.replaced-${size}`;
  fs.renameSync(path, second);
  writeFileSync(path, '', { mode: 0o600 });
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries.map(({ entry }) => entry)).toEqual([late]);
  expect(fs.existsSync(second)).toBe(false);
});

it('history prune that was killed before it replaced the file leaves a second name, which the next one removes', async () => {
  const { ports, recorder, path } = setUp();
  const entry = await recorder.begin(intent);
  const second = `${path}.replaced-10`;
  fs.linkSync(path, second);
  const { entries } = await readHistory(ports.stateDir, { limit: 50 });
  expect(entries.map((each) => each.entry)).toEqual([entry]);
  expect(await pruneHistory(ports, DAY_MS)).toBe(0);
  expect(fs.existsSync(second)).toBe(false);
});

it('history prune of nothing removes nothing', async () => {
  expect(await pruneHistory(setUp().ports, DAY_MS)).toBe(0);
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
    await Promise.all([pruneHistory(ports, 90 * DAY_MS), ...writes]);
    const { entries } = await readHistory(ports.stateDir, { id: `round-${round}`, limit: 1000 });
    expect(entries.map(({ callOutcome }) => callOutcome.outcome)).toEqual(Array<string>(8).fill('applied'));
  }
  expect(begun).toHaveLength(120);
});

it('a line that went to a file which was just replaced is written to the new one', async () => {
  const { recorder, path, ports } = setUp();
  await recorder.begin(intent);
  const { open } = fs.promises;
  let isReplaced = false;
  // Another process prunes between the write and the look at what it was written to.
  const replacing: typeof open = async (...args) => {
    const file = await open(...args);
    const datasync = file.datasync.bind(file);
    file.datasync = async () => {
      await datasync();
      if (isReplaced) return;
      isReplaced = true;
      fs.writeFileSync(`${path}.new`, '', { mode: 0o600 });
      fs.renameSync(`${path}.new`, path);
    };
    return file;
  };
  Object.assign(fs.promises, { open: replacing });
  syncBuiltinESMExports();
  try {
    const entry = await recorder.begin({ ...intent, id: 'other' });
    expect(isReplaced).toBe(true);
    expect(await showHistory(ports.stateDir, entry)).toMatchObject({ id: 'other' });
  } finally {
    Object.assign(fs.promises, { open });
    syncBuiltinESMExports();
  }
});

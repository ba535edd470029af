import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { openRecordReader, readLastRecord, scanJournal, successorIn } from '../../../../src/records/journal/reader.ts';
import { checksumOf, encodeRecord, type JournalRecord } from '../../../../src/records/journal/record.ts';
import { temporaryFolder } from '../../base/files/place.ts';

/** What a reader keeps of a journal at a time, and what a scan reads at a time. */
const BLOCK = 256 * 1024;
const CHUNK = 1024 * 1024;

const intent = (n: number, reason?: string) => ({ n, t: 5, s: 'intent', a: 1, id: `card-${n}`, reason }) as const;

/** The line of an intent, which is `length` bytes long with its newline. */
function lineOf(n: number, length?: number): string {
  const bare = encodeRecord(intent(n, ''), 1);
  return length === undefined ? bare : encodeRecord(intent(n, 'x'.repeat(length - bare.length)), 1);
}

function journalOf(...parts: readonly string[]): string {
  const path = join(temporaryFolder(), 'journal.jsonl');
  writeFileSync(path, parts.join(''));
  return path;
}

/** What a scan of whole lines comes to. */
const whole = (taken: readonly (readonly number[])[], length: number) => ({ taken, length, lacksNewline: false });

/** Rows and offsets that a scan hands over, and what it comes to. */
async function scanned(path: string) {
  const taken: [row: number | undefined, offset: number][] = [];
  const result = await scanJournal(path, (record, offset) => {
    taken.push(['n' in record ? record.n : undefined, offset]);
    return true;
  });
  return { taken, ...result };
}

it('scanning a journal hands over each record with the place of its line', async () => {
  const [one, two] = [lineOf(1), lineOf(2)];
  const places = [
    [1, 0],
    [2, one.length],
  ];
  expect(await scanned(journalOf(one, two))).toEqual(whole(places, one.length + two.length));
  expect(await scanned(journalOf())).toEqual(whole([], 0));
  // A last record may lack its newline alone.
  const length = one.length + two.length - 1;
  expect(await scanned(journalOf(one, two.trimEnd()))).toEqual({ taken: places, length, lacksNewline: true });
});

it.each([
  ['ends with a chunk', CHUNK - 200],
  ['lies across two chunks', CHUNK - 100],
  ['begins with a chunk', CHUNK],
])('scanning a journal reads a record that %s', async (_what, at) => {
  const long = lineOf(1, at);
  const path = journalOf(long, lineOf(2, 200), lineOf(3, 200));
  const places = [
    [1, 0],
    [2, at],
    [3, at + 200],
  ];
  expect(await scanned(path)).toEqual(whole(places, at + 400));
});

it('scanning a journal leaves out what a crash cut, and says where it begins', async () => {
  const [one, two] = [lineOf(1), lineOf(2)];
  for (const length of [1, 5, two.length - 2]) {
    expect(await scanned(journalOf(one, two.slice(0, length)))).toEqual(whole([[1, 0]], one.length));
  }
});

it.each([
  ['whose line cannot be read', [lineOf(1), 'x\n', lineOf(2)], 2],
  ['whose last newline is another byte', [lineOf(1), lineOf(2).replace('\n', 'x')], 2],
  ['whose only line has such a newline', [lineOf(1).replace('\n', '\r')], 1],
])('scanning a journal refuses one %s', async (_what, parts, line) => {
  const path = journalOf(...parts);
  await expect(scanned(path)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `the run's record is damaged at line ${line} (${path}). Nothing was sent.`,
    hints: ['check the rows of this run at the service: what was sent after that line cannot be known from here'],
  });
});

it.each([
  ['in the middle', [lineOf(1), lineOf(2), lineOf(3)]],
  ['at the end, without a newline', [lineOf(1), lineOf(2).trimEnd()]],
])('scanning a journal refuses a record that cannot follow %s', async (_what, parts) => {
  const path = journalOf(...parts);
  const scanning = scanJournal(path, (record) => !('n' in record && record.n === 2));
  await expect(scanning).rejects.toThrow(`the run's record is damaged at line 2 (${path})`);
});

it('scanning a journal ends with LOCAL_IO where there is none, or none that can be read', async () => {
  const folder = temporaryFolder();
  const none = join(folder, 'none');
  const check = 'check its rows at the service: what was sent of them cannot be known from here';
  await expect(scanned(none)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `the run's record is gone (${none}). Nothing was sent.`,
    hints: [check, { do: 'remove it', words: 'then remove it', about: basename(folder) }],
  });
  const message = expect.stringMatching(/^could not read the run's record \(.*\): .*\. Nothing was sent\.$/);
  await expect(scanned(folder)).rejects.toMatchObject({ code: 'LOCAL_IO', message });
});

const end: JournalRecord = { t: 9, s: 'end', state: 'finished', outcomes: { applied: 1 } };

it.each<[string, readonly string[], object | undefined]>([
  ['is its last line', [lineOf(1), encodeRecord(end, 1)], { s: 'end', e: 1 }],
  ['is its only line', [encodeRecord(end, 1)], { s: 'end', e: 1 }],
  ['is the last of its newest holder', [lineOf(1), encodeRecord(end, 12), lineOf(2), lineOf(3)], { s: 'end', e: 12 }],
  ['is none in an empty journal', [], undefined],
  ['is none when the last line was cut', [lineOf(1), lineOf(2).slice(0, -1)], undefined],
  ['is none when the last line cannot be read', [lineOf(1), 'x\n'], undefined],
  ['is none when the last line is longer than 64 KiB', [lineOf(1), lineOf(2, 70_000)], undefined],
  ['is found behind megabytes', [lineOf(1, CHUNK), lineOf(2)], { n: 2 }],
  ['is found when it is as long as what is read', [lineOf(1, 65_536)], { n: 1 }],
])('the last record of a journal: %s', async (_what, parts, expected) => {
  const record = readLastRecord(journalOf(...parts));
  if (expected === undefined) expect(record).toBeUndefined();
  else expect(record).toMatchObject(expected);
});

it('the last record of a journal may be of the first version, which did not name its holder', async () => {
  const head = JSON.stringify({ n: 4, t: 1, s: 'applied', a: 1 }).slice(0, -1);
  expect(readLastRecord(journalOf(`${head},"c":"${checksumOf(head)}"}\n`))).toMatchObject({ n: 4, s: 'applied' });
});

it('the last record of a journal is none where there is no journal, and LOCAL_IO where none can be looked at', async () => {
  const folder = temporaryFolder();
  expect(readLastRecord(join(folder, 'none'))).toBeUndefined();
  const path = join(folder, 'file', 'journal.jsonl');
  writeFileSync(join(folder, 'file'), '');
  const message = expect.stringMatching(/^could not open the run's record \(.*\. Nothing was changed\.$/);
  expect(() => readLastRecord(path)).toThrow(expect.objectContaining({ code: 'LOCAL_IO', message }));
});

async function rowsOf(path: string): Promise<(number | undefined)[]> {
  const { taken } = await scanned(path);
  const reader = openRecordReader(path);
  const rows: (number | undefined)[] = [];
  for (const [, offset] of taken) {
    const record = reader.recordAt(offset);
    rows.push('n' in record ? record.n : undefined);
  }
  reader.close();
  return rows;
}

it.each([
  ['in the first block', [lineOf(1), lineOf(2)], [1, 2]],
  ['up to the end of a block', [lineOf(1, BLOCK), lineOf(2)], [1, 2]],
  ['across two blocks', [lineOf(1, BLOCK - 50), lineOf(2), lineOf(3)], [1, 2, 3]],
  ['with its newline in the next block', [lineOf(1, BLOCK + 1), lineOf(2)], [1, 2]],
  ['across four blocks', [lineOf(1), lineOf(2, 3 * BLOCK), lineOf(3)], [1, 2, 3]],
  ['without a newline at the end', [lineOf(1), lineOf(2).trimEnd()], [1, 2]],
  ['without a newline at the end of a block', [lineOf(1, BLOCK + 1).trimEnd()], [1]],
])('reading single records again finds one %s', async (_what, parts, rows) => {
  expect(await rowsOf(journalOf(...parts))).toEqual(rows);
});

it('reading single records again finds those of many blocks, forwards and backwards', async () => {
  const reader = openRecordReader(journalOf(...Array.from({ length: 8 }, (_, index) => lineOf(index + 1, BLOCK))));
  for (const row of [1, 2, 3, 4, 5, 6, 7, 8, 7, 3, 1, 8]) {
    expect(reader.recordAt((row - 1) * BLOCK)).toMatchObject({ n: row });
  }
  reader.close();
});

it('reading single records again reads a block once', async () => {
  const path = journalOf(lineOf(1), lineOf(2));
  const reader = openRecordReader(path);
  expect(reader.recordAt(0)).toMatchObject({ n: 1 });
  writeFileSync(path, readFileSync(path).fill('x'));
  expect(reader.recordAt(lineOf(1).length)).toMatchObject({ n: 2 });
  reader.close();
});

it('reading single records again is LOCAL_IO when the record is not there any more', async () => {
  const path = journalOf(lineOf(1));
  const reader = openRecordReader(path);
  writeFileSync(path, 'x'.repeat(100));
  const changed = { code: 'LOCAL_IO', message: `the run's record changed while it was read (${path})` };
  expect(() => reader.recordAt(0)).toThrow(expect.objectContaining(changed));
  reader.close();
});

const takenUp = (by: string, epoch: number) => encodeRecord({ t: 1, s: 'resumed', by }, epoch);

it('who took a run up is the first holder after that epoch, where a record says so', () => {
  const path = journalOf(takenUp('pod-a (process 1)', 1), takenUp('pod-b (process 23)', 2));
  appendFileSync(path, takenUp('pod-c (process 1)', 13));
  expect(successorIn(path, 1)).toBe('another frontdesk on pod-b (process 23)');
  expect(successorIn(path, 2)).toBe('another frontdesk on pod-c (process 1)');
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'journal.jsonl'));
  const others = [path, journalOf(lineOf(1)), join(folder, 'journal.jsonl'), join(folder, 'none')];
  expect(others.map((other, at) => successorIn(other, at === 0 ? 13 : 0))).toEqual(Array(4).fill(undefined));
});

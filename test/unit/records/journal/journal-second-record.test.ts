import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { type AppendFile, openAppendFile } from '../../../../src/records/journal/append-file.ts';
import { type RunAudit, RunJournal } from '../../../../src/records/journal/journal.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { ended, FakeClock, HELD } from '../../runs/fakes.ts';

const ROWS = 10;

const full = new Failure('LOCAL_IO', 'could not write the audit log');

/** A second record that notes what it is given; from `fails` on it cannot be written. */
function secondRecord(fails: boolean) {
  const lines: string[] = [];
  const write = async (line: string) => {
    lines.push(line);
    if (fails) throw full;
  };
  const audit: RunAudit = {
    failure: undefined,
    begin: ({ row, id }) => write(`begin ${row} ${id}`),
    end: ({ row, id }, { outcome }, _, wasBegun) => write(`end ${row} ${id} ${outcome} ${wasBegun === true}`),
  };
  return { lines, audit };
}

/** The open rows of a long run stand in different blocks of its journal. */
async function killedFarApart(...rows: readonly number[]): Promise<string> {
  const said = 'x'.repeat(2000);
  return killedAt(rows, async (journal) => {
    const ending = ended({ outcome: 'not_sent' });
    await Promise.all(
      Array.from({ length: 200 }, () => journal.result({ row: 1, id: 'card-1' }, ending, { message: said })),
    );
  });
}

async function killedAt(
  rows: readonly number[],
  between: (journal: RunJournal) => Promise<void> = async () => undefined,
): Promise<string> {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const journal = await RunJournal.create(path, ROWS, { ...HELD, clock: new FakeClock() });
  for (const row of rows) {
    await journal.intent({ row, id: `card-${row}`, reason: undefined });
    await between(journal);
  }
  await journal.close();
  return path;
}

it('the second record of a run is written before a byte leaves: without it no attempt begins and no row is printed', async () => {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const { lines, audit } = secondRecord(true);
  const journal = await RunJournal.create(path, ROWS, { ...HELD, clock: new FakeClock(), audit });
  await expect(journal.intent({ row: 3, id: 'card-3', reason: undefined })).rejects.toBe(full);
  await expect(journal.result({ row: 3, id: 'card-3' }, ended({ outcome: 'applied' }))).rejects.toBe(full);
  expect(lines).toEqual(['begin 3 card-3', 'end 3 card-3 applied false']);
  await journal.close();
});

it('the second record of a run has the end of what a killed process began, before anything else is sent', async () => {
  const path = await killedAt([4]);
  const { lines, audit } = secondRecord(false);
  const journal = await RunJournal.resume(path, ROWS, { ...HELD, clock: new FakeClock(), audit });
  expect(lines).toEqual(['end 4 card-4 unknown true']);
  await journal.close();
});

it('a run whose second record cannot be written is not resumed', async () => {
  const { audit } = secondRecord(true);
  const resumed = RunJournal.resume(await killedAt([4]), ROWS, { ...HELD, clock: new FakeClock(), audit });
  await expect(resumed).rejects.toBe(full);
});

it('a run whose record cannot be written is not resumed, and the failure is heard while open rows are read', async () => {
  const { audit } = secondRecord(false);
  const path = await killedFarApart(4, 5, 6);
  const openFile = async (): Promise<AppendFile> => ({
    ...(await openAppendFile(path)),
    append: () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  });
  const resumed = RunJournal.resume(path, ROWS, { ...HELD, clock: new FakeClock(), audit, openFile });
  await expect(resumed).rejects.toMatchObject({ code: 'LOCAL_IO' });
});

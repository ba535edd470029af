import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { DeskLog } from '../../../src/desk/desk-log.ts';
import { createReport } from '../../../src/desk/hand-over.ts';
import { NO_RECORD } from '../../../src/records/record.ts';
import { temporaryFolder } from '../base/files/place.ts';
import { ended, FakeClock } from '../runs/fakes.ts';

it('a report of the desk that cannot be written at the start leaves no file, which would refuse the next start', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'shift.md');
  const log = new DeskLog({ now: () => 0 });
  const full = () => {
    throw new Failure('LOCAL_IO', 'no space left on the device');
  };
  const context = { clock: { now: full, monotonic: () => 0, sleep: () => Promise.resolve() }, pid: 1 };
  const failure = await createReport(path, log, 'live', context).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'LOCAL_IO',
    message: `could not save the report ${path}: no space left on the device. Nothing was sent.`,
    hints: [],
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('a report of the desk in CSV has no formula, whatever a reason says', async () => {
  const path = join(temporaryFolder(), 'shift.csv');
  const clock = new FakeClock();
  const log = new DeskLog(clock);
  const change = { operation: 'card.block', id: 'c-1', reason: '=1+1', profile: 'demo', host: 'h' };
  await log.recording(NO_RECORD).begin(change, ended({ outcome: 'applied' }));
  await createReport(path, log, 'live', { clock, pid: 1 });
  expect(readFileSync(path, 'utf8')).toContain(`c-1,block,applied,,'=1+1\r\n`);
});

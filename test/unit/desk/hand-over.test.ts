import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { DeskLog } from '../../../src/desk/desk-log.ts';
import { createReport, handOverText } from '../../../src/desk/hand-over.ts';
import { NO_RECORD } from '../../../src/records/record.ts';
import { NO_OUTCOME } from '../../../src/service/call-outcome.ts';
import { temporaryFolder } from '../base/files/place.ts';

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

it('the list for a colleague has first what is open and what was not sent, and then what was done, the oldest first', async () => {
  const log = new DeskLog({ now: () => 0 });
  const recorder = log.recording(NO_RECORD);
  for (const outcome of ['applied', 'not_sent', 'rejected', 'unknown'] as const) {
    const intent = { operation: 'card.block', id: 'c', reason: outcome, profile: 'live', host: 'h' };
    await recorder.end(await recorder.begin(intent), { ...NO_OUTCOME, outcome });
  }
  const listed = handOverText(log, 'live', 0);
  expect(listed.match(/(?<=reason: ).*/g)).toEqual(['not_sent', 'unknown', 'applied', 'rejected']);
  expect(listed).toContain('This session (live): 1 not sent, 1 UNKNOWN, 1 applied, 1 rejected\n');
});

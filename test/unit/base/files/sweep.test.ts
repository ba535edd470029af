import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { identify, temporaryName } from '../../../../src/base/files/process-identity.ts';
import { sweepLeftovers } from '../../../../src/base/files/sweep.ts';
import { putLockHere } from './locks.ts';
import { realClock, temporaryFolder } from './place.ts';

const owner = { pid: process.pid, clock: realClock() };

/** No process has this pid: Linux ends at 4194304, others far below. */
const NO_PID = 999_999_999;

it('C11 the sweep removes temporary files and locks of dead processes, those of other machines after a day, and nothing else', async () => {
  const folder = temporaryFolder();
  const { host } = identify(process.pid);
  const mine = temporaryName(process.pid);
  const foreign = '.frontdesk-00000000-12-34-0123456789ab.tmp';
  const write = (name: string, text = '') => writeFileSync(join(folder, name), text);
  write('settings.json', '{}');
  write('other.tmp');
  write('.frontdesk-notes.tmp');
  write(mine);
  write(foreign);
  putLockHere(join(folder, 'alive.lock'), 'living');
  putLockHere(join(folder, 'dead.lock'), 'dead');
  write(`.frontdesk-${host}-${NO_PID}-1-0123456789ab.tmp`);
  write(`.frontdesk-${host}-${NO_PID}-1-0123456789ab.tmp.tmp-1234567890abcdef`);
  await sweepLeftovers(folder, owner);
  const kept = ['settings.json', 'other.tmp', '.frontdesk-notes.tmp', mine, foreign, 'alive.lock'];
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  const hoursAgo = Date.now() / 1000 - 23 * 3600;
  utimesSync(join(folder, foreign), hoursAgo, hoursAgo);
  await sweepLeftovers(folder, owner);
  expect(readdirSync(folder)).toContain(foreign);
  const daysAgo = Date.now() / 1000 - 25 * 3600;
  utimesSync(join(folder, foreign), daysAgo, daysAgo);
  await sweepLeftovers(folder, owner);
  expect(readdirSync(folder)).not.toContain(foreign);
});

it('the sweep does nothing for a folder that does not exist', async () => {
  await expect(sweepLeftovers(join(temporaryFolder(), 'none'), owner)).resolves.toBeUndefined();
});

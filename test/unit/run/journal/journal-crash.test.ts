import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/failure.ts';
import { type AppendFile, openAppendFile } from '../../../../src/run/journal/append-file.ts';
import { RunJournal } from '../../../../src/run/journal/journal.ts';
import { runRows } from '../../../../src/run/row-runner.ts';
import { temporaryFolder } from '../../files/place.ts';
import { answered, FakeClock, failed, HELD, planOf } from '../fakes.ts';

const ROWS = 5;
const CONCURRENCY = 2;

/** What the process does wrong; each must be caught by the same test that the real code passes. */
type Mutant = 'none' | 'sends before the intent is on the disk' | 'keeps a torn tail' | 'sends unknown rows again';
/** What a crash leaves of what was not synced: all of it, all but the last bytes, nothing (power cut). */
type Remains = 'all' | 'torn' | 'nothing';

/** A process whose n-th deed is its last: from then on nothing that it tries reaches the world. */
class CrashingProcess {
  steps = 0;
  syncedLength = 0;
  readonly #crashAt: number;

  constructor(crashAt: number) {
    this.#crashAt = crashAt;
  }

  get isDead(): boolean {
    return this.steps >= this.#crashAt;
  }

  step(): void {
    if (!this.isDead) this.steps += 1;
    if (this.isDead) throw new Error('this process is dead');
  }

  async openFile(path: string, mutant: Mutant): Promise<AppendFile> {
    const file = await openAppendFile(path);
    this.syncedLength = file.length;
    const isLate = mutant === 'sends before the intent is on the disk';
    let held = '';
    return {
      length: file.length,
      append: (text) => {
        if (this.isDead) throw new Error('this process is dead');
        file.append(isLate ? held : text);
        held = text;
      },
      sync: async () => {
        this.step();
        await file.sync();
        this.syncedLength = statSync(path).size;
        this.step();
      },
      truncate: async (length) => {
        if (!this.isDead && mutant !== 'keeps a torn tail') await file.truncate(length);
      },
      close: async () => {
        if (isLate && !this.isDead) file.append(held);
        await file.close();
      },
    };
  }
}

/** Runs one process over the journal until it ends or crashes; `applied` counts what the service has done. */
async function runProcess(
  path: string,
  crashAt: number,
  mutant: Mutant,
  applied: Map<string, number>,
): Promise<CrashingProcess> {
  const process = new CrashingProcess(crashAt);
  const ports = { ...HELD, clock: new FakeClock(), openFile: (name: string) => process.openFile(name, mutant) };
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
  let journal: RunJournal;
  try {
    journal = await (isNew ? RunJournal.create(path, ROWS, ports) : RunJournal.resume(path, ROWS, ports));
  } catch (error) {
    if (process.isDead) return process;
    throw error;
  }
  const plan = planOf(
    ROWS,
    async (row, slot) => {
      if (!(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent' });
      process.step();
      applied.set(row.id, (applied.get(row.id) ?? 0) + 1);
      process.step();
      return answered();
    },
    { journal, concurrency: CONCURRENCY, unknownRows: mutant === 'sends unknown rows again' ? 'resend' : 'leave' },
  );
  await runRows(plan);
  await journal.close();
  return process;
}

function leaveBehind(path: string, process: CrashingProcess, remains: Remains): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= process.syncedLength || remains === 'all') return;
  truncateSync(path, remains === 'nothing' ? process.syncedLength : Math.max(process.syncedLength, size - 7));
}

/** Crashes at one point, again a little later, then runs to the end; answers what was lost or done twice untold. */
async function violations(crashAt: number, remains: Remains, mutant: Mutant): Promise<string[]> {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const applied = new Map<string, number>();
  const found: string[] = [];
  try {
    for (const at of [crashAt, 4]) leaveBehind(path, await runProcess(path, at, mutant, applied), remains);
    await runProcess(path, Number.POSITIVE_INFINITY, mutant, applied);
    const last = await RunJournal.resume(path, ROWS, { ...HELD, clock: new FakeClock() });
    let unknownRows = 0;
    for (let row = 1; row <= ROWS; row += 1) {
      const state = last.states.state(row);
      const count = applied.get(`card-${row}`) ?? 0;
      if (state === 'unknown') unknownRows += 1;
      if (state !== 'unknown' && state !== 'applied') found.push(`row ${row} is ${state}`);
      if (state === 'applied' && count === 0) found.push(`row ${row} was lost`);
      if (count > 1) found.push(`row ${row} was done ${count} times`);
    }
    if (unknownRows > 2 * CONCURRENCY) found.push(`${unknownRows} rows are unknown`);
    await last.close();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    found.push(error.message);
  }
  return found;
}

async function allViolations(mutant: Mutant): Promise<string[]> {
  const whole = await runProcess(join(temporaryFolder(), 'journal.jsonl'), Number.POSITIVE_INFINITY, 'none', new Map());
  const found: string[] = [];
  for (let crashAt = 1; crashAt <= whole.steps; crashAt += 1) {
    for (const remains of ['all', 'torn', 'nothing'] as const) {
      for (const violation of await violations(crashAt, remains, mutant)) {
        found.push(`crash at step ${crashAt}, ${remains} of the unsynced left: ${violation}`);
      }
    }
  }
  return found;
}

it('a run that crashes at any point (K1, K2) loses no row and does none twice untold', async () => {
  expect(await allViolations('none')).toEqual([]);
});

it.each(['sends before the intent is on the disk', 'keeps a torn tail', 'sends unknown rows again'] as const)(
  'a run that crashes at any point (K1, K2) is caught by this test when it %s',
  async (mutant) => {
    expect((await allViolations(mutant)).length).toBeGreaterThan(0);
  },
);

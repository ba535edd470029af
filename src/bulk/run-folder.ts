import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClockPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { errnoOf } from '../files/io-failure.ts';
import { localIoFailure } from './io-failure.ts';
import type { RunHeader } from './run-header.ts';
import { parseRunHeader } from './run-header.ts';

const NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/;

/** The files of one run: `<stateDir>/runs/<run>/`. */
export interface RunFolder {
  readonly run: string;
  readonly path: string;
  readonly header: string;
  /** The copy of the input, byte for byte. */
  readonly input: string;
  /** The copy of the older file of `--changed-from`; only a run that compares with one has it. */
  readonly older: string;
  readonly journal: string;
  readonly lock: string;
}

/** May this be the name of a run (the same pattern as a profile's name)? */
export function isRunName(name: string): boolean {
  return NAME.test(name);
}

/** Where a run's files are. USAGE when the name cannot be one, so that no name leads out of the folder. */
export function runFolder(stateDir: string, run: string): RunFolder {
  if (!isRunName(run)) {
    throw new Failure(
      'USAGE',
      `${JSON.stringify(run)} cannot name a run: names are [A-Za-z0-9._-]{1,64}, not dots alone`,
    );
  }
  const path = join(stateDir, 'runs', run);
  return {
    run,
    path,
    header: join(path, 'header.json'),
    input: join(path, 'input'),
    older: join(path, 'changed-from'),
    journal: join(path, 'journal.jsonl'),
    lock: join(path, 'lock'),
  };
}

/**
 * A name for a run that was given none: UTC time, command, four random digits, so that names sort by time and
 * can be read: `20260501-120431-card-block-7f3a`.
 */
export function makeRunName(operation: string, clock: ClockPort, random: () => number): string {
  const time = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const tail = Math.floor(random() * 0x10000)
    .toString(16)
    .padStart(4, '0');
  return `${time}-${operation.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 43)}-${tail}`;
}

/** The header of a run, or undefined when there is no such run (a folder without a header never sent anything). */
export async function readRunHeader(folder: RunFolder): Promise<RunHeader | undefined> {
  try {
    return parseRunHeader(await readFile(folder.header, 'utf8'), folder.header);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw localIoFailure(`the run's header could not be read (${folder.header})`, error, 'nothing was sent');
  }
}

/** The header of a run that must exist; USAGE when it does not. */
export async function requireRunHeader(folder: RunFolder): Promise<RunHeader> {
  const header = await readRunHeader(folder);
  if (header !== undefined) return header;
  throw new Failure('USAGE', `there is no run ${folder.run}`, {
    hints: ['list the runs with `frontdesk runs list`'],
  });
}

/** Names of all folders that may be runs, in no order. */
export async function runNames(stateDir: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(join(stateDir, 'runs'), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isRunName(entry.name)).map((entry) => entry.name);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw localIoFailure(`the runs could not be listed (${join(stateDir, 'runs')})`, error, 'nothing was changed');
  }
}

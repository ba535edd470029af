import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import * as z from 'zod/mini';
import type { ClockPort } from '../../base/context.ts';
import { Failure } from '../../base/failure.ts';
import { errnoOf, ifPossible, ignoreNotFound, ioFailure, orElse, orIoFailure } from '../../base/files/io-failure.ts';
import { requireOwnState } from '../../base/files/own-state.ts';
import { quoted } from '../../base/json/outside-text.ts';
import { RowShapeSchema } from '../../input/rows/row.ts';
import { plural } from '../../screen/text.ts';
import { readLastRecord } from '../journal/reader.ts';
import type { Progress } from '../journal/row-states.ts';
import { runsFolder } from './open-folder.ts';

/** The given options of a run, for a resume. Nothing secret may be in here. */
export type RunOptions = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

const optionValue = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** Version of the files that this frontdesk writes. */
export const RUN_VERSION = 2;

/** What the header says of the file of rows. */
const Stored = z.object({
  /** Of the file. */
  sha256: z.string(),
  shape: RowShapeSchema,
  columns: z.array(z.string()),
  /** Of the CSV that the rows came from. */
  dialect: z.optional(z.object({ delimiter: z.string(), lineEnd: z.string(), mark: z.string() })),
});

const RunHeaderShape = z.object({
  version: z.int().check(z.minimum(1)),
  run: z.string(),
  /** Dotted command path: `card.block`. */
  operation: z.string(),
  profile: z.string(),
  /** Base URL: origin and path prefix of every request of the run. */
  host: z.string(),
  user: z.string(),
  inputSha256: z.string(),
  /** Digest of the IDs and bodies in their order. It finds the same input in any format. */
  rowsSha256: z.optional(z.string()),
  /** Format of the input: `csv`, `xlsx`, `ndjson`, `json`, `ids`, `plan`. */
  inputFormat: z.string(),
  /** Rows of this run; of a shard its part. */
  rows: z.int().check(z.nonnegative()),
  /** Highest row number of the whole input. */
  inputRows: z.int().check(z.nonnegative()),
  options: z.record(z.string(), optionValue),
  stored: Stored,
  /** ISO 8601. */
  startedAt: z.string(),
});

/** What a run is. Written before its first request, and never changed. */
export type RunHeader = Readonly<Omit<z.infer<typeof RunHeaderShape>, 'options'>> & { readonly options: RunOptions };

/** The header of a new run. Members that do not belong to a header are left out. */
export function makeRunHeader(facts: Omit<RunHeader, 'version'>): RunHeader {
  return RunHeaderShape.parse({ ...facts, version: RUN_VERSION });
}

/** LOCAL_IO if a header is damaged. USAGE if a newer frontdesk wrote it, unless `isForReading` and it is understood. */
function parseRunHeader(text: string, path: string, isForReading: boolean): RunHeader {
  const damaged = (cause: unknown) => Failure.unsent('LOCAL_IO', `the run's header is damaged (${path})`, { cause });
  const value: unknown = orElse(() => JSON.parse(text), damaged);
  const parsed = RunHeaderShape.safeParse(value);
  if (parsed.success && (isForReading || parsed.data.version <= RUN_VERSION)) return parsed.data;
  const isNewer = z.object({ version: z.number().check(z.minimum(RUN_VERSION + 1)) }).safeParse(value).success;
  if (!isNewer) throw damaged(parsed.error);
  throw Failure.unsent('USAGE', `the run was written by a newer frontdesk (${path})`, {
    hints: ['update frontdesk to work on this run'],
  });
}

/** Most runs that a message about an ambiguous ID names. */
const MAX_SHOWN = 5;

const NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/;

/** The files of one run: `<stateDir>/runs/<run>/`. */
export type RunFolder = ReturnType<typeof runFolder>;

/** May this be the name of a run? The pattern is that of profile names. */
export function isRunName(name: string): boolean {
  return NAME.test(name);
}

/** The paths of a run's files. USAGE if the name cannot be one: no name leads out of the folder. */
export function runFolder(stateDir: string, run: string) {
  const problem = 'cannot name a run: names are [A-Za-z0-9._-]{1,64}, not dots alone';
  if (!isRunName(run)) throw new Failure('USAGE', `${JSON.stringify(run)} ${problem}`);
  const path = join(runsFolder(stateDir), run);
  // Lists make the paths of thousands of runs, and `join` looks at each character of them.
  const file = (name: string) => path + sep + name;
  return {
    stateDir,
    run,
    path,
    header: file('header.json'),
    rows: file('rows'),
    /** The copy of the plan that the run applies, byte for byte, instead of `rows`. */
    plan: file('plan'),
    journal: file('journal.jsonl'),
    /** How many rows had a record when a process ended: a journal with fewer was cut. */
    reached: file('reached'),
    lock: file('lock'),
  } as const;
}

/**
 * A name for a run without one: UTC time to the minute and six random digits. Names sort by time, can be read out on
 * the telephone, and their last six digits are enough to type: `20260501-1204-7f3a2b`.
 */
export function makeRunName(clock: ClockPort, random: () => number): string {
  const time = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const tail = Math.floor(random() * 0x1000000)
    .toString(16)
    .padStart(6, '0');
  return `${time}-${tail}`;
}

/** The run of a name, or of a part that no other name has; undefined if there is none. USAGE if several match. */
export async function findRunName(stateDir: string, part: string): Promise<string | undefined> {
  const names = (await runFolders(stateDir)).map(({ run }) => run);
  if (names.includes(part)) return part;
  const found = part === '' ? [] : names.filter((name) => name.includes(part)).sort();
  if (found.length <= 1) return found[0];
  const shown = found.slice(-MAX_SHOWN).reverse().join(', ');
  const message = `several runs have "${part}" in their ID: ${shown}${found.length > MAX_SHOWN ? ', …' : ''}`;
  throw new Failure('USAGE', message, { hints: ['give more of the id'] });
}

/** The same for a run that must exist. USAGE if it does not. */
export async function requireRunName(stateDir: string, part: string): Promise<string> {
  const name = await findRunName(stateDir, part);
  if (name !== undefined) return name;
  // Refuses what cannot be a name.
  throw noRun(runFolder(stateDir, part).run);
}

/** What a run, or what is left of one, may have in its folder. */
const RUN_FILE = /^(?:header\.json|rows|plan|journal\.jsonl|reached|lock(?:\..+)?|closed\..+|\.frontdesk-.+)$/;

/**
 * Refuses a folder that holds something else: the state folder may be one that other programs use, and what they call
 * `runs` must not be removed. USAGE if it is no run, else LOCAL_IO.
 */
export async function refuseForeign({ path, header, run }: RunFolder): Promise<void> {
  const foreign = (await ignoreNotFound(readdir(path)))?.find((name) => !RUN_FILE.test(name));
  if (foreign === undefined) return;
  if (!existsSync(header)) throw noRun(run);
  const problem = `could not remove run ${run}: its folder also holds ${quoted(foreign)}, which is not of frontdesk (${path})`;
  throw new Failure('LOCAL_IO', problem, { after: 'unchanged' });
}

function noRun(run: string): Failure {
  return new Failure('USAGE', `there is no run ${run}`, {
    hints: [{ do: 'list the runs' }],
  });
}

/**
 * The header of a run; undefined if there is none, because nothing was sent yet. AUTH if others could have written it.
 * `isForReading`: a newer frontdesk may have.
 */
export async function readRunHeader(folder: RunFolder, isForReading = false): Promise<RunHeader | undefined> {
  const path = folder.header;
  requireOwnState(folder.stateDir, folder.path);
  let text: string;
  try {
    // Synchronous: an index of thousands of runs reads them all.
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw ioFailure(`could not read the run's header (${path})`, error, 'unsent');
  }
  return parseRunHeader(text, path, isForReading);
}

/** A run that exists: its files, and its header. */
export interface StoredRunHandle {
  readonly folder: RunFolder;
  readonly header: RunHeader;
}

/** LOCAL_IO if a journal knows fewer rows, or fewer ends, than when a process last ended: it was cut at the end of a record. */
export function refuseCut(
  { folder: { reached: path, journal: record } }: Pick<StoredRunHandle, 'folder'>,
  { rows, ended }: Progress,
): void {
  const [rowsBefore = 0, endedBefore = 0] = (ifPossible(() => readFileSync(path, 'latin1')) ?? '')
    .split(' ')
    .map(Number);
  if (!(rows < rowsBefore || ended < endedBefore)) return;
  const lost = `has ${plural(rows, 'row')} (${ended} ended), and had ${rowsBefore} (${endedBefore} ended)`;
  throw Failure.unsent('LOCAL_IO', `the run's record ${lost} (${record})`, {
    hints: ['check the rows of this run at the service: what was sent of the others cannot be known from here'],
  });
}

/** LOCAL_IO if the rows are gone, USAGE if they were changed. Nothing was sent only if the record is empty. */
export function lostRows(
  { header, folder }: StoredRunHandle,
  problem: 'are gone' | 'were changed after they were written',
): Failure {
  const { run, inputFormat } = header;
  const code = problem === 'are gone' ? 'LOCAL_IO' : 'USAGE';
  return Failure.unsent(code, `the rows of run ${run} ${problem} (${folder.path})`, {
    hints: [
      inputFormat === 'plan'
        ? { do: 'apply the plan again', words: 'to write them again, apply its plan again' }
        : `to write them again, run the command that started it, with the same input and --run ${run}`,
      ifPossible(() => readLastRecord(folder.journal)?.s) === 'begun'
        ? { do: 'remove it', words: 'or remove it, since no row of it was sent', about: run }
        : { do: 'see its rows', about: run },
    ],
  });
}

/**
 * A digest of what a run sends and where, with which its journal begins. It finds a header or rows of another record,
 * after half a restored backup or an edited file. It does not stop somebody with this user's rights, who can write all
 * of them. A plan's run needs none: its name is the hash of the plan.
 */
export function contentDigest(header: RunHeader): string {
  const { operation, profile, host, inputFormat, inputSha256, rows, inputRows, stored } = header;
  if (inputFormat === 'plan') return inputFormat;
  const facts = JSON.stringify([operation, profile, host, inputFormat, inputSha256, rows, inputRows, stored]);
  return createHash('sha256').update(facts).digest('hex');
}

/** The file with the rows of a run: of one that applies a plan, the copy of that plan. */
export function rowsFileOf({ folder, header }: StoredRunHandle): string {
  return header.inputFormat === 'plan' ? folder.plan : folder.rows;
}

/** The same for a run that must exist: USAGE if it does not. */
export async function requireRun(stateDir: string, name: string, isForReading = false): Promise<StoredRunHandle> {
  const folder = runFolder(stateDir, name);
  const header = await readRunHeader(folder, isForReading);
  if (header === undefined) throw noRun(folder.run);
  return { folder, header };
}

/** The folders of all runs, unordered, and links, which are refused by name. */
export async function runFolders(stateDir: string): Promise<RunFolder[]> {
  const path = runsFolder(stateDir);
  requireOwnState(stateDir, path);
  const reading = ignoreNotFound(readdir(path, { withFileTypes: true }));
  const entries = await orIoFailure(reading, `could not list the runs (${path})`, 'unchanged');
  const found = (entries ?? []).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return found.filter(({ name }) => isRunName(name)).map(({ name }) => runFolder(stateDir, name));
}

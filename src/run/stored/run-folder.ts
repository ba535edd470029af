import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { ClockPort } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { errnoOf, ignoreNotFound, ioFailure, orIoFailure } from '../../files/io-failure.ts';
import { requireOwnState } from '../../files/own-state.ts';
import { RowShapeSchema } from '../../rows/row.ts';
import { readLastRecord } from '../journal/reader.ts';

/** Options of a run as they were given, so that a resume keeps them. Nothing secret may be in here. */
export type RunOptions = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

const optionValue = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** The version of the files of a run that this frontdesk writes. */
export const RUN_VERSION = 2;

/** What the rows of a run are, in its file of rows. Runs of version 1 kept their input instead. */
const Stored = z.object({
  /** Of the file. */
  sha256: z.string(),
  shape: RowShapeSchema,
  /** Original columns, in the order in which they first occur. */
  columns: z.array(z.string()),
  /** How the CSV was written that the rows came from. */
  dialect: z.optional(z.object({ delimiter: z.string(), lineEnd: z.string(), mark: z.string() })),
});

export type StoredRows = z.infer<typeof Stored>;

const RunHeaderShape = z.object({
  version: z.int().check(z.minimum(1)),
  run: z.string(),
  /** Dotted command path: `card.block`. */
  operation: z.string(),
  profile: z.string(),
  /** Origin with path prefix: where every request of the run goes. */
  host: z.string(),
  user: z.string(),
  inputSha256: z.string(),
  /** Of the ids and bodies that are sent, in their order: the same input again, whatever its format. */
  rowsSha256: z.optional(z.string()),
  /** Format of the input: `csv`, `xlsx`, `ndjson`, `json`, `ids`, `plan`. */
  inputFormat: z.string(),
  /** Rows that this run does (of a shard: its part). */
  rows: z.int().check(z.nonnegative()),
  /** Highest row number: rows of the whole input. */
  inputRows: z.int().check(z.nonnegative()),
  options: z.record(z.string(), optionValue),
  stored: z.optional(Stored),
  /** ISO 8601. */
  startedAt: z.string(),
});

/** What a run is: written once, before its first request, and never changed. */
export type RunHeader = Readonly<Omit<z.infer<typeof RunHeaderShape>, 'options'>> & { readonly options: RunOptions };

/** The header of a run that begins now; members that are none of a header are left out. */
export function makeRunHeader(facts: Omit<RunHeader, 'version'>): RunHeader {
  return RunHeaderShape.parse({ ...facts, version: RUN_VERSION });
}

/**
 * Reads a header. LOCAL_IO when it is damaged; USAGE when a newer frontdesk wrote it, whose rules are not known here,
 * unless the run is only read (`isForReading`) and enough of it is understood.
 */
function parseRunHeader(text: string, path: string, isForReading: boolean): RunHeader {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw Failure.unsent('LOCAL_IO', `the run's header is damaged (${path})`, { cause: error });
  }
  const parsed = RunHeaderShape.safeParse(value);
  const isNewer = z.object({ version: z.number().check(z.minimum(RUN_VERSION + 1)) }).safeParse(value).success;
  if (parsed.success && (isForReading || !isNewer)) return parsed.data;
  if (!isNewer) throw Failure.unsent('LOCAL_IO', `the run's header is damaged (${path})`, { cause: parsed.error });
  throw Failure.unsent('USAGE', `the run was written by a newer frontdesk (${path})`, {
    hints: ['update frontdesk to work on this run'],
  });
}

/** Runs that a message about an ambiguous part of an id names. */
const MAX_SHOWN = 5;

const NAME = /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/;

/** The folder of all runs. */
export function runsFolder(stateDir: string): string {
  return join(stateDir, 'runs');
}

/** The files of one run: `<stateDir>/runs/<run>/`. */
export type RunFolder = ReturnType<typeof runFolder>;

/** May this be the name of a run (the same pattern as a profile's name)? */
export function isRunName(name: string): boolean {
  return NAME.test(name);
}

/** Where a run's files are. USAGE when the name cannot be one, so that no name leads out of the folder. */
export function runFolder(stateDir: string, run: string) {
  const problem = 'cannot name a run: names are [A-Za-z0-9._-]{1,64}, not dots alone';
  if (!isRunName(run)) throw new Failure('USAGE', `${JSON.stringify(run)} ${problem}`);
  const path = join(runsFolder(stateDir), run);
  return {
    stateDir,
    run,
    path,
    header: join(path, 'header.json'),
    rows: join(path, 'rows'),
    /** The copy of the plan that it applies, byte for byte, in the place of `rows`. */
    plan: join(path, 'plan'),
    journal: join(path, 'journal.jsonl'),
    lock: join(path, 'lock'),
  } as const;
}

/**
 * A name for a run that was given none: UTC time to the minute and six random digits, so that names sort by time,
 * can be read out on the telephone, and the last six are enough to type: `20260501-1204-7f3a2b`.
 */
export function makeRunName(clock: ClockPort, random: () => number): string {
  const time = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const tail = Math.floor(random() * 0x1000000)
    .toString(16)
    .padStart(6, '0');
  return `${time}-${tail}`;
}

/** The run that a name means, or a part that no other name has; undefined: none. USAGE when several have the part. */
export async function findRunName(stateDir: string, part: string): Promise<string | undefined> {
  const names = await runNames(stateDir);
  if (names.includes(part)) return part;
  const found = part === '' ? [] : names.filter((name) => name.includes(part)).sort();
  if (found.length <= 1) return found[0];
  const shown = found.slice(-MAX_SHOWN).reverse().join(', ');
  const message = `several runs have "${part}" in their id: ${shown}${found.length > MAX_SHOWN ? ', …' : ''}`;
  throw new Failure('USAGE', message, { hints: ['give more of the id'] });
}

/** The same for a run that must be there. USAGE when there is none, or the text cannot be a part of an id. */
export async function requireRunName(stateDir: string, part: string): Promise<string> {
  const name = await findRunName(stateDir, part);
  if (name !== undefined) return name;
  // Refuses what cannot be a name with the rule for names.
  throw noRun(runFolder(stateDir, part).run);
}

function noRun(run: string): Failure {
  return new Failure('USAGE', `there is no run ${run}`, {
    hints: [{ text: 'list the runs with `frontdesk runs list`', tool: 'list the runs with runs_list' }],
  });
}

/** The header of a run; undefined: none, and nothing was sent. AUTH where others could have put a file there. */
export async function readRunHeader(folder: RunFolder, isForReading = false): Promise<RunHeader | undefined> {
  const path = folder.header;
  requireOwnState(folder.stateDir, folder.path);
  let text: string;
  try {
    // At once: an index of thousands of runs reads them all.
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw ioFailure(`could not read the run's header (${path})`, error, 'unsent');
  }
  return parseRunHeader(text, path, isForReading);
}

/** A run that is there: where its files are, and what it is. */
export interface StoredRunHandle {
  readonly folder: RunFolder;
  readonly header: RunHeader;
}

/** What a run keeps of its rows. USAGE for one of an earlier build, which kept its input instead. */
export function storedRowsOf({ header: { run, stored }, folder }: StoredRunHandle): StoredRows {
  if (stored !== undefined) return stored;
  throw Failure.unsent('USAGE', `run ${run} was begun by an earlier build: it tells what it did, and cannot go on`, {
    hints: [
      `see its rows: frontdesk runs results ${run}`,
      `begin a new run with the rows that are left of ${join(folder.path, 'input')}`,
    ],
  });
}

/** Whether the record of a run says that it was begun, and nothing else. */
function isUntouched({ journal }: RunFolder): boolean {
  try {
    return readLastRecord(journal)?.s === 'begun';
  } catch {
    return false;
  }
}

/**
 * LOCAL_IO for a run whose rows are gone, USAGE where they are not what they were, with what can be done. That nothing was sent is said of a run
 * whose record is empty alone.
 */
export function lostRows(
  { header, folder }: StoredRunHandle,
  problem: 'are gone' | 'were changed after they were written',
): Failure {
  const { run, inputFormat } = header;
  const remove = `frontdesk runs remove ${run}`;
  const code = problem === 'are gone' ? 'LOCAL_IO' : 'USAGE';
  return Failure.unsent(code, `the rows of run ${run} ${problem} (${folder.path})`, {
    hints: [
      inputFormat === 'plan'
        ? 'to write them again, apply its plan again: frontdesk plan apply <file>'
        : `to write them again, repeat the command that began it, with the same input and --run ${run}`,
      isUntouched(folder)
        ? `or remove it, since no row of it was sent: ${remove}`
        : `see its rows: frontdesk runs results ${run}`,
    ],
  });
}

/**
 * A digest of what a run sends, and where: its journal begins with it. By it a header or rows are found that belong to
 * another record, after a backup was restored by half or a file was edited by hand. It is no defence against somebody
 * with the rights of this user, who can write all of them anew. A plan's run is named by the hash of its plan, which says it all.
 */
export function contentDigest(header: RunHeader): string {
  const { operation, profile, host, inputFormat, inputSha256, rows, inputRows, stored } = header;
  if (inputFormat === 'plan') return inputFormat;
  const facts = JSON.stringify([operation, profile, host, inputFormat, inputSha256, rows, inputRows, stored]);
  return createHash('sha256').update(facts).digest('hex');
}

/** The file in which the rows of a run stand: of one that applies a plan, the copy of that plan. */
export function rowsFileOf({ folder, header }: StoredRunHandle): string {
  return header.inputFormat === 'plan' ? folder.plan : folder.rows;
}

/** A run that must exist; USAGE when it does not. `isForReading`: that of a newer frontdesk too, as far as it is understood. */
export async function requireRun(stateDir: string, name: string, isForReading = false): Promise<StoredRunHandle> {
  const folder = runFolder(stateDir, name);
  const header = await readRunHeader(folder, isForReading);
  if (header === undefined) throw noRun(folder.run);
  return { folder, header };
}

/** Names of all folders that may be runs, and of links in their place, which are refused by name; in no order. */
export async function runNames(stateDir: string): Promise<readonly string[]> {
  const path = runsFolder(stateDir);
  requireOwnState(stateDir, path);
  const reading = ignoreNotFound(readdir(path, { withFileTypes: true }));
  const entries = await orIoFailure(reading, `could not list the runs (${path})`, 'unchanged');
  const found = (entries ?? []).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return found.map(({ name }) => name).filter(isRunName);
}

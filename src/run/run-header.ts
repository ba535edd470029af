import * as z from 'zod/mini';
import { Failure } from '../failure.ts';

/** Options of a run as they were given, so that a resume keeps them. Nothing secret may be in here. */
export type RunOptions = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

const optionValue = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** The version of the files of a run that this frontdesk writes. */
export const RUN_VERSION = 1;

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
  /** How the copy of the input is to be read: `csv`, `ndjson`, `json`, `ids`. */
  inputFormat: z.string(),
  /** Rows that this run does (of a shard: its part). */
  rows: z.int().check(z.nonnegative()),
  /** Highest row number: rows of the whole input. */
  inputRows: z.int().check(z.nonnegative()),
  options: z.record(z.string(), optionValue),
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
export function parseRunHeader(text: string, path: string, isForReading: boolean): RunHeader {
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

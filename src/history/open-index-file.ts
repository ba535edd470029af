import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreErrors } from '../files/io-failure.ts';
import { temporaryName } from '../files/process-identity.ts';
import type { Closing } from './history-event.ts';

/** A write whose outcome is unknown, and that nothing has settled, superseded or resolved. */
export interface OpenWrite {
  /** Its name in the history; of a run's row `<run>:<row>`. */
  readonly entry: string;
  readonly time: string;
  readonly user: string;
  readonly profile: string;
  /** `host[:port]`. */
  readonly host: string;
  /** Base URL, or `sandbox`; undefined in records of older versions. */
  readonly url?: string | undefined;
  /** The command, as the history has it: `api` of a raw call. */
  readonly operation: string;
  /** The operation of the table: `card.provision.wallet_a`; undefined where it is none. */
  readonly call?: string | undefined;
  /** The id that it is about, of a card in small letters. */
  readonly subject?: string | undefined;
  /** The process that began it. */
  readonly maker?: string | undefined;
  /** What stands for the body of an event. */
  readonly digest?: string | undefined;
  /** The fields that an update sets. */
  readonly fields?: readonly string[] | undefined;
  readonly httpStatus?: number | undefined;
  /** The status of the card when it was checked. */
  readonly observedStatus?: string | undefined;
}

export interface Begun {
  /** Its line, until what is in it is asked for. */
  line?: string;
  write?: OpenWrite | undefined;
  /** The last line that said how it stands; undefined: it has not ended. */
  last?: string | undefined;
}

/** An event that was sent lately, and was not refused. */
export type SentEvent = Pick<OpenWrite, 'entry' | 'time' | 'profile' | 'url' | 'digest'>;

/** What is known of one run: of a record of that time and size; 0: a process works on it. */
export interface RunPart {
  readonly mtimeMs: number;
  readonly size: number;
  readonly open: readonly OpenWrite[];
  /** The beginning of the digest of its rows: the same input again. */
  readonly rows?: string | undefined;
}

/** How many digits of it are kept: the header has all. */
export const ROWS_DIGITS = 16;

/** What is known of the history up to `offset`. It is kept in a file that may be removed at any time, and made anew. */
export interface Index {
  ino: number;
  offset: number;
  /** The last bytes before `offset`: another file in its place is found out. */
  tail: string;
  /** Writes without an end that settles them. */
  readonly begun: Map<string, Begun>;
  /** Closings of the rows of runs, which have no beginning of their own in the history. */
  readonly closed: Map<string, Closing>;
  /** Events of the last day by their entry, with the newest last. */
  readonly sent: Map<string, SentEvent>;
  runs: Map<string, RunPart>;
  /** Change time of the folder of the runs, since when none was begun, taken up or removed; 0: not known. */
  runsMtimeMs: number;
}

/** Nothing is known yet. */
export function emptyIndex(): Index {
  const maps = { begun: new Map(), closed: new Map(), sent: new Map(), runs: new Map() };
  return { ino: 0, offset: 0, tail: '', runsMtimeMs: 0, ...maps };
}

/** Of the form of the file: another one is made anew. */
const VERSION = 3;

/** What the file of the index holds; undefined: there is none that can be used. */
export async function loadIndex(path: string): Promise<Index | undefined> {
  try {
    const { version, begun, closed, sent, runs, ...rest } = JSON.parse(await readFile(path, 'utf8'));
    if (version !== VERSION) return undefined;
    return { ...rest, begun: new Map(begun), closed: new Map(closed), sent: new Map(sent), runs: new Map(runs) };
  } catch {
    return undefined;
  }
}

/** Another process may write it at the same moment: whichever stays is as good, and where it cannot be written it is not. */
export async function saveIndex(
  path: string,
  { begun, closed, sent, runs, ...rest }: Index,
  pid: number,
): Promise<void> {
  const text = JSON.stringify({
    version: VERSION,
    ...rest,
    begun: [...begun],
    closed: [...closed],
    sent: [...sent],
    runs: [...runs],
  });
  const temporary = join(dirname(path), temporaryName(pid));
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch {
    await ignoreErrors(unlink(temporary));
  }
}

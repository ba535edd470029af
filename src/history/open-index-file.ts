import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreErrors } from '../files/io-failure.ts';
import { temporaryName } from '../files/process-identity.ts';
import type { Closing } from './history-event.ts';

/** An open write: its outcome is unknown, and nothing has resolved or superseded it. */
export interface OpenWrite {
  /** Its name in the history; of a row `<run>:<row>`. */
  readonly entry: string;
  readonly time: string;
  readonly user: string;
  readonly profile: string;
  /** `host[:port]`. */
  readonly host: string;
  /** Base URL, or `sandbox`; undefined in records of older versions. */
  readonly url?: string | undefined;
  /** The command as in the history: `api` for a raw call. */
  readonly operation: string;
  /** The operation of the table: `card.provision.wallet_a`; undefined if it is none. */
  readonly call?: string | undefined;
  /** The ID that it is about, of a card in lower case. */
  readonly subject?: string | undefined;
  /** The process that began it. */
  readonly maker?: string | undefined;
  /** Digest that stands for the body of an event. */
  readonly digest?: string | undefined;
  /** The fields that an update sets. */
  readonly fields?: readonly string[] | undefined;
  readonly httpStatus?: number | undefined;
  /** The status of the card when it was checked. */
  readonly observedStatus?: string | undefined;
}

export interface Begun {
  /** Its line, until its content is needed. */
  line?: string;
  write?: OpenWrite | undefined;
  /** The last line about its end; undefined: it has not ended. */
  last?: string | undefined;
}

/** An event that was sent lately and not refused. */
export type SentEvent = Pick<OpenWrite, 'entry' | 'time' | 'profile' | 'url' | 'digest'>;

/** What is known of one run, at a time and size of its journal; 0: a process works on it. */
export interface RunPart {
  readonly mtimeMs: number;
  readonly size: number;
  readonly open: readonly OpenWrite[];
  /** The beginning of the digest of its rows, to find the same input. */
  readonly rows?: string | undefined;
}

/** How many digits of it are kept. The header has all. */
export const ROWS_DIGITS = 16;

/** What is known of the history up to `offset`. Its file may be removed at any time. */
export interface Index {
  ino: number;
  offset: number;
  /** The last bytes before `offset`: they show if another file took its place. */
  tail: string;
  /** Changes without an end that resolves them. */
  readonly begun: Map<string, Begun>;
  /** Closings of rows of runs, which have no beginning in the history. */
  readonly closed: Map<string, Closing>;
  /** Events of the last day by entry, the newest last. */
  readonly sent: Map<string, SentEvent>;
  runs: Map<string, RunPart>;
  /** Change time of the folder of runs: no run was begun, resumed or removed since; 0: not known. */
  runsMtimeMs: number;
}

/** An index that knows nothing. */
export function emptyIndex(): Index {
  const maps = { begun: new Map(), closed: new Map(), sent: new Map(), runs: new Map() };
  return { ino: 0, offset: 0, tail: '', runsMtimeMs: 0, ...maps };
}

/** Version of the file. Another one is made anew. */
const VERSION = 3;

/** The index in a file; undefined if it cannot be used. */
export async function loadIndex(path: string): Promise<Index | undefined> {
  try {
    const { version, begun, closed, sent, runs, ...rest } = JSON.parse(await readFile(path, 'utf8'));
    if (version !== VERSION) return undefined;
    return { ...rest, begun: new Map(begun), closed: new Map(closed), sent: new Map(sent), runs: new Map(runs) };
  } catch {
    return undefined;
  }
}

/** Saves the index. Another process may do so at the same moment: either result is good, and so is none. */
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

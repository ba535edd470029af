import { crc32 } from 'node:zlib';
import { FAILURES, OUTCOMES, type Outcome } from '../../base/failure.ts';
import type { OutcomeRecord } from '../../service/call-outcome.ts';

/** An attempt of a row begins. On the disk before the first byte of its request may leave. */
export interface IntentRecord {
  /** Row number, 1-based, in the whole input. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly t: number;
  readonly s: 'intent';
  /** Attempt, counted from 1 over all processes of the row. */
  readonly a: number;
  readonly id?: string | undefined;
  readonly reason?: string | undefined;
  /** Names of the fields that an update sets. */
  readonly f?: readonly string[] | undefined;
  /** Digest that stands for the body of an event, as in the history. */
  readonly d?: string | undefined;
}

/** What the user found out about an unknown row (`history resolve`). */
const RESOLUTIONS = ['resolved_applied', 'resolved_not_applied'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export function isResolution(state: string): state is Resolution {
  return state.startsWith('resolved_');
}

interface Worked {
  /** Milliseconds that its process had worked on the run, by a clock that nobody sets. */
  readonly m?: number | undefined;
}

/** How a row, or one attempt of it, ended. */
export interface ResultRecord extends Omit<OutcomeRecord, 's'>, Worked {
  readonly n: number;
  readonly t: number;
  readonly s: Outcome | Resolution;
  readonly id?: string | undefined;
  /** 1: a resume sends the row again, because 401, 403 or an unreadable card stopped it. */
  readonly again?: 1 | undefined;
  /** The message of its failure. */
  readonly message?: string | undefined;
}

/** Rows by outcome. Outcomes without rows are left out. */
export type OutcomeCounts = Readonly<Partial<Record<Outcome, number>>>;

/** A record about the run itself: it was begun, resumed, or ended in order. */
interface RunRecord extends Worked {
  readonly t: number;
  readonly s: 'begun' | 'resumed' | 'end';
  /** Of a begin: `contentDigest` of the header. */
  readonly of?: string;
  /** Of a resume: the process, `pod-7 (process 1)`. */
  readonly by?: string | undefined;
  readonly state?: 'finished' | 'stopped';
  /** Rows by outcome. Rows that were not reached count as `not_sent`. */
  readonly outcomes?: OutcomeCounts;
  /** Of a stopped run: the word of its `Stop`. */
  readonly why?: string | undefined;
}

export type EndRecord = Pick<RunRecord, 'state' | 'why'>;

interface Written {
  /** The epoch: which holder of the run wrote the record, counted from 1. Added to the line as it is written. */
  readonly e?: number | undefined;
}

export type JournalRecord = (IntentRecord | ResultRecord | RunRecord) & Written;

const CHECKSUM = /,"c":"([0-9a-f]{8})"\}$/;
const CHECKSUM_LENGTH = ',"c":"01234567"}'.length;
const ROW_STATES: ReadonlySet<string> = new Set([...OUTCOMES, 'intent', ...RESOLUTIONS]);

/** CRC-32 of bytes, or of a text that is ASCII only, as eight lower-case hex digits. */
export function checksumOf(data: Uint8Array | string): string {
  return crc32(data).toString(16).padStart(8, '0');
}

/**
 * One line of the journal with its newline, without undefined members. ASCII, so that the checksum covers exactly the
 * bytes on the disk. `epoch`: which holder of the run writes it.
 */
export function encodeRecord(record: JournalRecord, epoch: number): string {
  let head = '';
  // A cast, because a copy with the epoch in it takes five times as long to print.
  const members = record as unknown as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== undefined) head += `${head === '' ? '{' : ','}"${name}":${encodeValue(value)}`;
  }
  head += `,"e":${epoch}`;
  return `${head},"c":"${checksumOf(head)}"}\n`;
}

/** Most texts need no escapes. Writing them as they are takes a quarter of the time. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function encodeValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(encodeValue).join(',')}]`;
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The record of a line without its newline; undefined if the line is not exactly as it was written. */
export function decodeRecord(line: Uint8Array): JournalRecord | undefined {
  if (line.length <= CHECKSUM_LENGTH) return undefined;
  const checksum = CHECKSUM.exec(latin1(line.subarray(line.length - CHECKSUM_LENGTH)))?.[1];
  const head = line.subarray(0, line.length - CHECKSUM_LENGTH);
  if (checksum === undefined || checksumOf(head) !== checksum) return undefined;
  try {
    return asRecord(JSON.parse(`${latin1(head)}}`));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The checksum proves that frontdesk wrote the line, so only what a later version could change is checked. */
function asRecord(value: unknown): JournalRecord | undefined {
  if (typeof value !== 'object' || value === null || !('s' in value) || typeof value.s !== 'string') return undefined;
  if ('code' in value && !(typeof value.code === 'string' && value.code in FAILURES)) return undefined;
  if (value.s === 'begun' || value.s === 'resumed' || value.s === 'end') {
    // The checksum matched and `s` is one of a run record's values: encodeRecord wrote this object.
    return value as RunRecord;
  }
  if (!ROW_STATES.has(value.s) || !('n' in value) || !Number.isInteger(value.n)) return undefined;
  // The checksum matched, `s` is a row state and `n` a row number: encodeRecord wrote this object.
  return value as IntentRecord | ResultRecord;
}

/** Is the record about a row, not about the run? */
export function isRowRecord(record: JournalRecord): record is IntentRecord | ResultRecord {
  return 'n' in record;
}

import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreErrors, ioFailure } from '../files/io-failure.ts';
import { requireOwnState } from '../files/own-state.ts';
import { processState } from '../files/process-identity.ts';
import { type BeginEvent, type Closing, closingOf, EVENT_HEAD, isWhole, parseHistoryEvent } from './history-event.ts';
import { openHistory, readLines, sandboxResetTime } from './history-file.ts';
import {
  type Begun,
  emptyIndex,
  type Index,
  loadIndex,
  type OpenPorts,
  type OpenWrite,
  openWriteOf,
  ROWS_DIGITS,
  readRuns,
  type SentEvent,
  saveIndex,
} from './open-index-file.ts';
import { nameTime } from './record.ts';

const NAME = 'open-writes.json';
const DAY_MS = 86_400_000;
/** A reset forgets what was sent to the sandbox. */
const SANDBOX_PROFILE = 'sandbox';
/** Less than this is read again by each call, not saved. */
const WORTH_KEEPING = 64 * 1024;

/** Does the process that began a change still run here? Then it may still end it. */
export function isUnderWay({ maker = '' }: Pick<BeginEvent, 'maker'>): boolean {
  const [host = '', pid, start = ''] = maker.split('-');
  return maker !== '' && processState({ host, pid: Number(pid), start }) === 'running';
}

/** Ended entries that are remembered: a writer that appended during a prune may write a beginning again, after its end. */
const REMEMBERED = 2048;

/** A refused or unsent event may be sent again. */
const NOTHING_DONE = /"outcome":"(?:rejected|not_sent)"|^\{"event":"resolved".*"as":"not_applied"/;

function takeSent({ sent }: Index, line: string, entry: string): void {
  if (NOTHING_DONE.test(line)) sent.delete(entry);
  if (!line.startsWith('{"event":"begin"') || !line.includes('"digest":"')) return;
  const begin = parseHistoryEvent(line);
  if (begin?.event !== 'begin') return;
  const { time, profile, url, digest } = begin;
  sent.set(entry, { entry, time, profile, url, digest });
}

function takeClosing({ closed }: Index, line: string, entry: string): void {
  const closing = parseHistoryEvent(line);
  if (closing !== undefined) {
    const { supersededBy, resolved } = closingOf([closing]);
    const before = closed.get(entry);
    closed.set(entry, { supersededBy: before?.supersededBy ?? supersededBy, resolved: resolved ?? before?.resolved });
  }
}

/** Adds the next line of the history. */
function take(index: Index, ended: Set<string>, line: string, lately: string): void {
  const [, event, entry = ''] = EVENT_HEAD.exec(line) ?? [];
  // Half an end says nothing: the change is open.
  if (event === undefined || (event !== 'begin' && !isWhole(line))) return;
  if (entry >= lately) takeSent(index, line, entry);
  if (event === 'begin') {
    if (!ended.has(entry) && !index.begun.has(entry)) index.begun.set(entry, { line });
    return;
  }
  const isClosing = event === 'superseded' || event === 'resolved';
  const known = index.begun.get(entry);
  if (isClosing && entry.includes(':')) takeClosing(index, line, entry);
  else if (!isClosing && line.includes('"outcome":"unknown"')) {
    if (known !== undefined) known.last = line;
  } else {
    index.begun.delete(entry);
    const [oldest] = ended.add(entry);
    if (ended.size > REMEMBERED && oldest !== undefined) ended.delete(oldest);
  }
}

function writeOf(begun: Begun): OpenWrite | undefined {
  if (begun.line === undefined) return begun.write;
  const begin = parseHistoryEvent(begun.line);
  delete begun.line;
  if (begin?.event !== 'begin') return undefined;
  const { event: _, ...facts } = begin;
  begun.write = openWriteOf(facts);
  return begun.write;
}

/** The open writes of the history: unknown outcomes, and those whose process is gone. `underWay`: the rest. */
function singlesIn({ begun }: Index): { readonly open: readonly OpenWrite[]; readonly underWay: readonly string[] } {
  const found: OpenWrite[] = [];
  const underWay: string[] = [];
  for (const each of begun.values()) {
    const write = writeOf(each);
    if (write === undefined) continue;
    if (each.last === undefined && isUnderWay(write)) {
      underWay.push(write.entry);
      continue;
    }
    const end = each.last === undefined ? undefined : parseHistoryEvent(each.last);
    const { httpStatus, observedStatus } = end !== undefined && 'callOutcome' in end ? end.callOutcome : {};
    found.push({ ...write, httpStatus, observedStatus });
  }
  return { open: found, underWay };
}

const TAIL = 64;

async function tailBefore(file: FileHandle, offset: number): Promise<string> {
  const from = Math.max(0, offset - TAIL);
  const bytes = Buffer.alloc(offset - from);
  await file.read(bytes, 0, bytes.length, from);
  return bytes.toString('latin1');
}

/** Reads what was appended since the index was made. `isNews`: it is worth saving. */
async function readOn(index: Index, file: FileHandle, nowMs: number): Promise<Index & { isNews: boolean }> {
  const { ino, size } = await file.stat();
  const isSame = index.ino === ino && index.offset <= size && (await tailBefore(file, index.offset)) === index.tail;
  const now: Index = isSame ? index : { ...emptyIndex(), ino, runs: index.runs, runsMtimeMs: index.runsMtimeMs };
  const from = now.offset;
  const ended = new Set<string>();
  const lately = nameTime(nowMs - DAY_MS);
  for (const entry of now.sent.keys()) if (entry < lately) now.sent.delete(entry);
  for await (const lines of readLines(file, from)) {
    for (const line of lines) {
      now.offset += line.length;
      take(now, ended, line.toString('utf8'), lately);
    }
  }
  now.tail = await tailBefore(file, now.offset);
  return { ...now, isNews: !isSame || now.offset - from > WORTH_KEEPING };
}

/** What is open on this machine, and what closed the rows of runs. */
export type OpenRecords = Awaited<ReturnType<typeof readOpenWrites>>;

/**
 * THE look-up of open writes: single ones, raw calls, rows of runs, the desk and assistants, in any profile. Uses an
 * index beside the history and reads only what was appended since, so it stays fast. LOCAL_IO or AUTH if the records
 * cannot be read or believed.
 */
export async function readOpenWrites(ports: OpenPorts) {
  const { stateDir, clock, pid } = ports;
  const path = join(stateDir, NAME);
  let file: FileHandle | undefined;
  try {
    requireOwnState(stateDir, path);
    file = await openHistory(stateDir);
    const loaded = (await loadIndex(path)) ?? emptyIndex();
    const { isNews, ...index } =
      file === undefined
        ? { ...emptyIndex(), runs: loaded.runs, runsMtimeMs: loaded.runsMtimeMs, isNews: false }
        : await readOn(loaded, file, clock.now());
    const areRunsNews = await readRuns(index, ports);
    const rows = [...index.runs.values()].flatMap((run) => run.open);
    const resetAt = sandboxResetTime(stateDir);
    const isKnown = ({ profile, time }: Pick<OpenWrite, 'profile' | 'time'>) =>
      resetAt === undefined || profile !== SANDBOX_PROFILE || time > resetAt;
    const singles = singlesIn(index);
    const all = [...singles.open, ...rows.filter(({ entry }) => !index.closed.has(entry))];
    const open = all.filter(isKnown);
    if ((isNews || areRunsNews) && ports.keepsIndex !== false) await saveIndex(path, index, pid);
    open.sort((one, other) => (one.time < other.time ? -1 : 1));
    return {
      /** Oldest first. */
      open,
      /** Entries that living processes here began and did not end: each may become open. */
      underWay: singles.underWay,
      /** Events that were sent in the last day and not refused, oldest first. */
      sent: [...index.sent.values()].filter(isKnown),
      /** The same for rows of runs with this digest. */
      async sentRows(digest: string): Promise<readonly SentEvent[]> {
        const sinceMs = clock.now() - DAY_MS;
        // 0: a process works on it.
        const lately = [...index.runs].filter(([, { mtimeMs }]) => mtimeMs === 0 || mtimeMs >= sinceMs);
        const { sentRows } = await import('./sent-rows.ts');
        const names = lately.map(([name]) => name);
        return (await sentRows(stateDir, names, digest)).filter(
          (each) => isKnown(each) && Date.parse(each.time) >= sinceMs,
        );
      },
      closingOf: (entry: string): Closing | undefined => index.closed.get(entry),
      /** Runs that may have these rows, by the digest in their header. */
      runsOf: (rowsSha256: string): readonly string[] =>
        [...index.runs].flatMap(([run, { rows }]) => (rows === rowsSha256.slice(0, ROWS_DIGITS) ? [run] : [])),
    };
  } catch (error) {
    throw ioFailure(`could not read the records of earlier changes (${stateDir})`, error, 'unsent');
  } finally {
    await ignoreErrors(file?.close());
  }
}

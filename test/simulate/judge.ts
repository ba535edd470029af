import { type Kind, ONCE_ONLY } from './answers.ts';
import type { SimulatedProcess } from './process.ts';
import type { Arrival } from './service.ts';
import { nameOf, type Started, type World } from './world.ts';

/** A row as it is printed, by a run, a resume or `runs results`. */
export interface PrintedRow {
  readonly row: number;
  readonly id: string | null;
  readonly outcome: string;
  readonly resultId?: string | null;
  readonly attempts: number;
  readonly error?: { readonly code: string };
}

/** An entry as `history -o json` prints it. */
export interface Entry {
  readonly entry: string;
  readonly operation: string;
  readonly id: string | null;
  readonly outcome: string | null;
  readonly run: string | null;
  readonly resolved?: unknown;
  readonly supersededBy?: unknown;
}

/** What is left when all is over, as the program tells it. */
export interface Remains {
  /** The last word on each row of each run. */
  readonly runs: ReadonlyMap<string, readonly PrintedRow[]>;
  /** The same from `runs results`. */
  readonly results: ReadonlyMap<string, readonly PrintedRow[]>;
  readonly history: readonly Entry[];
  readonly open: readonly Entry[];
}

/** One write: a single one, or the row of a run, whichever process works on it. */
interface Write {
  readonly name: string;
  readonly kind: Kind;
  readonly key: string;
  readonly run: string | undefined;
  readonly arrivals: Arrival[];
}

/** Each of these supersedes the others of its card. */
const STATUS_KINDS: ReadonlySet<string> = new Set(['activate', 'block']);

const AGES: Readonly<Record<'1s' | '1m', number>> = { '1s': 1_000, '1m': 60_000 };

/** Did the service say for certain that it did nothing, and was that heard? */
function isRefused({ heard, isAhead, doneMs }: Arrival): boolean {
  if (heard === undefined || isAhead || doneMs !== undefined) return false;
  const { status } = heard;
  return status === 307 || status === 308 || (status >= 400 && status < 500 && status !== 408);
}

function isToldDone({ heard, doneMs }: Arrival): boolean {
  return (
    doneMs !== undefined && heard?.status === 200 && heard.text.startsWith('{') && !heard.text.includes('errorCode')
  );
}

const ENDED: ReadonlySet<string> = new Set(['applied', 'confirmed_by_read']);

const isDone = ({ doneMs }: Arrival): boolean => doneMs !== undefined;

export function rowsIn(printed: string): PrintedRow[] {
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{"row":') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

function errorOf(printed: string): { readonly code?: string; readonly outcome?: string; readonly message?: string } {
  const line = printed.split('\n').find((each) => each.startsWith('{"error":'));
  return line === undefined ? {} : JSON.parse(line).error;
}

/**
 * The requests for a row that a process knows of when it prints it. One that was paused may have lost its run, and knows
 * of its own alone.
 */
function knownTo(by: Started['process'], { row }: PrintedRow, arrivals: readonly Arrival[]): readonly Arrival[] {
  const at = by.stdout.indexOf(`{"row":${row},`);
  const printedMs = by.prints.find(({ end }) => end > at)?.atMs ?? 0;
  return arrivals.filter((each) => each.atMs <= printedMs && (each.by === by || !by.wasPaused));
}

/** Holds what the program said and did against what the service knows. */
export class Judge {
  readonly #world: World;
  readonly #remains: Remains;
  readonly #writes = new Map<string, Write>();
  readonly #byProcess = new Map<unknown, Started>();
  readonly #found: string[] = [];

  constructor(world: World, remains: Remains) {
    this.#world = world;
    this.#remains = remains;
    for (const started of world.started) this.#byProcess.set(started.process, started);
    for (const arrival of world.service.arrivals) this.#take(arrival);
  }

  #take(arrival: Arrival): void {
    const { kind, key } = arrival.asked;
    if (kind === 'get' || kind === 'list' || kind === 'calendar' || kind === 'other' || kind === 'other read') return;
    const started = this.#startedBy(arrival);
    const name = `${started.run ?? nameOf(started.process)} ${kind} ${key}`;
    const write = this.#writes.get(name) ?? { name, kind, key, run: started.run, arrivals: [] };
    write.arrivals.push(arrival);
    this.#writes.set(name, write);
  }

  #startedBy({ by }: Arrival): Started {
    const started = this.#byProcess.get(by);
    if (started === undefined) throw new Error('only processes send');
    return started;
  }

  /** Everything that is not as it was promised. */
  judge(): readonly string[] {
    this.#found.push(...this.#world.faults);
    this.#judgeTwice();
    for (const started of this.#world.started) this.#judgeProcess(started);
    for (const [run, rows] of this.#remains.runs) this.#judgeRun(run, rows);
    this.#judgeHistory();
    return [...new Set(this.#found)];
  }

  #judgeProcess(started: Started): void {
    const { process, deed, argv } = started;
    const about = `${nameOf(process)} (${argv.join(' ')})`;
    const { exitCode, stderr } = process;
    if (exitCode === 1 && !process.wasCrashed) this.#found.push(`bug: ${about} ends with 1: ${stderr}`);
    if (stderr.split('\n').filter((line) => line.startsWith('{"error":{"code":"CANCELLED"')).length > 1) {
      this.#found.push(`untrue: ${about} reports a signal twice: ${stderr}`);
    }
    // Its heart beats every two seconds, whatever the clocks show.
    if (!process.wasPaused && !process.hadFailures && stderr.includes('no longer held by this process')) {
      this.#found.push(`stolen: ${about} never stood still, and another took its lock: ${stderr}`);
    }
    if (deed?.what === 'write' && exitCode !== null && exitCode !== undefined) this.#judgeSingle(started, exitCode);
    if (started.run === undefined) return;
    const rows = rowsIn(process.stdout);
    for (const row of rows) this.#judgeRow(`${about} prints`, started.run, row, process);
    if (rows.length > 0 && exitCode !== null) this.#judgeSummary(about, started, rows);
    if (process.sent > 0) this.#judgeSameInput(about, started);
  }

  /** Who begins a run with the rows of one that is over and did something hears of it, and makes nothing twice. */
  #judgeSameInput(about: string, { process, deed, run, argv }: Started): void {
    if (deed?.what !== 'run' || run === undefined) return;
    const isBefore = (each: Started) => (each.process.endedMs ?? Number.POSITIVE_INFINITY) < process.startedMs;
    const workersOf = (name: string) =>
      this.#world.started.filter((each) => each.run === name && each.deed !== undefined);
    if (workersOf(run).some((each) => each.process.startedMs < process.startedMs)) return;
    const hasDone = (each: Started) =>
      !each.process.wasPaused &&
      !each.process.hadFailures &&
      /"outcome":"(?:applied|confirmed_by_read)"/.test(each.process.stdout);
    const others = Object.keys(this.#world.plan.inputs).filter((name) => name !== run && this.#isSameInput(run, name));
    const earlier = others.find((name) => workersOf(name).every(isBefore) && workersOf(name).some(hasDone));
    const isOnce = ONCE_ONLY.some((kind) => kind === this.#world.plan.inputs[run]?.kind);
    if (earlier === undefined || argv.includes('--again')) return;
    if (isOnce) this.#found.push(`twice: ${about} sends the rows of ${earlier}, which is over`);
    else if (process.exitCode !== null && !process.stderr.includes('"SAME_INPUT"')) {
      this.#found.push(`untold: ${about} sends the rows of ${earlier} again without a word`);
    }
  }

  /** The exit code of a run, and what it says that it sent. */
  #judgeSummary(about: string, { process }: Started, rows: readonly PrintedRow[]): void {
    const { exitCode, stderr, sent, wasCrashed } = process;
    const outcomes = new Set(rows.map(({ outcome }) => outcome));
    // An error while a request is under way may take it for unknown before that has left.
    const isRight = outcomes.has('unknown') === (exitCode === 8) || (wasCrashed && exitCode === 8);
    const hasFailed = exitCode !== 0 || !['unknown', 'rejected', 'not_sent'].some((outcome) => outcomes.has(outcome));
    if (!isRight || !hasFailed) this.#found.push(`untrue: ${about} ends with ${exitCode}: ${[...outcomes].join(', ')}`);
    const [, requests] = /^{"summary":{.*"requests":(\d+)/m.exec(stderr) ?? [];
    if (requests !== undefined && Number(requests) < sent) {
      this.#found.push(`untrue: ${about} says that it sent ${requests} requests, and it sent ${sent}`);
    }
  }

  /** How a single write ended, by its exit code and its error. */
  #judgeSingle(started: Started, exitCode: number): void {
    const { process, deed } = started;
    if (deed?.what !== 'write') return;
    const { kind, key } = deed;
    const arrivals = this.#writes.get(`${nameOf(process)} ${kind} ${key}`)?.arrivals ?? [];
    const { outcome = 'none' } = errorOf(process.stderr);
    const says = `${nameOf(process)} (${kind} ${key}) ends with ${exitCode}, outcome ${outcome}`;
    if ((exitCode === 0 || ENDED.has(outcome)) && !arrivals.some(isDone) && !this.#wasShown(started, kind, key)) {
      this.#found.push(`untrue: ${says}, and it was not done`);
    }
    // A change that had ended is not cancelled by a signal, which ends the process nevertheless.
    const isPrinted = process.stdout.endsWith('}\n');
    // Nor is one by an error after its response, which the history has.
    const isTold = process.wasCrashed && arrivals.some(isToldDone);
    const isLate = process.stderr.includes('the command has finished');
    const hasEnded = ENDED.has(outcome) || isPrinted || isTold || isLate;
    const isNothing = outcome === 'rejected' || outcome === 'not_sent' || (![0, 8, 16].includes(exitCode) && !hasEnded);
    const wrong = arrivals.find((arrival) => !isRefused(arrival));
    if (isNothing && wrong !== undefined) {
      this.#found.push(`untrue: ${says}, and request ${wrong.number} was not refused`);
    }
    const isUnknown = wrong !== undefined && !arrivals.some(isToldDone) && !this.#wasShown(started, kind, key);
    if (isUnknown && exitCode === 16) this.#found.push(`untrue: ${says}, and request ${wrong.number} is unknown`);
    if (outcome !== 'unknown') return;
    if (process.sent === 0 && !process.wasCrashed) this.#found.push(`untrue: ${says}, and nothing was sent`);
    if (exitCode !== 8) this.#found.push(`untrue: ${says}`);
  }

  /** Did a read of that process show what the write aims at? */
  #wasShown({ process }: Started, kind: Kind, key: string): boolean {
    const aim = kind === 'block' ? 'BLOCKED' : kind === 'activate' ? 'ACTIVE' : undefined;
    const shown = this.#world.arrivalsOf(process).filter(({ asked }) => asked.key === key);
    return aim !== undefined && shown.some((arrival) => arrival.shown === aim);
  }

  #keyOf(run: string, { row, id }: PrintedRow): string | undefined {
    return this.#world.plan.inputs[run]?.keys[row - 1] ?? id ?? undefined;
  }

  #arrivalsOfRow(run: string, row: PrintedRow): readonly Arrival[] {
    const key = this.#keyOf(run, row);
    return [...this.#writes.values()].flatMap((write) =>
      write.run === run && write.key === key ? write.arrivals : [],
    );
  }

  /** What is said of a row is so, as far as who said it could know. */
  #judgeRow(says: string, run: string, row: PrintedRow, by?: Started['process']): void {
    const arrivals = this.#arrivalsOfRow(run, row);
    const what = `${says} row ${row.row} of ${run} as ${row.outcome}`;
    const isResolved = this.#world.resolutions.some(({ entry }) => entry === `${run}:${row.row}`);
    switch (row.outcome) {
      case 'applied':
        if (!arrivals.some(isDone) && !isResolved) this.#found.push(`untrue: ${what}, and it was not done`);
        else if (row.resultId && !arrivals.some(({ madeId }) => madeId === row.resultId)) {
          this.#found.push(`untrue: ${what}, with the id ${row.resultId} that it did not get`);
        }
        return;
      case 'confirmed_by_read': {
        const kind = this.#world.plan.inputs[run]?.kind ?? 'subscriber';
        const key = this.#keyOf(run, row) ?? '';
        const readers = this.#world.started.filter((started) => started.run === run);
        if (!readers.some((started) => this.#wasShown(started, kind, key))) {
          this.#found.push(`untrue: ${what}, and no read showed it`);
        }
        return;
      }
      case 'rejected':
      case 'not_sent': {
        const known = by === undefined ? arrivals : knownTo(by, row, arrivals);
        const wrong = isResolved ? undefined : known.find((arrival) => !isRefused(arrival));
        if (wrong !== undefined) this.#found.push(`forgotten: ${what}, and request ${wrong.number} was not refused`);
        return;
      }
      case 'unknown':
        if (arrivals.length === 0 && !this.#mayHaveLeft(run))
          this.#found.push(`untrue: ${what}, and it was never sent`);
        return;
      default:
        this.#found.push(`untrue: ${what}`);
    }
  }

  /** A process that was killed or broke may have been about to send. */
  #mayHaveLeft(run: string): boolean {
    return this.#world.started.some(
      ({ process, run: own }) =>
        own === run &&
        (process.exitCode === null ||
          process.wasPaused ||
          process.wasCrashed ||
          process.sent > 0 ||
          process.exitCode === 16),
    );
  }

  #judgeRun(run: string, rows: readonly PrintedRow[]): void {
    const wanted = this.#world.plan.inputs[run]?.keys.length;
    const numbers = rows.map(({ row }) => row);
    if (wanted !== undefined && numbers.join() !== Array.from({ length: wanted }, (_, index) => index + 1).join()) {
      this.#found.push(`lost: the rows of ${run} are ${numbers.join(' ')}, not 1 to ${wanted}`);
    }
    const stored = this.#remains.results.get(run) ?? [];
    for (const row of rows) {
      this.#judgeRow('at the end', run, row);
      const sent = this.#arrivalsOfRow(run, row).length;
      if (row.attempts < sent) {
        this.#found.push(`untrue: row ${row.row} of ${run} has ${row.attempts} attempts, and was sent ${sent} times`);
      }
      const same = stored.find((each) => each.row === row.row);
      if (same?.outcome !== row.outcome) {
        this.#found.push(
          `lost: row ${row.row} of ${run} was printed as ${row.outcome}, and runs results says ${same?.outcome}`,
        );
      }
      this.#judgeMemory(run, row);
    }
  }

  /** What was once printed of a row stays so. */
  #judgeMemory(run: string, last: PrintedRow): void {
    for (const { process, run: own, deed } of this.#world.started) {
      // One that was paused and lost its run, or could not write its record, knows what no successor can.
      if (own !== run || process.wasPaused || process.hadFailures || deed === undefined) continue;
      const before = rowsIn(process.stdout).find(({ row }) => row === last.row);
      if (before === undefined || before.outcome === last.outcome) continue;
      if (before.outcome === 'applied' || before.outcome === 'confirmed_by_read') {
        this.#found.push(
          `lost: ${nameOf(process)} printed row ${last.row} of ${run} as ${before.outcome}; at the end it is ${last.outcome}`,
        );
      }
    }
  }

  /** A write that may be done only once is not sent again after it may have been done, unless a person said so. */
  #judgeTwice(): void {
    const writes = [...this.#writes.values()].filter(({ kind }) => ONCE_ONLY.includes(kind));
    for (const write of writes) {
      for (const arrival of write.arrivals) {
        const earlier = write.arrivals.filter((each) => each.number < arrival.number && !isRefused(each));
        for (const each of earlier) this.#judgeRepeat(write, each, arrival);
      }
      for (const other of writes) {
        if (other === write || other.key !== write.key || other.kind !== write.kind) continue;
        this.#judgeOther(write, other);
      }
    }
  }

  #judgeRepeat(write: Write, earlier: Arrival, later: Arrival): void {
    const [one, other] = [this.#startedBy(earlier), this.#startedBy(later)];
    if (one.process !== other.process && (this.#isResend(other) || this.#isResolved(write, other))) {
      const sent = write.arrivals.filter(
        ({ by, number }) => by === other.process && number < later.number && number > earlier.number,
      );
      if (sent.every(isRefused)) return;
    }
    this.#found.push(
      `twice: ${write.name} was sent as request ${earlier.number}, and again as request ${later.number}`,
    );
  }

  #isResend({ argv }: Started): boolean {
    return argv.includes('--resend-unknown') || argv.includes('--again');
  }

  /** A person recorded something about this write before that process had ended. */
  #isResolved({ run, key }: Write, before: Started): boolean {
    return this.#world.resolutions.some(({ entry, as, started }) => {
      if (started.process.startedMs > (before.process.endedMs ?? Number.POSITIVE_INFINITY)) return false;
      const [, ofRun, row] = /^(.*):(\d+)$/.exec(entry) ?? [];
      if (run === undefined) return false;
      return as === 'not_applied' && ofRun === run && this.#world.plan.inputs[run]?.keys[Number(row) - 1] === key;
    });
  }

  /** Another write of the same, by a command that began when the first was over and open. */
  #judgeOther(write: Write, before: Write): void {
    const later = write.arrivals[0];
    const open = before.arrivals.findLast((arrival) => !isRefused(arrival));
    if (later === undefined || open === undefined || open.number > later.number) return;
    const own = this.#startedBy(later);
    const workers = this.#world.started.filter(({ process, run }) =>
      before.run === undefined ? process === open.by : run === before.run,
    );
    const beganMs = own.process.startedMs;
    const hasEnded = ({ process }: Started) => (process.endedMs ?? Number.POSITIVE_INFINITY) < beganMs;
    const areOver = workers.every(
      (each) => hasEnded(each) || (each.process !== open.by && each.process.startedMs > beganMs),
    );
    if (!areOver || this.#isResend(own)) return;
    if (this.#world.resolutions.some(({ started }) => started.process.startedMs < (own.process.endedMs ?? 0))) return;
    const isKnown = before.arrivals.some(isToldDone);
    // One that was done may be done again by a person who wants another.
    const isEvent = write.kind === 'event' && write.run === undefined && before.run === undefined;
    // Pruning the history removes the knowledge of a known one.
    const wasPruned = this.#world.started.some(({ argv }) => argv[1] === 'prune');
    if (isKnown && (!isEvent || wasPruned)) return;
    // A process that was killed before it had said what it heard of an event: a row of a run has no name that is kept.
    if (write.kind === 'event' && (write.run === undefined) !== (before.run === undefined)) return;
    if (write.kind === 'event' && write.run !== undefined && !this.#isSameInput(write.run, before.run)) return;
    this.#found.push(
      `twice: ${before.name} was sent as request ${open.number} and is open, and ${write.name} as request ${later.number}`,
    );
  }

  #isSameInput(run: string, other: string | undefined): boolean {
    const { inputs } = this.#world.plan;
    return other !== undefined && inputs[run] === inputs[other];
  }

  #judgeHistory(): void {
    const { history, open } = this.#remains;
    for (const write of this.#writes.values()) {
      if (write.run !== undefined) continue;
      const [first] = write.arrivals;
      if (first === undefined) continue;
      const { process } = this.#startedBy(first);
      const entry = history.find((each) => each.run === null && each.entry.split('-')[1] === process.pid.toString(16));
      if (entry !== undefined) this.#judgeEntry(write, entry, process);
      else if (!this.#wasPruned(process) || this.#isOpen(write, process)) {
        this.#found.push(`lost: the history has no entry of ${write.name}, which was sent`);
      }
    }
    for (const entry of history) {
      if (entry.outcome !== 'unknown' || entry.resolved || entry.supersededBy) continue;
      if (!open.some((each) => each.entry === entry.entry))
        this.#found.push(`forgotten: ${entry.entry} is unknown, and not among the open writes`);
    }
  }

  /** Did a prune run by whose clock the write was old, as far as clocks that jump can tell? */
  #wasPruned({ machine, startedWallMs }: SimulatedProcess): boolean {
    return this.#world.started.some(({ process, deed }) => {
      if (deed?.what !== 'prune') return false;
      const hasJumped = machine.hasJumped || process.machine.hasJumped;
      return hasJumped || startedWallMs < (process.endedWallMs ?? Number.POSITIVE_INFINITY) - AGES[deed.olderThan];
    });
  }

  /** A write that a prune keeps: nothing is known of it for certain, and nothing has closed it. */
  #isOpen({ kind, key, arrivals }: Write, { pid }: Started['process']): boolean {
    const isResolved = this.#world.resolutions.some(({ entry }) => entry.split('-')[1] === pid.toString(16));
    const later = this.#world.service.arrivals.filter(({ asked, number }) => {
      const supersedes = asked.kind === kind || (STATUS_KINDS.has(asked.kind) && STATUS_KINDS.has(kind));
      return supersedes && asked.key === key && number > (arrivals.at(-1)?.number ?? 0);
    });
    const wasShown = this.#world.service.arrivals.some(
      ({ asked, shown }) => shown !== undefined && key.startsWith(asked.key),
    );
    return (
      !isResolved && !later.some(isDone) && !wasShown && !arrivals.some((each) => isRefused(each) || isToldDone(each))
    );
  }

  #judgeEntry({ name, arrivals, kind, key }: Write, { outcome, entry }: Entry, { exitCode }: SimulatedProcess): void {
    if (exitCode === 0 && outcome !== 'applied' && outcome !== 'confirmed_by_read') {
      this.#found.push(`lost: ${name} ended with 0, and the history says ${outcome} (${entry})`);
    }
    const says = `the history says ${outcome} of ${name} (${entry})`;
    if (outcome === 'applied' && !arrivals.some(isDone)) this.#found.push(`untrue: ${says}, and it was not done`);
    if (outcome === 'rejected' || outcome === 'not_sent') {
      const wrong = arrivals.find((arrival) => !isRefused(arrival));
      if (wrong !== undefined) this.#found.push(`untrue: ${says}, and request ${wrong.number} was not refused`);
    }
    const wasShown = this.#world.started.some((started) => this.#wasShown(started, kind, key));
    if (outcome === 'confirmed_by_read' && !wasShown) this.#found.push(`untrue: ${says}, and no read showed it`);
  }
}

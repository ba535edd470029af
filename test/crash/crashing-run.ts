import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../support/run-frontdesk.ts';
import { type CountingServer, type Stage, startCountingServer } from './counting-server.ts';
import { breaches, type PrintedRow } from './judge.ts';
import { type ProgramEnd, printedRows, startProgram, summaryOutcomes } from './program.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Write } from './writes.ts';

/** When a process is killed from outside. */
export type KillMoment =
  | { readonly at: 'time'; readonly ms: number }
  /** As soon as the service has come that far with the n-th write of this process, and that much later. */
  | { readonly at: Stage; readonly count: number; readonly laterMs: number }
  | { readonly at: 'printed'; readonly lines: number };

/** What a process is asked to do: begin the run (or go on with it by its name), go on, settle what is unknown. */
export type Deed = 'begin' | 'resume' | 'resend' | 'reconcile';

export interface RunSettings {
  readonly program: string;
  readonly write: Write;
  readonly rows: number;
  readonly concurrency: number;
  readonly random: SeededRandom;
  /** Share of rows that the service refuses, of writes whose answers it spoils, and of writes that it answers 429. */
  readonly faults?: { readonly refused: number; readonly dropped: number; readonly busy: number };
  readonly thinkMs?: number;
  /** Is `history` compared with the results too? */
  readonly withHistory?: boolean;
}

export interface Verdict {
  readonly breaches: readonly string[];
  readonly unknown: number;
  /** How many of the unknown rows the service applied: no guess would have been right for all. */
  readonly unknownApplied: number;
}

const lost = (breach: string): Verdict => ({ breaches: [breach], unknown: 0, unknownApplied: 0 });

const RUN = 'crash';
const NO_FAULTS = { refused: 0, dropped: 0, busy: 0 };

/** One run of many rows, the processes that work on it and die, and the service that counts what they did. */
export class CrashingRun {
  kills = 0;
  /** What happened, for the message of a failing test. */
  readonly log: string[] = [];
  readonly server: CountingServer;
  readonly #settings: RunSettings;
  readonly #home: Home;
  readonly #resends: ReadonlySet<number>[] = [];
  #earlier: PrintedRow[] = [];
  #isSettled = false;

  private constructor(settings: RunSettings, server: CountingServer) {
    this.#settings = settings;
    this.server = server;
    this.#home = createHome();
  }

  static async start(settings: RunSettings): Promise<CrashingRun> {
    const { write, rows, random, faults = NO_FAULTS, thinkMs = 3 } = settings;
    const keys = Array.from({ length: rows }, (_, index) => write.keyOf(index + 1));
    const server = await startCountingServer({
      write,
      random,
      thinkMs,
      refused: new Set(keys.filter(() => random.chance(faults.refused))),
      dropShare: faults.dropped,
      busyShare: faults.busy,
    });
    const run = new CrashingRun(settings, server);
    const work = join(run.#home.path, 'work');
    writeFileSync(join(work, write.fileName), write.inputOf(keys));
    if (write.older !== undefined) writeFileSync(join(work, write.older.fileName), write.older.textOf(keys));
    return run;
  }

  /** Starts a process, of the program of the run unless given, and waits for its end, which comes at `crash` if it gets so far. */
  async go(deed: Deed, crash?: KillMoment, program = this.#settings.program): Promise<ProgramEnd> {
    if (deed === 'resend') {
      const unknown = await this.#stored(['--outcome', 'unknown']);
      this.#resends.push(new Set(unknown.map(({ row }) => row)));
    }
    this.#isSettled ||= deed === 'resend' || deed === 'reconcile';
    const { child, ended } = this.#spawn(this.#argsOf(deed), program);
    const disarm = crash && this.#arm(crash, child);
    const end = await ended;
    disarm?.();
    if (end.signal === 'SIGKILL') {
      this.kills += 1;
      this.#earlier.push(...printedRows(end.stdout));
    }
    this.log.push(`${deed}: ${end.signal ?? end.code} (${JSON.stringify(crash) ?? 'to its end'})`);
    return end;
  }

  /** Removes the lock that a killed process left. */
  removeLock(): void {
    rmSync(join(this.#home.stateDir, 'runs', RUN, 'lock'), { recursive: true, force: true });
  }

  /** Takes the run to its end without a kill, and judges it: every breach, and how many rows are unknown. */
  async judge(): Promise<Verdict> {
    const { write, rows, concurrency, withHistory = false } = this.#settings;
    const { server } = this;
    let end = await this.go('resume');
    if (isNoRun(end)) {
      if (server.order.length > 0) return lost('untold: rows were applied, and there is no run');
      end = await this.go('begin');
    }
    if (end.code !== 0 && end.code !== 8 && end.code !== 15) {
      return lost(`lost: the run cannot be finished: exit ${end.code}: ${end.stderr}`);
    }
    await server.quiet();
    const stored = await this.#stored([]).catch((error: Error) => error.message);
    if (typeof stored === 'string') return lost(`lost: ${stored}`);
    const found = breaches({
      write,
      rows,
      concurrency,
      kills: this.kills,
      dropped: server.dropped,
      applications: server.applications,
      resultIds: server.resultIds,
      resends: this.#resends,
      isSettled: this.#isSettled,
      earlier: this.#earlier,
      printed: printedRows(end.stdout),
      exitCode: end.code,
      summary: summaryOutcomes(end.stderr),
      stored,
    });
    found.push(...this.#leftovers());
    if (withHistory) found.push(...(await this.#historyBreaches(stored)));
    const unknown = stored.filter(({ outcome }) => outcome === 'unknown');
    const applied = unknown.filter(({ row }) => server.applications(write.keyOf(row)) > 0);
    return { breaches: found, unknown: unknown.length, unknownApplied: applied.length };
  }

  /** Stops the service and removes the files; the log stays. */
  async end(): Promise<void> {
    await this.server.stop();
    rmSync(this.#home.path, { recursive: true, force: true });
  }

  /** What killed processes left in the folder of the runs: copies of the input hold customers' data. */
  #leftovers(): string[] {
    const files = ['header.json', 'journal.jsonl', 'rows'];
    const kept = [RUN, ...files.map((file) => `${RUN}/${file}`)];
    const names = readdirSync(join(this.#home.stateDir, 'runs'), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => !kept.includes(name)).map((name) => `left behind: ${name}`);
  }

  #spawn(args: readonly string[], program = this.#settings.program) {
    return startProgram({ program, args, home: this.#home, env: this.server.env });
  }

  #argsOf(deed: Deed): readonly string[] {
    const { write, concurrency } = this.#settings;
    const shared = ['-o', 'ndjson', '-j', String(concurrency)];
    const older = write.older === undefined ? [] : ['--changed-from', write.older.fileName];
    if (deed === 'begin')
      return [...write.command, '--from', write.fileName, ...older, '--run', RUN, '--yes', ...shared];
    const resume = ['runs', 'resume', RUN, ...shared];
    if (deed === 'resend') return [...resume, '--resend-unknown', '--yes'];
    return deed === 'reconcile' ? [...resume, '--reconcile'] : resume;
  }

  async #stored(filter: readonly string[]): Promise<readonly PrintedRow[]> {
    const end = await this.#spawn(['runs', 'results', RUN, '-o', 'ndjson', ...filter]).ended;
    if (end.code !== 0) throw new Error(`runs results ended with ${end.code}: ${end.stderr}`);
    return printedRows(end.stdout);
  }

  /** The history has each row of the run once, as the results do. */
  async #historyBreaches(stored: readonly PrintedRow[]): Promise<string[]> {
    const end = await this.#spawn(['history', 'list', '--json', '--limit', String(stored.length + 10)]).ended;
    if (end.code !== 0) return [`history ended with ${end.code}: ${end.stderr}`];
    // The array of the contract's section 10.
    const entries = JSON.parse(end.stdout) as { entry: string; outcome: string; resultId: string | null }[];
    const lines = entries.map(({ entry, outcome, resultId }) => `${entry} ${outcome} ${resultId}`).sort();
    const wanted = stored.map(({ row, outcome, resultId }) => `${RUN}:${row} ${outcome} ${resultId ?? null}`).sort();
    return lines.join('\n') === wanted.join('\n') ? [] : [`the history has other rows: ${lines.join(', ')}`];
  }

  #arm(moment: KillMoment, child: ReturnType<typeof startProgram>['child']): () => void {
    const timers: NodeJS.Timeout[] = [];
    const killIn = (ms: number) => timers.push(setTimeout(() => child.kill('SIGKILL'), ms));
    if (moment.at === 'time') killIn(moment.ms);
    else if (moment.at === 'printed') {
      let lines = 0;
      child.stdout?.on('data', (part: Buffer) => {
        lines += part.filter((byte) => byte === 0x0a).length;
        if (lines >= moment.lines) child.kill('SIGKILL');
      });
    } else {
      this.server.listen((stage, count) => {
        if (stage !== moment.at || count !== moment.count) return;
        if (moment.laterMs === 0) child.kill('SIGKILL');
        else killIn(moment.laterMs);
      });
    }
    return () => {
      for (const timer of timers) clearTimeout(timer);
      this.server.listen(undefined);
    };
  }
}

/** Was the process that began the run killed before there was one? */
export function isNoRun(end: ProgramEnd): boolean {
  return end.code === 2 && end.stderr.includes('"there is no run');
}

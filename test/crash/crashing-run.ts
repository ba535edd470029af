import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../support/run-frontdesk.ts';
import { type CountingServer, type Stage, startCountingServer } from './counting-server.ts';
import { breaches, type PrintedRow } from './judge.ts';
import { type ProgramEnd, printedRows, startProgram, summaryOutcomes } from './program.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Write } from './writes.ts';

/** When a process is killed: as soon as the service has come that far with its n-th write, and that much later. */
export interface KillMoment {
  readonly at: Stage;
  readonly count: number;
  readonly laterMs: number;
}

/** What a process is asked to do: begin the run (or resume it by its name), or resume. */
type Deed = 'begin' | 'resume';

export interface RunSettings {
  readonly program: string;
  readonly write: Write;
  readonly rows: number;
  readonly concurrency: number;
  readonly random: SeededRandom;
}

const RUN = 'crash';

/** One run of many rows, the processes that work on it and die, and the service that counts what they did. */
export class CrashingRun {
  kills = 0;
  /** What happened, for the message of a failing test. */
  readonly log: string[] = [];
  readonly server: CountingServer;
  readonly #settings: RunSettings;
  readonly #home: Home;
  #earlier: PrintedRow[] = [];

  private constructor(settings: RunSettings, server: CountingServer) {
    this.#settings = settings;
    this.server = server;
    this.#home = createHome();
  }

  static async start(settings: RunSettings): Promise<CrashingRun> {
    const { write, rows, random } = settings;
    const keys = Array.from({ length: rows }, (_, index) => write.keyOf(index + 1));
    const server = await startCountingServer({
      write,
      random,
      thinkMs: 3,
      refused: new Set(),
      dropShare: 0,
      busyShare: 0,
    });
    const run = new CrashingRun(settings, server);
    const work = join(run.#home.path, 'work');
    writeFileSync(join(work, write.fileName), write.inputOf(keys));
    if (write.older !== undefined) writeFileSync(join(work, write.older.fileName), write.older.textOf(keys));
    return run;
  }

  /** Starts a process, of the program of the run unless given, and waits for its end, which comes at `crash` if it gets so far. */
  async go(deed: Deed, crash?: KillMoment, program = this.#settings.program): Promise<ProgramEnd> {
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

  /** Takes the run to its end without a kill, and judges it. */
  async judge(): Promise<readonly string[]> {
    const { write, rows, concurrency } = this.#settings;
    const { server } = this;
    let end = await this.go('resume');
    if (isNoRun(end)) {
      if (server.order.length > 0) return ['untold: rows were applied, and there is no run'];
      end = await this.go('begin');
    }
    if (end.code !== 0 && end.code !== 8 && end.code !== 15) {
      return [`lost: the run cannot be finished: exit ${end.code}: ${end.stderr}`];
    }
    await server.quiet();
    const stored = await this.#stored().catch((error: Error) => error.message);
    if (typeof stored === 'string') return [`lost: ${stored}`];
    const found = breaches({
      write,
      rows,
      concurrency,
      kills: this.kills,
      dropped: server.dropped,
      applications: server.applications,
      resultIds: server.resultIds,
      earlier: this.#earlier,
      printed: printedRows(end.stdout),
      exitCode: end.code,
      summary: summaryOutcomes(end.stderr),
      stored,
    });
    return [...found, ...this.#leftovers()];
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
    return ['runs', 'resume', RUN, ...shared];
  }

  async #stored(): Promise<readonly PrintedRow[]> {
    const end = await this.#spawn(['runs', 'results', RUN, '-o', 'ndjson']).ended;
    if (end.code !== 0) throw new Error(`runs results ended with ${end.code}: ${end.stderr}`);
    return printedRows(end.stdout);
  }

  #arm(moment: KillMoment, child: ReturnType<typeof startProgram>['child']): () => void {
    const timers: NodeJS.Timeout[] = [];
    this.server.listen((stage, count) => {
      if (stage !== moment.at || count !== moment.count) return;
      if (moment.laterMs === 0) child.kill('SIGKILL');
      else timers.push(setTimeout(() => child.kill('SIGKILL'), moment.laterMs));
    });
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

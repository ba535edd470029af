import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../support/run-frontdesk.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { ShellEnd } from '../support/shell.ts';
import { type CountingServer, startCountingServer } from './counting-server.ts';
import { breaches, type PrintedRow } from './judge.ts';
import { Pod } from './pod.ts';
import { printedRows, startProgram, summaryOutcomes } from './program.ts';
import { WRITES } from './writes.ts';

/** A minute of patience is over in three seconds. */
const SPEED = 20;
const PATIENCE_MS = 60_000 / SPEED;
const ROWS = 40;
const RUN = 'night';
const WRITE = WRITES.reissue;
const FINISHED = [0, 8, 15];

/** What happens to the pod whose request has just come to the service. */
interface Strike {
  /** At its n-th request. */
  readonly at: number;
  readonly how: 'kill' | 'stop';
  readonly laterMs: number;
  /** After a stop: when it goes on. After a kill: when it is started anew. */
  readonly thenMs: number;
}

function chooseStrikes(random: SeededRandom): Strike[] {
  return Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const how = random.chance(0.5) ? 'kill' : 'stop';
    return {
      at: 1 + index * 12 + random.below(12),
      how,
      laterMs: random.chance(0.5) ? 0 : random.below(20),
      thenMs: how === 'kill' ? random.below(500) : PATIENCE_MS + 200 + random.below(2500),
    };
  });
}

/** One named run that several pods share, with clocks up to an hour apart; some are killed, some paused for too long. */
export class SharedRun {
  readonly log: string[] = [];
  readonly found: string[] = [];
  readonly server: CountingServer;
  kills = 0;
  stops = 0;
  readonly #home: Home = createHome();
  readonly #random: SeededRandom;
  readonly #concurrency: number;
  readonly #pods: Pod[] = [];
  readonly #ends: Promise<void>[] = [];
  readonly #earlier: PrintedRow[] = [];
  readonly #startMs = performance.now();

  private constructor(random: SeededRandom, server: CountingServer) {
    this.#random = random;
    this.server = server;
    this.#concurrency = random.pick([1, 2, 4]);
  }

  static async begin(random: SeededRandom): Promise<SharedRun> {
    const keys = Array.from({ length: ROWS }, (_, index) => WRITE.keyOf(index + 1));
    const server = await startCountingServer({
      write: WRITE,
      random,
      thinkMs: 25,
      refused: new Set(keys.filter(() => random.chance(0.03))),
      dropShare: 0.02,
    });
    const run = new SharedRun(random, server);
    writeFileSync(join(run.#home.path, 'work', WRITE.fileName), WRITE.inputOf(keys));
    return run;
  }

  /** Lets the pods work and strikes them, until none is left. */
  async goOn(): Promise<void> {
    const strikes = chooseStrikes(this.#random);
    this.server.listen((stage, count, token) => {
      const strike = strikes[0];
      if (strike === undefined || stage !== 'arrived' || count < strike.at) return;
      const pod = this.#pods.find(({ name, isOver, isStopped }) => name === token && !isOver && !isStopped);
      if (pod === undefined) return;
      strikes.shift();
      if (strike.laterMs === 0) this.#strike(pod, strike);
      else setTimeout(() => this.#strike(pod, strike), strike.laterMs);
    });
    const machines = 1 + this.#random.below(4);
    for (let number = 1; number <= machines; number += 1) this.#startIn(number === 1 ? 0 : this.#random.below(600));
    for (let next = this.#ends[0]; next !== undefined; next = this.#ends[0]) {
      await next;
      this.#ends.shift();
    }
    this.server.listen(undefined);
  }

  /** Ends the run with one more process, which has to do so by itself, and judges all that was done and said. */
  async judge(): Promise<readonly string[]> {
    const { server } = this;
    await server.quiet();
    const end = await this.#startPod().ended;
    this.#note('last', end.code);
    if (end.code === null || !FINISHED.includes(end.code)) {
      return [...this.found, `lost: the run cannot be finished: exit ${end.code}: ${end.stderr}`];
    }
    await server.quiet();
    const args = ['runs', 'results', RUN, '-o', 'ndjson'];
    const stored = await startProgram(args, this.#home, server.env).ended;
    this.found.push(
      ...breaches({
        write: WRITE,
        rows: ROWS,
        concurrency: this.#concurrency,
        kills: this.kills + this.stops,
        dropped: server.dropped(),
        applications: server.applications,
        resultIds: server.resultIds,
        earlier: this.#earlier,
        printed: printedRows(end.stdout),
        exitCode: end.code,
        summary: summaryOutcomes(end.stderr),
        stored: printedRows(stored.stdout),
      }),
    );
    return this.found;
  }

  async end(): Promise<void> {
    for (const pod of this.#pods) pod.kill();
    await this.server.stop();
    rmSync(this.#home.path, { recursive: true, force: true });
  }

  #note(what: string, code?: number | null): void {
    const atMs = Math.round(performance.now() - this.#startMs);
    this.log.push(`${atMs} ms: ${what}${code === undefined ? '' : ` ended with ${code}`}`);
  }

  #startIn(ms: number): void {
    this.#ends.push(
      new Promise((resolve) => setTimeout(resolve, ms)).then(async () => {
        const pod = this.#startPod();
        this.#look(pod, await pod.ended);
      }),
    );
  }

  #startPod(): Pod {
    const name = `pod-${this.#pods.length + 1}`;
    const clockOffsetMs = this.#random.below(7_200_000) - 3_600_000;
    const rows = ['--from', WRITE.fileName, '--run', RUN, '--yes', '-j', String(this.#concurrency)];
    const patience = ['--timeout', '1h', '--retry-max-time', '1h', '-o', 'ndjson'];
    const pod = new Pod({
      args: [...WRITE.command, ...rows, ...patience],
      home: this.#home,
      env: { ...this.server.env, FRONTDESK_CARDS_TOKEN: name },
      name,
      clockOffsetMs,
      speed: SPEED,
    });
    this.#pods.push(pod);
    this.#note(`${name} starts with a clock ${Math.round(clockOffsetMs / 1000)} s ahead`);
    return pod;
  }

  #strike(pod: Pod, { how, thenMs }: Strike): void {
    if (pod.isOver) return;
    this.#note(`${how} ${pod.name}`);
    if (how === 'kill') {
      pod.kill();
      this.kills += 1;
      // Pods are restarted whether others live or not.
      this.#startIn(thenMs);
      return;
    }
    pod.stop();
    this.stops += 1;
    setTimeout(() => {
      this.#note(`${pod.name} goes on`);
      pod.goOn();
    }, thenMs);
  }

  /** What a pod has said is true, and it ended in a way that it may. */
  #look(pod: Pod, end: ShellEnd): void {
    this.#note(pod.name, pod.wasKilled ? null : end.code);
    const rows = printedRows(end.stdout);
    // The successor of a pod that was paused does not know what the pod heard when it woke.
    if (!pod.wasStopped) this.#earlier.push(...rows);
    else this.found.push(...rows.flatMap((row) => this.#untrue(row)));
    if (pod.wasKilled || FINISHED.includes(end.code ?? -1)) return;
    if (end.code === 16 && pod.wasStopped && /another .* took it over/.test(end.stderr)) return;
    if (end.code === 16 && !pod.wasStopped) this.found.push(`untold: ${pod.name} lived, and its run was taken over`);
    else if (end.code !== 2) this.found.push(`${pod.name} ended with ${end.code}: ${end.stderr}`);
    else if (!this.#hadCompany(pod)) this.found.push(`refused: ${pod.name} was alone, and ended with 2: ${end.stderr}`);
  }

  #untrue({ row, outcome }: PrintedRow): string[] {
    const applied = this.server.applications(WRITE.keyOf(row));
    if (outcome === 'applied' && applied !== 1) return [`lost: row ${row} was said to be applied, and was not`];
    return outcome === 'rejected' && applied > 0 ? [`untold: row ${row} was said to be rejected, and was applied`] : [];
  }

  /** Did another pod live at any time of this one's? */
  #hadCompany(pod: Pod): boolean {
    return this.#pods.some((other) => other !== pod && other.endedMs > pod.startedMs && other.startedMs < pod.endedMs);
  }
}

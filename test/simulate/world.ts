import { cardId, Records } from './answers.ts';
import { chanceOf } from './chance.ts';
import { commandOf, ENVIRONMENT, fileOf, olderOf, textOf } from './commands.ts';
import { SimulatedDisk } from './disk.ts';
import { Machine } from './machine.ts';
import type { Blow, Deed, Plan } from './plan.ts';
import { SimulatedProcess, type Strike } from './process.ts';
import type { Program } from './program.ts';
import { Scheduler } from './scheduler.ts';
import { type Arrival, SimulatedService } from './service.ts';

export interface Started {
  readonly process: SimulatedProcess;
  /** Undefined: one of those that look at what is left when all is over. */
  readonly deed: Deed | undefined;
  readonly argv: readonly string[];
  readonly run: string | undefined;
}

/** What a person recorded about a write. */
export interface Resolution {
  readonly entry: string;
  readonly as: 'applied' | 'not_applied';
  readonly started: Started;
}

/** Things that happen in one history at most; more is a loop. */
const MOST_EVENTS = 400_000;
/** So long after the faults have stopped everything has ended. */
const PATIENCE_MS = 1_800_000;
const CARDS = 12;

/** One history: everything that its plan says, until all is over. */
export class World {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly service: SimulatedService;
  readonly machines: readonly Machine[];
  readonly disk: SimulatedDisk;
  readonly started: Started[] = [];
  readonly resolutions: Resolution[] = [];
  /** What no program may do, as far as it shows at once. */
  readonly faults: string[] = [];
  readonly story: string[] = [];
  readonly #program: Program;
  #isCalm = false;
  #working = 0;
  #lastPid = 100;

  constructor(plan: Plan, program: Program) {
    const { seed, weather, repeats } = plan;
    this.plan = plan;
    this.#program = program;
    this.scheduler = new Scheduler(chanceOf(seed, 'order'));
    this.disk = new SimulatedDisk(
      () => this.machines?.[0]?.now() ?? 0,
      () => this.scheduler.nowMs,
    );
    this.machines = plan.machines.map((wallMs, at) => new Machine(`desk-${at + 1}`, this.scheduler, this.disk, wallMs));
    const records = new Records(repeats);
    for (let number = 1; number <= CARDS; number += 1) records.statuses.set(cardId(number), 'WAITING_ACTIVATION');
    this.service = new SimulatedService(seed, this.scheduler, { weather, records, tell: (line) => this.tell(line) });
    for (const [run, input] of Object.entries(plan.inputs)) {
      this.disk.file(fileOf(run, input), textOf(input));
      if (input.kind === 'subscriber') this.disk.file(olderOf(run), textOf(input, 'Old'));
    }
  }

  tell(line: string): void {
    this.story.push(`${(this.scheduler.nowMs / 1000).toFixed(3).padStart(9)} s  ${line}`);
  }

  /** Lets it all happen. False: something does not come to its end. */
  async happen(): Promise<boolean> {
    const { people, calmMs } = this.plan;
    for (const { machine, deeds } of people) this.#act(machine, deeds);
    this.scheduler.after(calmMs, () => this.#calmDown());
    const isOver = () => this.#isCalm && this.#working === 0;
    let isLate = false;
    this.scheduler.after(calmMs + PATIENCE_MS, () => {
      isLate = true;
    });
    return (await this.scheduler.run(() => isOver() || isLate, MOST_EVENTS)) && isOver();
  }

  /** Runs one more command, without any fault, to its end. */
  async ask(argv: readonly string[], run?: string): Promise<SimulatedProcess> {
    let isOver = false;
    const process = this.#start(0, argv, { run }, () => {
      isOver = true;
    });
    await this.scheduler.run(() => isOver, MOST_EVENTS + this.scheduler.count);
    return process;
  }

  arrivalsOf(process: SimulatedProcess): readonly Arrival[] {
    return this.service.arrivals.filter(({ by }) => by === process);
  }

  #act(machine: number, [deed, ...rest]: readonly Deed[]): void {
    if (deed === undefined) return;
    this.#working += 1;
    this.scheduler.after(Math.max(deed.waitMs, deed.notBeforeMs - this.scheduler.nowMs), () =>
      this.#do(machine, deed, () => {
        this.#working -= 1;
        this.#act(machine, rest);
      }),
    );
  }

  #do(machine: number, deed: Deed, then: () => void): void {
    const argv = commandOf(deed, this.plan);
    const run = 'run' in deed && (deed.what === 'run' || deed.what === 'resume') ? deed.run : undefined;
    const follow = (process: SimulatedProcess): void => {
      if (deed.what === 'resolve' && process.exitCode === 0) this.#resolve(machine, deed, process.stdout, then);
      else if (deed.what === 'revert' && process.exitCode === 0) this.#applyRevert(machine, deed, process.stdout, then);
      else then();
    };
    this.#start(machine, argv, { deed, run }, follow);
  }

  /** A person who knows the outcomes of the open writes says so, one after the other. */
  #resolve(machine: number, deed: Deed, printed: string, then: () => void): void {
    const open: { entry: string; operation: string; id: string | null }[] = JSON.parse(printed);
    const next = (): void => {
      const entry = open.shift();
      const as = entry && this.#truthOf(entry);
      if (entry === undefined || as === undefined) {
        if (entry === undefined) then();
        else next();
        return;
      }
      const argv = ['history', 'resolve', entry.entry, '--as', as, '-o', 'json'];
      const process = this.#start(machine, argv, { deed }, next);
      const started = this.started.find((each) => each.process === process);
      if (started !== undefined) this.resolutions.push({ entry: entry.entry, as, started });
    };
    next();
  }

  /** Undefined: it is too early to say. */
  #truthOf({ entry, id }: { readonly entry: string; readonly id: string | null }): Resolution['as'] | undefined {
    const [, run, row] = /^(.*):(\d+)$/.exec(entry) ?? [];
    const key = run === undefined ? undefined : this.plan.inputs[run]?.keys[Number(row) - 1];
    const about = this.service.arrivals.filter(({ asked, by }) => {
      if (asked.kind === 'get') return false;
      const started = this.started.find(({ process }) => process === by);
      if (run === undefined) return entry.split('-')[1] === started?.process.pid.toString(16);
      return started?.run === run && (asked.key === key || (id !== null && asked.id === id));
    });
    if (about.some(({ isAhead }) => isAhead)) return undefined;
    return about.some(({ doneMs }) => doneMs !== undefined) ? 'applied' : 'not_applied';
  }

  #applyRevert(machine: number, deed: Deed, printed: string, then: () => void): void {
    const { plan } = JSON.parse(printed);
    const argv = ['plan', 'apply', `/jobs/revert-${deed.number}.ndjson`, '--yes', '-o', 'ndjson'];
    this.#start(machine, argv, { deed, run: `plan-${plan}` }, then);
  }

  #start(
    machine: number,
    argv: readonly string[],
    { deed, run }: { readonly deed?: Deed; readonly run?: string | undefined },
    next: (process: SimulatedProcess) => void,
  ): SimulatedProcess {
    const at = this.machines[machine];
    if (at === undefined) throw new Error('there is such a machine');
    const nth = this.started.filter((each) => each.deed === deed).length;
    this.#lastPid += 1;
    const process = new SimulatedProcess({
      pid: this.#lastPid,
      machine: at,
      program: this.#program,
      argv,
      env: ENVIRONMENT,
      listener: this.service,
      syncMs: this.plan.syncMs,
      slow: this.#isCalm ? 1 : (deed?.slow ?? 1),
      random: chanceOf(this.plan.seed, `process ${deed?.number ?? argv.join(' ')} ${nth}`),
      strikes: nth === 0 ? (deed?.blows ?? []).map((blow) => this.#strikeOf(blow)) : [],
      isStderrStalled: !this.#isCalm && deed?.isStderrStalled === true,
      onExit: (ended) => {
        this.tell(`${nameOf(ended)} ${ended.exitCode === null ? 'is gone' : `ends with ${ended.exitCode}`}`);
        this.scheduler.after(1, () => next(ended));
      },
      onFault: (what) => this.faults.push(`${what}: ${argv.join(' ')}`),
    });
    this.started.push({ process, deed, argv, run });
    this.tell(`${nameOf(process)} on ${at.name}: frontdesk ${argv.join(' ')}`);
    return process;
  }

  #strikeOf({ of, atStep, what, lasts, clocks }: Blow): Strike {
    const strikes: Readonly<Record<Blow['what'], (process: SimulatedProcess) => void>> = {
      kill: (process) => process.kill(),
      'kill in a write': (process) => process.killInWrite(),
      'full disk': (process) => process.failWrites('ENOSPC', lasts),
      'failing disk': (process) => process.failWrites('EIO', lasts),
      pause: (process) => {
        process.pause();
        this.scheduler.after(lasts, () => process.goOn());
      },
      crash: (process) => process.crash(),
      clock: ({ machine }) => machine.jump(lasts),
      'stands still': ({ machine }) => machine.standStill(lasts, clocks),
      power: ({ machine }) => this.#losePower(machine),
      SIGINT: (process) => process.signal('SIGINT'),
      SIGTERM: (process) => process.signal('SIGTERM'),
      'SIGINT twice': (process) => {
        process.signal('SIGINT');
        this.scheduler.after(lasts * 20, () => process.signal('SIGINT'));
      },
    };
    const strike = (process: SimulatedProcess): void => {
      if (this.#isCalm) return;
      this.tell(`${what} at step ${atStep}${of === 'all' ? '' : ` of the ${of}`} of ${nameOf(process)}`);
      strikes[what](process);
    };
    return { of, atStep, strike };
  }

  #losePower(machine: Machine): void {
    machine.boots += 1;
    for (const process of [...machine.processes.values()]) process.kill();
    this.disk.losePower(chanceOf(this.plan.seed, `power ${machine.boots}`));
  }

  #calmDown(): void {
    this.#isCalm = true;
    this.tell('from here on nothing goes wrong');
    this.service.calmDown();
    for (const { process } of this.started) {
      if (process.isPaused) process.goOn();
      process.unstall();
    }
  }
}

export const nameOf = ({ pid }: SimulatedProcess) => `process ${pid}`;

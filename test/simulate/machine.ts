import type { SimulatedDisk } from './disk.ts';
import type { Scheduler } from './scheduler.ts';

/** When the world begins: 1 May 2026, 12:00 UTC. */
const BEGINS_MS = Date.UTC(2026, 4, 1, 12);

/** A process as its machine sees it. */
export interface Running {
  readonly startTicks: string;
  readonly isPaused: boolean;
  kill(): void;
  pause(): void;
  goOn(timersLaterMs?: number): void;
}

/** Which clocks stand still with a machine that does. */
export type Clocks = 'none' | 'monotonic' | 'both';

/** A machine: its clocks and its processes. All machines share one disk. */
export class Machine {
  readonly name: string;
  readonly disk: SimulatedDisk;
  readonly scheduler: Scheduler;
  readonly processes = new Map<number, Running>();
  /** How often it was started. */
  boots = 1;
  /** How far its wall clock is ahead of the world's. */
  wallMs: number;
  /** Its wall clock was set, or stood still. */
  hasJumped = false;
  /** How long its monotonic clock has stood still. */
  #stoodMs = 0;

  constructor(name: string, scheduler: Scheduler, disk: SimulatedDisk, wallMs: number) {
    this.name = name;
    this.scheduler = scheduler;
    this.disk = disk;
    this.wallMs = wallMs;
  }

  now(): number {
    return Math.floor(BEGINS_MS + this.scheduler.nowMs + this.wallMs);
  }

  monotonic(): number {
    return 1_000_000 + this.scheduler.nowMs - this.#stoodMs;
  }

  /** Somebody, or a service of the network, sets the wall clock. */
  jump(ms: number): void {
    this.wallMs += ms;
    this.hasJumped = true;
  }

  /** A lid that is closed, a container or a virtual machine that is paused: both clocks may stand still with it. */
  standStill(ms: number, clocks: Clocks): void {
    const all = [...this.processes.values()];
    for (const process of all) process.pause();
    this.scheduler.after(ms, () => {
      if (clocks !== 'none') this.#stoodMs += ms;
      if (clocks === 'both') this.jump(-ms);
      for (const process of all) process.goOn(clocks === 'none' ? 0 : ms);
    });
  }
}

import { judgeHistory, type Verdict } from './history.ts';
import { planOf } from './make-plan.ts';
import type { Program } from './program.ts';

export interface Simulated {
  readonly histories: number;
  readonly processes: number;
  readonly requests: number;
  /** The first history in which the program broke a promise. */
  readonly broken: Verdict | undefined;
}

/**
 * Runs the histories of these seeds, one after the other, until a promise is broken or the time is over.
 */
export async function simulate(
  seeds: Iterable<number>,
  program: Program,
  isOver: () => boolean = () => false,
  plan = planOf,
): Promise<Simulated> {
  let [histories, processes, requests] = [0, 0, 0];
  for (const seed of seeds) {
    if (isOver()) break;
    const verdict = await judgeHistory(plan(seed), program);
    histories += 1;
    processes += verdict.processes;
    requests += verdict.requests;
    if (verdict.found.length > 0) return { histories, processes, requests, broken: verdict };
  }
  return { histories, processes, requests, broken: undefined };
}

/** Seeds that follow one another, `step` apart: several workers have none in common. */
export function* seedsFrom(first: number, count: number, step = 1): Generator<number> {
  for (let nth = 0; nth < count; nth += 1) yield (first + nth * step) % 0x1_0000_0000;
}

export function numberGiven(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${name}=${text} is no whole number`);
  return number;
}

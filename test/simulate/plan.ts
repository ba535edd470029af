import type { Kind } from './answers.ts';
import type { Weather } from './fates.ts';
import type { Clocks } from './machine.ts';
import type { StepKind } from './process.ts';

/** What befalls a process, or the machine under it, at one of its steps. */
export interface Blow {
  readonly of: StepKind;
  readonly atStep: number;
  readonly what: BlowKind;
  /** How long it stands still, by how much the clock jumps, or for how many steps the disk fails. */
  readonly lasts: number;
  /** Which clocks stand still with a machine. */
  readonly clocks: Clocks;
}

export type BlowKind =
  | 'kill'
  | 'kill in a write'
  | 'pause'
  | 'SIGINT'
  | 'SIGTERM'
  | 'SIGINT twice'
  | 'full disk'
  | 'failing disk'
  | 'clock'
  | 'stands still'
  | 'power'
  | 'crash';

/** When something is done, and what befalls it. */
export interface Struck {
  readonly number: number;
  readonly waitMs: number;
  /** By the time of the world. */
  readonly notBeforeMs: number;
  readonly blows: readonly Blow[];
  readonly isStderrStalled: boolean;
  /** How many times slower than others its process comes to the disk. */
  readonly slow: number;
}

/** What one person does, which starts one command or a few. */
export type Deed = Struck &
  (
    | { readonly what: 'write'; readonly kind: Kind; readonly key: string; readonly isAgain: boolean }
    | { readonly what: 'run'; readonly run: string; readonly unknown: Unknown; readonly isAgain: boolean }
    | { readonly what: 'resume'; readonly run: string; readonly unknown: Unknown }
    | { readonly what: 'results' | 'revert'; readonly run: string }
    | { readonly what: 'prune'; readonly olderThan: '1s' | '1m' }
    | { readonly what: 'history' | 'reconcile' | 'resolve' }
  );

/** What is done with the rows of a run whose outcome is unknown. */
export type Unknown = 'leave' | 'reconcile' | 'resend';

/** The rows of a run, under one or more names. */
export interface Input {
  readonly kind: Kind;
  readonly keys: readonly string[];
  readonly concurrency: number;
}

/** One history before it happens. It is made of a seed, and may be made shorter. */
export interface Plan {
  readonly seed: number;
  /** How far the wall clock of each machine is ahead. */
  readonly machines: readonly number[];
  readonly repeats: 'again' | 409 | 404;
  readonly weather: Weather;
  readonly timeoutS: number;
  /** How long the disk takes to sync at most. */
  readonly syncMs: number;
  readonly inputs: Readonly<Record<string, Input>>;
  readonly people: readonly { readonly machine: number; readonly deeds: readonly Deed[] }[];
  /** When the faults stop. */
  readonly calmMs: number;
}

/** What the next step of a run depends on. */
export interface RunStanding {
  readonly run: string;
  /** A resume would send rows. */
  readonly hasLeft: boolean;
  readonly unknown: number;
  /** Unknown rows can be settled by reading their cards. */
  readonly canReconcile: boolean;
}

/** The one command that goes on with a run, first of all others; undefined: nothing is left to do. */
export function nextCommand({ run, hasLeft, unknown, canReconcile }: RunStanding): string | undefined {
  if (unknown > 0 && canReconcile) return `frontdesk runs resume ${run} --reconcile`;
  if (hasLeft) return `frontdesk runs resume ${run}`;
  return unknown > 0 ? `frontdesk runs results ${run} --outcome unknown` : undefined;
}

/**
 * `running`: a process works on it. `finished`: a resume would send nothing, and no row is unknown. `unsettled`: a
 * resume would send nothing, and some are. `stopped`: it ended in order with rows left. `interrupted`: its process was
 * killed, or is elsewhere and gives no sign of life.
 */
export const RUN_STATES = ['running', 'finished', 'unsettled', 'stopped', 'interrupted'] as const;

export type RunState = (typeof RUN_STATES)[number];

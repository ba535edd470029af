import { type Actor, type Progress, Self, type World } from './simulated-processes.ts';

interface Node {
  readonly world: World;
  readonly from: Node | undefined;
  readonly label: string;
}

export interface Explored {
  /** How many different situations were looked at. */
  readonly situations: number;
  /** What was found wrong, and the order that leads there. */
  readonly found: string | undefined;
}

/** Who is taking its steps now: what stands for the file system and the system asks it. */
export const turn: { self: Self | undefined } = { self: undefined };

const FRESH: Progress = {
  answers: [],
  next: '',
  isKilled: false,
  isPaused: false,
  wasPaused: false,
  isHolding: false,
  sent: 0,
  sleptMs: 0,
};

/** Lets one process go on for one call, up to the next one. */
async function step(actors: readonly Actor[], world: World, index: number, steps: number): Promise<World> {
  const self = new Self(actors, world, index, steps);
  turn.self = self;
  const ended = self.actor.program(self).catch((error: unknown) => {
    if (self.next === undefined && !(error instanceof Error && 'code' in error)) throw error;
  });
  await Promise.race([self.suspended, ended]);
  const before = world.progress[index] ?? FRESH;
  const { answers, next, isHolding, sent, sleptMs } = self;
  // What one that has ended was answered makes no difference any more.
  const kept = next === undefined ? [] : answers;
  const after: Progress = { ...before, answers: kept, next, isHolding, sent, sleptMs, isPaused: false };
  const turns = world.turns - (isChange(world, index) ? 1 : 0);
  const progress = world.progress.map((one, at) => (at === index ? after : one));
  return { ...world, disk: self.disk, progress, turns, last: turns === Number.POSITIVE_INFINITY ? undefined : index };
}

const isOut = (progress: Progress): boolean => progress.next === undefined;

/** Time passes only while all who have begun and could go on are waiting, and for all of them alike. */
function mayStep(world: World, index: number): boolean {
  const progress = world.progress[index];
  if (progress === undefined || isOut(progress)) return false;
  if (progress.next !== 'sleep') return true;
  return world.progress.every((other) => {
    if (isOut(other) || other.isPaused || other.answers.length === 0) return true;
    return other.next === 'sleep' && other.sleptMs >= progress.sleptMs;
  });
}

/** Whether the turn is taken from a process that could go on. */
function isChange({ last, progress }: World, index: number): boolean {
  const before = last === undefined ? undefined : progress[last];
  if (before === undefined || index === last) return false;
  return !(isOut(before) || before.isPaused || before.next === 'sleep');
}

const KILLED: Partial<Progress> = { isKilled: true, answers: [], next: undefined, isHolding: false };
const PAUSED: Partial<Progress> = { isPaused: true, wasPaused: true };

function incident(world: World, index: number, after: Partial<Progress>): World {
  const progress = world.progress.map((one, at) => (at === index ? { ...one, ...after } : one));
  return { ...world, progress, incidents: world.incidents - 1 };
}

async function successors(actors: readonly Actor[], world: World): Promise<readonly (readonly [string, World])[]> {
  const found: (readonly [string, World])[] = [];
  for (const [index, { name }] of actors.entries()) {
    const progress = world.progress[index] ?? FRESH;
    const hasTurn = world.turns > 0 || !isChange(world, index);
    if (hasTurn && mayStep(world, index))
      found.push([`${name}: ${progress.next}`, await step(actors, world, index, 1)]);
    if (world.incidents === 0 || isOut(progress) || progress.isPaused) continue;
    found.push([`${name} is killed`, incident(world, index, KILLED)]);
    found.push([`${name} stands still`, incident(world, index, PAUSED)]);
  }
  return found;
}

const keys = new WeakMap<Progress, string>();

function keyOfProgress(progress: Progress): string {
  const known = keys.get(progress);
  if (known !== undefined) return known;
  const key = JSON.stringify(progress);
  keys.set(progress, key);
  return key;
}

function keyOf({ disk, progress, incidents, turns, last }: World): string {
  const files = Object.keys(disk).sort();
  return `${incidents} ${turns} ${last} ${files.map((name) => `${name} ${disk[name]}`)} ${progress.map(keyOfProgress)}`;
}

function pathTo(node: Node): string {
  const labels: string[] = [];
  for (let at: Node | undefined = node; at?.from !== undefined; at = at.from) labels.unshift(at.label);
  return labels.join('\n  ');
}

export interface Given extends Pick<World, 'disk' | 'incidents' | 'turns'> {
  /** The first process has come to a call of this kind alone, and stands still before it. */
  readonly standsBefore?: RegExp | undefined;
}

/** All have begun, and none has taken a step but the first. */
async function begin(actors: readonly Actor[], { standsBefore, ...given }: Given): Promise<World> {
  let start: World = { ...given, last: undefined, progress: actors.map(() => FRESH) };
  for (const index of actors.keys()) start = await step(actors, { ...start, last: undefined }, index, 0);
  if (standsBefore === undefined) return { ...start, last: undefined };
  for (let next = start.progress[0]?.next; !standsBefore.test(next ?? ''); next = start.progress[0]?.next) {
    if (next === undefined) throw new Error(`no step is like ${standsBefore}`);
    start = await step(actors, start, 0, 1);
  }
  return { ...incident(start, 0, PAUSED), incidents: given.incidents, turns: given.turns, last: undefined };
}

/**
 * Goes through every order of the steps of these processes in which the turn changes at most `turns` times between two
 * that could go on, with at most `incidents` of them killed or standing still at any step. Situations that several orders lead to are looked at once. `wrong` says what is wrong in one.
 */
export async function exploreOrders(
  actors: readonly Actor[],
  given: Given,
  wrong: (world: World) => string | undefined,
): Promise<Explored> {
  const first: Node = { world: await begin(actors, given), from: undefined, label: '' };
  const nodes = [first];
  const known = new Set<string>();
  for (const node of nodes) {
    for (const [label, world] of await successors(actors, node.world)) {
      const key = keyOf(world);
      if (known.has(key)) continue;
      const next = { world, from: node, label };
      known.add(key);
      nodes.push(next);
      const fault = wrong(world);
      if (fault !== undefined) return { situations: nodes.length, found: `${fault} after\n  ${pathTo(next)}` };
    }
  }
  return { situations: nodes.length, found: undefined };
}

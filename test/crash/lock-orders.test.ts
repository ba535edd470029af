import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exploreOrders, turn } from './every-order.ts';
import { IS_LONG } from './seeded-random.ts';
import type { Actor, Program, Self, World } from './simulated-processes.ts';

// E21: the calls of two or three processes at one lock in every order, with any of them killed or standing still at any
// of its steps. The lock is the program's own; the folder, the processes and the clocks are simulated.

const LOCK = '/runs/june/lock';
const JOURNAL = '/runs/june/journal';

function self(): Self {
  if (turn.self === undefined) throw new Error('a process is taking its steps');
  return turn.self;
}

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  randomBytes: (bytes: number) => self().random(bytes),
}));

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  hostname: () => self().actor.machine,
  getPriority: (pid: number) => self().ask(pid),
}));

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  mkdir: async () => undefined,
  chmod: async () => undefined,
  open: async () => Promise.reject(new Error('folders are not synced')),
}));

vi.mock('node:fs', async (original) => {
  const opened: string[] = [];
  const isTemporary = (path: string) => path.includes('.frontdesk-');
  return {
    ...(await original<typeof import('node:fs')>()),
    readlinkSync: () => 'pid:[1]',
    readFileSync: (path: string) => {
      if (path === '/proc/self/status') return 'NSpid:\t1\n';
      return path.endsWith('/stat') ? `1 (node) S ${'0 '.repeat(18)}77 0` : self().actor.machine;
    },
    openSync: (path: string) => opened.push(self().read(path)) - 1,
    readSync: (descriptor: number, into: Buffer) => into.write(opened[descriptor] ?? '', 'latin1'),
    closeSync: (descriptor: number) => delete opened[descriptor],
    writeFileSync: (path: string, content: string) =>
      isTemporary(path) ? self().writeTemporary(path, content) : self().create(path, content),
    linkSync: (from: string, to: string) => self().link(from, to),
    renameSync: (from: string, to: string) => self().rename(from, to),
    unlinkSync: (path: string) => self().unlink(path),
    rmSync: (path: string) => self().unlink(path),
  };
});

type Locks = typeof import('../../src/files/lock.ts');
const MACHINES = ['desk-1', 'desk-2', 'desk-3'] as const;
const locks = new Map<string, Locks>();

beforeAll(async () => {
  vi.stubGlobal('setInterval', () => ({ unref: () => undefined }));
  for (const machine of MACHINES) {
    vi.resetModules();
    locks.set(machine, await import('../../src/files/lock.ts'));
  }
});
afterAll(() => void vi.unstubAllGlobals());

function locksOf({ actor }: Self): Locks {
  const found = locks.get(actor.machine);
  if (found === undefined) throw new Error('the machine is one of those above');
  return found;
}

const noLinks = () => {
  throw Object.assign(new Error('no links'), { code: 'EPERM' });
};

/** Works on a run of one row in the order of the program: hold, look for the intent, write it, look at the hold, send. */
function work(link?: () => void): Program {
  return async (own) => {
    const options = { pid: own.actor.pid, clock: own.clock, what: 'run june', link };
    const held = await locksOf(own).acquireLock(LOCK, options);
    own.holds(true);
    if (own.read(JOURNAL) === '') {
      own.append(JOURNAL, own.actor.name);
      if (held.lost() === undefined) own.send();
    }
    own.holds(false);
    held.release();
  };
}

const sweep: Program = async (own) => locksOf(own).removeDeadLock(LOCK, { pid: own.actor.pid, clock: own.clock });

/** Processes A, B, C on these machines. */
function processes(machines: readonly (typeof MACHINES)[number][], program = work()): Actor[] {
  return machines.map((machine, index) => ({ name: 'ABC'.charAt(index), machine, pid: 101 + index, program }));
}

function wrong({ progress }: World): string | undefined {
  const holders = progress.filter((one) => one.isHolding && !one.wasPaused).length;
  if (holders > 1) return `${holders} processes that never stood still hold the run`;
  const sent = progress.reduce((sum, one) => sum + one.sent, 0);
  return sent > 1 ? `the row was sent ${sent} times` : undefined;
}

/** How `identify` makes a host of what this /proc says. */
const hostOf = (machine: string) => createHash('sha256').update(`${machine} pid:[1]`).digest('hex').slice(0, 8);

/** The lock of a process that is not there any more. */
const deadOn = (machine: string) => `${hostOf(machine)} 99 77 0123456789abcdef gone\n0000000001 000000000000\n`;

interface Case {
  readonly actors: readonly Actor[];
  readonly dead?: string;
  readonly turns?: number;
}

const [ONE, TWO, THREE] = MACHINES;
const CASES: Readonly<Record<string, Case>> = {
  'two on one machine': { actors: processes([ONE, ONE]) },
  'two on machines of their own': { actors: processes([ONE, TWO]) },
  'two without hard links': { actors: processes([ONE, ONE], work(noLinks)) },
  'two, and the lock of one that died': { actors: processes([ONE, ONE]), dead: ONE },
  'one, and one that tidies up after one that died': {
    actors: [...processes([ONE]), { name: 'S', machine: ONE, pid: 110, program: sweep }],
    dead: ONE,
  },
  'three on one machine': { actors: processes([ONE, ONE, ONE]), turns: IS_LONG ? 3 : 2 },
  ...(IS_LONG && {
    'two elsewhere, and the lock of one that died': { actors: processes([ONE, TWO]), dead: ONE, turns: 2 },
    'three on machines of their own': { actors: processes([ONE, TWO, THREE]), turns: 1 },
    'three on one machine, and the lock of one that died': { actors: processes([ONE, ONE, ONE]), dead: ONE, turns: 3 },
    'three, two of them on one machine': { actors: processes([ONE, ONE, TWO]), turns: 2 },
  }),
};

describe('E21 every order of the steps of processes at one lock', () => {
  it.each(Object.entries(CASES))('%s', async (what, { actors, dead, turns = Number.POSITIVE_INFINITY }) => {
    const disk = { [JOURNAL]: '', ...(dead !== undefined && { [LOCK]: deadOn(dead) }) };
    const { found, orders, situations } = await exploreOrders(actors, { disk, incidents: 1, turns }, wrong);
    expect(found).toBeUndefined();
    process.stdout.write(`${what}: ${orders} orders, through ${situations} situations\n`);
  });
});

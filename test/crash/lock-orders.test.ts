import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { IS_LONG } from '../support/seeded-random.ts';
import { exploreOrders, turn } from './every-order.ts';
import { type Actor, lockOnDisk, type OpenFile, type Program, type Self, type World } from './simulated-processes.ts';

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
  const opened: OpenFile[] = [];
  const of = (descriptor: number) => opened[descriptor] ?? { file: '', text: '' };
  const isTemporary = (path: string) => path.includes('.frontdesk-');
  return {
    ...(await original<typeof import('node:fs')>()),
    readlinkSync: () => 'pid:[1]',
    readFileSync: (path: string) => {
      if (path === '/proc/self/status') return 'NSpid:\t1\n';
      return path.endsWith('/stat') ? `1 (node) S ${'0 '.repeat(18)}77 0` : self().actor.machine;
    },
    readdirSync: (path: string) => [...self().list(path)],
    existsSync: (path: string) => self().has(path),
    openSync: (path: string) => opened.push(self().open(path)) - 1,
    readSync: (descriptor: number, into: Buffer) => into.write(of(descriptor).text, 'latin1'),
    writeSync: (descriptor: number, data: string, at: number) => self().write(of(descriptor), data, at),
    fsyncSync: () => undefined,
    closeSync: (descriptor: number) => delete opened[descriptor],
    mkdirSync: () => undefined,
    writeFileSync: (path: string, content: string) => self().writeTemporary(path, content),
    renameSync: (from: string, to: string) => (isTemporary(from) ? self().renameFolder(to) : self().rename(from, to)),
    unlinkSync: (path: string) => self().unlink(path),
    rmdirSync: (path: string) => self().removeFolder(path),
    rmSync: () => undefined,
  };
});

type Locks = typeof import('../../src/base/files/lock.ts');
const MACHINES = ['desk-1', 'desk-2', 'desk-3'] as const;
const locks = new Map<string, Locks>();

beforeAll(async () => {
  vi.stubGlobal('setInterval', () => ({ unref: () => undefined }));
  for (const machine of MACHINES) {
    vi.resetModules();
    locks.set(machine, await import('../../src/base/files/lock.ts'));
  }
});
afterAll(() => void vi.unstubAllGlobals());

function locksOf({ actor }: Self): Locks {
  const found = locks.get(actor.machine);
  if (found === undefined) throw new Error('the machine is one of those above');
  return found;
}

/** Works on a run of one row in the order of the program: hold, look for the intent, write it, look at the hold, send. */
const work: Program = async (own) => {
  const held = await locksOf(own).acquireLock(LOCK, { pid: own.actor.pid, clock: own.clock, what: 'run june' });
  own.holds(true);
  if (own.read(JOURNAL) === '') {
    own.append(JOURNAL, own.actor.name);
    if (held.lost() === undefined) own.send();
  }
  own.holds(false);
  held.release();
};

const sweep: Program = async (own) => locksOf(own).removeDeadLock(LOCK, { pid: own.actor.pid, clock: own.clock });

/** Processes A, B, C on these machines. */
function processes(machines: readonly (typeof MACHINES)[number][], more: Partial<Actor> = {}): Actor[] {
  return machines.map((machine, at) => ({ name: 'ABC'.charAt(at), machine, pid: 101 + at, program: work, ...more }));
}

function wrong({ disk, progress }: World): string | undefined {
  const locks = Object.keys(disk).filter((path) => path.startsWith(`${LOCK}/`) && path !== `${LOCK}/`);
  if (locks.length > 1) return `${locks.length} locks are in one place`;
  const sent = progress.reduce((sum, one) => sum + one.sent, 0);
  if (sent > 1) return `the row was sent ${sent} times`;
  const holders = progress.flatMap((one, at) => (one.isHolding && !one.wasPaused ? [101 + at] : []));
  if (holders.length > 1) return `${holders.length} processes that never stood still hold the run`;
  const robbed = holders.find((pid) => !locks.some((path) => path.includes(`.${pid}.`)));
  return robbed === undefined ? undefined : `process ${robbed} never stood still, and has lost its hold`;
}

/** How `identify` makes a host of what this /proc says. */
const hostOf = (machine: string) => createHash('sha256').update(`${machine} pid:[1]`).digest('hex').slice(0, 8);

/** The lock of a process that is not there any more. */
function deadOn(machine: string) {
  const instance = '0123456789abcdef';
  return lockOnDisk(LOCK, `${hostOf(machine)}.99.77.${instance}.gone`, `${instance}\n0000000001 000000000000\n`);
}

interface Case {
  readonly actors: readonly Actor[];
  readonly dead?: string;
  readonly turns?: number;
  readonly incidents?: number;
  /** Where the first process stands still before any other takes a step. */
  readonly standsBefore?: RegExp;
}

const [ONE, TWO, THREE] = MACHINES;
const CASES: Readonly<Record<string, Case>> = {
  'two on one machine': { actors: processes([ONE, ONE]) },
  'two on machines of their own': { actors: processes([ONE, TWO]) },
  'two where no folder replaces another': { actors: processes([ONE, ONE], { replacesNoFolder: true }) },
  'two, and the lock of one that died': { actors: processes([ONE, ONE]), dead: ONE },
  'one, and one that tidies up after one that died': {
    actors: [...processes([ONE]), { name: 'S', machine: ONE, pid: 110, program: sweep }],
    dead: ONE,
  },
  'three elsewhere, one of them still before it gives its lock back': {
    actors: processes([ONE, TWO, THREE]),
    standsBefore: /^unlink/,
    incidents: 0,
    turns: 3,
  },
  'three on one machine': { actors: processes([ONE, ONE, ONE]), turns: IS_LONG ? 3 : 2 },
  ...(IS_LONG && {
    'two elsewhere, and the lock of one that died': { actors: processes([ONE, TWO]), dead: ONE, turns: 2 },
    'three on machines of their own': { actors: processes([ONE, TWO, THREE]), turns: 2 },
    'three elsewhere, one of them still in the middle of a takeover': {
      actors: processes([ONE, TWO, THREE]),
      dead: ONE,
      standsBefore: /^write to/,
      incidents: 0,
      turns: 3,
    },
    'three on one machine, and the lock of one that died': { actors: processes([ONE, ONE, ONE]), dead: ONE, turns: 3 },
    'three, two of them on one machine': { actors: processes([ONE, ONE, TWO]), turns: 2 },
  }),
};

it.each(Object.entries(CASES))(
  'E21 every order of the steps of processes at one lock: %s',
  async (what, { actors, dead, turns = Number.POSITIVE_INFINITY, incidents = 1, standsBefore }) => {
    const disk = { [JOURNAL]: '', ...(dead !== undefined && deadOn(dead)) };
    const { found, situations } = await exploreOrders(actors, { disk, incidents, turns, standsBefore }, wrong);
    expect(found).toBeUndefined();
    process.stdout.write(`${what}: ${situations} situations\n`);
  },
);

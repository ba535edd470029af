import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type CountingServer, startCountingServer } from '../crash/counting-server.ts';
import { shardRows } from '../crash/program.ts';
import { WRITES } from '../crash/writes.ts';
import { folderWithProgram, ROOT } from '../support/shell.ts';

// The recipes of docs/guides/many-machines.md on the engines themselves, where they are installed.

const SHARDS = [1, 2, 3, 4];
const ROWS = 4000;
const key = (row: number) => WRITES.block.keyOf(row);

const isThere = (...programs: readonly string[]) =>
  programs.every((program) => spawnSync('which', [program]).status === 0);

/** The daemons of Slurm work for root alone. */
const hasSlurm = process.getuid?.() === 0 && isThere('munged', 'slurmctld', 'slurmd', 'sbatch');

interface Place {
  readonly folder: string;
  readonly server: CountingServer;
  readonly env: NodeJS.ProcessEnv;
}

/** A home with cards.csv, a token and `frontdesk` on the path, and the service that counts what it is asked. */
async function makePlace(): Promise<Place> {
  const folder = folderWithProgram();
  const server = await startCountingServer({ write: WRITES.block, thinkMs: 60 });
  onTestFinished(() => server.stop());
  const rows = Array.from({ length: ROWS }, (_, index) => `${key(index + 1)},lost\n`);
  writeFileSync(join(folder, 'cards.csv'), `cardId,reason\n${rows.join('')}`);
  writeFileSync(join(folder, '.cards-token'), 'cards-token-of-the-test\n', { mode: 0o600 });
  const env = {
    ...server.env,
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    FRONTDESK_CONFIG_DIR: join(folder, 'config'),
    FRONTDESK_STATE_DIR: join(folder, 'state'),
  };
  return { folder, server, env };
}

/** Resolves as soon as the service has applied a row. */
function whenApplied({ server }: Place, row: number): Promise<void> {
  return new Promise((resolve) => {
    server.listen(() => {
      if (server.applications(key(row)) > 0) resolve();
    });
  });
}

/** The process of a shard, whatever started it. */
function pidOf({ folder }: Place, shard: number): number {
  const { stdout } = spawnSync('pgrep', ['-f', `node.*--shard ${shard}/4 --run block-${shard} `], { encoding: 'utf8' });
  const pids = stdout.trim().split('\n').map(Number);
  const own = pids.filter((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${folder}\0`));
  expect(own).toHaveLength(1);
  return own[0] ?? 0;
}

/** Each row was blocked exactly once, and the results say so; unknown is only what a killed process had under way. */
function expectEachOnce({ folder, server }: Place): void {
  // A task that was queued again appends to nothing: each attempt writes its file anew.
  const rows = shardRows(folder, SHARDS);
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
  const missing = rows.filter(({ row }) => server.applications(key(row)) === 0);
  expect(missing.every(({ outcome }) => outcome === 'unknown')).toBe(true);
  expect(missing.length).toBeLessThanOrEqual(16);
  expect(rows.filter(({ row }) => server.applications(key(row)) > 1)).toEqual([]);
  const wrong = rows.filter(({ row, outcome }) => server.applications(key(row)) === 1 && outcome === 'unknown');
  expect(wrong).toEqual([]);
}

/** Runs a program of the engine to its end and returns its stdout. */
function run(place: Place, file: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: place.folder, env: place.env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim();
}

/** A cluster of this one machine, on ports of its own. */
function startSlurm(place: Place): Place {
  const { folder } = place;
  const conf = join(folder, 'slurm.conf');
  const socket = join(folder, 'munge', 'socket');
  for (const name of ['munge', 'slurmctld', 'slurmd']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'munge', 'key'), 'k'.repeat(128), { mode: 0o600 });
  const port = 20_000 + (process.pid % 20_000);
  writeFileSync(
    conf,
    `ClusterName=frontdesk
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=${socket}
SlurmctldPort=${port}
SlurmdPort=${port + 1}
StateSaveLocation=${folder}/slurmctld
SlurmdSpoolDir=${folder}/slurmd
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
NodeName=${hostname()} NodeAddr=127.0.0.1 CPUs=8
PartitionName=all Nodes=ALL Default=YES State=UP
`,
  );
  const started: Place = { ...place, env: { ...place.env, SLURM_CONF: conf } };
  const files = ['key', 'socket', 'pid', 'log', 'seed'].map((name) => join(folder, 'munge', name));
  const [keyFile, , pidFile, logFile, seedFile] = files;
  run(started, 'munged', [
    '--force',
    `--key-file=${keyFile}`,
    `--socket=${socket}`,
    `--pid-file=${pidFile}`,
    `--log-file=${logFile}`,
    `--seed-file=${seedFile}`,
  ]);
  onTestFinished(() => {
    for (const name of ['slurmd.pid', 'slurmctld.pid', 'munge/pid']) {
      process.kill(Number(readFileSync(join(folder, name), 'utf8')), 'SIGTERM');
    }
  });
  run(started, 'slurmctld', ['-f', conf]);
  run(started, 'slurmd', ['-f', conf]);
  return started;
}

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 240_000, interval: 500 }).toBe(true);
}

it.skipIf(!hasSlurm)('Slurm: a task is requeued and another is killed, and each row is sent once', async () => {
  const place = startSlurm(await makePlace());
  await until(() => spawnSync('sinfo', ['-h', '-o', '%T'], { env: place.env, encoding: 'utf8' }).stdout === 'idle\n');
  const submit = () => run(place, 'sbatch', ['--parsable', join(ROOT, 'docs', 'recipes', 'slurm-array.sh')]);
  const isOver = (job: string) => run(place, 'squeue', ['-h', '-j', job, '-o', '%T']) === '';
  const job = submit();
  // Shard 2 has the rows 2, 6, 10, …, shard 3 the rows 3, 7, 11, …
  await whenApplied(place, 402);
  run(place, 'scontrol', ['requeue', `${job}_2`]);
  await whenApplied(place, 603);
  process.kill(pidOf(place, 3), 'SIGKILL');
  place.server.listen(undefined);
  await until(() => run(place, 'squeue', ['-h', '-j', job, '-o', '%T %r']) === 'PENDING BeginTime');
  // Slurm waits for two minutes; a person who is in a hurry says so.
  run(place, 'scontrol', ['update', `JobId=${job}_2`, 'StartTime=now']);
  await until(() => isOver(job));
  // The killed task ended with a code of its own, so the array is submitted once more, as the recipe says.
  const again = submit();
  await until(() => isOver(again));
  expectEachOnce(place);
});

it.skipIf(!isThere('parallel'))(
  'GNU parallel: a shard is killed, the rest is stopped, and a second start sends each row once',
  async () => {
    const place = await makePlace();
    const start = () =>
      spawn('bash', [join(ROOT, 'docs', 'recipes', 'gnu-parallel.sh')], {
        cwd: place.folder,
        env: place.env,
        stdio: 'ignore',
      });
    const first = start();
    const ended = new Promise((resolve) => first.on('close', resolve));
    await whenApplied(place, 402);
    process.kill(pidOf(place, 2), 'SIGKILL');
    await whenApplied(place, 803);
    // Twice: the first lets parallel begin nothing new, the second ends what runs.
    first.kill('SIGTERM');
    first.kill('SIGTERM');
    await ended;
    await place.server.quiet();
    place.server.listen(undefined);
    expect(place.server.order.length).toBeLessThan(ROWS);
    const second = start();
    await new Promise((resolve) => second.on('close', resolve));
    expectEachOnce(place);
  },
);

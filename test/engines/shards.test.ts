import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeShardPlace } from '../support/shards.ts';
import { ROOT } from '../support/shell.ts';

// The recipes of docs/guides/many-machines.md on the engines themselves, where they are installed.

const ROWS = 4000;

const isThere = (...programs: readonly string[]) =>
  programs.every((program) => spawnSync('which', [program]).status === 0);

/** The daemons of Slurm work for root alone. */
const hasSlurm = process.getuid?.() === 0 && isThere('munged', 'slurmctld', 'slurmd', 'sbatch');

type Place = Awaited<ReturnType<typeof makePlace>>;

async function makePlace() {
  const place = await makeShardPlace(ROWS, 60);
  const PATH = [join(place.folder, 'bin'), process.env['PATH']].join(delimiter);
  const env: NodeJS.ProcessEnv = { ...place.env, PATH, HOME: place.folder, LANG: 'C.UTF-8' };
  return { ...place, env };
}

/** The process of a shard, whatever started it. */
function pidOf({ folder }: Place, shard: number): number {
  const { stdout } = spawnSync('pgrep', ['-f', `node.*--shard ${shard}/4 --run block-${shard} `], { encoding: 'utf8' });
  const pids = stdout.trim().split('\n').map(Number);
  const own = pids.filter((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${folder}\0`));
  expect(own).toHaveLength(1);
  return own[0] ?? 0;
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
  await place.whenApplied(402);
  run(place, 'scontrol', ['requeue', `${job}_2`]);
  await place.whenApplied(603);
  process.kill(pidOf(place, 3), 'SIGKILL');
  await until(() => run(place, 'squeue', ['-h', '-j', job, '-o', '%T %r']) === 'PENDING BeginTime');
  // Slurm waits for two minutes; a person who is in a hurry says so.
  run(place, 'scontrol', ['update', `JobId=${job}_2`, 'StartTime=now']);
  await until(() => isOver(job));
  // The killed task ended with a code of its own, so the array is submitted once more, as the recipe says.
  const again = submit();
  await until(() => isOver(again));
  // What a killed process had under way.
  expect(place.expectAllSaid()).toBeLessThanOrEqual(16);
});

it.skipIf(!isThere('parallel'))('GNU parallel: a shard is killed, the rest stopped, and all started anew', async () => {
  const place = await makePlace();
  const start = () =>
    spawn('bash', [join(ROOT, 'docs', 'recipes', 'gnu-parallel.sh')], {
      cwd: place.folder,
      env: place.env,
      stdio: 'ignore',
    });
  const first = start();
  const ended = new Promise((resolve) => first.on('close', resolve));
  await place.whenApplied(402);
  process.kill(pidOf(place, 2), 'SIGKILL');
  await place.whenApplied(803);
  // Twice: the first lets parallel begin nothing new, the second ends what runs.
  first.kill('SIGTERM');
  first.kill('SIGTERM');
  await ended;
  await place.server.quiet();
  expect(place.server.order.length).toBeLessThan(ROWS);
  const second = start();
  await new Promise((resolve) => second.on('close', resolve));
  // What a killed process had under way.
  expect(place.expectAllSaid()).toBeLessThanOrEqual(16);
});

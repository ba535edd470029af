// How the benchmarks measure: whole processes, run in turn, so that a machine that slows down slows down all alike.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const bin = join(root, 'bin', 'frontdesk.js');
export const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
export const scratch = mkdtempSync(join(tmpdir(), 'frontdesk-bench-'));

// Compiled code is kept in a home that is there.
mkdirSync(join(scratch, 'home'));

/** A user of his own; nothing of this environment comes along (NODE_EXTRA_CA_CERTS alone slows Node 20 down by a start). */
export function environment(url) {
  const home = join(scratch, 'home');
  const token = 'x'.repeat(24);
  const cards = { FRONTDESK_CARDS_URL: url, FRONTDESK_CARDS_TOKEN: token };
  const calendar = { FRONTDESK_CALENDAR_URL: url, FRONTDESK_CALENDAR_TOKEN: token };
  const service = url === undefined ? {} : { ...cards, ...calendar };
  return { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...service };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs a command to its end and answers the seconds it took; what it prints goes into a pipe that is read. */
export function seconds([file, ...args], env, stdout = 'pipe') {
  const started = process.hrtime.bigint();
  const out = stdout === 'pipe' ? 'pipe' : openSync(stdout, 'w');
  const { status, error, stderr } = spawnSync(file, args, {
    env,
    stdio: ['ignore', out, 'pipe'],
    maxBuffer: 1024 * 1024 * 1024,
  });
  const took = Number(process.hrtime.bigint() - started) / 1e9;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return took;
}

/** The median ratio of a command's time to another's, measured in pairs. */
export function ratio(command, yardstick, { env = environment(), runs = 21, stdout } = {}) {
  const ratios = [];
  for (let run = -1; run < runs; run += 1) {
    const other = seconds(yardstick, env, stdout);
    const own = seconds(command, env, stdout);
    // The first pair warms the caches of the disk and the compiled code.
    if (run >= 0) ratios.push(own / other);
  }
  return median(ratios);
}

/** What a process of Node took: the most memory it held, in MiB, and its processor time, in milliseconds. */
export function usage([node, ...args], env, stdout = join(scratch, 'out')) {
  const file = join(scratch, 'usage');
  const hook = fileURLToPath(new URL('usage.cjs', import.meta.url));
  seconds([node, '--require', hook, ...args], { ...env, USAGE_FILE: file }, stdout);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The most memory that a process of Node held, in MiB; the median of some runs. */
export function peakMiB(command, env, runs = 5, stdout = undefined) {
  return median(Array.from({ length: runs }, () => usage(command, env, stdout).mib));
}

/** Starts the service of the benchmarks in a process of its own; `stop` ends it. `pem`: the key and certificate of TLS. */
export async function startService(latencyMs = 0, slowMs = latencyMs, bytes = 0, transactions = 0, pem = undefined) {
  const script = fileURLToPath(new URL('service.mjs', import.meta.url));
  const child = spawn(
    process.execPath,
    [script, ...[latencyMs, slowMs, bytes, transactions].map(String), ...(pem === undefined ? [] : [pem])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const port = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
  return { url: `${pem === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, stop: () => child.kill() };
}

/** Whether a program is on this machine. */
export function isHere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

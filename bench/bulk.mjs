// Many rows against a service on loopback: the commands of the benchmarks, and the figures that take more than one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { secondLook, secondRequest } from './desk.mjs';
import { bin, environment, median, peakMiB, ratio, root, scratch, seconds, startService } from './measure.mjs';

const rawPool = join(root, 'bench', 'raw-pool.mjs');
export const out = join(scratch, 'out');

export function idsFile(count) {
  const path = join(scratch, `ids-${count}.txt`);
  const ids = Array.from({ length: count }, (_, n) => `0b7a6c1e-3f52-4d8a-9c41-${String(n + 1).padStart(12, '0')}`);
  writeFileSync(path, `${ids.join('\n')}\n`);
  return path;
}

const many = (words, atOnce) => [process.execPath, bin, ...words, '-j', String(atOnce), '-o', 'ndjson', '-q'];
export const reading = (file, atOnce) => many(['card', 'get', '--from', file], atOnce);
const blocking = (file, atOnce) => many(['card', 'block', '--yes', '--from', file], atOnce);

export async function withService(latencyMs, work) {
  const service = await startService(latencyMs);
  try {
    return await work(service.url, environment(service.url));
  } finally {
    service.stop();
  }
}

/** `goals`: how many at once -> the goal. */
export function bulkAgainstPool(method, rows, goals) {
  return withService(0, (url, env) => {
    const file = idsFile(rows);
    return Object.entries(goals).map(([atOnce, goal]) => {
      const own = (method === 'GET' ? reading : blocking)(file, atOnce);
      const raw = [process.execPath, rawPool, url, file, method, atOnce];
      return { on: `${atOnce} at once`, goal, value: ratio(raw, own, { env, runs: 11, stdout: out }) };
    });
  });
}

/** Files of an authority and of a key with its certificate, which the tests have. */
function certificates() {
  const text = readFileSync(join(root, 'test/support/tls-server.ts'), 'utf8');
  const [ca, key, cert] = text.match(/-----BEGIN [\s\S]*?-----END [A-Z ]+-----\n/g);
  const files = { ca: join(scratch, 'ca.pem'), pem: join(scratch, 'service.pem') };
  writeFileSync(files.ca, ca);
  writeFileSync(files.pem, key + cert);
  return files;
}

/** The pace of reissues, each over a connection of its own, of the most possible at this latency. */
export async function reissues(rows, atOnce, latencyMs) {
  const { ca, pem } = certificates();
  const values = [];
  for (const [on, certificate] of [
    ['http', undefined],
    ['TLS', pem],
  ]) {
    const service = await startService(latencyMs, latencyMs, 0, 0, certificate);
    try {
      const command = many(['card', 'reissue', '--yes', '--again', '--ca-file', ca, '--from', idsFile(rows)], atOnce);
      const took = seconds(command, environment(service.url), out);
      values.push({ on, goal: 0.475, value: (rows * latencyMs) / 1000 / atOnce / took });
    } finally {
      service.stop();
    }
  }
  return values;
}

/** The pace of a run of which every hundredth answer takes 5 s, of that of the same answers printed as they come. */
export async function slowAnswers(rows) {
  const service = await startService(20, 5000);
  try {
    const file = idsFile(rows);
    const raw = [process.execPath, rawPool, service.url, file, 'GET', 8];
    const value = 1 / ratio(reading(file, 8), raw, { env: environment(service.url), runs: 3, stdout: out });
    return [{ on: '8 at once', goal: 0.9, value }];
  } finally {
    service.stop();
  }
}

/** The most memory of runs whose answers are long, in MiB, read and written, as texts and as many small parts. */
export async function largeAnswers() {
  const cases = [
    { on: '200 reads of a text', rows: 200, words: ['card', 'get'], text: 20_000_000 },
    { on: '64 writes of a text', rows: 64, words: ['card', 'block', '--yes'], text: 20_000_000 },
    { on: '64 reads of transactions', rows: 64, words: ['card', 'get'], transactions: 200_000 },
    { on: '64 writes of transactions', rows: 64, words: ['card', 'block', '--yes'], transactions: 200_000 },
  ];
  const values = [];
  for (const { on, rows, words, text = 0, transactions = 0 } of cases) {
    const service = await startService(0, 0, text, transactions);
    try {
      const command = many([...words, '--from', idsFile(rows)], 64);
      values.push({ on, goal: 512, value: peakMiB(command, environment(service.url), 1, devNull) });
    } finally {
      service.stop();
    }
  }
  return values;
}

/**
 * User and system time of all processes, in milliseconds, of a command on a terminal of 120x40 that `script` makes and
 * reads: what it reads and writes is counted too.
 */
function cpuOnTerminal(command, env) {
  const onTerminal = `stty cols 120 rows 40; exec ${command.join(' ')}`;
  const line = 'script -qec "$0" /dev/null > /dev/null < /dev/null && times';
  const { status, stdout } = spawnSync('sh', ['-c', line, onTerminal], {
    env: { ...env, TERM: 'xterm-256color' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
  const [, children = ''] = stdout.trimEnd().split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60_000 + Number(rest) * 1000,
    0,
  );
}

/** How much more processor time a table on a terminal takes than NDJSON there, in milliseconds. */
export async function tableOnTerminal(rows) {
  // Cards of 400 bytes.
  const service = await startService(0, 0, 100);
  try {
    const reads = (format) => [process.execPath, bin, 'card', 'get', '--from', idsFile(rows), '-j', '16', '-o', format];
    const beyond = (env) => {
      const took = { table: [], ndjson: [] };
      for (let run = -1; run < 9; run += 1) {
        for (const format of ['ndjson', 'table']) {
          const ms = cpuOnTerminal([...reads(format), '--quiet'], env);
          // The first pair warms the caches of the disk.
          if (run >= 0) took[format].push(ms);
        }
      }
      // A machine that does something else makes both slower, never faster.
      return Math.min(...took.table) - Math.min(...took.ndjson);
    };
    const env = environment(service.url);
    return [
      { on: 'with compiled code', goal: 100, value: beyond(env) },
      { on: 'without', goal: 100, value: beyond({ ...env, NODE_OPTIONS: '--max-old-space-size=4096' }) },
    ];
  } finally {
    service.stop();
  }
}

/** The pace of a plan that is applied, of that of a run of the same rows and a read of each. */
export function planAgainstRun(rows) {
  return withService(0, (_, env) => {
    const file = idsFile(rows);
    const plan = join(scratch, 'cards.plan');
    seconds([process.execPath, bin, 'card', 'block', '--from', file, '-j', '16', '-q', '--plan', plan], env, out);
    const paces = [];
    for (let run = -1; run < 5; run += 1) {
      // A plan is applied once: in a new state folder it is a new one.
      const fresh = { ...env, FRONTDESK_STATE_DIR: mkdtempSync(join(scratch, 'state-')) };
      const apart = seconds(reading(file, 16), fresh, out) + seconds(blocking(file, 16), fresh, out);
      const applied = seconds(many(['plan', 'apply', plan, '--yes'], 16), fresh, out);
      if (run >= 0) paces.push(apart / applied);
    }
    return [{ on: '', goal: 1, value: median(paces) }];
  });
}

/** The second look at a card in one session of the desk, against a second request by undici alone and 20 ms. */
export function lookAgainstRequest() {
  return withService(0, async (url, env) => {
    const ratios = [];
    for (let run = -1; run < 9; run += 1) {
      const request = await secondRequest(url);
      const look = await secondLook(env);
      if (run >= 0) ratios.push(look / (request + 20));
    }
    return [{ on: '', goal: 1, value: median(ratios) }];
  });
}

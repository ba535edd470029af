// Many rows against a service on loopback: the commands of the benchmarks, and the figures that take more than one.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { secondLook, secondRequest } from './desk.mjs';
import { bin, environment, median, peakMiB, ratio, root, scratch, seconds, startService } from './measure.mjs';
import { cpuOnTerminal } from './terminal.mjs';

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

/** The most memory of a run whose every answer is 20 MB long. */
export async function largeAnswers(rows) {
  const service = await startService(0, 0, 20_000_000);
  try {
    const value = peakMiB(reading(idsFile(rows), 64), environment(service.url), 1, devNull);
    return [{ on: 'MiB', goal: 512, value }];
  } finally {
    service.stop();
  }
}

/** How much more processor time a table on a terminal takes than NDJSON there, in milliseconds. */
export function tableOnTerminal(rows) {
  return withService(0, async (_, env) => {
    const command = (format) => {
      const words = ['card', 'get', '--from', idsFile(rows), '-j', '16', '-q', '-o', format];
      return [process.execPath, bin, ...words];
    };
    const beyond = [];
    for (let run = -1; run < 7; run += 1) {
      const plain = await cpuOnTerminal(command('ndjson'), env);
      const table = await cpuOnTerminal(command('table'), env);
      // The first pair warms the compiled code.
      if (run >= 0) beyond.push(table - plain);
    }
    return [{ on: '', goal: 100, value: median(beyond) }];
  });
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
    return [{ on: '', goal: 0.9, value: median(paces) }];
  });
}

/** The second look at a card in one sitting of the desk, against a second request by undici alone and 20 ms. */
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

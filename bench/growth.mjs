// What grows with the rows of a run, and what must not: time for each row, and memory.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bin, environment, scratch, startService, usage } from './measure.mjs';

const [FEW, MANY] = [100_000, 1_000_000];

function* csv(rows, address) {
  yield 'id,email\n';
  for (let n = 1; n <= rows; n += 1) yield `sub_${String(n).padStart(7, '0')},${address(n)}@example.com\n`;
}

/** A file of subscribers, another with every address changed, and what each command took for so many rows. */
async function measure(rows, url) {
  const folder = mkdtempSync(join(scratch, 'growth-'));
  const [older, newer, plan] = ['old.csv', 'new.csv', 'all.plan'].map((name) => join(folder, name));
  await pipeline(Readable.from(csv(rows, (n) => `old.${n}`)), createWriteStream(older));
  await pipeline(Readable.from(csv(rows, (n) => `new.${n}`)), createWriteStream(newer));
  const env = { ...environment(url), FRONTDESK_STATE_DIR: folder };
  const took = (...words) => usage([process.execPath, bin, ...words], env);
  const compare = ['calendar', 'subscribers', 'update', '--from', newer, '--changed-from', older];
  const figures = {
    '--changed-from': took(...compare, '--plan', plan, '-q'),
    'plan apply': took('plan', 'apply', plan, '-j', '16', '-o', 'ndjson', '-q', '--yes'),
    'runs results': took('runs', 'results', '--last', '-o', 'ndjson'),
    'runs report': took('runs', 'report', '--last', '--as', 'html'),
  };
  rmSync(folder, { recursive: true });
  return figures;
}

/** Processor time for each row, and memory, of a million rows against those of 100,000. */
export async function growth() {
  const service = await startService();
  try {
    const [few, many] = [await measure(FEW, service.url), await measure(MANY, service.url)];
    return Object.keys(few).flatMap((name) => [
      { on: `${name}: time for each`, goal: 1.1, value: many[name].cpuMs / MANY / (few[name].cpuMs / FEW) },
      { on: `${name}: memory`, goal: 1.25, value: many[name].mib / few[name].mib },
      { on: `${name}: MiB`, goal: 200, value: many[name].mib },
      { on: `${name}: microseconds for each`, goal: 1000, value: (many[name].cpuMs * 1000) / MANY },
    ]);
  } finally {
    service.stop();
  }
}

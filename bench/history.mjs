// A history of 400,000 single writes, and a state folder of many runs.
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { idsFile, withService } from './bulk.mjs';
import { bin, CARD, environment, median, peakMiB, ratio, scratch, seconds, usage } from './measure.mjs';

const WRITES = 400_000;
const MINUTE_MS = 60_000;

/** A state folder with so many writes, one a minute, as the program records them. */
function stateFolder(name = 'large-history') {
  const folder = join(scratch, name);
  mkdirSync(folder, { mode: 0o700 });
  const file = openSync(join(folder, 'history.jsonl'), 'w', 0o600);
  let lines = [];
  for (let number = 0; number < WRITES; number += 1) {
    const time = new Date(Date.UTC(2026, 0, 1) + number * MINUTE_MS).toISOString();
    const entry = `${time.replace(/[-:.Z]/g, '')}-4d2-${number.toString(16).padStart(6, '0')}`;
    const about = { operation: 'card.block', id: `0b7a6c1e-3f52-4d8a-9c41-${number.toString(16).padStart(12, '0')}` };
    const who = { user: 'desk', profile: 'live', host: 'cards.example.com', reason: 'lost' };
    lines.push(JSON.stringify({ event: 'begin', entry, time, ...about, ...who }));
    const callOutcome = { outcome: 'applied', attempts: 1, httpStatus: 200, requestId: `r-${number}`, durationMs: 37 };
    lines.push(JSON.stringify({ event: 'end', entry, time, ...about, ...callOutcome }));
    if (lines.length < 10_000 && number + 1 < WRITES) continue;
    writeSync(file, `${lines.join('\n')}\n`);
    lines = [];
  }
  closeSync(file);
  return folder;
}

/** The time of 50 entries and of a search for one card, against `--version`, and the most memory of either. */
export function largeHistory() {
  const env = { ...environment(), FRONTDESK_STATE_DIR: stateFolder() };
  const version = [process.execPath, bin, '--version'];
  const page = [process.execPath, bin, 'history', '--limit', '50'];
  const search = [process.execPath, bin, 'history', '--id', '0b7a6c1e-3f52-4d8a-9c41-000000000005'];
  return [
    { on: '50 entries', goal: 8, value: ratio(page, version, { env, runs: 5 }) },
    { on: 'MiB', goal: 150, value: peakMiB(page, env, 3) },
    { on: 'MiB of --id', goal: 150, value: peakMiB(search, env, 3) },
    { on: 'one id, the oldest', goal: 60, value: ratio(search, version, { env, runs: 3 }) },
  ];
}

const RUN_ROWS = 90;

/** Puts copies of the one run of a state folder beside it, ten minutes apart, each as old as it says. */
function copyRuns(folder, count) {
  const runs = join(folder, 'runs');
  const [first] = readdirSync(runs);
  const header = JSON.parse(readFileSync(join(runs, first, 'header.json'), 'utf8'));
  for (let nth = 1; nth < count; nth += 1) {
    const startedAt = new Date(Date.parse(header.startedAt) - nth * 10 * MINUTE_MS);
    const time = startedAt.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
    const run = `${time}-${nth.toString(16).padStart(6, '0')}`;
    const to = join(runs, run);
    mkdirSync(to, { mode: 0o700 });
    for (const name of ['rows', 'journal.jsonl']) copyFileSync(join(runs, first, name), join(to, name));
    const text = JSON.stringify({ ...header, run, startedAt, rowsSha256: nth.toString(16).padStart(64, '0') });
    writeFileSync(join(to, 'header.json'), text, { mode: 0o600 });
    for (const name of readdirSync(to)) utimesSync(join(to, name), startedAt, startedAt);
  }
}

/**
 * Of a state folder with 400,000 single writes and many runs: the processor time of a block that finds its index there,
 * beyond that of one without any records, and of one that has to make it; of the newest runs, and of a page of the history.
 */
export function manyRuns() {
  return withService(0, (_, env) => {
    const none = { ...env, FRONTDESK_STATE_DIR: join(scratch, 'no-runs') };
    const block = [process.execPath, bin, 'card', 'block', CARD, '--yes', '-q'];
    const cpuMs = (command, within) => median(Array.from({ length: 11 }, () => usage(command, within).cpuMs));
    return [1000, 20_000].flatMap((count) => {
      const within = { ...env, FRONTDESK_STATE_DIR: stateFolder(`runs-${count}`) };
      seconds([process.execPath, bin, 'card', 'block', '--from', idsFile(RUN_ROWS), '--yes', '-q'], within);
      copyRuns(within.FRONTDESK_STATE_DIR, count);
      rmSync(join(within.FRONTDESK_STATE_DIR, 'open-writes.json'));
      const making = usage(block, within).cpuMs;
      const alone = cpuMs(block, none);
      const on = (what) => `${what}, ${count} runs`;
      const list = [process.execPath, bin, 'runs', 'list', '--limit', '5'];
      return [
        { on: on('a block'), goal: count > 1000 ? 60 : 10, value: cpuMs(block, within) - alone },
        { on: on('the first block'), goal: count > 1000 ? 6000 : 2500, value: making - alone },
        { on: on('runs list --limit 5'), goal: count > 1000 ? 600 : 200, value: cpuMs(list, within) },
        { on: on('history'), goal: count > 1000 ? 600 : 300, value: cpuMs([process.execPath, bin, 'history'], within) },
      ];
    });
  });
}

// A history of 400,000 single writes, and a state folder of many runs.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idsFile, withService } from './bulk.mjs';
import { bin, CARD, environment, median, peakMiB, ratio, scratch, seconds, usage } from './measure.mjs';

const WRITES = 400_000;
const MINUTE_MS = 60_000;

/** A state folder with so many writes, one a minute, as the program records them: a file for each day. */
function stateFolder(name = 'large-history') {
  const folder = join(scratch, name);
  mkdirSync(join(folder, 'writes'), { recursive: true, mode: 0o700 });
  const who = { user: 'desk', operation: 'card.block', reason: 'lost', profile: 'live' };
  const where = { host: 'cards.example.com', url: 'https://cards.example.com', call: 'card.block', maker: 'a-1-1' };
  const callOutcome = { outcome: 'applied', attempts: 1, httpStatus: 200, durationMs: 37, observedStatus: 'BLOCKED' };
  let [day, lines] = ['', []];
  for (let number = 0; number <= WRITES; number += 1) {
    const time = new Date(Date.UTC(2026, 0, 1) + number * MINUTE_MS).toISOString();
    const compact = time.replace(/[-:.Z]/g, '');
    if (number === WRITES || compact.slice(0, 8) !== day) {
      if (day !== '') writeFileSync(join(folder, 'writes', `${day}.0a1b2c3d.ndjson`), lines.join(''), { mode: 0o600 });
      [day, lines] = [compact.slice(0, 8), []];
    }
    const hex = number.toString(16);
    const entry = { at: time, entry: `${compact}-4d2-${hex.padStart(6, '0')}`, time };
    const card = { id: `0b7a6c1e-3f52-4d8a-9c41-${hex.padStart(12, '0')}`, clientReference: `order-${number}` };
    lines.push(
      `${JSON.stringify({ ...entry, ...who, ...card, ...where, ...callOutcome, requestId: `r-${number}` })}\n`,
    );
  }
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

/** Puts copies of the one run of a state folder before it, ten minutes apart, each as old as it says. */
function copyRuns(folder, count) {
  const runs = join(folder, 'runs');
  const [first] = readdirSync(runs);
  const header = JSON.parse(readFileSync(join(runs, first, 'header.json'), 'utf8'));
  const begun = [first];
  for (let nth = 1; nth < count; nth += 1) {
    const startedAt = new Date(Date.parse(header.startedAt) - nth * 10 * MINUTE_MS);
    const time = startedAt.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
    const run = `${time}-${nth.toString(16).padStart(6, '0')}`;
    const rowsSha256 = nth.toString(16).padStart(16, '0').padEnd(64, '0');
    const to = join(runs, run);
    mkdirSync(to, { mode: 0o700 });
    for (const name of ['rows', 'reached', 'journal.jsonl']) copyFileSync(join(runs, first, name), join(to, name));
    writeFileSync(join(to, 'header.json'), JSON.stringify({ ...header, run, startedAt, rowsSha256 }), { mode: 0o600 });
    writeFileSync(join(folder, 'sent', `${rowsSha256.slice(0, 16)}~card.block~${run}`), '', { mode: 0o600 });
    for (const name of readdirSync(to)) utimesSync(join(to, name), startedAt, startedAt);
    begun.unshift(run);
  }
  writeFileSync(join(folder, 'runs-begun'), `${begun.join('\n')}\n`, { mode: 0o600 });
}

/**
 * Of a state folder with 400,000 single writes and many runs: the processor time of a block of a card that is not in it,
 * beyond that of one without any records, and of the newest runs, of a page of the history and of that card's.
 */
export function manyRuns() {
  return withService(0, (_, env) => {
    const none = { ...env, FRONTDESK_STATE_DIR: join(scratch, 'no-runs') };
    const block = [process.execPath, bin, 'card', 'block', CARD, '--yes', '-q'];
    const history = [process.execPath, bin, 'history'];
    const stranger = [...history, '--id', 'ffffffff-3f52-4d8a-9c41-000000000005'];
    const cpuMs = (command, within, runs = 11) =>
      median(Array.from({ length: runs }, () => usage(command, within).cpuMs));
    return [1000, 20_000].flatMap((count) => {
      const within = { ...env, FRONTDESK_STATE_DIR: stateFolder(`runs-${count}`) };
      seconds([process.execPath, bin, 'card', 'block', '--from', idsFile(RUN_ROWS), '--yes', '-q'], within);
      copyRuns(within.FRONTDESK_STATE_DIR, count);
      const first = usage(block, within).cpuMs;
      const alone = cpuMs(block, none);
      const on = (what) => `${what}, ${count} runs`;
      const list = [process.execPath, bin, 'runs', 'list', '--limit', '5'];
      return [
        { on: on('the first block'), goal: 140, value: first - alone },
        { on: on('a block'), goal: count > 1000 ? 60 : 10, value: cpuMs(block, within) - alone },
        { on: on('runs list --limit 5'), goal: count > 1000 ? 600 : 200, value: cpuMs(list, within) },
        { on: on('history'), goal: count > 1000 ? 600 : 300, value: cpuMs(history, within) },
        { on: on('history --id of no entry'), goal: 20_000, value: cpuMs(stranger, within, 1) },
      ];
    });
  });
}

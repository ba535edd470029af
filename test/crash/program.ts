import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Home, startFrontdesk } from '../support/run-frontdesk.ts';

interface PrintedRow {
  readonly row: number;
  readonly outcome: string;
}

/** Longer than the longest wait for a run that another holds. */
const LIMIT_MS = 120_000;

/** Starts the program as users have it. `ended` rejects when it had to be killed as hung. */
export function startProgram(args: readonly string[], home: Home, env: Readonly<Record<string, string>>) {
  const { child, result } = startFrontdesk(args, { home, env, timeoutMs: LIMIT_MS });
  return { child, ended: result.then((end) => behindStandIn(child.pid).then(() => end)) };
}

/**
 * Waits for the program behind a stand-in that was killed: FRONTDESK_TEST_ENDED is the folder in which test/windows/ says
 * that one was started for a process (`<pid>.begun`) and that it has ended (`<pid>`).
 */
async function behindStandIn(pid: number | undefined): Promise<void> {
  const folder = process.env['FRONTDESK_TEST_ENDED'];
  if (folder === undefined || !existsSync(join(folder, `${pid}.begun`))) return;
  const limit = Date.now() + 10_000;
  while (!existsSync(join(folder, String(pid))) && Date.now() < limit) await setTimeout(20);
}

/** The rows that a process printed as NDJSON. */
export function printedRows(text: string): PrintedRow[] {
  // A killed process may leave half a line, which was never printed.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  // The tests find out when members of a row are wrong.
  return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as PrintedRow);
}

/** The rows of all shards together, in their order, from a file of results of each. */
export function shardRows(folder: string, shards: readonly number[]): readonly PrintedRow[] {
  const texts = shards.map((shard) => readFileSync(join(folder, `results-${shard}.ndjson`), 'utf8'));
  return texts.flatMap(printedRows).sort((one, other) => one.row - other.row);
}

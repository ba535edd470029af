import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Home } from '../support/run-frontdesk.ts';
import type { PrintedRow } from './judge.ts';

/** The program as users have it, or the one that FRONTDESK_TEST_PROGRAM names. */
export const BUILT_PROGRAM =
  process.env['FRONTDESK_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));

/** Longer than the longest wait for a run that another holds. */
const LIMIT_MS = 120_000;

export interface ProgramEnd {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the program with nothing of this process's environment. `ended` rejects when it had to be killed as hung. */
export function startProgram(start: ProgramStart): {
  readonly child: ChildProcess;
  readonly ended: Promise<ProgramEnd>;
} {
  const { program, args, home, env } = start;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: join(home.path, 'work'),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home.path,
      LANG: 'C.UTF-8',
      // Else files are written that are no step of the run.
      FRONTDESK_CONFIG_DIR: home.configDir,
      FRONTDESK_STATE_DIR: home.stateDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (part: Buffer) => parts.stdout.push(part));
  child.stderr.on('data', (part: Buffer) => parts.stderr.push(part));
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    let isHung = false;
    const limit = globalThis.setTimeout(() => {
      isHung = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      const stdout = Buffer.concat(parts.stdout).toString('utf8');
      const stderr = Buffer.concat(parts.stderr).toString('utf8');
      if (isHung) reject(new Error(`frontdesk ${args.join(' ')} hung\nstdout: ${stdout}\nstderr: ${stderr}`));
      else behindStandIn(child.pid).then(() => resolve({ code, signal, stdout, stderr }), reject);
    });
  });
  return { child, ended };
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
  // The judge finds out when members of a row are wrong.
  return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as PrintedRow);
}

/** The counts of a process's summary, none when it printed no summary. */
export function summaryOutcomes(stderr: string): Record<string, number> {
  const line = stderr.split('\n').findLast((text) => text.startsWith('{"summary"'));
  if (line === undefined) return {};
  return (JSON.parse(line) as { summary: { outcomes: Record<string, number> } }).summary.outcomes;
}

// A command on a terminal of 120 columns, whose output is read and thrown away.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { scratch } from './measure.mjs';

const hook = fileURLToPath(new URL('cpu-time.cjs', import.meta.url));

/** Runs a program of Node on a terminal; answers the processor time it took, in milliseconds. */
export async function cpuOnTerminal([node, ...args], env) {
  const file = join(scratch, 'cpu');
  const options = { cols: 120, rows: 40, env: { ...env, CPU_TIME_FILE: file, TERM: 'xterm-256color' } };
  const child = spawn(node, ['--require', hook, ...args], options);
  child.onData(() => undefined);
  const { exitCode } = await new Promise((resolve) => child.onExit(resolve));
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}`);
  return Number(readFileSync(file, 'utf8'));
}

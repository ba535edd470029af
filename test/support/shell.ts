import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHome } from './run-frontdesk.ts';

/** The root of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A new folder with `frontdesk` in its `bin`, for lines of a shell as they stand; removed after the test file. */
export function folderWithProgram(): string {
  const folder = createHome().path;
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'bin', 'frontdesk.js'), join(folder, 'bin', 'frontdesk'));
  return folder;
}

export interface ShellEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as a terminal mixes them. */
  readonly said: string;
}

/** Starts a program in such a folder, which is its home too. */
export function startIn(
  folder: string,
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<ShellEnd> } {
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter), HOME: folder, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = { stdout: '', stderr: '', said: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      end[name] += part;
      end.said += part;
    });
  }
  return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...end }))) };
}

/** Runs lines of bash as a runner of CI does. */
export function runLines(folder: string, lines: string, env: Readonly<Record<string, string | undefined>> = {}) {
  return startIn(folder, ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', lines], env).ended;
}

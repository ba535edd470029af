import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { NODES } from './nodes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders of the same release, made twice; see `setup`. */
export interface Releases {
  readonly first: string;
  readonly second: string;
  /** The folder of the checkout that the second was made in. */
  readonly copy: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** undefined: this is not Linux, or there is no Node 26 to make the executable of. */
    readonly releases: Releases | undefined;
  }
}

/** Content of the file that stands for the executable of Windows. */
export const WINDOWS_EXECUTABLE = 'an executable of Windows';

/** Runs a program and answers its stdout. Not in step with it: the runner of the tests goes on meanwhile. */
async function run(file: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
  return (await promisify(execFile)(file, args, options)).stdout;
}

/** What a commit of the checkout as it is now would hold, in files that only their owner can read. */
async function copyCheckout(copy: string): Promise<void> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(root, path), join(copy, path));
    chmodSync(join(copy, path), statSync(join(root, path)).mode & 0o700);
  }
  // No link: the bundler orders some things by the real paths of modules.
  await run('cp', ['-a', join(root, 'node_modules'), copy], { cwd: root });
}

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-release-'));

/**
 * Makes the release twice: in the checkout, and in a copy of it that lies elsewhere, with another umask, time zone and
 * language. Both are handed an executable of Windows.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  const node = NODES.find(({ major }) => major === '26')?.path;
  if (process.platform !== 'linux' || node === undefined) {
    provide('releases', undefined);
    return;
  }
  const [first, second, copy] = [join(folder, 'first'), join(folder, 'second'), join(folder, 'copy')];
  const elsewhere = join(folder, 'elsewhere', 'windows');
  mkdirSync(elsewhere, { recursive: true });
  const { version } = JSON.parse(
    await run(process.execPath, ['-p', `JSON.stringify(require('./package.json'))`], { cwd: root }),
  );
  writeFileSync(join(elsewhere, `frontdesk-${version}-windows-x64.exe`), WINDOWS_EXECUTABLE);
  const env = { ...process.env, FRONTDESK_EXE_NODE: node, SOURCE_DATE_EPOCH: '1767225600' };
  const options = ['--with', dirname(elsewhere), '--repository', 'https://git.example/o/frontdesk'];
  const release = ['build/release.mjs', ...options, '--into'];
  await run(process.execPath, [...release, first], { cwd: root, env });
  await copyCheckout(copy);
  await run('sh', ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, ...release, second], {
    cwd: copy,
    env: { ...env, TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', HOME: copy },
  });
  provide('releases', { first, second, copy });
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

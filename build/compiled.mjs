// Makes the compiled code that bin/frontdesk.js starts with, for the Node that builds.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './bundle.mjs';

/** Compiles the sealed chunks of `folder`. The header says of which build and system they are. */
export function compileChunks(folder) {
  const { versions, arch, platform, execPath } = process;
  const to = `${folder}/compiled/${versions.node}-${arch}`;
  mkdirSync(to, { recursive: true });
  // The options of a start, whatever those of the build are: V8 refuses code that was compiled under others.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const args = ['--predictable', `${root}build/compile-chunks.cjs`, `${folder}/chunks`, to];
  const { status, error } = spawnSync(execPath, args, { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`compiling the chunks ended with ${status}`);
  writeFileSync(`${to}/header`, `${readFileSync(`${folder}/build-id`, 'latin1')} ${platform}\n`);
}

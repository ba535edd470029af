#!/usr/bin/env node
'use strict';

// Answers `--version` without loading the program: scripts and health checks ask it thousands of times.
const [first] = process.argv.slice(2);
if (process.argv.length === 3 && (first === '--version' || first === '-V')) {
  process.exitCode = 16;
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    process.exitCode = 0;
  } catch (error) {
    if (error.code === 'EPIPE') process.exitCode = 141;
  }
} else {
  keepCompiledCode();
  require('../dist/main.cjs').start();
}

/**
 * Has Node keep compiled code between starts (22.8 and later), in a folder of this user's own: Node's default
 * lies in the shared temporary folder, where other users could prepare what is run here.
 */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache === undefined || process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { join } = require('node:path');
  const { env, platform } = process;
  const base = env.XDG_CACHE_HOME?.startsWith('/')
    ? env.XDG_CACHE_HOME
    : platform === 'win32'
      ? env.LOCALAPPDATA
      : env.HOME && join(env.HOME, platform === 'darwin' ? 'Library/Caches' : '.cache');
  if (!base) return;
  const folder = join(base, 'frontdesk', 'compiled');
  try {
    const { existsSync, lstatSync, mkdirSync } = require('node:fs');
    // Not with `recursive`, which tries for ever where nothing can be made and the system calls it missing (/proc).
    for (const path of [base, join(base, 'frontdesk'), folder]) {
      if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    }
    const { uid, mode } = lstatSync(folder);
    if (platform !== 'win32' && (uid !== process.getuid() || (mode & 0o022) !== 0)) return;
    enableCompileCache(folder);
  } catch {
    // No home, a full or read-only disk: then each start compiles anew.
  }
}

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
  require('../dist/main.cjs').start();
}

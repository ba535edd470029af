// The first thing that the standalone executable runs: answers `--version` at once, as bin/frontdesk.js does for the
// package, else starts the program, which lies in the executable as an asset with its compiled code beside it.
const [first] = process.argv.slice(2);
if (process.argv.length === 3 && (first === '--version' || first === '-V')) {
  process.exitCode = 16;
  try {
    require('node:fs').writeSync(1, `${FRONTDESK_VERSION}\n`);
    process.exitCode = 0;
  } catch (error) {
    if (error.code === 'EPIPE') process.exitCode = 141;
  }
} else {
  const { getAsset, getRawAsset } = require('node:sea');
  const { Script } = require('node:vm');
  const script = new Script(getAsset('program', 'utf8'), {
    filename: 'frontdesk.cjs',
    cachedData: Buffer.from(getRawAsset('compiled')),
  });
  const program = { exports: {} };
  script.runInThisContext()(program.exports, require, program, process.execPath, '');
  program.exports.start();
}

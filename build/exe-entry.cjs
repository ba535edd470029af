// The first thing that the standalone executable runs: answers `--version` at once, as bin/frontdesk.js does for the
// package, else starts the program, whose files lie in the executable as assets with their compiled code beside them.
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
  startProgram();
}

function startProgram() {
  const { getRawAsset } = require('node:sea');
  const { Script } = require('node:vm');
  const modules = new Map();
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const source = Buffer.from(getRawAsset(`chunks/${name}`)).latin1Slice();
    // One that was made on another system may have none.
    const cachedData = FRONTDESK_COMPILED ? Buffer.from(getRawAsset(`compiled/${name}`)) : undefined;
    const script = new Script(source, { filename: `chunks/${name}`, cachedData });
    const module = { exports: {} };
    modules.set(name, module);
    const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, requireFrom, module, process.execPath, '');
    return module.exports;
  };
  load('main.cjs').start();
}

#!/usr/bin/env node
'use strict';

// Parsed by any Node: nothing here is of newer syntax than the answer to one that is too old.
// Answers `--version` without loading the program: scripts and health checks ask it thousands of times.
const [first] = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);
// A switch that is spelled in no way that others take is said by the program.
const isBadSwitch = (name) => !/^(?:[01]|true|false|yes|no|on|off|)$/i.test(process.env[`FRONTDESK_${name}`] || '');
const isPlain = !['READ_ONLY', 'NO_HISTORY', 'ACCESSIBLE', 'DEBUG'].some(isBadSwitch);
// `engines` of package.json. Others lack functions that the program calls while a change is on its way.
if (!(major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 19))) {
  process.exitCode = 2;
  process.stderr.write(
    `frontdesk: needs Node 20.19 or a later 20, or 22.3 or later, and this is Node ${process.versions.node}\n`,
  );
} else if (process.argv.length === 3 && (first === '--version' || first === '-V') && isPlain) {
  process.exitCode = 16;
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    process.exitCode = 0;
  } catch (error) {
    if (error.code === 'EPIPE') process.exitCode = 141;
    else process.stderr.write(`frontdesk: could not write the version to stdout: ${error.message}\n`);
  }
} else {
  startProgram(`${__dirname}/../dist`);
}

/**
 * Starts the program with the code that the build compiled, if it was made of these very files for this Node. Node's own
 * compile cache is made before anything runs, so it lacks every function that is compiled at its first call, and Node 20
 * has none.
 */
function startProgram(dist) {
  const { readFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  let build;
  const { versions, arch, platform } = process;
  const folder = `${dist}/compiled/${versions.node}-${arch}`;
  const readCompiled = (name) => {
    try {
      return readFileSync(`${folder}/${name}`);
    } catch {
      return undefined;
    }
  };
  // V8 compares the length of a source with its compiled code, not the source.
  let isCompiled = false;
  const modules = new Map();
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = `${dist}/chunks/${name}`;
    // Chunks are pure ASCII.
    const source = readFileSync(filename, 'latin1');
    // Chunks of two builds call each other by the same short names, and would send what neither sends.
    if (!source.endsWith(build)) {
      const replaced = new Error(`EREPLACED: another version was put in the place of this one, open '${filename}'`);
      throw Object.assign(replaced, { code: 'EREPLACED', syscall: 'open', path: filename });
    }
    const script = new Script(source, { filename, cachedData: isCompiled ? readCompiled(name) : undefined });
    // Under other options of V8 than the build's it refuses every file.
    if (script.cachedDataRejected) isCompiled = false;
    const module = { exports: {} };
    modules.set(name, module);
    const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, requireFrom, module, filename, `${dist}/chunks`);
    return module.exports;
  };
  let main;
  try {
    build = readFileSync(`${dist}/build-id`, 'latin1');
    isCompiled = String(readCompiled('header')) === `${build} ${platform}\n`;
    main = load('main.cjs');
  } catch (error) {
    process.exitCode = 16;
    process.stderr.write(
      `frontdesk: could not start: ${error.message}\nhint: in a checkout, build it: npm run build\n`,
    );
    return;
  }
  main.start();
}

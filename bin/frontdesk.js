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
  startProgram(`${__dirname}/../dist`);
}

/**
 * Starts the program with the code that an earlier start compiled. Node's own compile cache is made before anything
 * runs, so it lacks every function that is compiled at its first call, and Node 20 has none. What is kept here is made
 * at the end of a call (src/process/keep-compiled.ts says how, and what makes it safe).
 */
function startProgram(dist) {
  const { readFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  const compiled = { ...findFolder(readFileSync(`${dist}/build-id`, 'latin1')), dist, chunks: new Map() };
  const modules = new Map();
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = `${dist}/chunks/${name}`;
    // Chunks are pure ASCII.
    const source = readFileSync(filename, 'latin1');
    const kept = compiled.usable ? readKept(compiled.folder, name) : { refusals: 0 };
    const script = new Script(source, { filename, cachedData: kept.data });
    const { data, refusals, isDamaged } = kept;
    const state =
      data === undefined ? (isDamaged ? 'damaged' : 'none') : script.cachedDataRejected ? 'refused' : 'used';
    compiled.chunks.set(name, { script, source, state, refusals, bytes: data?.length ?? 0 });
    const module = { exports: {} };
    modules.set(name, module);
    const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, requireFrom, module, filename, `${dist}/chunks`);
    return module.exports;
  };
  load('main.cjs').start(compiled);
}

/**
 * Where compiled code of this build, this Node and these options of it is kept: a folder of this user's own, because
 * what lies there is run. `usable`: it is there, and nobody else can write to it.
 */
function findFolder(build) {
  const { env, platform, execArgv, versions, arch } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return { usable: false, reason: 'off' };
  const base = cacheHome(process);
  if (!base) return { usable: false, reason: 'homeless' };
  // V8 refuses code that was compiled under other options.
  let options = 0;
  for (const letter of `${execArgv.join(' ')} ${env.NODE_OPTIONS ?? ''}`.trim()) {
    options = (Math.imul(options, 31) + letter.codePointAt(0)) >>> 0;
  }
  const above = [base, `${base}/frontdesk`, `${base}/frontdesk/compiled`];
  const folder = `${above[2]}/${build}-${versions.node}-${versions.v8}-${platform}-${arch}-${options.toString(16)}`;
  const { lstatSync } = require('node:fs');
  const uid = process.getuid?.();
  for (const path of [above[2], folder]) {
    try {
      const facts = lstatSync(path, { throwIfNoEntry: false });
      if (facts === undefined) return { usable: false, above, folder };
      const isOurs = facts.isDirectory() && (uid === undefined || (facts.uid === uid && (facts.mode & 0o022) === 0));
      if (!isOurs) return { usable: false, reason: 'unsafe', where: path };
    } catch {
      return { usable: false, reason: 'unreadable', where: path };
    }
  }
  return { usable: true, above, folder };
}

function cacheHome({ env, platform }) {
  if (env.XDG_CACHE_HOME?.startsWith('/')) return env.XDG_CACHE_HOME;
  if (platform === 'win32') return env.LOCALAPPDATA;
  return env.HOME && `${env.HOME}/${platform === 'darwin' ? 'Library/Caches' : '.cache'}`;
}

/**
 * The compiled code of one chunk. A file holds it twice: V8 runs what it is given unchecked, and comparing two copies
 * is the cheapest way to find out that a disk did not keep them.
 */
function readKept(folder, name) {
  const { closeSync, constants, fstatSync, openSync, readSync } = require('node:fs');
  let file;
  try {
    file = openSync(`${folder}/${name}`, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const facts = fstatSync(file);
    const uid = process.getuid?.();
    const isOurs = facts.isFile() && (uid === undefined || (facts.uid === uid && (facts.mode & 0o022) === 0));
    const half = facts.size / 2;
    if (!isOurs || !Number.isInteger(half) || half <= 16 || half > 0x1000000) return { refusals: 0, isDamaged: true };
    const bytes = Buffer.allocUnsafeSlow(facts.size);
    const [copy, other] = [bytes.subarray(0, half), bytes.subarray(half)];
    const isWhole =
      readSync(file, bytes, 0, facts.size, 0) === facts.size &&
      copy.equals(other) &&
      copy.latin1Slice(0, 8) === 'fdcode 1' &&
      copy.readUInt32LE(8) === half - 16;
    if (!isWhole) return { refusals: 0, isDamaged: true };
    const refusals = copy.readUInt32LE(12);
    return { refusals, data: copy.subarray(16) };
  } catch {
    return { refusals: 0 };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

#!/usr/bin/env node
'use strict';

// Answers `--version` without loading the program: scripts and health checks ask it thousands of times.
const [first] = process.argv.slice(2);
// A switch that is spelled in no way that others take is said by the program.
const isBadSwitch = (name) => !/^(?:[01]|true|false|yes|no|on|off|)$/i.test(process.env[`FRONTDESK_${name}`] || '');
const isPlain = !['READ_ONLY', 'NO_HISTORY', 'ACCESSIBLE', 'DEBUG'].some(isBadSwitch);
if (process.argv.length === 3 && (first === '--version' || first === '-V') && isPlain) {
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
  let build;
  try {
    build = readFileSync(`${dist}/build-id`, 'latin1');
  } catch (error) {
    process.exitCode = 16;
    process.stderr.write(
      `frontdesk: could not start: ${error.message}\nhint: in a checkout, build it: npm run build\n`,
    );
    return;
  }
  const look = () => findFolder(build);
  const compiled = { ...look(), look, dist, chunks: new Map() };
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
 * Where compiled code of this build, this Node and these options of it is kept. What lies there is run, so the folder
 * has to be this user's alone, and its name depends on a key in the folder of the settings: a checkout, which may bring
 * files of any mode, cannot bring that. `usable`: it is there; without a reason: it can be made.
 */
function findFolder(build) {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return { usable: false, reason: 'off' };
  if (process.env.CI) return { usable: false, reason: 'ci' };
  const { base, keyPath } = userFolders(process);
  if (!base || !keyPath) return { usable: false, reason: 'homeless' };
  const above = [base, `${base}/frontdesk`, `${base}/frontdesk/compiled`];
  let where = keyPath;
  try {
    const key = readKey(keyPath);
    if (key === 'unsafe') return { usable: false, reason: 'unsafe', where, isOurs: true };
    const folder = key && `${above[2]}/${nameOf(build, process)}-${key}`;
    const { lstatSync } = require('node:fs');
    for (where of [...foldersAbove(base), ...above, ...(folder ? [folder] : [])]) {
      const facts = lstatSync(where, { throwIfNoEntry: false });
      if (facts === undefined) return { usable: false, above, keyPath, folder };
      // The last one's name holds the key, and is shown nowhere.
      if (where === folder) where = above[2];
      const isSafe = facts.isDirectory() && (where === above[2] ? isPrivate(facts, 0o700) : isGuarded(facts));
      if (!isSafe) return { usable: false, reason: 'unsafe', where, isOurs: above.indexOf(where) > 0 };
    }
    return { usable: folder !== undefined, above, keyPath, folder };
  } catch {
    return { usable: false, reason: 'unreadable', where };
  }
}

/** The name of a build under one Node with these options: V8 refuses code that was compiled under others. */
function nameOf(build, { env, platform, execArgv, versions, arch }) {
  let options = 0;
  for (const letter of `${execArgv.join(' ')} ${env.NODE_OPTIONS ?? ''}`.trim()) {
    options = (Math.imul(options, 31) + letter.codePointAt(0)) >>> 0;
  }
  return `${build}-${versions.node}-${versions.v8}-${platform}-${arch}-${options.toString(16)}`;
}

function userFolders({ env, platform }) {
  const { HOME: home, XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: config } = env;
  const usual =
    platform === 'win32'
      ? [env.LOCALAPPDATA, env.APPDATA]
      : platform === 'darwin'
        ? [home && `${home}/Library/Caches`, home && `${home}/Library/Application Support`]
        : [home && `${home}/.cache`, home && `${home}/.config`];
  const settings = config?.startsWith('/') ? config : usual[1];
  return { base: cache?.startsWith('/') ? cache : usual[0], keyPath: settings && `${settings}/frontdesk/compile-key` };
}

/** The folders above an absolute path, outermost first; none on Windows, whose modes say nothing. */
function foldersAbove(path) {
  if (process.getuid === undefined) return [];
  const parts = path.split('/').slice(1, -1);
  return ['/', ...parts.map((_, n) => `/${parts.slice(0, n + 1).join('/')}`)];
}

function isPrivate({ uid, mode }, wanted) {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o7777) === wanted);
}

/** Whether only this user and root can change what lies in a folder; in a sticky one of root, each only his own. */
function isGuarded({ uid, mode }) {
  if (process.getuid === undefined) return true;
  if (uid !== 0 && uid !== process.getuid()) return false;
  return (mode & 0o022) === 0 || (uid === 0 && (mode & 0o1000) !== 0);
}

/**
 * What the name of the folder depends on: the random word of this user, and the file that it stands in, whose number
 * and time no archive can bring. Undefined: there is none yet.
 */
function readKey(path) {
  const { closeSync, constants, fstatSync, openSync, readSync } = require('node:fs');
  let file;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    return 'unsafe';
  }
  try {
    const facts = fstatSync(file);
    const bytes = Buffer.allocUnsafe(33);
    if (!facts.isFile() || !isPrivate(facts, 0o600) || readSync(file, bytes, 0, 33, 0) !== 32) return 'unsafe';
    const word = bytes.latin1Slice(0, 32);
    return /^[0-9a-f]{32}$/.test(word) ? `${word}${facts.ino.toString(36)}${facts.ctimeMs.toString(36)}` : 'unsafe';
  } finally {
    closeSync(file);
  }
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
    const half = facts.size / 2;
    const isOurs = facts.isFile() && isPrivate(facts, 0o600);
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

'use strict';

// Preloaded into the built program (`node --require`): call number FAIL_AT of the file system below FAIL_BELOW (folders,
// separated by colons) fails with FAIL_WITH; with `KILL` the process is killed before that call. FAIL_COUNT names the file
// that gets the number of calls that were counted. With FAIL_ONLY only calls of that name are counted: `write`.

const fs = require('node:fs');

const at = Number(process.env.FAIL_AT);
const errno = process.env.FAIL_WITH ?? 'EIO';
const only = process.env.FAIL_ONLY ?? '';
const below = (process.env.FAIL_BELOW ?? '').split(':');
const { writeFileSync } = fs;
const ours = new Set();
let calls = 0;

process.on('exit', () => writeFileSync(process.env.FAIL_COUNT, `${calls}`));

function failure(syscall, path) {
  const error = new Error(`${errno}: made to fail, ${syscall}`);
  return Object.assign(error, { code: errno, errno: -5, syscall, ...(typeof path === 'string' ? { path } : {}) });
}

const isBelow = (value) => typeof value === 'string' && below.some((folder) => value.startsWith(folder));

function isNow(name) {
  if (only !== '' && name !== only) return false;
  calls += 1;
  if (calls === at && errno === 'KILL') process.kill(process.pid, 'SIGKILL');
  return calls === at;
}

/** Whether a call is one of those that are counted, and fails. */
function isMeant(args, name) {
  return args.some((value) => isBelow(value) || ours.has(value)) && isNow(name);
}

const NAMES = [
  'open',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'unlink',
  'stat',
  'lstat',
  'readdir',
  'readFile',
  'writeFile',
  'link',
  'chmod',
  'copyFile',
  'mkdtemp',
];
for (const name of NAMES) {
  const original = fs.promises[name];
  fs.promises[name] = async (...args) => {
    if (isMeant(args, name)) throw failure(name, args[0]);
    const result = await original(...args);
    if (name === 'open' && (only === '' || isBelow(args[0]))) watch(result);
    return result;
  };
}

function watch(handle) {
  for (const name of [
    'read',
    'write',
    'readFile',
    'writeFile',
    'stat',
    'sync',
    'datasync',
    'chmod',
    'truncate',
    'close',
  ]) {
    const original = handle[name].bind(handle);
    handle[name] = async (...args) => {
      const fails = isNow(name);
      // The number is given to the next file that is opened.
      if (name === 'close') ours.delete(handle.fd);
      if (!fails) return original(...args);
      // The descriptor is gone anyway, as close(2) says.
      if (name === 'close') await original();
      throw failure(name);
    };
  }
  ours.add(handle.fd);
}

/** An `open` whose descriptor this file owns too. */
function remembering(args) {
  const done = args.at(-1);
  if (!isBelow(args[0]) || typeof done !== 'function') return args;
  const note = (error, descriptor) => {
    if (!error) ours.add(descriptor);
    done(error, descriptor);
  };
  return [...args.slice(0, -1), note];
}

for (const name of [...NAMES, 'write', 'read', 'fdatasync', 'fsync', 'ftruncate', 'close']) {
  const sync = `${name}Sync`;
  const original = fs[sync];
  if (original !== undefined) {
    fs[sync] = (...args) => {
      const fails = isMeant(args, name);
      if (name === 'close') ours.delete(args[0]);
      if (fails && name === 'close') original(...args);
      if (fails) throw failure(name, args[0]);
      const result = original(...args);
      if (name === 'open' && isBelow(args[0])) ours.add(result);
      return result;
    };
  }
  if (!['open', 'read', 'write', 'fdatasync', 'ftruncate', 'close'].includes(name)) continue;
  const called = fs[name];
  const failing = (...args) => {
    const fails = isMeant(args, name);
    // As above: the number is given to the next file, and the descriptor is gone anyway.
    if (name === 'close') ours.delete(args[0]);
    if (fails && name === 'close') return called(args[0], () => args.at(-1)(failure(name)));
    if (!fails) return called(...(name === 'open' ? remembering(args) : args));
    return process.nextTick(args.at(-1), failure(name));
  };
  // What makes a promise of it finds the names of its results there.
  fs[name] = Object.defineProperties(failing, Object.getOwnPropertyDescriptors(called));
}

'use strict';

// Preloaded into the built program (`node --require`): call number FAIL_AT of the file system below FAIL_BELOW (folders,
// separated by colons) fails with FAIL_WITH, and with FAIL_ON=1 each one after it too; with `SHORT` it writes half of what
// it was given, which is no failure. FAIL_COUNT names the file that gets the number of calls that were counted. With FAIL_ONLY
// only calls of that name are counted: `write`. With `KILL` the process is killed before that call.

const fs = require('node:fs');

const at = Number(process.env.FAIL_AT);
const errno = process.env.FAIL_WITH ?? 'EIO';
const only = process.env.FAIL_ONLY ?? '';
const goesOn = process.env.FAIL_ON === '1';
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
  return calls === at || (goesOn && calls > at);
}

/** Whether a call is one of those that are counted, and fails. */
function isMeant(args, name) {
  return args.some((value) => isBelow(value) || ours.has(value)) && isNow(name);
}

const isShort = errno === 'SHORT';

/** What a write is given, with half of it to write. */
function half([first, ...rest]) {
  const [data, offset = 0, length] = rest;
  if (typeof data === 'string') return [first, data.slice(0, Math.ceil(data.length / 2)), ...rest.slice(1)];
  const whole = typeof length === 'number' ? length : data.length - (typeof offset === 'number' ? offset : 0);
  const position = typeof rest[3] === 'number' ? rest[3] : null;
  const done = typeof rest.at(-1) === 'function' ? [rest.at(-1)] : [];
  return [first, data, typeof offset === 'number' ? offset : 0, Math.ceil(whole / 2), position, ...done];
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
    if (isMeant(args, name) && !isShort) throw failure(name, args[0]);
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
      if (fails && isShort && name === 'write') return original(...half([handle.fd, ...args]).slice(1));
      if (!fails || isShort) return original(...args);
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
      const isChosen = isMeant(args, name);
      if (isChosen && isShort && name === 'write') return original(...half(args));
      const fails = isChosen && !isShort;
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
    const isChosen = isMeant(args, name);
    // As above: the number is given to the next file, and the descriptor is gone anyway.
    if (name === 'close') ours.delete(args[0]);
    if (isChosen && !isShort && name === 'close') return called(args[0], () => args.at(-1)(failure(name)));
    if (!isChosen) return called(...(name === 'open' ? remembering(args) : args));
    if (isShort) return called(...(name === 'write' ? half(args) : args));
    return process.nextTick(args.at(-1), failure(name));
  };
  // What makes a promise of it finds the names of its results there.
  fs[name] = Object.defineProperties(failing, Object.getOwnPropertyDescriptors(called));
}

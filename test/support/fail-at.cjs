'use strict';

// Preloaded into the built program (`node --require`): call number FAIL_AT of the file system below FAIL_BELOW (folders,
// separated by colons) fails with FAIL_WITH, and with FAIL_ON=1 each one after it too. FAIL_COUNT names the file that
// gets the number of calls that were counted.

const fs = require('node:fs');

const at = Number(process.env.FAIL_AT);
const errno = process.env.FAIL_WITH ?? 'EIO';
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

/** Whether a call is one of those that are counted, and fails. */
function isMeant(args) {
  if (!args.some((value) => isBelow(value) || ours.has(value))) return false;
  calls += 1;
  return calls === at || (goesOn && calls > at);
}

const NAMES = [
  'open',
  'mkdir',
  'rename',
  'rm',
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
    if (isMeant(args)) throw failure(name, args[0]);
    const result = await original(...args);
    if (name === 'open') watch(result);
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
      calls += 1;
      const fails = calls === at || (goesOn && calls > at);
      // The number is given to the next file that is opened.
      if (name === 'close') ours.delete(handle.fd);
      if (!fails) return original(...args);
      // The descriptor is gone all the same, as close(2) says.
      if (name === 'close') await original();
      throw failure(name);
    };
  }
  ours.add(handle.fd);
}

for (const name of [...NAMES, 'write', 'read', 'fdatasync', 'fsync', 'ftruncate', 'close']) {
  const sync = `${name}Sync`;
  const original = fs[sync];
  if (original !== undefined) {
    fs[sync] = (...args) => {
      const fails = isMeant(args);
      if (name === 'close') ours.delete(args[0]);
      if (fails && name === 'close') original(...args);
      if (fails) throw failure(name, args[0]);
      const result = original(...args);
      if (name === 'open' && isBelow(args[0])) ours.add(result);
      return result;
    };
  }
  if (!['write', 'fdatasync', 'ftruncate'].includes(name)) continue;
  const called = fs[name];
  fs[name] = (...args) => {
    if (!isMeant(args)) return called(...args);
    return process.nextTick(args.at(-1), failure(name));
  };
}

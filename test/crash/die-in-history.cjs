'use strict';

// Preloaded into the built program (`node --require`): kills it at call CRASH_AT to the file system that concerns the
// state folder (FRONTDESK_STATE_DIR) and not its runs; a write of the history is also cut in its middle.

const fs = require('node:fs');
const { resolve } = require('node:path');

const at = Number(process.env.CRASH_AT);
const folder = resolve(process.env.FRONTDESK_STATE_DIR);
const { writeSync } = fs;
let steps = 0;

function reach(step) {
  steps += 1;
  if (steps !== at) return;
  writeSync(2, `died ${step}\n`);
  process.kill(process.pid, 'SIGKILL');
  // Not one instruction of the program may run after this.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const isOurs = (args) => args.some((value) => typeof value === 'string' && value.startsWith(folder));

for (const name of ['rename', 'unlink', 'rm', 'mkdir']) {
  const original = fs.promises[name];
  fs.promises[name] = async (...args) => {
    if (!isOurs(args)) return original(...args);
    reach(`before ${name}`);
    const result = await original(...args);
    reach(`after ${name}`);
    return result;
  };
}

for (const name of ['mkdirSync', 'renameSync', 'rmdirSync', 'unlinkSync', 'writeFileSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (!isOurs(args)) return original(...args);
    reach(`before ${name}`);
    const result = original(...args);
    reach(`after ${name}`);
    return result;
  };
}

const { open } = fs.promises;
fs.promises.open = async (...args) => {
  const handle = await open(...args);
  if (!isOurs(args)) return handle;
  reach('after open');
  for (const name of ['sync', 'datasync', 'chmod']) {
    const original = handle[name].bind(handle);
    handle[name] = async (...rest) => {
      const result = await original(...rest);
      reach(`after ${name}`);
      return result;
    };
  }
  for (const name of ['write', 'writeFile']) {
    const original = handle[name].bind(handle);
    handle[name] = async (bytes, ...rest) => {
      if (steps + 1 === at) await original(bytes.subarray(0, bytes.length >> 1));
      reach(`in the middle of ${name}`);
      const result = await original(bytes, ...rest);
      reach(`after ${name}`);
      return result;
    };
  }
  return handle;
};

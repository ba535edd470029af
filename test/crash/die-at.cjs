'use strict';

// Preloaded into the built program (`node --require`): kills it at one step of its work on the files of a run, and
// leaves on the disk what a crash there leaves. CRASH_AT: the number of the step. CRASH_REMAINS: what is left of the
// journal's bytes that no sync has covered: `all` (a kill), `torn` (all but the last 7) or `nothing` (a power cut).
// CRASH_SCOPE: `journal` counts only the steps of the journal itself, not those of the folder, lock, input and header.
// CRASH_HOLD_MS: how long a sync takes during which it dies, so that whatever does not wait for it gets on.

const fs = require('node:fs');

const at = Number(process.env.CRASH_AT);
const remains = process.env.CRASH_REMAINS ?? 'all';
const isJournalOnly = process.env.CRASH_SCOPE === 'journal';
const holdMs = Number(process.env.CRASH_HOLD_MS ?? 20);
const { fstatSync, truncateSync, writeSync, fdatasync, ftruncate } = fs;
const { open } = fs.promises;

let steps = 0;
/** The journal once it was opened for writing: `{ fd, path, synced }`. */
let journal;

function die(step) {
  if (journal !== undefined && remains !== 'all') {
    const { size } = fstatSync(journal.fd);
    truncateSync(journal.path, remains === 'nothing' ? journal.synced : Math.max(journal.synced, size - 7));
  }
  writeSync(2, `died ${step} (${remains} of the unsynced left)\n`);
  process.kill(process.pid, 'SIGKILL');
  // Not one instruction of the program may run after this.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function isNow() {
  steps += 1;
  return steps === at;
}

function reach(step) {
  if (isNow()) die(step);
}

const isJournal = (fd) => journal !== undefined && fd === journal.fd;

fs.writeSync = (fd, ...rest) => {
  if (!isJournal(fd)) return writeSync(fd, ...rest);
  reach('before a write');
  if (isNow()) {
    const [bytes, from] = rest;
    writeSync(fd, bytes, from, Math.floor((bytes.length - from) / 2));
    die('in the middle of a write');
  }
  const written = writeSync(fd, ...rest);
  reach('after a write');
  return written;
};

fs.fdatasync = (fd, done) => {
  if (!isJournal(fd)) return fdatasync(fd, done);
  if (isNow()) return setTimeout(die, holdMs, 'during a sync');
  const { size } = fstatSync(fd);
  return fdatasync(fd, (error) => {
    if (!error) journal.synced = size;
    reach('after a sync');
    done(error);
  });
};

fs.ftruncate = (fd, length, done) => {
  if (!isJournal(fd)) return ftruncate(fd, length, done);
  reach('before the torn tail was cut');
  return ftruncate(fd, length, (error) => {
    journal.synced = Math.min(journal.synced, length);
    reach('after the torn tail was cut');
    done(error);
  });
};

fs.promises.open = async (path, flags, ...rest) => {
  const handle = await open(path, flags, ...rest);
  if (typeof flags === 'number' && String(path).endsWith('journal.jsonl')) {
    journal = { fd: handle.fd, path, synced: fstatSync(handle.fd).size };
  }
  return handle;
};

const isOfRun = (args) =>
  !isJournalOnly && args.some((value) => typeof value === 'string' && /[/\\]runs([/\\]|$)/.test(value));

/** What a step did, with the names of its files: those of temporary ones differ each time. */
function nameOf(name, args) {
  const paths = args.filter((value) => typeof value === 'string' && /[/\\]/.test(value));
  return `${name} ${paths.map((path) => path.replace(/^.*[/\\]/, '').replace(/^\.frontdesk-.*/, '*.tmp')).join(' ')}`;
}

for (const name of ['mkdir', 'open', 'rename', 'rm', 'unlink']) {
  const original = fs.promises[name];
  fs.promises[name] = async (...args) => {
    if (!isOfRun(args)) return original(...args);
    reach(`before ${nameOf(name, args)}`);
    const result = await original(...args);
    reach(`after ${nameOf(name, args)}`);
    return result;
  };
}

for (const name of ['mkdirSync', 'renameSync', 'rmdirSync', 'rmSync', 'unlinkSync', 'writeFileSync']) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (!isOfRun(args)) return original(...args);
    reach(`before ${nameOf(name, args)}`);
    const result = original(...args);
    reach(`after ${nameOf(name, args)}`);
    return result;
  };
}

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { endDescendants } from '../../../../src/base/files/process-tree.ts';

/** Shows these processes, one after the other at each look, in the place of those of this machine. */
function showing(looks: readonly Readonly<Record<number, { readonly parent: number; readonly start: number }>>[]) {
  const { readdirSync, readFileSync } = fs;
  const { kill } = process;
  const killed: (number | string)[] = [];
  let look = -1;
  const shown = (): (typeof looks)[number] => looks[look] ?? {};
  const replacing = {
    readdirSync: (path: string, ...more: []) => {
      if (path !== '/proc') return readdirSync(path, ...more);
      look += 1;
      return Object.keys(shown());
    },
    readFileSync: (path: string, ...more: []) => {
      const [, pid] = /^\/proc\/(\d+)\/stat$/.exec(String(path)) ?? [];
      const found = pid === undefined ? undefined : shown()[Number(pid)];
      if (found === undefined) return readFileSync(path, ...more);
      return `${pid} (node) S ${found.parent} ${'0 '.repeat(17)}${found.start} 0`;
    },
  };
  Object.assign(fs, replacing);
  process.kill = (pid, signal) => {
    killed.push(pid, String(signal));
    return true;
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { readdirSync, readFileSync });
    process.kill = kill;
    syncBuiltinESMExports();
  });
  return killed;
}

const ROOT = 900_001;

it('killing a tree ends what a process started and what that started, and leaves a process that has got the number of one of them', () => {
  const before = {
    [ROOT]: { parent: 1, start: 10 },
    900002: { parent: ROOT, start: 11 },
    900003: { parent: 900_002, start: 12 },
    900004: { parent: 900_002, start: 13 },
    900005: { parent: 1, start: 14 },
  };
  // Between the two looks 900003 ended, and its number is another's now.
  const killed = showing([before, { ...before, 900003: { parent: 1, start: 99 } }]);
  endDescendants(ROOT);
  expect(killed).toEqual([900_002, 'SIGKILL', 900_004, 'SIGKILL']);
});

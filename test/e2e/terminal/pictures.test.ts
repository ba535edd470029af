import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

describe('the pictures of the README', () => {
  it('the pictures of the pages are what the program prints today', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', 'build/pictures.ts', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { smoke } from '../support/smoke.ts';

const name = process.platform === 'win32' ? 'frontdesk.exe' : 'frontdesk';
const executable = fileURLToPath(new URL(`../../.cache/exe/${name}`, import.meta.url));

describe('the standalone executable', () => {
  it.skipIf(!existsSync(executable))('does a shift of work (skipped until `npm run build:exe` made it)', () => {
    expect(smoke([executable])).toEqual([]);
  });

  it.skipIf(!existsSync(executable))('takes the compiled code that it brings along', () => {
    const args = ['doctor', '--json', '--query', "checks[?name=='compile-cache'].message | [0]"];
    const { stdout } = spawnSync(executable, args, { env: { PATH: process.env['PATH'] }, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatch(
      /^inside the executable: (\d+) of the \1 files that doctor loads were compiled already$/,
    );
  });
});

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
});

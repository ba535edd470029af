import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { smoke } from '../support/smoke.ts';

const name = process.platform === 'win32' ? 'frontdesk.exe' : 'frontdesk';
const executable = fileURLToPath(new URL(`../../.cache/exe/${name}`, import.meta.url));
const standIn = process.env['FRONTDESK_TEST_PROGRAM'];
/** FRONTDESK_TEST_EXE: the one for Windows, which test/windows/relay.mjs starts under Wine. */
const isInWine = process.env['FRONTDESK_TEST_EXE'] !== undefined && standIn !== undefined;
const isHere = isInWine || existsSync(executable);

it.skipIf(!isHere)('the standalone executable does a shift of work (skipped until `npm run build:exe` made it)', () => {
  expect(smoke(isInWine ? [process.execPath, standIn] : [executable])).toEqual([]);
});

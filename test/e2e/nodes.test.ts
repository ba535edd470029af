import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NODES } from '../support/nodes.ts';
import { smoke } from '../support/smoke.ts';

describe.each(NODES)('on Node $major', ({ major, path }) => {
  it.skipIf(path === undefined)(`the built program does a shift of work on Node ${major} (skipped without it)`, () => {
    expect(smoke([path ?? '', fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url))])).toEqual([]);
  });
});

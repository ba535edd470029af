import { expect, it } from 'vitest';
import { isAccessible } from '../../../../src/writes/ask/wait-display.ts';

it.each([
  [{ ACCESSIBLE: '1' }, true],
  [{ ACCESSIBLE: 'off' }, false],
  [{ ACCESSIBLE: '1', FRONTDESK_ACCESSIBLE: '0' }, false],
  [{ ACCESSIBLE: '0', FRONTDESK_ACCESSIBLE: '1' }, true],
])('%j: ACCESSIBLE counts where FRONTDESK_ACCESSIBLE is not set', (env, expected) => {
  expect(isAccessible({ env })).toBe(expected);
});

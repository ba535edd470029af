import { expect, it } from 'vitest';
import { printJson } from '../../../src/base/json/print.ts';
import { jsonOf } from '../../../src/base/json/shape.ts';
import { INFO_OUTPUT, SANDBOX_CHOICES, sandboxInfo } from '../../../src/sandbox/info.ts';
import { KEPT_EVENTS } from '../../../src/sandbox/state.ts';
import { ACTIVE, play } from './simulated.ts';

it('sandbox info shows the state as it is now, and names a choice with the figure the code has', () => {
  const sandbox = play();
  sandbox.post(`/v1/cards/${ACTIVE}/block`, '{}');
  const info = JSON.parse(printJson(jsonOf(INFO_OUTPUT, sandboxInfo(sandbox.state))));
  expect(info.cards[0]).toEqual({ cardId: ACTIVE, status: 'BLOCKED' });
  expect(SANDBOX_CHOICES['events']).toContain(` ${KEPT_EVENTS} `);
});

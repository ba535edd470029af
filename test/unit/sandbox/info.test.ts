import { expect, it } from 'vitest';
import { printJson } from '../../../src/base/json/print.ts';
import { jsonOf } from '../../../src/base/json/shape.ts';
import { INFO_OUTPUT, SANDBOX_CHOICES, sandboxInfo } from '../../../src/sandbox/info.ts';
import { builtInSeed } from '../../../src/sandbox/seed.ts';
import { KEPT_EVENTS } from '../../../src/sandbox/state.ts';
import { ACTIVE, play } from './simulated.ts';

it('sandbox info lists ids, statuses and choices, in exactly the shape that scripts rely on', () => {
  const info = JSON.parse(printJson(jsonOf(INFO_OUTPUT, sandboxInfo(builtInSeed()))));
  expect(Object.keys(info)).toEqual(['cards', 'calendars', 'subscribers', 'choices']);
  expect(info.cards[0]).toEqual({ cardId: ACTIVE, status: 'ACTIVE' });
  expect(info.cards).toHaveLength(12);
  expect(info.calendars).toEqual([
    { id: 'cal_harbour_tours' },
    { id: 'cal_tea_ceremony' },
    { id: 'cal_winter_market' },
  ]);
  expect(info.subscribers[0]).toEqual({ id: 'sub_0001', calendar: 'cal_harbour_tours' });
  expect(info.subscribers).toHaveLength(26);
  expect(Object.keys(info.choices[0])).toEqual(['topic', 'choice']);
});

it('sandbox info shows the state as it is now', () => {
  const sandbox = play();
  sandbox.post(`/v1/cards/${ACTIVE}/block`, '{}');
  const info = JSON.parse(printJson(jsonOf(INFO_OUTPUT, sandboxInfo(sandbox.state))));
  expect(info.cards[0]).toEqual({ cardId: ACTIVE, status: 'BLOCKED' });
});

it('sandbox info names a choice with the figure the code has', () => {
  expect(SANDBOX_CHOICES['events']).toContain(` ${KEPT_EVENTS} `);
});

import { expect, it } from 'vitest';
import { PendingConfirmations, QUESTION_MS } from '../../../src/mcp/asker.ts';
import { FakeClock } from '../service/http/fakes.ts';

const SUBJECT = { tool: 'card_block', args: { cardId: 'c-1', reason: 'lost' } };
const SHOWN = { shown: 'ACTIVE', named: ['a'] };
const QUESTION = { subject: SUBJECT, shown: SHOWN };

it('a question is good for one answer to exactly its arguments, in whatever order they come', () => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const nonce = confirmations.ask(QUESTION, 1);
  const turned = { tool: 'card_block', args: { reason: 'lost', cardId: 'c-1' } };
  expect(confirmations.close(nonce, turned)).toBe(SHOWN);
  expect(confirmations.close(nonce, turned)).toBe('the answer belongs to no open question');
});

it('a question is good for five minutes', () => {
  const clock = new FakeClock();
  const confirmations = new PendingConfirmations(clock);
  const [first, second] = [confirmations.ask(QUESTION, 1), confirmations.ask(QUESTION, 2)];
  clock.elapsedMs = 300_000;
  expect(confirmations.close(first, SUBJECT)).toBe(SHOWN);
  clock.elapsedMs = 300_001;
  expect([confirmations.close(second, SUBJECT), QUESTION_MS]).toEqual(['the answer came too late', 300_000]);
});

it.each([
  ['a tool', { ...SUBJECT, tool: 'card_reissue' }],
  ['a value', { ...SUBJECT, args: { cardId: 'c-1', reason: 'stolen' } }],
  ['a field more', { ...SUBJECT, args: { ...SUBJECT.args, other: 1 } }],
  ['a field less', { ...SUBJECT, args: { cardId: 'c-1' } }],
  ['a type', { ...SUBJECT, args: { cardId: 'c-1', reason: ['lost'] } }],
])('a question is used up by an answer that differs in %s', (_, other) => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const nonce = confirmations.ask(QUESTION, 1);
  expect(confirmations.close(nonce, other)).toBe('the answer belongs to other arguments');
  expect(confirmations.close(nonce, SUBJECT)).toBe('the answer belongs to no open question');
});

it('a question has a name that is new each time', () => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const names = Array.from({ length: 100 }, () => confirmations.ask(QUESTION, 1));
  expect([new Set(names).size, names.every((name) => /^[\w-]{32}$/.test(name))]).toEqual([100, true]);
});

it('a question gives way when a hundred are open, and is void when its call is cancelled', () => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const names = Array.from({ length: 101 }, (_, index) => confirmations.ask(QUESTION, index));
  expect(confirmations.close(names[0], SUBJECT)).toBe('the answer belongs to no open question');
  confirmations.drop(50);
  expect(confirmations.close(names[50], SUBJECT)).toBe('the answer belongs to no open question');
  expect(confirmations.close(names[51], SUBJECT)).toBe(SHOWN);
});

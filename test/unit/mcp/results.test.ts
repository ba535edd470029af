import { expect, it } from 'vitest';
import { Failure, type Hint } from '../../../src/base/failure.ts';
import { failed } from '../../../src/mcp/results.ts';

function textOf(...hints: readonly Hint[]): unknown {
  const { content } = failed(new Failure('BAD_REPLY', 'card c was not read', { hints }), undefined);
  return content.map((part) => ('text' in part ? part.text : undefined)).join();
}

it('the hints of a failed call are those of the commands, word for word', () => {
  expect(textOf("check this machine's clock")).toBe("card c was not read\nhint: check this machine's clock");
  const hint = { do: 'log in', words: 'log in again', profile: 'live' } as const;
  expect(textOf(hint)).toBe('card c was not read\nhint: log in again: frontdesk auth login -p live');
});

it('a hint of a failed call is one of two at most', () => {
  expect(textOf('one', 'two', 'three')).toBe('card c was not read\nhint: one\nhint: two');
});

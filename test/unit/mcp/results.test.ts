import { expect, it } from 'vitest';
import { Failure, type Hint } from '../../../src/failure.ts';
import { failed } from '../../../src/mcp/results.ts';

function textOf(...hints: readonly Hint[]): unknown {
  const { content } = failed(new Failure('BAD_REPLY', 'card c was not read', { hints }), undefined);
  return content.map((part) => ('text' in part ? part.text : undefined)).join();
}

it('a hint of a failed call is given as it is where it names no command', () => {
  expect(textOf("check this machine's clock")).toBe("card c was not read\nhint: check this machine's clock");
});

it('a hint of a failed call is given in terms of tools where it has such', () => {
  const hint = { text: 'list the runs with `frontdesk runs list`', tool: 'list the runs with runs_list' };
  expect(textOf(hint)).toBe('card c was not read\nhint: list the runs with runs_list');
});

it('a hint of a failed call says that it is for a person if no tool can do it', () => {
  expect(textOf({ text: 'log in again: frontdesk auth login -p live' })).toBe(
    'card c was not read\nfor a person: log in again: frontdesk auth login -p live',
  );
});

it('a hint of a failed call is one of two at most', () => {
  expect(textOf('one', 'two', 'three')).toBe('card c was not read\nhint: one\nhint: two');
});

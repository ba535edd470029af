import { expect, it } from 'vitest';
import { AnswerMemory, type ReadAnswer } from '../../../src/wire/answer-memory.ts';

const MIB = 1024 * 1024;

function answer(name: string, wentOn: string[], isWrite = false): ReadAnswer {
  return { isWrite, goOn: () => wentOn.push(name) };
}

it('T26 answers that are longer together than the memory for them take turns, writes first', () => {
  const memory = new AnswerMemory();
  const wentOn: string[] = [];
  const [first, second, read, write] = [
    answer('first', wentOn),
    answer('second', wentOn),
    answer('read', wentOn),
    answer('write', wentOn, true),
  ];
  expect(memory.take(first, 20 * MIB)).toBe(true);
  expect(memory.take(second, 20 * MIB)).toBe(false);
  expect(memory.take(read, MIB)).toBe(false);
  expect(memory.take(write, MIB)).toBe(false);
  // However long it gets: one can always be finished.
  expect(memory.take(first, 32 * MIB)).toBe(true);
  memory.release(first);
  expect(wentOn).toEqual(['write']);
  memory.release(write);
  expect(wentOn).toEqual(['write', 'second']);
  memory.release(second);
  memory.release(read);
  expect(wentOn).toEqual(['write', 'second', 'read']);
});

it('an answer of ordinary length never waits, and one that is given up leaves its place', () => {
  const memory = new AnswerMemory();
  const wentOn: string[] = [];
  const long = answer('long', wentOn);
  const waiting = answer('waiting', wentOn);
  expect(memory.take(long, 60 * MIB)).toBe(true);
  expect(memory.take(answer('short', wentOn), 100_000)).toBe(true);
  expect(memory.take(waiting, MIB)).toBe(false);
  memory.release(waiting);
  memory.release(long);
  expect(wentOn).toEqual([]);
  expect(memory.take(waiting, 20 * MIB)).toBe(true);
});

import { expect, it } from 'vitest';
import { AnswerMemory, type ReadAnswer } from '../../../src/wire/answer-memory.ts';

const MIB = 1024 * 1024;

function answer(name: string, wentOn: string[], more: Partial<ReadAnswer> = {}): ReadAnswer {
  return { isWrite: false, isAwaited: false, goOn: () => wentOn.push(name), ...more };
}

it('T26 answers that are longer together than the memory for them take turns, writes first', () => {
  const memory = new AnswerMemory();
  const wentOn: string[] = [];
  const [first, second] = [answer('first', wentOn), answer('second', wentOn)];
  const [read, write] = [answer('read', wentOn), answer('write', wentOn, { isWrite: true })];
  expect(memory.take(first, 32 * MIB)).toBe(true);
  expect(memory.take(second, 20 * MIB)).toBe(true);
  expect(memory.isFull).toBe(false);
  expect(memory.take(read, 20 * MIB)).toBe(false);
  expect(memory.take(write, 32 * MIB)).toBe(false);
  expect(memory.isFull).toBe(true);
  memory.release(first);
  expect(wentOn).toEqual(['write']);
  memory.release(second);
  expect(wentOn).toEqual(['write', 'read']);
  expect(memory.isFull).toBe(false);
});

it('an answer of ordinary length never waits, and one that is given up leaves its place', () => {
  const memory = new AnswerMemory();
  const wentOn: string[] = [];
  const [long, waiting] = [answer('long', wentOn), answer('waiting', wentOn)];
  // However long it gets: one can always be finished.
  expect(memory.take(long, 60 * MIB)).toBe(true);
  expect(memory.take(answer('short', wentOn), 100_000)).toBe(true);
  expect(memory.take(waiting, MIB)).toBe(false);
  memory.release(waiting);
  memory.release(long);
  expect(wentOn).toEqual([]);
  expect(memory.take(waiting, 20 * MIB)).toBe(true);
});

it('T26 results that wait to be printed fill the same memory, and only the response that they wait for continues beside them', () => {
  const memory = new AnswerMemory();
  const wentOn: string[] = [];
  const [other, awaited] = [answer('other', wentOn), answer('awaited', wentOn, { isAwaited: true })];
  for (let n = 0; n < 896; n += 1) memory.hold(MIB / 4);
  expect(memory.isFull).toBe(true);
  expect(memory.take(other, MIB)).toBe(false);
  expect(memory.take(awaited, 32 * MIB)).toBe(true);
  memory.release(awaited);
  expect(wentOn).toEqual([]);
  for (let n = 0; n < 16; n += 1) memory.free(MIB / 4);
  expect(wentOn).toEqual(['other']);
});

it('T26 a long answer is parsed when no other one is being printed, a short one at once', async () => {
  const memory = new AnswerMemory();
  const parsed: string[] = [];
  memory.beginPrint(MIB);
  memory.parse(MIB, () => parsed.push('long'));
  memory.parse(MIB, () => parsed.push('other long'));
  memory.parse(1000, () => parsed.push('short'));
  expect(parsed).toEqual(['short']);
  memory.endPrint(MIB);
  // First what was printed is forgotten.
  expect(parsed).toEqual(['short']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(parsed).toEqual(['short', 'long']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(parsed).toEqual(['short', 'long', 'other long']);
});

it('T26 garbage is collected before a text is parsed or printed, once 8 MiB of long ones were', () => {
  const memory = new AnswerMemory();
  let collections = 0;
  memory.collect = () => {
    collections += 1;
  };
  for (let n = 0; n < 8; n += 1) memory.makeRoom(MIB);
  expect(collections).toBe(0);
  memory.makeRoom(1000);
  expect(collections).toBe(1);
  memory.makeRoom(20 * MIB);
  memory.makeRoom(20 * MIB);
  expect(collections).toBe(2);
});

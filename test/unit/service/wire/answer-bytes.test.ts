import { expect, it } from 'vitest';
import { AnswerBytes, type LongAnswer } from '../../../../src/service/wire/answer-bytes.ts';

const MIB = 1024 * 1024;

function answer(name: string, mib: number, wentOn: string[], isAwaited: LongAnswer['isAwaited'] = false): LongAnswer {
  return { bytes: mib * MIB, isAwaited, goOn: () => wentOn.push(name) };
}

it('T26 answers that are longer together than 32 MiB take turns, in the order of their coming', () => {
  const places = new AnswerBytes();
  const wentOn: string[] = [];
  const [first, second] = [answer('first', 20, wentOn), answer('second', 12, wentOn)];
  const [third, fourth] = [answer('third', 21, wentOn), answer('fourth', 1, wentOn)];
  expect([first, second].map((each) => places.take(each))).toEqual([true, true]);
  expect(places.isFull).toBe(false);
  expect([third, fourth].map((each) => places.take(each))).toEqual([false, false]);
  expect(places.isFull).toBe(true);
  wentOn.splice(0);
  places.release(first);
  expect(wentOn).toEqual([]);
  places.release(second);
  expect(wentOn).toEqual(['third', 'fourth']);
  expect(places.isFull).toBe(false);
});

it('T26 an answer has a place alone however long it is, and one that is given up leaves the line', () => {
  const places = new AnswerBytes();
  const wentOn: string[] = [];
  const [long, waiting] = [answer('long', 60, wentOn), answer('waiting', 1, wentOn)];
  expect(places.take(long)).toBe(true);
  expect(places.take(waiting)).toBe(false);
  places.release(waiting);
  wentOn.splice(0);
  places.release(long);
  expect(wentOn).toEqual([]);
  expect(places.take(waiting)).toBe(true);
});

it('T26 long results that wait to be printed keep their places, and only the response that they wait for is read beside them', () => {
  const places = new AnswerBytes();
  const wentOn: string[] = [];
  // Shorter results need no place.
  for (let n = 0; n < 1000; n += 1) places.hold(MIB / 4);
  expect(places.take(answer('alone', 32, wentOn))).toBe(true);
  const other = answer('other', 1, wentOn);
  places.hold(2 * MIB);
  expect(places.take(other)).toBe(false);
  expect(places.take(answer('awaited', 32, wentOn, true))).toBe(true);
  wentOn.splice(0);
  places.free(2 * MIB);
  expect(wentOn).toEqual([]);
});

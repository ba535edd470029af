import { expect, it } from 'vitest';
import { AnswerBytes, BodyPieces, type LongAnswer } from '../../../../src/service/wire/answer-bytes.ts';

const MIB = 1024 * 1024;

function answer(name: string, mib: number, wentOn: string[], isAwaited: LongAnswer['isAwaited'] = false): LongAnswer {
  return { bytes: mib * MIB, isAwaited, goOn: () => wentOn.push(name) };
}

it('T26 answers that are longer together than 32 MiB take turns, in the order of their coming', () => {
  const places = new AnswerBytes();
  const wentOn: string[] = [];
  const [first, second] = [answer('first', 20, wentOn), answer('second', 12, wentOn)];
  const [third, fourth] = [answer('third', 21, wentOn), answer('fourth', 1, wentOn)];
  expect([...[first, second].map((each) => places.take(each)), places.isFull]).toEqual([true, true, false]);
  expect([...[third, fourth].map((each) => places.take(each)), places.isFull]).toEqual([false, false, true]);
  wentOn.splice(0);
  places.release(first);
  expect(wentOn).toEqual([]);
  places.release(second);
  expect([wentOn, places.isFull]).toEqual([['third', 'fourth'], false]);
});

it('T26 an answer has a place alone however long it is, and one that is given up leaves the line', () => {
  const places = new AnswerBytes();
  const wentOn: string[] = [];
  const [long, waiting] = [answer('long', 60, wentOn), answer('waiting', 1, wentOn)];
  expect([long, waiting].map((each) => places.take(each))).toEqual([true, false]);
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
  const other = { ...answer('other', 1, wentOn), isAwaited: false };
  places.hold(2 * MIB);
  expect([places.take(other), places.take(answer('awaited', 32, wentOn, true))]).toEqual([false, true]);
  wentOn.splice(0);
  places.free(2 * MIB);
  expect(wentOn).toEqual([]);
  // A short result was printed: the next one to print is that of a response which waits.
  other.isAwaited = true;
  places.free(1);
  expect(wentOn).toEqual(['other']);
});

it('a body of single bytes is kept in blocks, whatever was received with each', () => {
  const body = new BodyPieces();
  for (let at = 0; at < 100_000; at += 1) body.add(Buffer.alloc(1000, at % 251).subarray(0, 1));
  const pieces = body.take();
  expect(pieces.map(({ length }) => length)).toEqual([1, ...Array<number>(6).fill(16_384), 1695]);
  expect(pieces.slice(1).map(({ buffer }) => buffer.byteLength)).toEqual(Array<number>(7).fill(16_384));
  expect([Buffer.concat(pieces).every((byte, at) => byte === at % 251), body.take()]).toEqual([true, []]);
});

it('the first piece and large ones are kept as they came, and the order stays', () => {
  const body = new BodyPieces();
  const [first, large] = [Buffer.from('a'), Buffer.alloc(16_384, 'd')];
  for (const piece of [first, Buffer.from('b'), Buffer.from('c'), large, Buffer.from('e')]) body.add(piece);
  const pieces = body.take();
  expect([pieces[0] === first, pieces[2] === large]).toEqual([true, true]);
  expect([pieces[1]?.toString(), pieces[3]?.toString()]).toEqual(['bc', 'e']);
});

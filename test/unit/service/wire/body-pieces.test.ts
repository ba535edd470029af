import { expect, it } from 'vitest';
import { BodyPieces } from '../../../../src/service/wire/body-pieces.ts';

it('a body of single bytes is kept in blocks, whatever was received with each', () => {
  const body = new BodyPieces();
  for (let at = 0; at < 100_000; at += 1) body.add(Buffer.alloc(1000, at % 251).subarray(0, 1));
  const pieces = body.take();
  expect(pieces.map(({ length }) => length)).toEqual([1, ...Array<number>(6).fill(16_384), 1695]);
  expect(pieces.slice(1).map(({ buffer }) => buffer.byteLength)).toEqual(Array<number>(7).fill(16_384));
  expect(Buffer.concat(pieces).every((byte, at) => byte === at % 251)).toBe(true);
  expect(body.take()).toEqual([]);
});

it('the first piece and large ones are kept as they came, and the order stays', () => {
  const body = new BodyPieces();
  const [first, large] = [Buffer.from('a'), Buffer.alloc(16_384, 'd')];
  for (const piece of [first, Buffer.from('b'), Buffer.from('c'), large, Buffer.from('e')]) body.add(piece);
  const pieces = body.take();
  expect([pieces[0] === first, pieces[2] === large]).toEqual([true, true]);
  expect([pieces[1]?.toString(), pieces[3]?.toString()]).toEqual(['bc', 'e']);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf } from '../../../../src/base/files/lines.ts';

async function linesIn(pieces: readonly Uint8Array[], maxLength?: number): Promise<readonly string[]> {
  const lines: string[] = [];
  // One buffer for all pieces, as a reader of files has it.
  const buffer = Buffer.alloc(Math.max(0, ...pieces.map(({ length }) => length)));
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      buffer.set(piece);
      yield buffer.subarray(0, piece.length);
    }
  }
  for await (const some of linesOf(bytes(), maxLength)) lines.push(...some.map((line) => line.toString()));
  return lines;
}

const pieces = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

it('lines are the same whatever the pieces they come in', async () => {
  const letter = fc.constantFrom('a', '\n', '\r', 'ü');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: letter, maxLength: 6 })), async (texts) => {
      const whole = texts.join('');
      const lines = whole === '' ? [] : whole.split(/(?<=\n)/);
      expect(await linesIn(pieces(texts))).toEqual(lines);
      expect(await linesIn(Array.from(Buffer.from(whole), (byte) => Uint8Array.of(byte)))).toEqual(lines);
    }),
  );
});

it('a line that is longer than any may be ends there, and nothing after it is read', async () => {
  expect(await linesIn(pieces(['a\nbb', 'bb', 'bb\n', 'c\n']), 3)).toEqual(['a\n', 'bbbb']);
  expect(await linesIn(pieces(['a\nbb', 'b\n', 'c\n']), 3)).toEqual(['a\n', 'bbb\n', 'c\n']);
});

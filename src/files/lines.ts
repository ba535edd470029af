const NEWLINE = 0x0a;

/**
 * The lines of some bytes, those that each piece ends, with their line breaks: a last line may lack it. A line that is
 * longer than `maxLength` comes as far as it has come, and nothing after it. A line is valid only until the next ones
 * are asked for.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  maxLength = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    const all =
      rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([rest, piece]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = all.indexOf(NEWLINE); end !== -1; end = all.indexOf(NEWLINE, start)) {
      lines.push(all.subarray(start, end + 1));
      start = end + 1;
    }
    if (lines.length > 0) yield lines;
    rest = Buffer.from(all.subarray(start));
    if (rest.length > maxLength) return yield [rest];
  }
  if (rest.length > 0) yield [rest];
}

/** The first bytes of an input, and all of it, those included. A piece is valid only until the next one is asked for. */
export interface PeekedInput {
  readonly start: Uint8Array;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** For an input whose bytes are not wanted after all. */
  close(): Promise<void>;
}

/** Looks at the first `length` bytes; fewer when the input ends before. */
export async function peek(bytes: AsyncIterable<Uint8Array>, length: number): Promise<PeekedInput> {
  const source = bytes[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0);
  let isOver = false;
  while (start.length < length && !isOver) {
    const next = await source.next();
    if (next.done === true) isOver = true;
    else start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
    // Only a piece that is enough by itself may be used as it is.
    if (start.length < length) start = Uint8Array.from(start);
  }
  return { start, bytes: goOn(start, source), close: async () => void (await source.return?.()) };
}

async function* goOn(start: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

/**
 * Bytes as text, exactly. Bytes that are no UTF-8 throw a TypeError, because a silent U+FFFD would change a name or an
 * amount. A byte order mark stays, so that a reader can accept one and refuse two.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  wholeText ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return wholeText.decode(bytes);
}

/** For texts in one piece: making a decoder takes longer than a short text. */
let wholeText: InstanceType<typeof TextDecoder> | undefined;

/** Decodes pieces, taking them out of the list, so that a long text and its bytes are not in memory together. */
export function takeUtf8(pieces: Uint8Array[]): string {
  if (pieces.length === 1) return decodeUtf8(pieces.shift() ?? new Uint8Array());
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** The beginning of the pieces as text, at least `length` bytes. Invalid bytes become U+FFFD. */
export function beginningAsText(pieces: readonly Uint8Array[], length: number): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let left = length;
  for (const piece of pieces) {
    if (left <= 0) break;
    text += decoder.decode(piece, { stream: true });
    left -= piece.length;
  }
  return text;
}

/**
 * Bytes as text, exactly: bytes that are no UTF-8 throw a TypeError (a silent U+FFFD would change a name or an
 * amount), and a byte order mark stays in the text, so that a reader can accept one and refuse two.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

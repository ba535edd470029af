/** The characters of Windows-1252 above ASCII, by their byte: those that Latin-1 has elsewhere. */
let bytesOf: ReadonlyMap<string, number> | undefined;

function windowsBytes(): ReadonlyMap<string, number> {
  bytesOf ??= new Map(
    Array.from({ length: 128 }, (_, at) => {
      const byte = at + 128;
      return [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte] as const;
    }),
  );
  return bytesOf;
}

/** Is `text` what a program shows that opens the UTF-8 of `old` as Windows-1252 or Latin-1? */
export function isGarbled(old: string, text: string): boolean {
  if (/^[\x00-\x7f]*$/.test(old) || text.length <= old.length) return false;
  const bytes = Buffer.from(old);
  return text === bytes.toString('latin1') || text === new TextDecoder('windows-1252').decode(bytes);
}

/** The first byte of a letter of several, and one of those behind it, as Windows-1252 shows them. */
const LOOKS_GARBLED = /[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]/;

/** The text whose UTF-8 could be read so: `Günther` of `GÃ¼nther`. Undefined: it is no such text. */
export function ungarbled(text: string): string | undefined {
  if (!LOOKS_GARBLED.test(text)) return undefined;
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = code < 0x80 ? code : (windowsBytes().get(character) ?? (code < 0xa0 ? code : undefined));
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

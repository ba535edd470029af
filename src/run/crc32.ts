const TABLE = makeTable();

function makeTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    table[byte] = remainder;
  }
  return table;
}

/** CRC-32 (IEEE, as in zip) of bytes, or of a text that is ASCII only. Node 20, the floor, has no `zlib.crc32`. */
function crc32(data: Uint8Array | string): number {
  let crc = 0xffffffff;
  if (typeof data === 'string') {
    for (let at = 0; at < data.length; at++) crc = step(crc, data.charCodeAt(at));
  } else {
    for (let at = 0; at < data.length; at++) crc = step(crc, data[at] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function step(crc: number, byte: number): number {
  return (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
}

/** CRC-32 as eight lower-case hex digits. */
export function crc32Hex(data: Uint8Array | string): string {
  return crc32(data).toString(16).padStart(8, '0');
}

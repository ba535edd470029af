import type { InputPort } from '../base/context.ts';
import { orElse } from '../base/files/io-failure.ts';
import { decodeUtf8 } from '../base/json/utf8.ts';
import { openInput, refusedFile } from './input-file.ts';

/** Far above the longest string that the service takes (40,000 characters of at most 4 bytes each). */
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * The content of the file that `--description-file` or `--data @file` names (`-` is stdin), exactly: with the line
 * break at its end and a byte order mark. `where`: the option. USAGE if it cannot be read, is larger than `maxBytes` or
 * is not UTF-8.
 */
export async function readTextFile(path: string, stdin: InputPort, where: string, maxBytes = MAX_TEXT_BYTES) {
  const file = await openInput(path, stdin, where);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.bytes()) {
    size += piece.length;
    if (size > maxBytes) {
      throw refusedFile(where, `${file.name} is larger than ${maxBytes} bytes`);
    }
    pieces.push(Uint8Array.from(piece));
  }
  const failureOf = (cause: unknown) => refusedFile(where, `${file.name} is not UTF-8 text`, { cause });
  return orElse(() => decodeUtf8(Buffer.concat(pieces)), failureOf);
}

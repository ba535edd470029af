import { open } from 'node:fs/promises';
import { type CsvDialect, RFC_4180 } from '../../output/options.ts';
import { SEPARATOR_LINE, sniffDelimiter } from './csv.ts';
import { utf16OrderOf } from './decode.ts';

/** Far above any header. */
const LOOKED_AT_BYTES = 64 * 1024;

/** How a CSV file is written, from its first line, so that what is given back opens where the file came from. */
export async function dialectOf(path: string): Promise<CsvDialect> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT_BYTES), 0, LOOKED_AT_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const encoding = { big: 'utf-16be', little: 'utf-16le', none: 'utf-8' }[utf16OrderOf(bytes) ?? 'none'];
    const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    const header = /[^\s][^\r\n]*/.exec(text)?.[0] ?? '';
    const named = SEPARATOR_LINE.test(header) ? header.slice('sep='.length) : undefined;
    return {
      delimiter: named ?? sniffDelimiter(header),
      lineEnd: /\r\n|\n|\r/.exec(text)?.[0] ?? RFC_4180.lineEnd,
      mark,
    };
  } finally {
    await file.close();
  }
}

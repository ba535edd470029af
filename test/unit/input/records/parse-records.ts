import { readRecords } from '../../../../src/input/records/read.ts';
import type { InputFault, InputFormat, InputHeader, RawRecord } from '../../../../src/input/records/record.ts';
import { cellAt } from '../../../../src/input/values.ts';

/** Bytes in pieces of that many, each in the same buffer, as the file reader does it. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(Math.max(1, size));
  for (let index = 0; index < bytes.length; index += size) {
    const piece = bytes.subarray(index, index + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

export async function readAll(
  input: string | Uint8Array,
  options: { format?: InputFormat; path?: string; csvRaw?: boolean; columns?: readonly string[]; size?: number } = {},
) {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  const records: RawRecord[] = [];
  const faults: InputFault[] = [];
  let isEnded = false;
  let format: InputFormat | undefined;
  let header: InputHeader | undefined;
  for await (const batch of readRecords(inPieces(bytes, options.size ?? 65_536), {
    format: options.format,
    name: 'stdin',
    path: options.path ?? '-',
    sheet: undefined,
    csvRaw: options.csvRaw ?? false,
    takesCards: true,
    isColumn: (name) => (options.columns ?? ['id', 'email', 'first_name', 'active']).includes(name),
  })) {
    records.push(...batch.records);
    for (const { isEnd = false, ...fault } of batch.faults) {
      faults.push(fault);
      isEnded ||= isEnd;
    }
    format = batch.format;
    header = batch.header;
  }
  const { names, hidden, sheet } = header ?? {};
  return { format, header: names, hidden, sheet, records, faults, isEnded };
}

/** What is read: `hidden` are the columns that are hidden in their sheet; a fault ended the reading if `isEnded`. */
export type ReadAll = Awaited<ReturnType<typeof readAll>>;

export function valuesOf(read: ReadAll): readonly (readonly unknown[])[] {
  return read.records.map(({ names, values }) => names.map((_, place) => cellAt(values, place)));
}

/** The row and the line of each record, as `1:2`. */
export const placesOf = (read: ReadAll): readonly string[] => read.records.map(({ row, line }) => `${row}:${line}`);

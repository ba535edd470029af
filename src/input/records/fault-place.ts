import type { Fault } from '../../base/failure.ts';
import { columnLetters } from '../../screen/column.ts';
import { groupThousands, plural } from '../../screen/text.ts';
import { type PackedCells, unpackCells } from '../values.ts';
import { countLineBreaks, type InputFault, type InputFormat, isTable, type RawRecord } from './record.ts';

/** The kind of a row without any value, unless it is at the end. */
export const EMPTY_ROW = 'empty row';

/** The fault of such a row. `row`: the one before it, since it has no number. */
export function emptyBetween(line: number, row: number): InputFault {
  return { line, ofRow: row + 0.5, kind: EMPTY_ROW, problem: 'the row is empty, but rows follow it: delete it' };
}

/** The note on rows without any value at the end of a table: spreadsheets leave them behind. */
export function emptyEndNote(rows: number, firstLine: number): string {
  return `${plural(rows, 'row')} of empty cells at the end skipped (from line ${firstLine})`;
}

function linesBefore({ values }: RawRecord, index: number): number {
  const cells = unpackCells(values as PackedCells).slice(0, Math.max(0, index));
  return cells.reduce((lines, cell) => lines + countLineBreaks(cell), 0);
}

/** Line and column of a fault. A CSV cell may begin lines below its row, because quoted texts have line breaks. */
export function placeFault(record: RawRecord, format: InputFormat, field: string, problem: string): InputFault {
  const index = record.names.indexOf(field);
  const { sheet } = record;
  const isOfRow = field === '' || format === 'ids';
  return {
    line: format === 'csv' ? record.line + linesBefore(record, index) : record.line,
    row: format === 'json' || isTable(format) ? record.row : undefined,
    sheet,
    cell: index === -1 || !isTable(format) ? undefined : index,
    field: isOfRow || index !== -1 ? undefined : field,
    column: isOfRow || index === -1 ? undefined : (record.columns?.[index] ?? field),
    problem,
  };
}

/** `line 3 and 298 more` for several of one kind. */
function andMore({ count = 1 }: InputFault): string {
  return count === 1 ? '' : ` and ${groupThousands(count - 1)} more`;
}

/** `row 16, line 17, column email`; for workbooks `row 16, Sheet1!C17, column email`. */
function namePlace(fault: InputFault): string {
  const { column, field } = fault;
  const row = fault.row === undefined ? '' : `row ${fault.row}, `;
  const part = column !== undefined ? `, column ${column}` : field === undefined ? '' : `, ${field}`;
  if (fault.sheet !== undefined) {
    // As spreadsheets write it before a cell: in quotes unless it is one word.
    const isWord = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(fault.sheet);
    const sheet = isWord ? fault.sheet : `'${fault.sheet.replaceAll("'", "''")}'`;
    const place =
      fault.cell === undefined ? `${sheet}, line ${fault.line}` : `${sheet}!${columnLetters(fault.cell)}${fault.line}`;
    return `${row}${place}${andMore(fault)}${part}`;
  }
  return `${row}line ${fault.line}${andMore(fault)}${part}`;
}

/** The places of faults. `file`: they are of that file, not of the main input. */
export function toFaults(faults: readonly InputFault[], file?: string): readonly Fault[] {
  const prefix = file === undefined ? '' : `${file}, `;
  return faults.map((fault) => {
    const { line, row, cell, column, field = column, problem, refusedId, count } = fault;
    const where = `${prefix}${namePlace(fault)}`;
    // A column without a name is named by its number.
    const number = cell === undefined ? (/^\d+$/.test(column ?? '') ? Number(column) : undefined) : cell + 1;
    const named = field === String(number) ? undefined : field;
    return { where, line, row, column: number, field: named, problem, refusedId, count };
  });
}

/** The places of IDs on the command line: arguments, not lines. */
export function toArgumentFaults(faults: readonly InputFault[], idParam: string): readonly Fault[] {
  return faults.map((fault) => {
    const { line, column = 'id', problem, refusedId, count } = fault;
    const part = column === 'id' || column === 'cardId' ? '' : `, ${column}`;
    return { where: `<${idParam}> ${line}${andMore(fault)}${part}`, problem, refusedId, count };
  });
}

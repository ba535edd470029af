import type { Fault } from '../../failure.ts';
import { countLineBreaks, type InputFault, type InputFormat, type RawRecord } from './record.ts';

/** Line and column of a row's fault. A CSV cell may begin lines below its row: quoted texts have line breaks. */
export function placeFault(record: RawRecord, format: InputFormat, field: string, problem: string): InputFault {
  const index = record.names.indexOf(field);
  let { line } = record;
  if (format === 'csv') {
    for (const value of record.values.slice(0, Math.max(0, index))) {
      if (typeof value === 'string') line += countLineBreaks(value);
    }
  }
  const row = format === 'json' ? { row: record.row } : {};
  if (field === '' || format === 'ids') return { line, ...row, problem };
  return { line, ...row, column: index === -1 ? field : `column ${field}`, problem };
}

/** `line 17, column email`, and for JSON arrays `row 5, line 17, column email`. */
function namePlace(fault: InputFault): string {
  const row = fault.row === undefined ? '' : `row ${fault.row}, `;
  return `${row}line ${fault.line}${fault.column === undefined ? '' : `, ${fault.column}`}`;
}

/** The same for a list of faults, of a file that is not the main input when `file` names one. */
export function toFaults(faults: readonly InputFault[], file?: string): readonly Fault[] {
  const prefix = file === undefined ? '' : `${file}, `;
  return faults.map((fault) => ({ where: `${prefix}${namePlace(fault)}`, problem: fault.problem }));
}

import { type Fault, usageFailure } from '../../../base/failure.ts';
import { lockPorts } from '../../../base/files/lock-ports.ts';
import type { Session } from '../../../command/session.ts';
import { type InputFile, openInput } from '../../../input/input-file.ts';
import { faultyInput } from '../../../input/records/check-input.ts';
import { mapOption, mapProblems, plain } from '../../../input/records/columns.ts';
import { FaultList } from '../../../input/records/fault-list.ts';
import { placeFault } from '../../../input/records/fault-place.ts';
import { readRecords } from '../../../input/records/read.ts';
import type { InputFault, InputFormat, InputHeader, RawRecord, ReadOptions } from '../../../input/records/record.ts';
import { missingColumns, readShape, type Shape, Shaper } from '../../../input/records/shape.ts';
import { cardIdProblem, cellAt, quoteValue, showValue } from '../../../input/values.ts';
import type { SeenCard } from '../../../records/card-line.ts';
import { addCards } from '../../../records/known-cards.ts';
import type { KnownCardsPlace } from '../../../records/remember-cards.ts';

export interface ImportOptions {
  readonly map?: readonly string[] | undefined;
  readonly sheet?: string | undefined;
  readonly format?: InputFormat | undefined;
}

const ID_NAMES = ['cardId', 'id'];
const REFERENCE = 'clientReference';
const COLUMNS = [...ID_NAMES, REFERENCE, 'status'];

/** The cell of a column as a text; undefined without one, or if it is empty. */
function textIn({ names, values }: RawRecord, columns: readonly string[]): string | undefined {
  const place = names.findIndex((name) => columns.includes(name));
  const value = cellAt(values, place);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function referenceProblem({ names, values }: RawRecord): string {
  const value = cellAt(values, names.indexOf(REFERENCE)) ?? '';
  return value === '' ? 'is required' : `must be a text, not ${showValue(value)}`;
}

/** A row as a card, or what is wrong with it. */
function cardOf(record: RawRecord, format: InputFormat, seenAt: string): SeenCard | readonly InputFault[] {
  const [id, clientReference] = [textIn(record, ID_NAMES), textIn(record, [REFERENCE])];
  const idColumn = record.names.find((name) => ID_NAMES.includes(name)) ?? 'cardId';
  const problem = id === undefined ? 'is required' : cardIdProblem(id);
  const faults = [
    ...(problem === undefined
      ? []
      : [{ ...placeFault(record, format, idColumn, problem), kind: id === undefined ? problem : 'id' }]),
    ...(clientReference === undefined ? [placeFault(record, format, REFERENCE, referenceProblem(record))] : []),
  ];
  if (faults.length > 0 || id === undefined) return faults;
  return { cardId: id, clientReference, status: textIn(record, ['status']), seenAt };
}

/** Required columns that a header lacks, and those that it has twice. */
function headerFaults({ names, line, sheet }: InputHeader): readonly InputFault[] {
  const hasId = ID_NAMES.some((name) => names.includes(name));
  const lacks = [...(hasId ? [] : ['cardId']), ...(names.includes(REFERENCE) ? [] : [REFERENCE])];
  const doubled = COLUMNS.filter((column) => names.indexOf(column) !== names.lastIndexOf(column));
  return [
    ...lacks.map((field) => {
      const near = names.find((name) => plain(name) === plain(field));
      const map = near === undefined ? undefined : mapOption(near, field);
      const others = `the columns are ${names.map(quoteValue).join(', ')} (--map reads one as a field)`;
      return { line, sheet, problem: `there is no column ${field}: ${map ?? others}`, map };
    }),
    ...doubled.map((column) => ({ line, sheet, problem: `there are two columns ${column}` })),
  ];
}

/** Nothing in another column is a fault. */
function isOfColumn(name: string | undefined): boolean {
  return name === undefined || COLUMNS.includes(name);
}

/** The cards of a file in batches, counted in `found`. Throws USAGE with all faults at the end. */
async function* readCards(
  file: InputFile,
  options: ReadOptions,
  shape: Shape,
  seenAt: string,
  found: { rows: number },
) {
  const faults = new FaultList();
  const notes: string[] = [];
  const shaper = new Shaper(shape);
  let names: readonly string[] | undefined;
  for await (const read of readRecords(file.bytes(), options)) {
    notes.push(...read.notes);
    if (read.format === 'ids') {
      faults.add([
        { line: 1, problem: 'there are IDs alone: give each one a clientReference, in columns with a header' },
      ]);
      break;
    }
    if (read.header !== undefined && names === undefined) {
      const header = shaper.header(read.header);
      names = header.names;
      const { line, sheet, columns = names } = header;
      const unknown = missingColumns(shape, columns).map((problem) => ({ line, sheet, problem }));
      const wrong = [...unknown, ...headerFaults(header)];
      faults.add(wrong);
      if (wrong.length > 0) break;
    }
    const taken = shaper.take(read);
    const cards: SeenCard[] = [];
    for (const record of taken.records) {
      const one = cardOf(record, read.format, seenAt);
      if ('cardId' in one) cards.push(one);
      else faults.add(one);
    }
    faults.add(taken.faults.filter(({ cell }) => isOfColumn(cell === undefined ? undefined : names?.[cell])));
    found.rows += cards.length;
    yield cards;
  }
  const failure = faultyInput(file.name, { faults, notes });
  if (failure !== undefined) throw failure;
}

/**
 * Remembers the cards of a file (an export of orders) for `card find`: all of them or none. Sends nothing. Returns how
 * many rows there were. USAGE with the faults of the file, LOCAL_IO if they cannot be saved.
 */
export async function importCards(
  session: Session,
  place: Pick<KnownCardsPlace, 'stateDir' | 'url'>,
  path: string,
  { map, sheet, format }: ImportOptions,
): Promise<number> {
  const faults: Fault[] = [];
  const shape = readShape({ map }, [], faults);
  faults.push(...mapProblems(shape.map, COLUMNS).map((problem) => ({ where: '--map', problem })));
  if (faults.length > 0) throw usageFailure(faults);
  const file = await openInput(path, session.context.stdin, '--import');
  const seenAt = new Date(session.context.clock.now()).toISOString();
  const isColumn = (name: string) => COLUMNS.includes(name) || shape.map.has(name);
  const options = { name: file.name, format, path, csvRaw: false, sheet, takesCards: true, isColumn };
  const found = { rows: 0 };
  await addCards({ ...place, ...lockPorts(session) }, readCards(file, options, shape, seenAt, found), seenAt);
  return found.rows;
}

import { createHash } from 'node:crypto';
import { printJson } from '../../base/json/print.ts';
import { textAt } from '../../base/json/value.ts';
import { CARD_ID } from '../../service/api/field.ts';
import { isPast } from '../../service/api/iso-date.ts';
import { emptiedBy, isWrite } from '../../service/api/operation.ts';
import type { Row } from '../rows/row.ts';
import { looksLikeError } from '../spreadsheet-errors.ts';
import { suspicionOf } from '../suspicious.ts';
import { idWarnings, quoteValue } from '../values.ts';
import { FaultList } from './fault-list.ts';
import { placeFault } from './fault-place.ts';
import { ungarbled } from './garbled-cells.ts';
import type { Interpreted, InterpretOptions } from './interpret.ts';
import { type InputFault, type InputFormat, isTable, type RawRecord, type ReadOptions } from './record.ts';
import { seenTable } from './seen-table.ts';
import { isInShard, type Shard } from './shard.ts';

export interface InputOptions
  extends InterpretOptions,
    Omit<ReadOptions, 'name' | 'takesCards' | 'isColumn' | 'isOlder'> {
  readonly shard: Shard | undefined;
  /** The rows are IDs of the command line: faults name arguments, not lines. */
  readonly isArguments?: boolean;
  /** Events that start earlier are reported as past. */
  readonly nowMs?: number;
}

/** Rows kept for the question, which reads at most that many cards. */
export const FIRST_ROWS = 10;
const MAX_WARNINGS = 5;

/** The same ID twice in a change: accepted, a fault unless `--allow-duplicates`, or always a fault. */
export type Duplicates = 'accepted' | 'refused' | 'never';

/** What one pass over an input found. */
export class Findings {
  readonly faults: FaultList;
  readonly columns = new Set<string>();
  /** The first rows that will be sent, for the question. */
  readonly first: Row[] = [];
  readonly warnings: string[] = [];
  /** What the user should know of how the input was read. */
  readonly notes: string[] = [];
  /** Rows that `--where` and `--rows` took: without them, those of the whole input. */
  rows = 0;
  /** The highest number of these rows. */
  lastRow = 0;
  leftOut = 0;
  /** Rows that this process will send: its shard, without unchanged ones. */
  selected = 0;
  /** Rows of this shard that `--changed-from` leaves out. */
  unchanged = 0;
  hidden = 0;
  /** Columns that are read although the sheet hides them. */
  hiddenColumns: readonly string[] = [];
  /** Rows of the whole input that would be sent: those that differ from the older file. */
  changed = 0;
  /** Values that the rows to send empty, by field. */
  readonly clears = new Map<string, number>();
  /** Events to make that start in the past. */
  past = 0;
  /** Hashes the IDs and bodies that will be sent, in order, whatever the format. */
  readonly #rowsHash = createHash('sha256');
  readonly #options: InputOptions;
  readonly #duplicates: Duplicates;
  readonly #seen: ReturnType<typeof seenTable> | undefined;
  /** Rows from lists of several calendars, with their values. */
  readonly #listed = seenTable();
  #lastNames: readonly string[] | undefined;
  /** Values that look unintended, by what is odd about them. */
  readonly #suspiciousValues = new Map<
    string,
    { readonly name: string; readonly suspicion: string; cells: number; readonly row: number }
  >();

  constructor(options: InputOptions, duplicates: Duplicates) {
    this.#options = options;
    this.faults = new FaultList({ isGrouped: options.isArguments !== true });
    this.#duplicates = duplicates;
    this.#seen = isWrite(options.operation) && duplicates !== 'accepted' ? seenTable() : undefined;
  }

  addNames(names: readonly string[]): void {
    if (names === this.#lastNames) return;
    this.#lastNames = names;
    for (const name of names) this.columns.add(name);
  }

  /** Adds a row, and returns what is wrong with it. `isSelected`: it is to be sent. */
  add(read: Interpreted, format: InputFormat, isSelected: boolean): readonly InputFault[] {
    const { row, record, isUnchanged, faults } = read;
    const duplicate = row === undefined ? undefined : this.#duplicate(row, record, format);
    const isGood = row !== undefined && faults.length === 0;
    const isCopy = row !== undefined && this.#isCopy(row, record);
    if (duplicate !== undefined && !(isGood && (isUnchanged || isCopy))) return [...faults, duplicate];
    if (!isGood) return faults;
    if (!isUnchanged) this.changed += 1;
    if (isSelected) this.#select(row, record, isTable(format));
    else if (isUnchanged && isInShard(row.row, this.#options.shard)) this.unchanged += 1;
    return faults;
  }

  /** A subscriber of two calendars occurs in both lists, and the same values twice do no harm. */
  #isCopy(row: Row, { names }: RawRecord): boolean {
    if (row.id === undefined || this.#options.operation.family !== 'calendar' || !names.includes('calendar'))
      return false;
    return this.#listed(rowText(row), row.row, false) !== 0;
  }

  #select(row: Row, record: RawRecord, isOfTable: boolean): void {
    const { nowMs } = this.#options;
    this.selected += 1;
    if (isWrite(this.#options.operation)) this.#rowsHash.update(rowText(row));
    if (record.isHidden === true) this.hidden += 1;
    if (nowMs !== undefined && isPast(textAt(row.body, 'start') ?? '', nowMs)) this.past += 1;
    for (const name of emptiedBy(this.#options.operation, row.body)) {
      this.clears.set(name, (this.clears.get(name) ?? 0) + 1);
    }
    this.#lookForSuspicious(row, record, isOfTable);
    if (this.first.length < FIRST_ROWS) this.first.push(row);
    if (row.id !== undefined && this.#options.operation.family === 'calendar' && this.warnings.length < MAX_WARNINGS) {
      const place = `${this.#options.isArguments === true ? 'argument' : 'line'} ${record.line}`;
      this.warnings.push(...idWarnings(row.id).map((warning) => `${place}: ${warning}`));
    }
  }

  #lookForSuspicious({ body }: Row, { names, row }: RawRecord, isOfTable: boolean): void {
    for (const [name, value] of body ?? []) {
      if (typeof value !== 'string') continue;
      const meant = ungarbled(value);
      const garbled =
        meant && `text that was opened in the wrong encoding (${quoteValue(value)} for ${quoteValue(meant)})`;
      const isError = isOfTable && looksLikeError(value);
      const suspicion = garbled ?? (isError ? 'the look of an error of a spreadsheet' : suspicionOf(name, value));
      // Most values have none, and the names may be many.
      if (suspicion === undefined || !names.includes(name)) continue;
      const key = `${name} ${garbled === undefined ? suspicion : 'garbled'}`;
      const known = this.#suspiciousValues.get(key);
      if (known === undefined) this.#suspiciousValues.set(key, { name, suspicion, cells: 1, row });
      else known.cells += 1;
    }
  }

  /** Hexadecimal. Asked for once, at the end. */
  rowsSha256(): string {
    return this.#rowsHash.digest('hex');
  }

  /** One sentence for each column with such values. */
  suspiciousValues(): readonly string[] {
    return [...this.#suspiciousValues.values()].map(({ name, suspicion, cells, row }) =>
      cells === 1
        ? `1 cell of column ${name} (row ${row}) has ${suspicion}, and is sent as given`
        : `${cells} cells of column ${name} (row ${row} and others) have ${suspicion}, and are sent as given`,
    );
  }

  /** The ID; of an event, which has none yet, the name. */
  #nameOf({ id, body }: Row): string {
    return id !== undefined && CARD_ID.test(id) ? id : quoteValue(id ?? textAt(body, 'name') ?? '');
  }

  #duplicate(row: Row, record: RawRecord, format: InputFormat): InputFault | undefined {
    // In a JSON array many rows may share a line. Elsewhere editors show the line.
    const place = format === 'json' ? row.row : record.line;
    const { changedFrom, operation } = this.#options;
    // Most IDs are in the older file, whose index then serves for both.
    const met = row.id === undefined ? undefined : changedFrom?.meet(row.id, place);
    // Rows that would create the same event have the same body.
    const isOfCard = operation.family === 'cards';
    const earlier = met ?? this.#seen?.(row.id ?? printJson(row.body ?? null), place, isOfCard) ?? 0;
    if (this.#seen === undefined || earlier === 0) return undefined;
    const first = `${this.#options.isArguments === true ? 'argument' : format === 'json' ? 'row' : 'line'} ${earlier}`;
    const column = record.names.find((name) => name === 'cardId') ?? 'id';
    const [field, same] = row.id === undefined ? ['', 'event'] : [column, 'id'];
    const problem = `the same ${same} as in ${first} (${this.#nameOf(row)})${this.#duplicates === 'never' ? '. A plan can have a card only once' : '. --allow-duplicates accepts that'}`;
    return { ...placeFault(record, format, field, problem), isUnique: true };
  }
}

/** What a row sends, as a text that is unique for ID and body. */
export function rowText({ id = '', body }: Row): string {
  let text = `${CARD_ID.test(id) ? id.toLowerCase() : id}\n`;
  for (const [name, value] of body ?? [])
    text += `${name}\t${typeof value === 'string' ? `"${value.length}:${value}` : printJson(value)}\n`;
  return `${text}\n`;
}

import { CARD_ID } from '../../api/field.ts';
import { isWrite } from '../../api/operation.ts';
import { isJsonObject, JsonNumber, type JsonObject, textAt } from '../../json/value.ts';
import { idWarnings } from '../card-id.ts';
import { quoteGiven } from '../given.ts';
import { placeFault } from './fault-place.ts';
import type { Row } from './interpret.ts';
import type { InputFault, InputFormat } from './record.ts';
import type { InputOptions } from './rows.ts';
import { Digest, SeenTable } from './seen-table.ts';
import { isInShard } from './shard.ts';

const MAX_FAULTS = 20;
/** So many rows are kept for the question; the cards of no more than these are read for it. */
const FIRST_ROWS = 10;
const MAX_WARNINGS = 5;

/** One text for one event: rows that would create the same event have the same. */
function canonical(body: JsonObject | undefined): string {
  let text = '';
  for (const [name, value] of body ?? []) {
    const shown = value instanceof JsonNumber ? value.text : isJsonObject(value) ? '' : String(value);
    text += `${name}:${typeof value === 'string' ? 's' : 'v'}${shown.length}:${shown};`;
  }
  return text;
}

function hasBlankEdge(text: string): boolean {
  return text !== '' && (isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1)));
}

/** Space, tab, and the space that web pages put between words. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0xa0;
}

/** What was found while an input was read through once. */
export class Findings {
  readonly faults: InputFault[] = [];
  readonly columns = new Set<string>();
  /** The first rows that will be sent, for the question. */
  readonly first: Row[] = [];
  readonly warnings: string[] = [];
  /** What a person should know of how the input was read. */
  readonly notes: string[] = [];
  faultCount = 0;
  /** Rows of the whole input. */
  rows = 0;
  /** Rows that this process is to send: those of its shard, without unchanged ones. */
  selected = 0;
  /** Rows of this shard that `--changed-from` leaves out. */
  unchanged = 0;
  /** Rows to send that are hidden in their sheet. */
  hidden = 0;
  readonly #options: InputOptions;
  readonly #seen: SeenTable | undefined;
  readonly #digest = new Digest();
  #lastNames: readonly string[] | undefined;
  readonly #blanks = new Map<string, { cells: number; readonly line: number }>();

  constructor(options: InputOptions, allowDuplicates: boolean) {
    this.#options = options;
    this.#seen = isWrite(options.operation) && !allowDuplicates ? new SeenTable() : undefined;
  }

  /** Keeps the first faults of a batch, in the order of the input. */
  addFaults(faults: readonly InputFault[]): void {
    this.faultCount += faults.length;
    if (this.faults.length >= MAX_FAULTS || faults.length === 0) return;
    const sorted = faults.toSorted((a, b) => a.line - b.line || (a.row ?? 0) - (b.row ?? 0));
    this.faults.push(...sorted.slice(0, MAX_FAULTS - this.faults.length));
  }

  addNames(names: readonly string[]): void {
    if (names === this.#lastNames) return;
    this.#lastNames = names;
    for (const name of names) this.columns.add(name);
  }

  addRow(row: Row): void {
    if (!isInShard(row.row, this.#options.shard)) return;
    this.selected += 1;
    if (row.record.isHidden === true) this.hidden += 1;
    this.#lookForBlanks(row);
    if (this.first.length < FIRST_ROWS) this.first.push(row);
    if (row.id !== undefined && this.#options.operation.family === 'calendar' && this.warnings.length < MAX_WARNINGS) {
      const place = `${this.#options.isArguments === true ? 'argument' : 'line'} ${row.line}`;
      this.warnings.push(...idWarnings(row.id).map((warning) => `${place}: ${warning}`));
    }
  }

  /** Cells that begin or end with a blank: nobody sees it in a spreadsheet, and it is sent as it is. */
  #lookForBlanks({ body, record, line }: Row): void {
    for (const [name, value] of body ?? []) {
      if (typeof value !== 'string' || !hasBlankEdge(value)) continue;
      const known = this.#blanks.get(name);
      if (known !== undefined) known.cells += 1;
      else if (record.names.includes(name)) this.#blanks.set(name, { cells: 1, line });
    }
  }

  /** One sentence for each column that has such cells. */
  blankWarnings(): readonly string[] {
    return [...this.#blanks].map(([name, { cells, line }]) => {
      const what = cells === 1 ? '1 cell' : `${cells} cells`;
      return `${what} of column ${name} (line ${line}${cells === 1 ? '' : ' and others'}) with a blank before or after the text; sent as ${cells === 1 ? 'it is' : 'they are'}`;
    });
  }

  addUnchanged(row: Row): void {
    if (isInShard(row.row, this.#options.shard)) this.unchanged += 1;
  }

  /** The id; of an event, which has none yet, its name. */
  #nameOf({ id, body }: Row): string {
    if (id !== undefined) return CARD_ID.test(id) ? id : quoteGiven(id);
    const name = textAt(body, 'name');
    return name === undefined ? 'without a name' : quoteGiven(name);
  }

  duplicate(row: Row, format: InputFormat): InputFault | undefined {
    if (this.#seen === undefined) return undefined;
    if (row.id === undefined) this.#digest.setText(canonical(row.body));
    else if (this.#options.operation.family === 'cards') this.#digest.setCardId(row.id);
    else this.#digest.setText(row.id);
    // In a JSON array many rows may share a line; elsewhere the line is what an editor shows.
    const earlier = this.#seen.add(this.#digest, format === 'json' ? row.row : row.line);
    if (earlier === 0) return undefined;
    const place = `${this.#options.isArguments === true ? 'argument' : format === 'json' ? 'row' : 'line'} ${earlier}`;
    const column = row.record.names.find((name) => name === 'cardId') ?? 'id';
    const [field, same] = row.id === undefined ? ['', 'event'] : [column, 'id'];
    const problem = `the same ${same} as in ${place} (${this.#nameOf(row)}); --allow-duplicates accepts that`;
    return placeFault(row.record, format, field, problem);
  }
}

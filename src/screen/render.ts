import type { OutputPort } from '../base/context.ts';
import { markedLine } from '../base/json/outside-text.ts';
import { escapeCodePoint, printJson, writeJson } from '../base/json/print.ts';
import { escapeUnsafe } from '../base/json/unsafe-characters.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, rememberedText } from '../base/json/value.ts';
import { type Column, cellText, chooseColumns, sortRows } from './column.ts';
import {
  type Block,
  type Fact,
  isJson,
  type OutputOptions,
  type Result,
  type RowStream,
  type RowWriter,
  type Surroundings,
  type WhenTall,
} from './options.ts';
import type { RowQuery } from './row-query.ts';
import { breakLine, safeText, widthOf, wrapOutside } from './text.ts';

/** A run of more rows is not held for a bordered table, but shown as it goes. */
const MAX_HELD_RUN_ROWS = 20;
const DEFAULT_WIDTH = 80;
/** As on a card's page. */
const LABEL_WIDTH = 14;

/** Writes a whole result to stdout in the chosen format. Rejects with the stream's failure. */
export async function renderResult(result: Result, options: OutputOptions, stdout: OutputPort): Promise<void> {
  const query = await loadQuery(options);
  const prepare = await preparation(options);
  if (options.format === 'ndjson') await writeRows(linesOf(result), await openRowWriter([], options, stdout));
  else if (query !== undefined) await writeFound(await query.only(prepare(documentOf(result))), options, stdout);
  else if (options.format === 'json') await writeDocument(prepare(documentOf(result)), stdout);
  else await renderTabular(prepared(shownOf(result, options, stdout), prepare), options, stdout);
}

/** In a terminal an empty list is the sentence that says so. */
function shownOf(result: Result, { format }: OutputOptions, { isTerminal }: OutputPort): Result {
  if (result.kind !== 'list' || result.rows.length > 0 || result.whenEmpty === undefined) return result;
  return format === 'table' && isTerminal ? { kind: 'text', text: result.whenEmpty, json: [], isProse: true } : result;
}

function writeDocument(document: JsonValue, stdout: OutputPort): Promise<void> {
  return writeJson(document, { indent: 2, after: '\n' }, stdout);
}

/** The result of a query without quotes: a text as it is, an array one element per line, null an empty line. */
function rawText(found: JsonValue): string {
  const lines = isJsonArray(found) ? found : [found];
  return lines.map((value) => `${rawLine(value)}\n`).join('');
}

function rawLine(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return printJson(value);
  // Whatever moves the cursor or reorders text stays escaped.
  const parts = value.split('\t').map((part) => escapeUnsafe(part, escapeCodePoint));
  return parts.join('\t');
}

async function writeFound(found: JsonValue, options: OutputOptions, stdout: OutputPort): Promise<void> {
  if (options.raw === true) return stdout.write(rawText(found));
  if (options.format === 'json') return writeDocument(found, stdout);
  await renderTabular((await import('./query-result.ts')).queryResult(found), options, stdout);
}

/** From this many rows on, rows that are ready together are written together. */
const GATHERED_RUN_ROWS = 1000;

/** The stream, with what else is on its terminal removed while it writes. */
export function writingBeside(stdout: OutputPort, around: Surroundings): OutputPort {
  return {
    isTerminal: stdout.isTerminal,
    get columns() {
      return stdout.columns;
    },
    async write(text) {
      around.clear();
      try {
        await stdout.write(text);
      } finally {
        around.restore();
      }
    },
  };
}

/**
 * Opens a stream of rows: a JSON array, NDJSON, CSV or a table that grows while the work goes on. `expectedRows` (of a
 * run) decides whether a terminal gets a bordered table at the end or lines at once. A query sees all rows at once, in
 * ndjson each on its own.
 */
export async function openRowWriter(
  columns: readonly Column[],
  options: OutputOptions,
  stdout: OutputPort,
  expectedRows = 0,
): Promise<RowStream> {
  const query = await loadQuery(options);
  const prepare = await preparation(options);
  const isGathered = expectedRows >= GATHERED_RUN_ROWS && options.format !== 'xlsx';
  const gathered = isGathered ? (await import('./gathered-output.ts')).gatheredOutput(stdout) : undefined;
  const writer = await openFormat(columns, options, gathered ?? stdout, query, expectedRows);
  return {
    row: (row, number) => writer.row(prepare(row), number),
    async close() {
      await writer.close();
      await gathered?.flush();
    },
    flush: async () => gathered?.flush().catch(() => undefined),
  };
}

async function openFormat(
  columns: readonly Column[],
  options: OutputOptions,
  stdout: OutputPort,
  query: RowQuery | undefined,
  expectedRows: number,
): Promise<RowWriter> {
  if (options.format === 'ndjson') return ndjsonRowWriter(query, stdout, options.raw);
  if (query !== undefined) {
    // The query sees all rows at once.
    const rows: JsonValue[] = [];
    const close = async () => writeFound(await query.only(rows), options, stdout);
    return { row: async (row) => void rows.push(row), close };
  }
  if (options.format === 'json') return jsonRowWriter(stdout);
  return openTabular(shownColumns(columns, options), options, stdout, expectedRows);
}

/** Rows as one JSON array that grows, and is valid once it is closed. */
function jsonRowWriter(stdout: OutputPort): RowWriter {
  let isOpen = false;
  return {
    row(row) {
      const before = isOpen ? ',\n  ' : '[\n  ';
      isOpen = true;
      return writeJson(row, { indent: 2, margin: '  ', before }, stdout);
    },
    close: () => stdout.write(isOpen ? '\n]\n' : '[]\n'),
  };
}

/** Rows as compact JSON, one per line. */
function ndjsonRowWriter(query: RowQuery | undefined, stdout: OutputPort, isRaw = false): RowWriter {
  // Not async: each promise costs a turn of the event loop.
  const write = (row: JsonValue): Promise<void> => {
    const known = rememberedText(row);
    return known === undefined ? writeJson(row, { after: '\n' }, stdout) : stdout.write(`${known}\n`);
  };
  if (query === undefined) return { row: write, async close() {} };
  const find = async (row: JsonValue, number?: number) => {
    const found = await query.ofRow(row, number);
    return isRaw ? stdout.write(rawText(found)) : write(found);
  };
  return { row: find, close: () => query.close() };
}

async function openTabular(
  columns: readonly Column[],
  options: OutputOptions,
  stdout: OutputPort,
  rows: number,
  isStreamed = rows > MAX_HELD_RUN_ROWS,
  how: { readonly whenTall?: WhenTall | undefined; readonly block?: Block | undefined } = {},
): Promise<RowWriter> {
  if (options.format === 'xlsx') {
    const { refuseTooManyRows, WorkbookWriter } = await import('./workbook.ts');
    refuseTooManyRows(rows);
    return new WorkbookWriter(columns, options, stdout);
  }
  if (options.format === 'csv') return (await import('./csv.ts')).csvRowWriter(columns, options, stdout);
  if (!stdout.isTerminal) return (await import('./table.ts')).tabbedRowWriter(columns, options.header, stdout);
  const { terminalRowWriter } = await import('./terminal-table.ts');
  const frame = { width: stdout.columns ?? DEFAULT_WIDTH, mayLeaveOut: options.columns === undefined };
  return terminalRowWriter(columns, { ...options, ...frame, ...how }, stdout, isStreamed);
}

async function renderTabular(result: Result, options: OutputOptions, stdout: OutputPort): Promise<void> {
  if (result.kind === 'text') {
    const { text, isProse } = result;
    const lines = text.split('\n').flatMap((line) => (isProse === true ? breakLine(line, widthOf(stdout)) : [line]));
    const shown = lines.join('\n');
    await stdout.write(shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`);
    return;
  }
  const columns = shownColumns(result.columns, options);
  if (result.kind === 'resource') {
    await renderResource(result, columns, options, stdout);
    return;
  }
  const { sortBy } = options;
  const rows = sortBy === undefined ? result.rows : sortRows(result.rows, sortBy);
  const whenTall = sortBy === undefined ? result.whenTall : undefined;
  const block = options.columns === undefined ? result.block : undefined;
  await writeRows(rows, await openTabular(columns, options, stdout, rows.length, false, { whenTall, block }));
}

function prepared(result: Result, prepare: (value: JsonValue) => JsonValue): Result {
  if (result.kind === 'resource') return { ...result, resource: prepare(result.resource) };
  if (result.kind === 'list') return { ...result, rows: result.rows.map(prepare) };
  return { ...result, text: String(prepare(result.text)) };
}

async function renderResource(
  result: Extract<Result, { kind: 'resource' }>,
  columns: readonly Column[],
  options: OutputOptions,
  stdout: OutputPort,
): Promise<void> {
  const { resource, view, facts, beside = 0 } = result;
  if (options.columns === undefined && options.format === 'csv') {
    const { writeCsvResource } = await import('./csv.ts');
    await writeCsvResource(resource, options, stdout);
  } else if (view === 'whole' && options.format === 'table' && stdout.isTerminal && isJsonObject(resource)) {
    const chosen = options.columns === undefined ? undefined : columns.map(({ name }) => name);
    await writeWhole(resource, chosen, options, stdout);
  } else if (options.columns === undefined && stdout.isTerminal && isJsonObject(resource)) {
    await (facts === undefined
      ? renderForPeople(resource, view, result.columns, options, stdout, beside)
      : writeFacts(facts(resource), options, stdout));
  } else {
    const more = view === 'whole' && options.columns === undefined ? await otherColumns(resource, columns) : [];
    await writeRows([resource], await openTabular([...columns, ...more], options, stdout, 1, false));
  }
}

/** What is given once is shown with all its members, whatever they are. */
async function otherColumns(resource: JsonValue, columns: readonly Column[]): Promise<readonly Column[]> {
  const { flatten } = await import('./csv.ts');
  const names = flatten(resource).map(([name]) => name);
  return names
    .filter((name) => !columns.some((column) => column.name === name))
    .map((name) => ({ name, header: name }));
}

/** Shows what is given once: each name, and its value below, without line breaks, so that it can be copied. */
async function writeWhole(
  resource: JsonObject,
  chosen: readonly string[] | undefined,
  { colour, header }: OutputOptions,
  stdout: OutputPort,
): Promise<void> {
  const [{ flatten }, { makePaint }] = await Promise.all([import('./csv.ts'), import('./paint.ts')]);
  const paint = makePaint(colour);
  const isChosen = (name: string) => chosen?.some((each) => name === each || name.startsWith(`${each}.`)) !== false;
  const members = flatten(resource).filter(([name]) => isChosen(name));
  const headOf = (name: string) => (header ? [paint.bold(markedLine(safeText(name)))] : []);
  const lines = members.flatMap(([name, value]) => [...headOf(name), markedLine(safeText(cellText(value)))]);
  await stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** A page like a card's: labels, and texts that are broken and never cut. */
async function writeFacts(facts: readonly Fact[], { colour }: OutputOptions, stdout: OutputPort): Promise<void> {
  const [{ makePaint }, { padText }] = await Promise.all([import('./paint.ts'), import('./cut-text.ts')]);
  const paint = makePaint(colour);
  const lines = facts.flatMap(([label, text]) =>
    wrapOutside(text, (stdout.columns ?? DEFAULT_WIDTH) - LABEL_WIDTH).map(
      (part, at) => paint.faint(padText(at === 0 ? label : '', LABEL_WIDTH)) + part,
    ),
  );
  await stdout.write(lines.map((line) => `${line}\n`).join(''));
}

async function renderForPeople(
  resource: JsonObject,
  view: 'card' | 'whole' | undefined,
  known: readonly Column[],
  options: OutputOptions,
  stdout: OutputPort,
  beside: number,
): Promise<void> {
  if (view === 'card') {
    const { cardView } = await import('./card-view.ts');
    const rows = stdout.rows && stdout.rows - beside;
    await stdout.write(cardView(resource, { ...options, width: stdout.columns ?? DEFAULT_WIDTH }, rows));
    return;
  }
  const { flatten } = await import('./csv.ts');
  const shown = (field: string, value: JsonValue) =>
    known.find(({ name }) => name === field)?.people?.(cellText(value)) ?? value;
  const members = flatten(resource).map(
    ([field, value]) => new Map(Object.entries({ field, value: shown(field, value) })),
  );
  const columns: readonly Column[] = [
    { name: 'field', header: 'FIELD', keep: true },
    { name: 'value', header: 'VALUE' },
  ];
  await writeRows(members, await openTabular(columns, options, stdout, 1, false));
}

function shownColumns(columns: readonly Column[], { columns: spec, format }: OutputOptions): readonly Column[] {
  if (spec !== undefined || format !== 'table') return chooseColumns(spec, columns);
  return columns.filter((column) => column.wide !== true);
}

async function writeRows(rows: readonly JsonValue[], writer: RowWriter): Promise<void> {
  for (const row of rows) await writer.row(row);
  await writer.close();
}

function documentOf(result: Result): JsonValue {
  if (result.kind === 'resource') return result.resource;
  return result.kind === 'list' ? (result.document ?? result.rows) : result.json;
}

function linesOf(result: Result): readonly JsonValue[] {
  if (result.kind === 'list') return result.rows;
  const document = documentOf(result);
  return isJsonArray(document) ? document : [document];
}

/** Masks the token, and hides sensitive members in table and csv. Loaded once for all rows. */
async function preparation(options: OutputOptions): Promise<(value: JsonValue) => JsonValue> {
  const { maskData: mask } = options;
  const hidden = isJson(options.format) ? [] : options.hideSensitive;
  if (mask === undefined && hidden.length === 0) return (value) => value;
  const { hideMembers, maskTexts } = await import('../service/http/mask.ts');
  return (value) => hideMembers(mask === undefined ? value : maskTexts(value, (text) => mask(text)), hidden);
}

async function loadQuery(options: OutputOptions): Promise<RowQuery | undefined> {
  return options.query === undefined
    ? undefined
    : (await import('./row-query.ts')).openRowQuery(options.query, options);
}

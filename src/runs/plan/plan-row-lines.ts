import { outside, quoted } from '../../base/json/outside-text.ts';
import { printJson } from '../../base/json/print.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../../base/json/value.ts';
import { ROW_COLUMNS } from '../../records/plan-columns.ts';
import type { Column } from '../../screen/column.ts';
import { displayWidth, fittingLength } from '../../screen/cut-text.ts';
import type { ViewStyle } from '../../screen/options.ts';
import { makePaint, type Paint } from '../../screen/paint.ts';
import { arrow } from '../../screen/people-text.ts';
import { type ListedRow, rowListLines } from '../../screen/row-list.ts';
import { safeText } from '../../screen/text.ts';
import { targetStatus } from '../../service/api/operation.ts';
import { operationNamed } from '../../service/api/operations.ts';
import type { PlanHeader, PlanRow } from './plan-file.ts';

const FIELD_INDENT = ' '.repeat(6);
const VALUE_INDENT = ' '.repeat(8);
/** Before the rest of a value: a mark beside it, not in it, so that no line of it looks like frontdesk's own. */
const MORE_INDENT = '      | ';

/** A value of a plan for a reviewer: exact, on one line, nothing invisible. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '(not known)';
  if (value === '') return '(empty)';
  const text = lineOf(value);
  return OWN_WORD.test(text) ? quoted(text) : text;
}

/** A value that is one of the words above stands in quotes. */
const OWN_WORD = /^\((?:not known|empty)\)$/;

function lineOf(value: JsonValue): string {
  return safeText(typeof value === 'string' ? value : printJson(value));
}

/** What stands between or before the changes of a row: a value or an ID with it stands in quotes. */
const LIKE_A_CHANGE = /; |→|->|: | {2}|^[(" ]|[" ]$/;

/** A value within the list of changes, which it cannot seem to continue. */
function inList(value: JsonValue | undefined): string {
  if (value === undefined || value === '') return textOf(value);
  const text = lineOf(value);
  return LIKE_A_CHANGE.test(text) ? quoted(text) : text;
}

/** Each field of a body as `name: value`. */
export function fieldTexts(body: JsonObject | undefined): readonly string[] {
  return [...(body ?? [])].map(([name, value]) => `${name}: ${textOf(value)}`);
}

interface Piece {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** One change of a row: in one line, or old and new on lines of their own if that is too long. */
interface Change {
  readonly line: readonly Piece[];
  readonly parts: readonly (readonly Piece[])[];
}

/** A row of a change as a person decides about it, in a question, a dry run or a plan. `unread`: its card was not. */
export type ChangeRow = Omit<PlanRow, 'drift'> & { readonly unread?: string | undefined };

/** `statusHeader`: what the status is of. `isShared`: what cards send is shown elsewhere, because all send the same. */
interface ListHow {
  readonly statusHeader: string;
  readonly isShared?: boolean;
  /** What is easily missed stands in code points too: somebody else made the plan. */
  readonly hasCodePoints?: boolean;
}

/**
 * THE list of what will be changed: cards in columns, others as `row 3 sub_1  email: a@x → b@x`. Nothing is cut: a
 * reviewer must see all that will be sent.
 */
export function changeLines(rows: readonly ChangeRow[], operation: string, how: ListHow, style: ViewStyle) {
  const planned = operationNamed(operation);
  if (planned?.family === 'cards') {
    const aim = targetStatus(planned);
    const listed = rows.map((row) => listedRow(row, aim, how.isShared === true));
    return rowListLines(listed, how.statusHeader, style);
  }
  const paint = makePaint(style.colour);
  return rows.flatMap((row) => {
    const number = `row ${row.row}`;
    const id = row.id === undefined ? '' : ` ${inList(row.id)}`;
    const about = [{ text: number, paint: paint.faint }, { text: `${id}  ` }];
    const lines = linesOf(about, fieldChanges(row, `${arrow(style)} `, paint), style.width);
    return how.hasCodePoints === true ? [...lines, ...codePointLines(row, style.width)] : lines;
  });
}

export function isAlready({ before }: ChangeRow, aim: string | undefined): boolean {
  return aim !== undefined && before?.get('status') === aim;
}

function listedRow(row: ChangeRow, aim: string | undefined, isShared: boolean): ListedRow {
  const { id = '', about, before, body, unread = '' } = row;
  const shown = (value: JsonValue = null) =>
    value === null ? '' : value === '' ? textOf(value) : outside(lineOf(value));
  const reason = body?.get('reason');
  return {
    row: row.row,
    id: outside(safeText(id)),
    reference: shown(about?.get('clientReference')),
    balance: shown(about?.get('currentBalance')),
    status: before !== undefined && !before.has('status') ? textOf(undefined) : shown(before?.get('status')),
    isAlready: isAlready(row, aim),
    reason: isShared || reason === undefined ? '' : textOf(reason),
    unread,
  };
}

function widthOf(pieces: readonly Piece[]): number {
  return displayWidth(pieces.map(({ text }) => text).join(''));
}

/** One line if it fits, else a line for the row and one for each change, or more. */
function linesOf(about: readonly Piece[], changes: readonly Change[], width: number): readonly string[] {
  const all = [...about, ...changes.flatMap(({ line }, at) => (at === 0 ? line : [{ text: '; ' }, ...line]))];
  if (widthOf(all) <= width) return [painted(all).trimEnd()];
  const each = changes.flatMap(({ line, parts }) =>
    widthOf(line) + FIELD_INDENT.length <= width
      ? [painted([{ text: FIELD_INDENT }, ...line])]
      : parts.flatMap((part, at) => broken([{ text: at === 0 ? FIELD_INDENT : VALUE_INDENT }, ...part], width)),
  );
  return [...broken(trimmed(about), width), ...each];
}

function trimmed(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, at) => (at === pieces.length - 1 ? { ...piece, text: piece.text.trimEnd() } : piece));
}

function painted(pieces: readonly Piece[]): string {
  return pieces.map(({ text, paint }) => (paint === undefined || text === '' ? text : paint(text))).join('');
}

/** The pieces on as many lines as they need. Further ones are indented. */
function broken(pieces: readonly Piece[], width: number): readonly string[] {
  const lines: string[] = [];
  let line: Piece[] = [];
  let room = width;
  for (const { text, paint } of pieces) {
    let rest = text;
    // Of a long text no more is measured than has room.
    for (let fits = fittingLength(rest, room); fits < rest.length; fits = fittingLength(rest, room)) {
      // At least one character per line, or a wide one on a narrow terminal would never end.
      const isBare = line.every(({ text: before }) => before === MORE_INDENT || before.trim() === '');
      const least = isBare ? String.fromCodePoint(rest.codePointAt(0) ?? 0).length : 0;
      const end = Math.max(least, fits);
      line.push({ text: rest.slice(0, end), paint });
      lines.push(painted(line));
      rest = rest.slice(end);
      line = [{ text: MORE_INDENT }];
      room = Math.max(1, width - MORE_INDENT.length);
    }
    line.push({ text: rest, paint });
    room -= displayWidth(rest);
  }
  return [...lines, painted(line)];
}

/** Each field as `name: old → new` with the difference marked, or `name: new` without an old value. */
function fieldChanges({ before, body }: ChangeRow, between: string, paint: Paint): readonly Change[] {
  return [...(body ?? [])].map(([name, value]): Change => {
    const label = { text: `${name}: ` };
    if (before === undefined) {
      const line = [label, { text: inList(value) }];
      return { line, parts: [line] };
    }
    const [old, next] = [inList(before.get(name)), inList(value)];
    // By letters, never half of one.
    const letters = [Array.from(old), Array.from(next)] as const;
    const { head, tail } = sharedEnds(...letters);
    const [marked = [], to = []] = letters.map((text): readonly Piece[] => [
      { text: text.slice(0, head).join('') },
      { text: text.slice(head, text.length - tail).join(''), paint: paint.bold },
      { text: text.slice(text.length - tail).join('') },
    ]);
    const from = [label, ...marked];
    return { line: [...from, { text: ` ${between}` }, ...to], parts: [from, [{ text: between }, ...to]] };
  });
}

/** Most characters that may differ without being seen: `rn` for `m`, one letter for one that looks like it. */
const EASILY_MISSED = 3;

/** A line for each change that is easily missed, with the code points of the new text. */
function codePointLines({ before, body }: ChangeRow, width: number): readonly string[] {
  return [...(body ?? [])].flatMap(([name, value]) => {
    const old = before?.get(name);
    if (typeof old !== 'string' || typeof value !== 'string' || !isEasilyMissed(old, value)) return [];
    return wholeWords(`${name} in code points: ${codePoints(value)}`, width);
  });
}

/** The text on as many lines as it needs, none of its words broken. */
function wholeWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.pop();
    const line = last === undefined ? `${FIELD_INDENT}${word}` : `${last} ${word}`;
    if (last === undefined || line.length <= width) lines.push(line);
    else lines.push(last, `${VALUE_INDENT}${word}`);
  }
  return lines;
}

/** Do few characters differ, or is one that differs not printable ASCII? */
function isEasilyMissed(old: string, next: string): boolean {
  const [a, b] = [Array.from(old), Array.from(next)];
  const { head, tail } = sharedEnds(a, b);
  const [from, to] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const differing = Math.max(from.length, to.length);
  return differing > 0 && (differing <= EASILY_MISSED || [...from, ...to].some((letter) => !/^[ -~]$/.test(letter)));
}

function codePoints(text: string): string {
  const points = Array.from(text, (letter) => (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'));
  return points.map((hex) => `U+${hex}`).join(' ') || 'none';
}

/** How many letters two texts share at their beginnings and ends. */
function sharedEnds(a: readonly string[], b: readonly string[]): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** Names of the columns of a change for reviewers, after row and ID. */
export function changeColumns({ operation }: Pick<PlanHeader, 'operation'>): readonly string[] {
  return operation.startsWith('card.') ? ['reference', 'status'] : ['field', 'before', 'after'];
}

/** The changes of a row in these columns. */
export function planChanges({ body, before, about, drift }: PlanRow): readonly (readonly (JsonValue | undefined)[])[] {
  if (drift === 'checked') return [[about?.get('clientReference'), before?.get('status')]];
  return [...(body ?? [])].map(([field, value]) => [field, before?.get(field), value]);
}

export function changeTable(header: Pick<PlanHeader, 'operation'>): readonly Column[] {
  const changes = changeColumns(header).map((name): Column => ({ name, header: name.toUpperCase() }));
  return [...ROW_COLUMNS.slice(0, 2), ...changes];
}

export function changeObjects(row: PlanRow, columns: readonly Column[]): readonly JsonObject[] {
  return planChanges(row).map((values) => {
    const cells = [new JsonNumber(String(row.row)), row.id ?? null, ...values];
    return new Map(columns.flatMap(({ name }, at) => (cells[at] === undefined ? [] : [[name, cells[at]] as const])));
  });
}

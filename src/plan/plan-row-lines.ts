import { printJson } from '../json/print.ts';
import { escapeUnsafe } from '../json/unsafe-characters.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import { displayWidth, fittingLength, padText } from '../output/cut-text.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint, type Paint } from '../output/paint.ts';
import { arrow } from '../output/people-text.ts';
import { safeText } from '../output/text.ts';
import { ROW_COLUMNS } from './plan-columns.ts';
import type { PlanHeader, PlanRow } from './plan-file.ts';

const FIELD_INDENT = ' '.repeat(6);
const VALUE_INDENT = ' '.repeat(8);

/** A value of a plan for a reviewer: exact, on one line, nothing invisible. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '(not known)';
  if (value === '') return '(empty)';
  return safeText(typeof value === 'string' ? value : printJson(value));
}

/** Each field of a body as `name: value`. */
export function fieldTexts(body: JsonObject | undefined): readonly string[] {
  return [...(body ?? [])].map(([name, value]) => `${name}: ${textOf(value)}`);
}

/** A part of a line and its paint. */
interface Piece {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** One change of a row: in one line, or old and new on lines of their own if that is too long. */
interface Change {
  readonly line: readonly Piece[];
  readonly parts: readonly (readonly Piece[])[];
}

/**
 * The first rows of a plan: `row 3 sub_1  email: a@x → b@x`, of a card `row 1 0b7a…  order-1  10.10  ACTIVE → block`,
 * in columns. Nothing is cut: an approver must see all that will be sent. `isShared`: the fields of cards are shown
 * elsewhere, because all send the same.
 */
export function planRowLines(first: readonly PlanRow[], isShared: boolean, operation: string, style: ViewStyle) {
  const paint = makePaint(style.colour);
  const between = `${arrow(style)} `;
  const verb = operation.split('.').at(-1) ?? '';
  const cells = first.map((row) => [
    `row ${row.row}${row.id === undefined ? '' : ` ${safeText(row.id)}`}`,
    aboutText(row, 'clientReference'),
    aboutText(row, 'currentBalance'),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((row) => displayWidth(row[column] ?? ''))));
  return first.flatMap((row, index) => {
    const number = `row ${row.row}`;
    const known = widths.flatMap((width, column) =>
      width === 0 ? [] : [padText(cells[index]?.[column] ?? '', width, column === 2 ? 'right' : 'left')],
    );
    const about = [{ text: number, paint: paint.faint }, { text: `${known.join('  ').slice(number.length)}  ` }];
    const changes =
      row.drift === 'checked'
        ? cardChanges(row, `${between}${verb}`, isShared, paint)
        : fieldChanges(row, between, paint);
    const notes = row.drift === 'checked' ? [] : disguises(row);
    return [...linesOf(about, changes, style.width), ...notes.flatMap((note) => broken([{ text: note }], style.width))];
  });
}

function aboutText({ about }: PlanRow, name: string): string {
  const value = about?.get(name);
  return value === undefined ? '' : textOf(value);
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
    while (displayWidth(rest) > room) {
      // At least one letter per line, or a wide one on a narrow terminal would never end.
      const end = Math.max(line.length === 0 ? 1 : 0, fittingLength(rest, room));
      line.push({ text: rest.slice(0, end), paint });
      lines.push(painted(line));
      rest = rest.slice(end);
      line = [{ text: VALUE_INDENT }];
      room = Math.max(1, width - VALUE_INDENT.length);
    }
    line.push({ text: rest, paint });
    room -= displayWidth(rest);
  }
  return [...lines, painted(line)];
}

function cardChanges({ before, body }: PlanRow, change: string, isShared: boolean, paint: Paint): readonly Change[] {
  const status = textOf(before?.get('status'));
  const line = [{ text: status, paint: (text: string) => paint.toned('status', status, text) }, { text: ` ${change}` }];
  const fields = (isShared ? [] : fieldTexts(body)).map((text) => [{ text }]);
  return [line, ...fields].map((pieces) => ({ line: pieces, parts: [pieces] }));
}

/** Each field as `name: old → new` with the difference marked, or `name: new` without an old value. */
function fieldChanges({ before, body }: PlanRow, between: string, paint: Paint): readonly Change[] {
  return [...(body ?? [])].map(([name, value]): Change => {
    const label = { text: `${name}: ` };
    if (before === undefined) {
      const line = [label, { text: textOf(value) }];
      return { line, parts: [line] };
    }
    const [old, next] = [textOf(before.get(name)), textOf(value)];
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

/** A line for each change that is hard to see. */
function disguises({ before, body }: PlanRow): readonly string[] {
  return [...(body ?? [])].flatMap(([name, value]) => {
    const old = before?.get(name);
    const found = typeof old === 'string' && typeof value === 'string' ? disguiseOf(old, value) : undefined;
    return found === undefined ? [] : [`${FIELD_INDENT}${name} looks the same but is not: ${found}`];
  });
}

/** Greek and Cyrillic letters that look like the Latin ones below them. */
const ALIKE = [
  ['\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455\u051d\u0445\u0443', 'acdehijlopqswxy'],
  [
    '\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423\u0417',
    'ABCEHIJKMOPSTXY3',
  ],
  ['\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u03b3\u03f2\u03f3', 'aikvopuxycj'],
  ['\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7', 'ABEZHIKMNOPTYX'],
] as const;

let latin: ReadonlyMap<string, string> | undefined;

/** A text as it looks: look-alike letters as Latin ones, nothing invisible, full width as usual. */
function drawn(text: string): string {
  latin ??= new Map(
    ALIKE.flatMap(([from, to]) => Array.from(from, (letter, at) => [letter, to[at] ?? letter] as const)),
  );
  const visible = escapeUnsafe(text.normalize('NFKC'), () => '');
  return Array.from(visible, (letter) => latin?.get(letter) ?? letter).join('');
}

function codePoints(letters: readonly string[]): string {
  if (letters.length === 0) return 'nothing';
  const named = letters.map((letter) => (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'));
  return named.map((hex) => `U+${hex}`).join(' ');
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

/** What a change adds that cannot be seen (`bob@` to `b\u043eb@`), as code points; undefined if it can be seen. */
function disguiseOf(old: string, next: string): string | undefined {
  if (old === next || drawn(old) !== drawn(next)) return undefined;
  const [a, b] = [Array.from(old), Array.from(next)];
  const { head, tail } = sharedEnds(a, b);
  const [from, to] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  return `${codePoints(to)} in the place of ${codePoints(from)}`;
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

/** The columns of a table of changes. */
export function changeTable(header: Pick<PlanHeader, 'operation'>): readonly Column[] {
  const changes = changeColumns(header).map((name): Column => ({ name, header: name.toUpperCase() }));
  return [...ROW_COLUMNS.slice(0, 2), ...changes];
}

/** The table lines of a row. */
export function changeObjects(row: PlanRow, columns: readonly Column[]): readonly JsonObject[] {
  return planChanges(row).map((values) => {
    const cells = [new JsonNumber(String(row.row)), row.id ?? null, ...values];
    return new Map(columns.flatMap(({ name }, at) => (cells[at] === undefined ? [] : [[name, cells[at]] as const])));
  });
}

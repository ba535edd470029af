import { printJson } from '../json/print.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { displayWidth, fittingLength, padText } from '../output/cut-text.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint, type Paint } from '../output/paint.ts';
import { arrow } from '../output/people-text.ts';
import { safeText } from '../output/text.ts';
import { disguiseOf, sharedEnds } from './disguise.ts';
import type { PlanRow } from './plan-file.ts';

const FIELD_INDENT = ' '.repeat(6);
const VALUE_INDENT = ' '.repeat(8);

/** A value of a plan as a reviewer sees it: exact, on one line, nothing invisible. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '(not known)';
  if (value === '') return '(empty)';
  return safeText(typeof value === 'string' ? value : printJson(value));
}

/** Each field of a body as `name: value`. */
export function fieldTexts(body: JsonObject | undefined): readonly string[] {
  return [...(body ?? [])].map(([name, value]) => `${name}: ${textOf(value)}`);
}

/** A part of a line, and how it is painted. */
interface Piece {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** One change of a row: in one line, and where that is too long, old and new on lines of their own. */
interface Change {
  readonly line: readonly Piece[];
  readonly parts: readonly (readonly Piece[])[];
}

/**
 * The first rows of a plan: `row 3 sub_1  email: a@x → b@x`, of a card `row 1 0b7a…  order-1  10.10  ACTIVE → block`, in
 * columns. Nothing is cut: who approves has to see all that will be sent.
 */
export function planRowLines(
  { first, isShared }: { readonly first: readonly PlanRow[]; readonly isShared: boolean },
  operation: string,
  style: ViewStyle,
): readonly string[] {
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

/** All on one line where it fits; else a line for the row, one for each change, and more where those are too long. */
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

/** The pieces on as many lines as they need; further ones are indented. */
function broken(pieces: readonly Piece[], width: number): readonly string[] {
  const lines: string[] = [];
  let line: Piece[] = [];
  let room = width;
  for (const { text, paint } of pieces) {
    let rest = text;
    while (displayWidth(rest) > room) {
      // At least one letter a line, or a wide one on a narrow terminal would never end.
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

/** Each field as `name: old → new`, what differs marked; as `name: new` where nothing older is known. */
function fieldChanges({ before, body }: PlanRow, between: string, paint: Paint): readonly Change[] {
  return [...(body ?? [])].map(([name, value]): Change => {
    const label = { text: `${name}: ` };
    if (before === undefined) {
      const line = [label, { text: textOf(value) }];
      return { line, parts: [line] };
    }
    const [old, next] = [textOf(before.get(name)), textOf(value)];
    // By letters, and never by half of one.
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

/** A line for each change that looks like none. */
function disguises({ before, body }: PlanRow): readonly string[] {
  return [...(body ?? [])].flatMap(([name, value]) => {
    const old = before?.get(name);
    const found = typeof old === 'string' && typeof value === 'string' ? disguiseOf(old, value) : undefined;
    return found === undefined ? [] : [`${FIELD_INDENT}${name} looks the same but is not: ${found}`];
  });
}

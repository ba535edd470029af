import type { Cell, CellStyle } from './terminal-screen.ts';

const COLUMN_PX = 8.4;
const ROW_PX = 19;
const MARGIN_PX = 16;

/** Readable on the dark ground of the picture. */
const COLOURS: Readonly<Record<string, string>> = {
  red: '#ff7b72',
  green: '#7ee787',
  yellow: '#e3b341',
  blue: '#79c0ff',
  magenta: '#d2a8ff',
  cyan: '#76e3ea',
  gray: '#8b949e',
};

interface Span {
  readonly column: number;
  readonly style: CellStyle;
  text: string;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function isSame(left: CellStyle, right: CellStyle): boolean {
  return left.bold === right.bold && left.faint === right.faint && left.colour === right.colour;
}

/**
 * Neighbors of one style, parted at borders and wide gaps: each part begins at a place of its own, so that columns
 * meet even where the font of the picture cannot be had.
 */
function spansOf(cells: readonly Cell[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [column, { character, style }] of cells.entries()) {
    const last = spans.at(-1);
    const isApart = last === undefined || /(?: {2}|│ ?)$/.test(last.text) || character === '│';
    if (character === ' ' && last !== undefined) last.text += character;
    else if (!isApart && isSame(last.style, style)) last.text += character;
    else if (character !== ' ') spans.push({ column, style, text: character });
  }
  return spans.map((span) => ({ ...span, text: span.text.trimEnd() }));
}

function drawSpan({ column, style, text }: Span, top: number): string {
  const left = (MARGIN_PX + column * COLUMN_PX).toFixed(1);
  // Its width is said, so that columns meet whatever font the reader has.
  const width = ([...text].length * COLUMN_PX).toFixed(1);
  const colour = style.colour === undefined ? undefined : COLOURS[style.colour];
  const dress = [
    ...(colour === undefined ? [] : [`fill="${colour}"`]),
    ...(style.bold ? ['font-weight="bold"'] : []),
    ...(style.faint ? ['fill-opacity="0.6"'] : []),
  ];
  const attributes = [`x="${left}"`, `y="${top}"`, `textLength="${width}"`, ...dress].join(' ');
  return `<text ${attributes}>${escapeXml(text)}</text>`;
}

/** A screen as a picture: text that can be selected and searched, no script, no font of its own. */
export function screenSvg(screen: readonly (readonly Cell[])[], columns: number, title: string): string {
  const width = Math.ceil(columns * COLUMN_PX + 2 * MARGIN_PX);
  const height = screen.length * ROW_PX + 2 * MARGIN_PX;
  const texts = screen.flatMap((cells, row) =>
    spansOf(cells).map((span) => drawSpan(span, MARGIN_PX + (row + 1) * ROW_PX - 5)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3" xml:space="preserve">',
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

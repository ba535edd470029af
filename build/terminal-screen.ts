/** How one cell of a terminal looks. */
export interface CellStyle {
  readonly bold: boolean;
  readonly faint: boolean;
  /** `green`, or undefined for the terminal's own color. */
  readonly colour: string | undefined;
}

export interface Cell {
  readonly character: string;
  readonly style: CellStyle;
}

const PLAIN: CellStyle = { bold: false, faint: false, colour: undefined };
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** One token: a CSI sequence, a control character, or a character that is printed. */
const TOKEN = /\u001b\[([?0-9;]*)([A-Za-z])|[\r\n]|[^\u001b\r\n]/gu;

function withCode(style: CellStyle, code: number): CellStyle {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code === 39) return { ...style, colour: undefined };
  if (code >= 30 && code <= 37) return { ...style, colour: COLOURS[code - 30] };
  if (code >= 90 && code <= 97) return { ...style, colour: code === 90 ? 'gray' : COLOURS[code - 90] };
  return style;
}

/**
 * What stands on a terminal of that width once all was written: lines that were drawn over (a question, a spinner)
 * in their last state. It knows the sequences that frontdesk and its libraries use, and one column for each character.
 */
export function drawScreen(output: string, columns: number): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [[]];
  let row = 0;
  let column = 0;
  let style = PLAIN;
  const line = (index: number): Cell[] => {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  };
  const print = (character: string) => {
    if (column === columns) {
      row += 1;
      column = 0;
    }
    const cells = line(row);
    while (cells.length < column) cells.push({ character: ' ', style: PLAIN });
    cells[column] = { character, style };
    column += 1;
  };
  const moves: Readonly<Record<string, (count: number, parameters: string) => void>> = {
    A: (count) => {
      row = Math.max(0, row - count);
    },
    B: (count) => {
      row += count;
    },
    C: (count) => {
      column = Math.min(columns - 1, column + count);
    },
    D: (count) => {
      column = Math.max(0, column - count);
    },
    G: (count) => {
      column = count - 1;
    },
    H: () => {
      row = 0;
      column = 0;
    },
    J: (_, parameters) => {
      rows.length = parameters === '2' ? 0 : Math.min(rows.length, row + 1);
    },
    K: (_, parameters) => {
      line(row).length = parameters === '2' ? 0 : Math.min(line(row).length, column);
    },
    m: (_, parameters) => {
      for (const code of parameters.split(';')) style = withCode(style, Number(code));
    },
  };
  for (const [token, parameters = '', final] of output.matchAll(TOKEN)) {
    if (final !== undefined) moves[final]?.(Math.max(1, Number(parameters) || 0), parameters);
    else if (token === '\r') column = 0;
    else if (token === '\n') row += 1;
    else print(token);
  }
  while (rows.length > 0 && (rows.at(-1) ?? []).length === 0) rows.pop();
  return rows;
}

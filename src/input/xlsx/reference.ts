/** The column of a reference such as `C7`, from 0, and its row; undefined when it is none. */
export function parseReference(reference: string): { readonly column: number; readonly row: number } | undefined {
  const found = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference);
  if (found === null) return undefined;
  const [, letters = '', row = ''] = found;
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 64;
  return { column: column - 1, row: Number(row) };
}

/** The letters of a column, from 0: `A`, `Z`, `AA`. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : `${columnLetters(Math.floor(column / 26) - 1)}${letter}`;
}

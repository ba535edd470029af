/** Fewer empty cells than this in a row of them are written as they are. */
const MIN_EMPTY = 4;

/**
 * The cells of a row with a number in the place of so many empty ones: a header may reach the last of 16,384 columns, and
 * most rows below it hold a few. The cells themselves where that saves nothing.
 */
export function packCells(cells: readonly string[]): readonly (string | number)[] {
  let packed: (string | number)[] | undefined;
  let kept = 0;
  for (let at = 0; at < cells.length; ) {
    if (cells[at] !== '') {
      at += 1;
      continue;
    }
    const start = at;
    while (at < cells.length && cells[at] === '') at += 1;
    if (at - start < MIN_EMPTY) continue;
    packed ??= [];
    for (; kept < start; kept += 1) packed.push(cells[kept] ?? '');
    packed.push(at - start);
    kept = at;
  }
  if (packed === undefined) return cells;
  for (; kept < cells.length; kept += 1) packed.push(cells[kept] ?? '');
  return packed;
}

/** The cells that `packCells` packed; `width`: how many there were. */
export function unpackCells(packed: readonly (string | number)[], width: number): readonly string[] {
  // Filled at once, which takes a third of the time of adding them one by one.
  const cells = new Array<string>(width).fill('');
  let at = 0;
  for (const item of packed) {
    if (typeof item === 'string') cells[at] = item;
    at += typeof item === 'string' ? 1 : item;
  }
  return cells;
}

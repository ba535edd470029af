/**
 * Takes an item out of an unordered list of the few rows that are under way. Not a Set or a Map: when V8 makes room
 * in one, the table that it leaves behind keeps its entries and points to the next table. A run fills thousands of
 * tables, and each of them that has reached the old part of the heap keeps the rows of all that follow it alive.
 */
export function removeFrom<T>(items: T[], item: T): void {
  const at = items.indexOf(item);
  if (at === -1) return;
  const last = items.pop();
  // The last one takes the place that became free.
  if (at < items.length && last !== undefined) items[at] = last;
}

/**
 * Removes an item from an unordered list of the rows in flight. Not a Set or a Map: when V8 grows one, the old table
 * keeps its entries and points to the next. A run fills thousands of tables, and one in the old part of the heap would
 * keep the rows of all later ones alive.
 */
export function removeFrom<T>(items: T[], item: T): void {
  const at = items.indexOf(item);
  if (at === -1) return;
  const last = items.pop();
  // The last item takes the free place.
  if (at < items.length && last !== undefined) items[at] = last;
}

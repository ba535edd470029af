/** The first `length` code points; a cut is marked inside that length. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // Twice as many units are always enough code points, and spare taking apart a text of megabytes.
  const head = [...text.slice(0, 2 * length + 2)];
  return head.length <= length ? text : `${head.slice(0, length - 1).join('')}…`;
}

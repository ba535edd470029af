/** Code points of the text from that UTF-16 index on. */
export function countFrom(text: string, index: number): number {
  let count = 0;
  for (let at = index; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

/** The first `length` code points. A cut is marked within that length. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // Twice as many units are always enough, and a text of megabytes need not be split.
  const head = [...text.slice(0, 2 * length + 2)];
  return head.length <= length ? text : `${head.slice(0, length - 1).join('')}…`;
}

/** At most so many code points, with the note about the cut: `abc… (cut from 60000 characters)`. */
export function cutText(text: string, length: number): string {
  const count = text.length <= length ? text.length : countFrom(text, 0);
  if (count <= length) return text;
  const words = `… (cut from ${count} characters)`;
  return `${[...text.slice(0, 2 * length)].slice(0, length - words.length).join('')}${words}`;
}

/** V8 copies a shorter part of a text. */
const SHORTEST_VIEW = 13;

/** A copy that keeps nothing else alive: V8 makes a part of a text a view of the whole. */
export function detached(text: string): string {
  return text.length < SHORTEST_VIEW ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

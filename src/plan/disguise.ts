import { escapeUnsafe } from '../json/unsafe-characters.ts';

/** Greek and Cyrillic letters that most fonts draw like the Latin ones below them. */
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

/** A text as it is drawn: look-alike letters as Latin ones, nothing invisible, full width as usual. */
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

/** How many letters two texts share at their beginning and at their end. */
export function sharedEnds(
  a: readonly string[],
  b: readonly string[],
): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/**
 * What a change puts in that cannot be seen: `U+043E for U+006F`. Undefined: the texts are drawn in different ways, or
 * are the same. A person who approves `bob@` for `b\u043eb@` has to be told.
 */
export function disguiseOf(old: string, next: string): string | undefined {
  if (old === next || drawn(old) !== drawn(next)) return undefined;
  const [a, b] = [Array.from(old), Array.from(next)];
  const { head, tail } = sharedEnds(a, b);
  const [from, to] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  return `${codePoints(to)} in the place of ${codePoints(from)}`;
}

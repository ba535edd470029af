/** The word that was probably meant, in any case; undefined if none is near. Never one that does the opposite. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of words) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    if (isOpposite(wanted, candidate.toLowerCase())) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

/** `: did you mean block?` for the end of a refusal, or empty. */
export function didYouMean(word: string, words: Iterable<string>): string {
  const near = nearest(word, words);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

const NEGATIONS = ['no-', 'un', 'de', 'dis', 'in'];

/** Is one of the two the other with a negation, give or take a typo: `unblock` and `block`? */
export function isOpposite(a: string, b: string): boolean {
  const [one, other] = [a.replace(/^--?/, ''), b.replace(/^--?/, '')];
  return negates(one, other) || negates(other, one);
}

function negates(word: string, plain: string): boolean {
  return NEGATIONS.some(
    (prefix) =>
      word.startsWith(prefix) &&
      !plain.startsWith(prefix) &&
      word.length - prefix.length > 2 &&
      editDistance(word.slice(prefix.length), plain) <= 1,
  );
}

/** Letters to change, add, remove or swap to turn one word into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/**
 * The words of the first command of a line, as a shell would split it: quotes are taken off, a redirection with
 * its file, and everything after `|`, `&&` or `;`, is left out. Enough for the examples in help texts.
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let isTarget = false;
  for (const [token] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    if (['|', '&&', ';'].includes(token)) break;
    if (isTarget) isTarget = false;
    else if (/^[0-9]?(?:>>?|<)$/.test(token)) isTarget = true;
    else
      words.push(
        token.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
      );
  }
  return words;
}

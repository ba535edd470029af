/** What stands in the place of each `{parameter}` of a pattern; undefined where the path is another one. */
export function matchPath(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const words = pattern.split('/');
  if (words.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    const segment = segments[index] ?? '';
    if (word.startsWith('{')) params[word.slice(1, -1)] = segment;
    else if (segment !== word) return undefined;
  }
  return params;
}

import { readdirSync, readFileSync } from 'node:fs';

/** The README and the pages of docs/, by path from the root: the ones that may carry generated tables. */
export function readPages(root: string): ReadonlyMap<string, string> {
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...docs.map((name) => `docs/${name.replaceAll('\\', '/')}`).sort()];
  return new Map(paths.map((path) => [path, readFileSync(`${root}${path}`, 'utf8')]));
}

/** One line of the program that is wrong on purpose. */
export interface Mutation {
  /** From the root of the project. */
  readonly file: string;
  /** The line as it is, without its indentation; there must be exactly one. */
  readonly line: string;
  readonly instead: string;
}

export function mutate(source: string, { file, line, instead }: Mutation): string {
  const lines = source.split('\n');
  const places = lines.flatMap((text, index) => (text.trim() === line ? [index] : []));
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(`the line of the mutant is ${places.length} times in ${file}: ${line}`);
  }
  return lines.with(place, instead).join('\n');
}

/** What was typed for one command: words in order, and every occurrence of every option. */
export interface RawInput {
  readonly words: readonly string[];
  /** By long name (`no-url` is its own name); a switch has the value `true`. Absent: not given. */
  readonly options: ReadonlyMap<string, readonly (string | true)[]>;
}

/** The last value given for an option, or undefined. */
export function lastValue(input: RawInput, long: string): string | undefined {
  const value = input.options.get(long)?.at(-1);
  return typeof value === 'string' ? value : undefined;
}

export function hasOption(input: RawInput, long: string): boolean {
  return input.options.has(long);
}

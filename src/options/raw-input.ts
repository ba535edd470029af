/** What was typed for one command: words in order, and every occurrence of every option. */
export interface RawInput {
  readonly words: readonly string[];
  /** By long name (`no-url` is its own name); a switch has the value `true`. Absent: not given. */
  readonly options: ReadonlyMap<string, readonly (string | true)[]>;
}

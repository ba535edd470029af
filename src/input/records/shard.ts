import { quoteValue } from '../values.ts';

/** `--shard i/n`: this process takes the row at `index` of every `count` consecutive ones. */
export interface Shard {
  /** 1-based. */
  readonly index: number;
  readonly count: number;
}

/** Reads the value of `--shard`: `2/10`. */
export function parseShard(text: string): Shard | { readonly problem: string } {
  const found = /^([0-9]{1,9})\/([0-9]{1,9})$/.exec(text);
  const [index, count] = [Number(found?.[1]), Number(found?.[2])];
  if (found !== null && index >= 1 && index <= count) return { index, count };
  return { problem: `must be i/n with i from 1 to n, such as 1/4, not ${quoteValue(text)}` };
}

/** The shard in a run's header; undefined: the run has all rows. */
export function shardOf(text: string | undefined): Shard | undefined {
  const read = text === undefined ? undefined : parseShard(text);
  return read !== undefined && 'index' in read ? read : undefined;
}

export function isInShard(row: number, shard: Shard | undefined): boolean {
  return shard === undefined || (row - 1) % shard.count === shard.index - 1;
}

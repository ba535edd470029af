/** `--shard i/n`: this process takes the row at `index` of every `count` consecutive ones. */
export interface Shard {
  /** 1-based. */
  readonly index: number;
  readonly count: number;
}

/** `--shard 2/10`; undefined for anything else. */
export function parseShard(text: string): Shard | undefined {
  const found = /^([0-9]{1,9})\/([0-9]{1,9})$/.exec(text);
  const [index, count] = [Number(found?.[1]), Number(found?.[2])];
  return index >= 1 && index <= count ? { index, count } : undefined;
}

export function isInShard(row: number, shard: Shard | undefined): boolean {
  return shard === undefined || (row - 1) % shard.count === shard.index - 1;
}

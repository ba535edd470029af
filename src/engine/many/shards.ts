import { Failure, type Notice, warning } from '../../failure.ts';
import { parseShard } from '../../input/records/shard.ts';
import { plural } from '../../output/safe-text.ts';
import type { RunHeader } from '../../run/run-folder.ts';

/** The shards of one input of which there is no run, or more than one. */
export interface ShardGaps {
  readonly missing: readonly number[];
  readonly doubled: readonly number[];
  /** Rows of the input that are in no run. */
  readonly rows: number;
}

/** USAGE unless all runs are shards of one input: the same operation, place, input and number of shards. */
export function shardGaps(headers: readonly RunHeader[]): ShardGaps {
  const [first] = headers;
  if (first === undefined || headers.length === 1) return { missing: [], doubled: [], rows: 0 };
  const shards = headers.map(({ options }) => parseShard(String(options['shard'] ?? '')));
  const keys = headers.map((header, index) => {
    const shard = shards[index];
    const count = shard !== undefined && 'count' in shard ? shard.count : undefined;
    return count && [header.operation, header.host, header.inputSha256, count].join(' ');
  });
  const other = headers.find((_, index) => keys[index] === undefined || keys[index] !== keys[0]);
  if (other !== undefined) {
    const name = other === first ? (headers[1]?.run ?? '') : first.run;
    const message = `runs ${name} and ${other.run} are not shards of one input: operation, service, input and number of shards must be the same`;
    throw new Failure('USAGE', message, { hints: ['list them: frontdesk runs'] });
  }
  const taken = shards.flatMap((shard) => ('index' in shard ? [shard.index] : []));
  const count = shards.flatMap((shard) => ('count' in shard ? [shard.count] : []))[0] ?? 0;
  const all = Array.from({ length: Math.min(count, first.inputRows) }, (_, index) => index + 1);
  const missing = all.filter((index) => !taken.includes(index));
  const rows = missing.reduce((sum, index) => sum + Math.ceil((first.inputRows - index + 1) / count), 0);
  return { missing, doubled: [...new Set(taken.filter((index, at) => taken.indexOf(index) !== at))], rows };
}

const MAX_NAMED = 20;

/** The notice that says what is missing or doubled, to scripts by number; undefined: nothing is. */
export function gapsNotice(gaps: ShardGaps): Notice | undefined {
  const parts = [
    [`shards without a run (${plural(gaps.rows, 'row')})`, gaps.missing] as const,
    ['shards with more than one run', gaps.doubled] as const,
  ].flatMap(([what, shards]) => {
    const more = shards.length > MAX_NAMED ? ', …' : '';
    return shards.length === 0 ? [] : [`${what}: ${shards.slice(0, MAX_NAMED).join(', ')}${more}`];
  });
  return parts.length === 0 ? undefined : { ...warning('SHARDS', parts.join('; ')), facts: { ...gaps } };
}

/** Items of several sources, each ascending by `row`, as one in row order; of equal rows the first source's first. */
export async function* inRowOrder<Item>(
  sources: readonly AsyncIterable<Item>[],
  rowOf: (item: Item) => number,
): AsyncGenerator<Item> {
  const open = await Promise.all(
    sources.map(async (source) => {
      const items = source[Symbol.asyncIterator]();
      return { items, next: await items.next() };
    }),
  );
  for (;;) {
    let least: (typeof open)[number] | undefined;
    for (const one of open) {
      if (one.next.done === true) continue;
      if (least === undefined || least.next.done === true || rowOf(one.next.value) < rowOf(least.next.value))
        least = one;
    }
    if (least === undefined || least.next.done === true) return;
    yield least.next.value;
    least.next = await least.items.next();
  }
}

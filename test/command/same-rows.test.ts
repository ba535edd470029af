import { expect, it } from 'vitest';
import { connectNewest, type Person } from '../support/mcp-clients.ts';
import { cardId, cardNumber, openPlain, refusal, rowLines } from '../support/plain-service.ts';
import { writtenWorkbook } from '../support/workbooks.ts';

// The same rows under the same faults, through every way in: the same requests, and the same outcome of each row.

const CARDS = [1, 2, 3, 4, 5, 6, 7].map(cardId);
const REASON = 'lost, "again" é';
const LIMITS = ['--retries', '0', '--retry-max-time', '2s', '--timeout', '10s'];
const OUTCOMES = ['applied', 'rejected', 'unknown', 'rejected', 'unknown', 'confirmed_by_read', 'applied'];

const openWay = () =>
  openPlain((request) => {
    const number = cardNumber(request);
    // The sixth was blocked, although its answer was lost.
    if (request.method === 'GET') return number === 6 ? { body: { cardId: cardId(6), status: 'BLOCKED' } } : undefined;
    if (number === 2) return refusal(404, 'CARD_NOT_FOUND');
    if (number === 3) return { status: 500, body: 'no' };
    if (number === 4) return refusal(409, 'INVALID_CARD_STATE');
    return number === 5 || number === 6 ? 'reset' : undefined;
  });

type Way = Awaited<ReturnType<typeof openPlain>> & {
  outcomes(args: readonly string[]): Promise<string[]>;
};

const COMMAND = ['card', 'block', '--yes', '-o', 'ndjson', ...LIMITS];
const RECORDS = CARDS.map((id) => ({ cardId: id, reason: REASON }));

const fromFile = (name: string, content: () => string | Uint8Array | Promise<Uint8Array>, more: string[] = []) =>
  async function block(way: Way): Promise<string[]> {
    way.file(name, await content());
    return way.outcomes([...COMMAND, '--from', name, ...more]);
  };

const WAYS: Readonly<Record<string, (way: Way) => Promise<string[]>>> = {
  'a list of ids': fromFile('ids.txt', () => CARDS.join('\n'), ['--reason', REASON]),
  'a CSV file': fromFile(
    'rows.csv',
    () => `cardId,reason\n${CARDS.map((id) => `${id},"lost, ""again"" é"\n`).join('')}`,
  ),
  'an NDJSON file': fromFile('rows.ndjson', () => RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('')),
  'a JSON file': fromFile('rows.json', () => JSON.stringify(RECORDS, null, 2)),
  'a workbook': fromFile('rows.xlsx', () =>
    writtenWorkbook([{ name: 'Rows', rows: [['cardId', 'reason'], ...CARDS.map((id) => [id, REASON])] }]),
  ),
  'a plan': async (way) => {
    way.file('rows.json', JSON.stringify(RECORDS));
    expect((await way.run(['card', 'block', '--from', 'rows.json', '--plan', 'p.plan'])).code).toBe(0);
    return way.outcomes(['plan', 'apply', 'p.plan', '--yes', '-o', 'ndjson', ...LIMITS]);
  },
  shards: async (way) => {
    way.file('rows.json', JSON.stringify(RECORDS));
    const found: string[] = [];
    for (const shard of [1, 2, 3]) {
      (await way.outcomes([...COMMAND, '--from', 'rows.json', '--shard', `${shard}/3`])).forEach((outcome, index) => {
        found[index * 3 + shard - 1] = outcome;
      });
    }
    return found;
  },
  'single calls': async (way) => {
    const found: string[] = [];
    for (const id of CARDS) {
      await way.run(['card', 'block', id, '--reason', REASON, '--yes', '--json', ...LIMITS]);
      found.push((await way.json('history', '--limit', '1'))[0].outcome);
    }
    return found;
  },
  'an assistant': async ({ server }) => {
    const person: Person = () => ({ action: 'accept', content: { confirm: true } });
    const client = await connectNewest({ args: ['--allow-writes', ...LIMITS], env: server.env, person });
    const found: string[] = [];
    for (const id of CARDS) {
      const { structuredContent } = await client.call('card_block', { cardId: id, reason: REASON });
      found.push(String(structuredContent?.['outcome']));
    }
    return found;
  },
};

it.each(Object.entries(WAYS))('rows send the same requests with the same ends through %s', async (_name, block) => {
  const place = await openWay();
  const { run, server } = place;
  const outcomesOf = async (args: readonly string[]) => {
    const { stdout, stderr } = await run(args);
    expect(stdout, stderr).not.toBe('');
    return rowLines(stdout).map((line) => line.split(' ')[1] ?? '');
  };
  const outcomes = await block({ ...place, outcomes: outcomesOf });
  const sent = server.requests.filter(({ method }) => method === 'POST').map(({ url, body }) => `${url} ${body}`);
  expect(sent.sort()).toEqual(CARDS.map((id) => `/v1/cards/${id}/block ${JSON.stringify({ reason: REASON })}`));
  expect(outcomes).toEqual(OUTCOMES);
});

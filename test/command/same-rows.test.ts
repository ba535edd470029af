import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectNewest, type Person } from '../support/mcp-clients.ts';
import { cardId, cardNumber, playService, refusal, rowLines } from '../support/plain-service.ts';
import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { writtenWorkbook } from '../support/workbooks.ts';

// The same rows under the same faults, through every way in: the same requests, and the same outcome of each row.

const CARDS = [1, 2, 3, 4, 5, 6, 7].map(cardId);
const REASON = 'lost, "again" é';
const LIMITS = ['--retries', '0', '--retry-max-time', '2s', '--timeout', '10s'];
const OUTCOMES = ['applied', 'rejected', 'unknown', 'rejected', 'unknown', 'confirmed_by_read', 'applied'];

const startService = () =>
  startRecordingServer(
    playService((request) => {
      const number = cardNumber(request);
      // The sixth was blocked, although its answer was lost.
      if (request.method === 'GET')
        return number === 6 ? { body: { cardId: cardId(6), status: 'BLOCKED' } } : undefined;
      if (number === 2) return refusal(404, 'CARD_NOT_FOUND');
      if (number === 3) return { status: 500, body: 'no' };
      if (number === 4) return refusal(409, 'INVALID_CARD_STATE');
      return number === 5 || number === 6 ? 'reset' : undefined;
    }),
  );

interface Way {
  readonly home: Home;
  readonly server: RecordingServer;
  file(name: string, content: string | Uint8Array): void;
  /** The outcomes of the rows of one call. */
  outcomes(args: readonly string[]): Promise<string[]>;
}

const COMMAND = ['card', 'block', '--yes', '-o', 'ndjson', ...LIMITS];
const RECORDS = CARDS.map((id) => ({ cardId: id, reason: REASON }));

/** Blocks the cards of a file. */
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
    const plan = ['card', 'block', '--from', 'rows.json', '--plan', 'p.plan'];
    const made = await runFrontdesk(plan, { home: way.home, env: way.server.env });
    expect(made.code, made.stderr).toBe(0);
    return way.outcomes(['plan', 'apply', 'p.plan', '--yes', '-o', 'ndjson', ...LIMITS]);
  },
  shards: async (way) => {
    way.file('rows.json', JSON.stringify(RECORDS));
    const found: string[] = [];
    for (const shard of [1, 2, 3]) {
      const outcomes = await way.outcomes([...COMMAND, '--from', 'rows.json', '--shard', `${shard}/3`]);
      outcomes.forEach((outcome, index) => {
        found[index * 3 + shard - 1] = outcome;
      });
    }
    return found;
  },
  'single calls': async (way) => {
    const found: string[] = [];
    for (const id of CARDS) {
      const args = ['card', 'block', id, '--reason', REASON, '--yes', '--json', ...LIMITS];
      await runFrontdesk(args, { home: way.home, env: way.server.env });
      const history = await runFrontdesk(['history', '--json', '--limit', '1'], { home: way.home });
      found.push(JSON.parse(history.stdout)[0].outcome);
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

it.each(Object.entries(WAYS))(
  'rows send the same requests and have the same outcomes through %s',
  async (_name, block) => {
    const [home, server] = [createHome(), await startService()];
    const outcomes = await block({
      home,
      server,
      file: (name, content) => writeFileSync(join(home.path, 'work', name), content),
      outcomes: async (args) => {
        const { stdout, stderr } = await runFrontdesk(args, { home, env: server.env });
        expect(stdout, stderr).not.toBe('');
        return rowLines(stdout).map((line) => line.split(' ')[1] ?? '');
      },
    });
    const sent = server.requests.filter(({ method }) => method === 'POST').map(({ url, body }) => `${url} ${body}`);
    expect(sent.sort()).toEqual(CARDS.map((id) => `/v1/cards/${id}/block ${JSON.stringify({ reason: REASON })}`));
    expect(outcomes).toEqual(OUTCOMES);
  },
);

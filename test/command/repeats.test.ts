import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cardId, cardNumber, playService, refusal } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../support/run-frontdesk.ts';

// Once a write may have been applied, no refusal and no failure of a repeat takes that back, wherever it is told.

/**
 * What becomes of the attempts of a row in three processes, and its outcome after each: Refused (rejected), Unknown,
 * Not sent, Applied. A row that has ended gets no further attempt.
 */
const ROWS: readonly (readonly [attempts: string, outcomes: string])[] = [
  ['UUU', 'UUU'],
  ['URU', 'UUU'],
  ['UNU', 'UUU'],
  ['A', 'AAA'],
  ['UUR', 'UUU'],
  ['URR', 'UUU'],
  ['UA', 'UAA'],
  ['UNR', 'UUU'],
  ['NUU', 'NUU'],
  ['R', 'RRR'],
  ['UUN', 'UUU'],
  ['URN', 'UUU'],
  ['NA', 'NAA'],
  ['UUA', 'UUA'],
  ['UNN', 'UUU'],
  ['NUR', 'NUU'],
  // A row that is answered: many in a row that are not stop a run.
  ['A', 'AAA'],
  ['NR', 'NRR'],
  ['URA', 'UUA'],
  ['NUN', 'NUU'],
  ['NNU', 'NNU'],
  ['UNA', 'UUA'],
  ['NNR', 'NNR'],
  ['A', 'AAA'],
  ['NUA', 'NUA'],
  ['NNN', 'NNN'],
  ['NNA', 'NNA'],
];
const OUTCOMES: Readonly<Record<string, string>> = { A: 'applied', R: 'rejected', U: 'unknown', N: 'not_sent' };
const TOLD: Readonly<Record<string, string>> = { A: '', R: 'failure', U: 'error', N: 'skipped' };

const outcomesAfter = (turn: number) => ROWS.map(([, outcomes]) => OUTCOMES[outcomes[turn] ?? ''] ?? '');

interface PrintedRow {
  readonly row: number;
  readonly id: string;
  readonly outcome: string;
  readonly attempts: number;
  readonly error?: { readonly message: string; readonly code: string } | null;
}

/** The rows that were printed; a line of ours has these members. */
function rowsIn(stdout: string): readonly PrintedRow[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PrintedRow);
}

async function outcomesOf(home: Home, args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runFrontdesk(args, { home });
  // The members of a row or an entry, as this test reads them.
  return (JSON.parse(stdout) as { readonly outcome: string }[]).map(({ outcome }) => outcome);
}

test('a row has the right outcome after two and three attempts, refused, unknown, not sent and applied in any order', async () => {
  const home = createHome();
  let turn = 0;
  const server = await startRecordingServer(
    playService((request) => {
      const attempt = ROWS[cardNumber(request) - 1]?.[0][turn];
      // A card that cannot be read is not written: the row is held back for now.
      if (request.method === 'GET') return attempt === 'N' ? { status: 500 } : undefined;
      if (attempt === 'R') return refusal(409, 'CARD_EXPIRED');
      return attempt === 'U' ? 'reset' : undefined;
    }),
  );
  const ids = ROWS.map((_, index) => `${cardId(index + 1)}\n`).join('');
  const options = { home, env: { ...server.env, ...NO_PAUSE } };
  const failed = join(home.path, 'failed.csv');
  const write = ['card', 'block', '--from', '-', '--run', 'r', '--expect', 'status=ACTIVE', '--yes'];
  const pace = ['-j', '1', '--retries', '0', '-o', 'ndjson'];
  const turns = [
    [...write, '--failed', failed, ...pace],
    ['runs', 'resume', 'r', '--resend-unknown', '--yes', ...pace],
    [...write, '--resend-unknown', ...pace],
  ];
  for (const args of turns) {
    const result = await runFrontdesk(args, { ...options, stdin: ids });
    const expected = outcomesAfter(turn);
    expect(rowsIn(result.stdout).map(({ outcome }) => outcome)).toEqual(expected);
    expect(result.code).toBe(8);
    // Everything that tells of the run tells the same.
    expect(await outcomesOf(home, ['runs', 'results', 'r', '--json'])).toEqual(expected);
    const history = await outcomesOf(home, ['history', '--json', '--limit', '100']);
    expect(history.toSorted()).toEqual(expected.toSorted());
    const open = await outcomesOf(home, ['history', '--open', '--json', '--limit', '100']);
    expect(open).toEqual(expected.filter((outcome) => outcome === 'unknown'));
    const report = await runFrontdesk(['runs', 'report', 'r', '--as', 'junit'], { home });
    const cases = report.stdout.split('<testcase').slice(1);
    const told = cases.map((text) => ['failure', 'error', 'skipped'].find((name) => text.includes(`<${name}`)) ?? '');
    expect(told).toEqual(ROWS.map(([, outcomes]) => TOLD[outcomes[turn] ?? '']));
    const left = readFileSync(failed, 'utf8').trimEnd().split('\r\n').slice(1);
    expect(left.map((line) => line.split(',')[2])).toEqual(expected.filter((outcome) => outcome !== 'applied'));
    turn += 1;
  }
  const posts = ROWS.map((_, index) =>
    server.lines.filter((line) => line.startsWith(`POST`) && line.includes(cardId(index + 1))),
  );
  expect(posts.map(({ length }) => length)).toEqual(ROWS.map(([attempts]) => attempts.replaceAll('N', '').length));
});

test('a row whose retry was refused says when it was first sent, and how the retry ended', async () => {
  const home = createHome();
  let turn = 0;
  const replies = ['reset', refusal(409, 'CARD_EXPIRED'), { status: 500 }] as const;
  const server = await startRecordingServer(
    playService(({ method }) => (method === 'POST' ? replies[turn] : undefined)),
  );
  const options = { home, env: { ...server.env, ...NO_PAUSE } };
  const pace = ['--retries', '0', '-o', 'ndjson'];
  await runFrontdesk(['card', 'block', '--from', '-', '--run', 'r', '--yes', ...pace], {
    ...options,
    stdin: cardId(1),
  });
  const again = ['runs', 'resume', 'r', '--resend-unknown', '--yes', ...pace];
  const messages: (string | undefined)[] = [];
  for (turn = 1; turn < 3; turn += 1)
    messages.push(rowsIn((await runFrontdesk(again, options)).stdout)[0]?.error?.message);
  const results = await runFrontdesk(['runs', 'results', 'r', '-o', 'ndjson'], { home });
  expect(messages[0]).toMatch(
    /The request may have been sent at \S+Z, but .*\. A retry was refused: 409 CARD_EXPIRED no$/,
  );
  // The last unknown answer is what is known of the row now.
  expect(rowsIn(results.stdout)).toMatchObject([{ outcome: 'unknown', attempts: 3 }]);
  expect(messages[1]).toMatch(/OUTCOME UNKNOWN/);
});

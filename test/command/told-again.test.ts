import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cardId, playService, refusal } from '../support/plain-service.ts';
import { type RecordedRequest, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, NO_PAUSE, runFrontdesk } from '../support/run-frontdesk.ts';

async function begin(special: (request: RecordedRequest, count: number) => Reply | undefined = () => undefined) {
  const home = createHome();
  const server = await startRecordingServer(playService(special));
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runFrontdesk(args, { home, env: { ...server.env, ...NO_PAUSE, ...env } });
  const file = (name: string, text: string) => writeFileSync(join(home.path, 'work', name), text);
  return { home, server, run, file };
}

function summaryOf(stderr: string): Readonly<Record<string, unknown>> {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  return (JSON.parse(last) as { summary: Record<string, unknown> }).summary;
}

it('the requests of a summary are those that were sent: none to a service that cannot be reached, and each retry', async () => {
  const { run } = await begin((_request, count) => (count === 1 ? { status: 429, body: '' } : undefined));
  const block = ['card', 'block', cardId(1), cardId(2), '--yes', '--json', '-j', '1', '--retries', '1'];
  const gone = await run(block, { FRONTDESK_CARDS_URL: 'http://127.0.0.1:9' });
  expect(gone.code).toBe(7);
  expect(summaryOf(gone.stderr)).toMatchObject({ requests: 0, earlier: 0, outcomes: { not_sent: 2 } });
  const { stderr } = await run(block);
  expect(summaryOf(stderr)).toMatchObject({ requests: 3, outcomes: { applied: 2 } });
});

it('a failed row has the same words live, in runs results, and when a plan is applied again', async () => {
  const { run } = await begin(({ method, url }) => {
    if (method !== 'POST') return undefined;
    return url.includes(cardId(1)) ? refusal(409, 'CARD_EXPIRED') : 'reset';
  });
  const ids = [cardId(1), cardId(2)];
  expect((await run(['card', 'block', ...ids, '--plan', 'p.plan', '-q'])).code).toBe(0);
  const apply = ['plan', 'apply', 'p.plan', '--yes', '--json', '-q', '--retries', '0'];
  const messages = (stdout: string) =>
    (JSON.parse(stdout) as { error: { message: string } }[]).map(({ error }) => error.message);
  const live = messages((await run(apply)).stdout);
  expect(live[0]).toContain(`could not block card ${cardId(1)}: the service returned 409`);
  expect(live[1]).toContain('OUTCOME UNKNOWN');
  const [planned] = JSON.parse((await run(['runs', 'list', '--json'])).stdout) as { run: string }[];
  expect(messages((await run(['runs', 'results', planned?.run ?? '', '--json'])).stdout)).toEqual(live);
  expect(messages((await run(apply)).stdout)).toEqual(live);
});

it('a row of a 5xx without a body whose card was checked does not quote the message of frontdesk as words of the service', async () => {
  const { run } = await begin(({ method }) => (method === 'POST' ? { status: 500 } : undefined));
  expect((await run(['card', 'block', cardId(1), cardId(2), '--yes', '-q', '--run', 'u'])).code).toBe(8);
  const { stdout } = await run(['runs', 'resume', 'u', '--reconcile', '-q', '-o', 'csv']);
  const end = /The service returned 500\. It may or may not have been applied\. Card check: status ACTIVE\.$/gm;
  expect(stdout.match(end)).toHaveLength(2);
});

it('a base URL that is refused is said once', async () => {
  const { run } = await begin();
  const { code, stderr } = await run(['card', 'activate', cardId(1)], { FRONTDESK_CARDS_URL: 'https://x.example/v1' });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'frontdesk: FRONTDESK_CARDS_URL must not end in /v1: every path begins with it already. Nothing was sent.\n',
  );
});

it('a read of many rows that stops has one line with the number of rows that were not reached', async () => {
  const { run } = await begin(() => ({ status: 401, body: {} }));
  const ids = [1, 2, 3, 4, 5, 6].map(cardId);
  const { stderr, code } = await run(['card', 'get', ...ids, '-j', '1', '--json']);
  expect(code).toBe(4);
  const lines = stderr.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('{"error"'))).toHaveLength(1);
  expect(lines).toContainEqual('{"notice":{"code":"NOT_REACHED","message":"5 rows were not reached"}}');
});

it('an event has its name and start in results, and not its description', async () => {
  const { run, file } = await begin((_request, count) => (count === 1 ? { status: 500, body: 'no' } : undefined));
  file('in.csv', 'name,start,calendar,description\nOpening,2026-05-01,c1,for Ann\n');
  await run(['calendar', 'event', 'create', '--from', 'in.csv', '--yes', '-q', '--run', 'may']);
  const results = await run(['runs', 'results', 'may', '--json', '--query', '[0].error.message']);
  expect(results.stdout).toContain('\\"Opening\\" (start 2026-05-01');
  expect(results.stdout).not.toContain('for Ann');
});

it('the file of --changed-from is named by the summary and the report', async () => {
  const { run, file } = await begin();
  file('old.csv', 'id,email\ns1,a@example.com\ns2,b@example.com\n');
  file('new.csv', 'id,email\ns1,c@example.com\ns2,b@example.com\n');
  const from = ['--from', 'new.csv', '--changed-from', 'old.csv'];
  const done = await run(['calendar', 'subscribers', 'update', ...from, '--yes', '--run', 'may']);
  expect(done.stderr).toContain('compared with old.csv\n');
  const report = (await run(['runs', 'report', 'may', '--as', 'markdown'])).stdout;
  expect(report).toContain('- Compared with: `old.csv`');
});

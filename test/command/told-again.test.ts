import { expect, it } from 'vitest';
import { cardId, lastLine, openPlain, refusal } from '../support/plain-service.ts';

it('the requests of a summary are those that were sent: none to a service that cannot be reached, and each retry', async () => {
  const { run } = await openPlain((_request, count) => (count === 1 ? { status: 429, body: '' } : undefined));
  const block = ['card', 'block', cardId(1), cardId(2), '--yes', '--json', '-j', '1', '--retries', '1'];
  const gone = await run(block, '', { FRONTDESK_CARDS_URL: 'http://127.0.0.1:9' });
  expect(gone.code).toBe(7);
  expect(lastLine(gone.stderr)).toMatchObject({ summary: { requests: 0, earlier: 0, outcomes: { not_sent: 2 } } });
  expect(lastLine((await run(block)).stderr)).toMatchObject({ summary: { requests: 3, outcomes: { applied: 2 } } });
});

it('a failed row has the same words live, in runs results, and when a plan is applied again', async () => {
  const { run } = await openPlain(({ method, url }) => {
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
  const { run } = await openPlain(({ method }) => (method === 'POST' ? { status: 500 } : undefined));
  expect((await run(['card', 'block', cardId(1), cardId(2), '--yes', '-q', '--run', 'u'])).code).toBe(8);
  const { stdout } = await run(['runs', 'resume', 'u', '--reconcile', '-q', '-o', 'csv']);
  const end = /The service returned 500\. It may or may not have been applied\. Card check: status ACTIVE\.$/gm;
  expect(stdout.match(end)).toHaveLength(2);
});

it('a base URL that is refused is said once', async () => {
  const { run } = await openPlain();
  const { code, stderr } = await run(['card', 'activate', cardId(1)], '', {
    FRONTDESK_CARDS_URL: 'https://x.example/v1',
  });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'frontdesk: FRONTDESK_CARDS_URL must not end in /v1: every path begins with it already. Nothing was sent.\n',
  );
});

it('an event has its name and start in results, and not its description', async () => {
  const { run, file } = await openPlain((_request, count) => (count === 1 ? { status: 500, body: 'no' } : undefined));
  file('in.csv', 'name,start,calendar,description\nOpening,2026-05-01,c1,for Ann\n');
  await run(['calendar', 'event', 'create', '--from', 'in.csv', '--yes', '-q', '--run', 'may']);
  const results = await run(['runs', 'results', 'may', '--json', '--query', '[0].error.message']);
  expect(results.stdout).toContain('\\"Opening\\" (start 2026-05-01');
  expect(results.stdout).not.toContain('for Ann');
});

it('the file of --changed-from is named by the summary and the report', async () => {
  const { run, file } = await openPlain();
  file('old.csv', 'id,email\ns1,a@example.com\ns2,b@example.com\n');
  file('new.csv', 'id,email\ns1,c@example.com\ns2,b@example.com\n');
  const from = ['--from', 'new.csv', '--changed-from', 'old.csv'];
  const done = await run(['calendar', 'subscribers', 'update', ...from, '--yes', '--run', 'may']);
  expect(done.stderr).toContain('compared with old.csv\n');
  expect((await run(['runs', 'report', 'may', '--as', 'markdown'])).stdout).toContain('- Compared with: `old.csv`');
});

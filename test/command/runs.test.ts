import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openService } from '../support/open-service.ts';
import { cardId, cardNumber, idLines, jsonLines, openPlain, refusal, rowLines } from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { startFrontdesk } from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';

const BLOCK = ['card', 'block', '--from', '-', '--yes', '-o', 'ndjson'];

test('a killed run is running, then interrupted, and a resume sends no row again that is done or may have been sent', async () => {
  let isOpen = false;
  const { home, json, run, server } = await openPlain((request) =>
    !isOpen && [3, 4].includes(cardNumber(request)) ? 'hang' : undefined,
  );
  // Six rows, two at a time: 1 and 2 are done, 3 and 4 are under way, and 5 and 6 are not reached.
  const started = [...BLOCK, '-j', '2', '--run', 'nightly', '--reason', 'X-1'];
  const { child, result } = startFrontdesk(started, { env: server.env, home, stdin: idLines(6) });
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(4);
  const startedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const nightly = { run: 'nightly', operation: 'card.block', profile: 'default', rows: 6, startedAt };
  const outcomes = { applied: 2, in_flight: 2, not_sent: 2 };
  expect(await json('runs', 'list')).toEqual([{ ...nightly, state: 'running', outcomes }]);
  expect((await run([...BLOCK, '--run', 'nightly'], idLines(6))).code).toBe(2);
  child.kill('SIGKILL');
  expect((await result).signal).toBe('SIGKILL');
  expect(await json('runs', 'list')).toMatchObject([{ state: 'interrupted' }]);

  isOpen = true;
  const before = server.requests.length;
  const resumed = await run(['runs', 'resume', '--last']);
  expect(server.lines.slice(before).toSorted()).toEqual([5, 6].map((n) => `POST /v1/cards/${cardId(n)}/block`));
  expect(server.requests.at(-1)?.body).toBe('{"reason":"X-1"}');
  expect(rowLines(resumed.stdout)).toEqual([
    '1 applied 200 1',
    '2 applied 200 1',
    '3 unknown null 1 OUTCOME_UNKNOWN',
    '4 unknown null 1 OUTCOME_UNKNOWN',
    '5 applied 200 1',
    '6 applied 200 1',
  ]);
  expect(resumed.code).toBe(8);
  const counts = { rows: 6, outcomes: { applied: 4, unknown: 2 }, requests: 2, earlier: 2, exitCode: 8 };
  const resume = 'frontdesk runs resume nightly --reconcile';
  expect(jsonLines(resumed.stderr).at(-1)).toEqual({ summary: { run: 'nightly', ...counts, resume } });
  expect(await json('runs', 'list')).toMatchObject([{ state: 'unsettled', outcomes: { applied: 4, unknown: 2 } }]);
});

test('--reconcile works with --run too, so that a job can finish', async () => {
  let isOver = false;
  const { run, server } = await openPlain((request) => {
    const number = cardNumber(request);
    if (request.method === 'GET') return { body: cardText(isOver ? 'BLOCKED' : 'ACTIVE', cardId(number)) };
    return !isOver && [2, 4].includes(number) ? 'reset' : undefined;
  });
  const repeat = async (...more: string[]) => {
    const before = server.lines.length;
    const { code } = await run([...BLOCK, '-j', '1', '--run', 'u', ...more], idLines(5));
    return [code, server.lines.slice(before).toSorted()];
  };
  expect((await repeat())[0]).toBe(8);
  isOver = true;
  expect(await repeat()).toEqual([8, []]);
  expect(await repeat('--reconcile')).toEqual([0, [`GET /v1/cards/${cardId(2)}`, `GET /v1/cards/${cardId(4)}`]]);
  expect(await repeat('--reconcile')).toEqual([0, []]);
});

test.each([
  [['runs', 'resume'], '<run>: is required, or --last. Nothing was sent.'],
  [['runs', 'resume', 'nope'], 'there is no run nope. Nothing was sent.'],
  [['runs', 'resume', '--last'], 'no run yet. Nothing was sent.'],
  [['runs', 'resume', 'nope', '--reconcile', '--resend-unknown'], 'exclude each other'],
  [['runs', 'remove', 'nope', '--yes'], 'there is no run nope'],
  [[...BLOCK, '--reconcile'], '--reconcile: belongs to --run'],
  [[...BLOCK, '--run', 'r', '--reconcile', '--resend-unknown'], 'exclude each other'],
  [[...BLOCK, '--run=-x'], '--run: must not begin with \\"-\\", which `runs resume -x` takes for an option'],
])('a run that cannot be begun or resumed is exit 2: %j', async (args, said) => {
  const { run, server } = await openPlain();
  const { code, stdout, stderr } = await run(args, idLines(2));
  expect({ code, stdout, lines: server.lines }).toEqual({ code: 2, stdout: '', lines: [] });
  expect(stderr).toContain(said);
});

test('--run with an input without rows is another input', async () => {
  const { run, server } = await openPlain(() => refusal(401, 'NO'));
  await run([...BLOCK, '--run', 'm', '-j', '1'], idLines(2));
  const { code, stdout, stderr } = await run([...BLOCK, '--run', 'm']);
  expect([code, stdout, server.requests.length]).toEqual([2, '', 1]);
  expect(stderr).toContain('its rows differ, and it has 2 rows, not 0');
});

test('runs resume resumes a sandbox run although its port changes', async () => {
  const { json, run } = await openPlain();
  const { cards } = await json('sandbox', 'info');
  const ids = ['CANCELLED', 'ACTIVE'].map(
    (wanted) => cards.find(({ status }: { status: string }) => status === wanted).cardId,
  );
  const sandbox = ['--profile', 'sandbox', 'card', 'block', ...ids, '--yes', '-j', '1', '-o', 'ndjson'];
  const begun = await run([...sandbox, '--max-failures', '1', '--run', 's']);
  expect(rowLines(begun.stdout)[1]).toBe('2 not_sent null 0 PARTIAL');
  const resumed = await run(['runs', 'resume', 's']);
  expect([rowLines(resumed.stdout)[1], resumed.code]).toEqual(['2 applied 200 1', 15]);
});

test('runs results prints the rows of any run again, all or those of some outcomes', async () => {
  const { run } = await openPlain((request) => (cardNumber(request) === 2 ? refusal(409, 'CARD_EXPIRED') : undefined));
  await run(['card', 'reissue', '--from', '-', '--yes', '-q', '--run', 'r'], idLines(3));
  const results = async (...args: string[]) => run(['runs', 'results', 'r', ...args]);
  const { stdout, code } = await results('-o', 'ndjson');
  const [first, second = ''] = stdout.split('\n');
  expect([code, first]).toEqual([
    0,
    `{"row":1,"id":"${cardId(1)}","outcome":"applied","httpStatus":200,"attempts":1,"error":null,"resultId":"${cardId(999)}"}`,
  ]);
  const error = { code: 'REJECTED', exitCode: 6, service: { errorCode: 'CARD_EXPIRED' } };
  expect(JSON.parse(second)).toMatchObject({ row: 2, outcome: 'rejected', httpStatus: 409, attempts: 1, error });
  expect((await results('--outcome', 'rejected', '--json', '--query', '[].row')).stdout).toBe('[\n  2\n]\n');
  expect(rowLines((await results('--outcome', 'rejected,applied', '-o', 'ndjson')).stdout)).toHaveLength(3);
  expect((await results('--outcome', 'unknown', '--json')).stdout).toBe('[]\n');
  expect((await results('--outcome', 'unknwon')).code).toBe(2);
});

test.each<[readonly string[], string, string[]]>([
  [[], '', ['{"active":true}', '{"name":"B"}']],
  [['--empty-cells', 'clear'], 'False', ['{"name":"","active":true}', '{"name":"B","active":false}']],
])('runs results --as-input of a table as NDJSON sends the same again (%j)', async (more, last, bodies) => {
  const { run, server } = await openPlain();
  const update = ['calendar', 'update', '--from', '-', '-y', '-j', '1', ...more];
  await run(update, `id,name,active\ncal_1,,TRUE\ncal_2,B,${last}\n`);
  const again = await run(['runs', 'results', '--last', '--as-input', '-o', 'ndjson']);
  await run([...update, '--ignore-columns', '_outcome'], again.stdout);
  expect(server.requests.map(({ body }) => body)).toEqual([...bodies, ...bodies]);
});

test.each([
  ['"location":""', 2, '--as-input: row 2 has an empty location, which a table cannot tell from an omitted cell'],
  ['"url":null', 2, '--as-input: row 2 has an empty url, which a table cannot tell from an omitted cell'],
  ['"location":"Hall"', 0, ''],
])('runs results --as-input of JSON as CSV loses no member: %s', async (member, code, said) => {
  const { run } = await openPlain(() => ({ status: 409, body: {} }));
  const event = '{"calendar":"cal_1","name":"A","start":"2027-01-01"';
  await run(['calendar', 'event', 'create', '--from', '-', '-y'], `${event}}\n${event},${member}}\n`);
  const results = await run(['runs', 'results', '--last', '--as-input', '-o', 'csv']);
  const rows =
    'calendar,name,start,location,_outcome\ncal_1,A,2027-01-01,,rejected\ncal_1,A,2027-01-01,Hall,rejected\n';
  expect([results.code, results.stdout.replaceAll('\r\n', '\n')]).toEqual([code, code === 0 ? rows : '']);
  expect(results.stderr).toContain(said);
});

test('--failed and --as-input are in the dialect of the file that was read', async () => {
  const { read, run } = await openPlain(() => ({ status: 409, body: {} }));
  const head = '\ufeffcardId;reason';
  const row = `${cardId(1)};"Müller, c;d"`;
  const block = (name: string, stdin: string | Uint8Array) =>
    run([...BLOCK, '--run', name, '--failed', 'left.csv'], stdin);
  for (const encoding of ['utf8', 'utf16le'] as const) {
    await block(encoding, Buffer.from(`${head}\r\n${row}\r\n`, encoding));
    expect(read('left.csv')).toMatch(new RegExp(`^${head};_row;_outcome;_error\r\n${row};1;rejected;[^\r\n]*\r\n$`));
    expect((await run(['runs', 'results', encoding, '--as-input'])).stdout).toBe(
      `${head};_outcome\r\n${row};rejected\r\n`,
    );
  }
  await block('tabs', `cardId\treason\n${cardId(1)}\tlost\n`);
  expect(read('left.csv')).toMatch(/^cardId\treason\t_row\t_outcome\t_error\n[^\r]*\n$/);
});

test('--as-input has one _outcome where the input was what --failed had written', async () => {
  const { run } = await openPlain();
  await run([...BLOCK, '--run', 'r'], `cardId,_row,_outcome,_error\n${cardId(1)},4,rejected,x\n`);
  const { stdout } = await run(['runs', 'results', 'r', '--as-input', '-o', 'csv']);
  expect(stdout).toBe(`cardId,_outcome\n${cardId(1)},applied\n`);
});

async function two() {
  const place = await openPlain();
  for (const name of ['first', 'second']) await place.run([...BLOCK, '--run', name], idLines(1));
  return { ...place, kept: () => readdirSync(join(place.home.stateDir, 'runs')) };
}

test('runs list has the same members in every format, and says nothing about requests of a run that it omits', async () => {
  const { home, json, run } = await two();
  const first = { run: 'first', state: 'finished', outcomes: { applied: 1 } };
  expect(await json('runs', 'show', 'first')).toMatchObject(first);
  const { stdout } = await run(['runs', 'list', '-o', 'ndjson', '--limit', '1']);
  expect(JSON.parse(stdout)).toEqual((await json('runs', 'list'))[0]);
  writeFileSync(join(home.stateDir, 'runs', 'first', 'header.json'), '{');
  for (const args of [['list'], ['remove', '--older-than', '7d', '--yes']]) {
    const { code, stderr } = await run(['runs', ...args]);
    expect([code, stderr]).toEqual([
      16,
      expect.stringMatching(/^frontdesk: run first is left out: the run's header is damaged \([^)]*header\.json\)\n$/),
    ]);
  }
});

const OLDER = (what: string) => `frontdesk: note: ${what} not listed. --limit lists more\n`;

test.each([
  [['--state', 'finished'], 'second\nfirst\n', ''],
  [['--state', 'interrupted'], '', ''],
  [['--limit', '1'], 'second\n', OLDER('1 older run')],
  [['--state', 'finished', '--limit', '1'], 'second\n', OLDER('older runs that are finished are')],
])('runs list takes --state and --limit: %j', async (args, stdout, stderr) => {
  const { run } = await two();
  const listed = await run(['runs', 'list', '-o', 'table', '--columns', 'run', '--no-header', ...args]);
  expect(listed).toMatchObject({ code: 0, stdout, stderr });
});

test.each(['rows', 'a plan'])('a resume of %s obeys the readOnly and requireReason of its profile', async (what) => {
  let isOver = false;
  const { run, server } = await openPlain(({ method, url }) =>
    isOver || method === 'GET' || url.includes(cardId(1)) ? undefined : refusal(401, 'NO'),
  );
  const live = (args: readonly string[], stdin = '') =>
    run(['-p', 'live', ...args], stdin, { FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined });
  await run(['profile', 'set', 'live', '--cards-url', server.url]);
  const pace = ['-j', '1', '-o', 'ndjson'];
  if (what === 'rows') expect((await live([...BLOCK, '--reason', 'lost', ...pace], idLines(3))).code).toBe(4);
  else {
    const plan = ['card', 'block', '--from', '-', '--reason', 'lost', '--plan', 'p.plan'];
    expect((await live(plan, idLines(3))).code).toBe(0);
    expect((await live(['plan', 'apply', 'p.plan', '--yes', ...pace])).code).toBe(4);
  }
  isOver = true;
  const before = server.requests.length;
  await live(['profile', 'set', 'live', '--read-only', 'true']);
  const locked = await live(['runs', 'resume', '--last']);
  expect([locked.code, locked.stdout]).toEqual([5, '']);
  expect(locked.stderr).toContain('profile live is read-only. Nothing was sent.');
  await live(['profile', 'set', 'live', '--read-only', 'false', '--require-reason', '^INC-[0-9]+$']);
  const refused = await live(['runs', 'resume', '--last']);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  // The first row is done: its reason counts no more.
  const { error } = JSON.parse(refused.stderr);
  expect(error.message).toMatch(
    /^could not resume run \S+: row 2: reason: it does not match \^INC-\[0-9\]\+\$, as this profile requires\. Nothing was sent\.$/,
  );
  expect(error.hint).toMatch(
    /^print the rows that are left: frontdesk runs results \S+ --outcome rejected,not_sent --as-input$/,
  );
  expect(server.requests.length).toBe(before);
  await live(['profile', 'set', 'live', '--require-reason', '^lost$']);
  const resumed = await live(['runs', 'resume', '--last']);
  expect(rowLines(resumed.stdout)).toEqual(['1 applied 200 1', '2 applied 200 2', '3 applied 200 1']);
  expect(resumed.code).toBe(0);
});

test.each(['left.csv', 'left.ndjson', 'left.json'])('a run of IDs of a command is resumed into %s', async (name) => {
  let isOver = false;
  const { read, run } = await openPlain(() => (isOver ? undefined : refusal(401, 'NO')));
  expect((await run(['card', 'block', cardId(1), cardId(2), '-y', '-j', '1', '--failed', name])).code).toBe(4);
  expect(read(name)).toContain(cardId(2));
  isOver = true;
  const { code, stdout } = await run(['runs', 'resume', '--last', '-o', 'ndjson', '--failed', name]);
  expect([code, rowLines(stdout)]).toEqual([0, ['1 applied 200 2', '2 applied 200 1']]);
  expect(read(name)).not.toContain(cardId(2));
});

test('results and reports take the shards of one input as one run, and name what is missing or doubled', async () => {
  const { run } = await openPlain();
  for (const [name, shard] of Object.entries({ one: '1/3', two: '2/3', three: '3/3', again: '1/3' })) {
    expect(await run([...BLOCK, '--run', name, '--shard', shard], idLines(7))).toMatchObject({ code: 0 });
  }
  await run([...BLOCK, '--run', 'whole'], idLines(7));
  const results = async (...names: string[]) => {
    const { code, stdout, stderr } = await run(['runs', 'results', ...names, '-o', 'ndjson']);
    return { code, stderr, rows: jsonLines(stdout).map((row) => `${row.row} ${row.run}`) };
  };
  const rows = ['1 one', '2 two', '3 three', '4 one', '5 two', '6 three', '7 one'];
  expect(await results('two', 'three', 'one')).toEqual({ code: 0, stderr: '', rows });
  const some = await results('one', 'again', 'three');
  expect([some.code, some.rows.slice(0, 4)]).toEqual([15, ['1 one', '1 again', '3 three', '4 one']]);
  const message = 'shard 2 of 3 is missing (2 rows); shard 1 of 3 has more than one run';
  expect(JSON.parse(some.stderr)).toEqual({ notice: { code: 'SHARDS', message, missing: [2], doubled: [1], rows: 2 } });
  const report = (as: string, ...names: string[]) => run(['runs', 'report', ...names, '--as', as]);
  const gap = await report('markdown', 'one', 'three');
  expect([gap.code, gap.stdout]).toEqual([15, expect.stringContaining('5 of 7 rows succeeded')]);
  expect(gap.stdout).toContain('Of the shards: shard 2 of 3 is missing (2 rows).');
  expect((await report('junit', 'one', 'two', 'three')).stdout).toContain('tests="7"');
  expect(await report('junit', 'one', 'three')).toMatchObject({
    code: 15,
    stdout: expect.stringContaining('<property name="note" value="Of the shards: shard 2 of 3 is missing (2 rows)."/>'),
  });
  expect(await run(['runs', 'results', 'one', 'whole'])).toMatchObject({ code: 2, stdout: '' });
  expect(await report('html', 'whole', 'one')).toMatchObject({ code: 2, stdout: '' });
});

test('runs remove deletes what a run kept, and needs --yes outside a terminal', async () => {
  const { kept, run } = await two();
  const remove = (...which: string[]) => run(['runs', 'remove', ...which]);
  for (const which of [['first'], ['--older-than', '1ms']]) {
    const result = await remove(...which);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('--yes');
  }
  expect((await remove('--older-than', '90d', '--yes', '--json')).stdout).toBe('{\n  "removed": []\n}\n');
  expect([kept(), (await remove('first', '--yes')).code, kept()]).toEqual([['first', 'second'], 0, ['second']]);
  expect([(await remove('--older-than', '1ms', '--yes')).code, kept()]).toEqual([0, []]);
  expect((await run(['runs', '--json'])).stdout).toBe('[]\n');
});

test.each([[['first']], [['--older-than', '1ms']]])('runs remove %j --yes names what it forgets', async (which) => {
  const { run } = await openPlain(() => ({ status: 500, body: {} }));
  await run([...BLOCK, '--run', 'first', '--retries', '0'], idLines(7));
  const asked =
    'is unsettled and has 7 rows whose outcome is unknown (open: first:1, first:2, first:3, first:4, first:5, …).';
  expect((await run(['runs', 'remove', ...which])).stderr).toContain(asked);
  const { code, stdout, stderr } = await run(['runs', 'remove', ...which, '--yes', '--json']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{\n  "removed": [\n    "first"\n  ]\n}\n' });
  expect(stderr).toContain('"code":"OPEN_FORGOTTEN"');
  expect(stderr).toContain('were deleted too: first:1, first:2, first:3, first:4, first:5 and 2 more. Nothing keeps');
});

test.each([
  ['runs remove first', 17, 'run first is not as it was before you confirmed. It was not removed.'],
  ['runs remove --older-than 1ms', 17, 'run first is left out: run first is not as it was before you confirmed.'],
  ['history prune --older-than 1ms', 0, '0 entries deleted'],
])('%s leaves what is sent beside its question', async (words, code, said) => {
  const { home, json, run, server } = await openPlain(({ url }) =>
    url.includes(cardId(2)) ? undefined : { status: 500 },
  );
  await run([...BLOCK, '--run', 'first', '--retries', '0'], idLines(1));
  const terminal = openTerminal(words.split(' '), { home, env: server.env, columns: 250 });
  await terminal.waitFor(/\(y\/N/);
  await run(['runs', 'resume', 'first', '--resend-unknown', '--yes', '--retries', '0']);
  await run(['card', 'block', cardId(2), '--yes']);
  terminal.type('y\r');
  expect(await terminal.end).toMatchObject({ code, text: expect.stringContaining(said) });
  expect([await json('history', '--open'), await json('history', '--id', cardId(2))]).toMatchObject([[{}], [{}]]);
});

test('a run of the current profile that began at the URL of the environment is resumed there, and at no other', async () => {
  let isRefusing = true;
  const { run } = await openPlain(() => (isRefusing ? refusal(401, 'NO') : undefined));
  const other = await startRecordingServer([]);
  await run(['profile', 'set', 'live', '--cards-url', 'https://cards.example.com']);
  await run(['profile', 'use', 'live']);
  expect((await run([...BLOCK, '--run', 'nightly', '-j', '1'], idLines(3))).code).toBe(4);
  isRefusing = false;
  const elsewhere = await run(['runs', 'resume', 'nightly'], '', { FRONTDESK_CARDS_URL: other.url });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('now leads to')]);
  const resumed = await run(['runs', 'resume', 'nightly']);
  expect(rowLines(resumed.stdout)).toEqual(['1 applied 200 2', '2 applied 200 1', '3 applied 200 1']);
  expect(resumed.code).toBe(0);
});

test.each([
  ['a resume', ['runs', 'resume', 'r']],
  ['a call with the same name', ['card', 'block', cardId(1), cardId(2), '--run', 'r']],
])('%s says which unknown rows it will send again, and which it leaves', async (_what, args) => {
  const { run, posts } = await openService();
  const block = ['card', 'block', cardId(1), cardId(2), '--run', 'r', '--yes', '-q', '--retries', '0'];
  expect((await run(block)).code).toBe(8);
  expect([(await run([...args, '--yes'])).stderr.split('\n')[0], posts()]).toEqual([
    expect.stringMatching(/is unsettled: of 2 rows nothing is left to send, 2 unknown$/),
    2,
  ]);
  const again = await run([...args, '--resend-unknown', '--yes', '--retries', '0']);
  expect([again.stderr.split('\n')[0], posts()]).toEqual([
    expect.stringMatching(/is unsettled: of 2 rows 2 unknown to send again$/),
    4,
  ]);
});

test.each([
  ['all of its fields', ['--email', 'new@x']],
  ['some of its fields', ['--first-name', 'New']],
])('a row is neither sent over a later change of %s nor recorded as done, nor named', async (_what, later) => {
  let isDown = true;
  const { run, server } = await openPlain(() => (isDown ? { status: 500, body: {} } : undefined));
  const update = ['calendar', 'subscribers', 'update'];
  const fields =
    later[0] === '--email' ? 'id,email\nzz1,old@x\nzz2,two@x\n' : 'id,email,first_name\nzz1,old@x,Old\nzz2,two@x,Two\n';
  await run([...update, '--from', '-', '--yes', '--run', 'r', '--retries', '0'], fields);
  isDown = false;
  await run([...update, 'zz1', ...later, '--yes']);
  const before = server.requests.length;
  const resumed = await run(['runs', 'resume', 'r', '--resend-unknown', '--yes', '-o', 'ndjson']);
  expect(rowLines(resumed.stdout).map((row) => row.split(' ')[1])).toEqual(['unknown', 'applied']);
  expect(resumed.stderr).toContain('of 2 rows 1 unknown to send again, 1 unknown that a later change superseded');
  expect(resumed.stderr).toContain('"resume":null');
  expect(server.requests.slice(before).map(({ url }) => url)).toEqual(['/v1/subscribers/zz2']);
  // Sent again, it would undo the later change of the rest.
  if (later[0] === '--first-name') await run(['runs', 'resume', 'r', '--resend-unknown', '--yes']);
  else {
    expect(await run(['history', 'resolve', 'r:1', '--as', 'not_applied'])).toMatchObject({ code: 0 });
    expect((await run(['runs', 'resume', 'r', '--yes'])).code).toBe(8);
  }
  expect(server.requests.slice(before)).toHaveLength(1);
});

test.each([
  ['before', 0],
  ['while its card was read', 2],
])('--reconcile leaves a row unknown that a later change superseded %s', async (when, requests) => {
  let isDown = true;
  const { run, server } = await openPlain(({ method }) => {
    if (isDown) return { status: 500, body: {} };
    if (method !== 'GET') return undefined;
    return run(['card', 'block', cardId(1), '--yes']).then(() => ({ body: { cardId: cardId(1), status: 'BLOCKED' } }));
  });
  await run([...BLOCK, '--run', 'r', '--retries', '0'], idLines(1));
  isDown = false;
  if (when === 'before') await run(['card', 'block', cardId(1), '--yes']);
  const before = server.requests.length;
  const { stdout, stderr } = await run(['runs', 'resume', 'r', '--reconcile', '-o', 'ndjson']);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'unknown' });
  expect([server.requests.slice(before).length, stderr.includes('is not recorded')]).toEqual([requests, requests > 0]);
});

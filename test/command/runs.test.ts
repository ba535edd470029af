import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openService } from '../support/open-service.ts';
import {
  cardId,
  cardNumber,
  idLines,
  lastLine,
  playService,
  REPLACEMENT_ID,
  refusal,
  rowLines,
} from '../support/plain-service.ts';
import {
  type RecordedRequest,
  type RecordingServer,
  type Reply,
  startRecordingServer,
} from '../support/recording-server.ts';
import {
  createHome,
  type Home,
  NO_PAUSE,
  type RunningFrontdesk,
  runFrontdesk,
  startFrontdesk,
} from '../support/run-frontdesk.ts';
import { cardText } from '../support/sample-card.ts';

const BLOCK = ['card', 'block', '--from', '-', '--yes', '-o', 'ndjson'];

interface RunOverview {
  readonly run: string;
  readonly operation: string;
  readonly profile: string;
  readonly state: string;
  readonly rows: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly startedAt: string;
}

async function runsList(home: Home): Promise<RunOverview[]> {
  const { stdout } = await runFrontdesk(['runs', 'list', '--json'], { home });
  // What differs fails the comparison.
  return JSON.parse(stdout) as RunOverview[];
}

async function until(server: RecordingServer, requests: number): Promise<void> {
  while (server.requests.length < requests) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A service on which the requests for these cards hang until it is let go. */
async function startHanging(hanging: readonly number[]) {
  let isOpen = false;
  const server = await startRecordingServer(
    playService((request) => (!isOpen && hanging.includes(cardNumber(request)) ? 'hang' : undefined)),
  );
  return {
    server,
    letGo() {
      isOpen = true;
    },
  };
}

/** Six rows, two at a time: 1 and 2 are done, 3 and 4 are under way, and 5 and 6 are not reached. */
async function startStuck(home: Home, env: Readonly<Record<string, string>> = {}) {
  const { server, letGo } = await startHanging([3, 4]);
  const running = startFrontdesk([...BLOCK, '-j', '2', '--run', 'nightly', '--reason', 'X-1'], {
    env: { ...server.env, ...env },
    home,
    stdin: idLines(6),
  });
  await until(server, 4);
  return { server, letGo, running };
}

async function kill(running: RunningFrontdesk): Promise<void> {
  running.child.kill('SIGKILL');
  expect((await running.result).signal).toBe('SIGKILL');
}

test('a killed run is running, then interrupted, and a resume sends no row again that is done or may have been sent', async () => {
  const home = createHome();
  const { server, letGo, running } = await startStuck(home);
  expect(await runsList(home)).toEqual([
    {
      run: 'nightly',
      operation: 'card.block',
      profile: 'default',
      state: 'running',
      rows: 6,
      outcomes: { applied: 2, in_flight: 2, not_sent: 2 },
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  ]);
  const second = await runFrontdesk([...BLOCK, '--run', 'nightly'], { env: server.env, home, stdin: idLines(6) });
  expect(second.code).toBe(2);
  await kill(running);
  expect((await runsList(home))[0]?.state).toBe('interrupted');

  letGo();
  const before = server.requests.length;
  const resumed = await runFrontdesk(['runs', 'resume', '--last'], { env: server.env, home });
  expect(server.lines.slice(before).toSorted()).toEqual([
    `POST /v1/cards/${cardId(5)}/block`,
    `POST /v1/cards/${cardId(6)}/block`,
  ]);
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
  expect(lastLine(resumed.stderr)).toEqual({
    summary: {
      run: 'nightly',
      rows: 6,
      outcomes: { applied: 4, unknown: 2 },
      requests: 2,
      earlier: 2,
      exitCode: 8,
      resume: 'frontdesk runs resume nightly --reconcile',
    },
  });
  expect((await runsList(home))[0]).toMatchObject({ state: 'unsettled', outcomes: { applied: 4, unknown: 2 } });
});

test('--run with a name that begins with a dash, which no other command could take, is exit 2', async () => {
  const server = await startRecordingServer([]);
  const { code, stdout, stderr } = await runFrontdesk([...BLOCK, '--run=-x'], { env: server.env, stdin: idLines(2) });
  expect({ code, stdout, lines: server.lines }).toEqual({ code: 2, stdout: '', lines: [] });
  expect(stderr).toContain('--run: must not begin with \\"-\\", which `runs resume -x` takes for an option');
});

/** A finished run in which the answers to rows 2 and 4 were cut off. */
async function withUnknown(home: Home, args: readonly string[]) {
  let isOver = false;
  let status = 'ACTIVE';
  const cut = (request: RecordedRequest): Reply | undefined => {
    if (request.method === 'GET') return { body: cardText(status, cardId(cardNumber(request))) };
    return !isOver && [2, 4].includes(cardNumber(request)) ? 'reset' : undefined;
  };
  const server = await startRecordingServer(playService(cut));
  const begun = await runFrontdesk([...args, '--from', '-', '--yes', '-o', 'ndjson', '-j', '1', '--run', 'u'], {
    env: { ...server.env, ...NO_PAUSE },
    home,
    stdin: idLines(5),
  });
  expect(begun.code).toBe(8);
  isOver = true;
  const before = server.requests.length;
  const goOn = async (call: readonly string[], cardStatus: string) => {
    status = cardStatus;
    const result = await runFrontdesk(call, { env: { ...server.env, ...NO_PAUSE }, home, stdin: idLines(5) });
    return { ...result, lines: server.lines.slice(before) };
  };
  const repeated = [...args, '--from', '-', '--yes', '-o', 'ndjson', '-j', '1', '--run', 'u'];
  return {
    resume: (more: readonly string[], cardStatus = 'ACTIVE') => goOn(['runs', 'resume', 'u', ...more], cardStatus),
    repeat: (more: readonly string[], cardStatus = 'ACTIVE') => goOn([...repeated, ...more], cardStatus),
  };
}

test('--reconcile works with --run too, so that a job can finish', async () => {
  const { repeat } = await withUnknown(createHome(), ['card', 'block']);
  expect(await repeat([])).toMatchObject({ code: 8, lines: [] });
  const result = await repeat(['--reconcile'], 'BLOCKED');
  expect(result.lines.toSorted()).toEqual([`GET /v1/cards/${cardId(2)}`, `GET /v1/cards/${cardId(4)}`]);
  expect(result.code).toBe(0);
  expect(await repeat(['--reconcile'], 'BLOCKED')).toMatchObject({ code: 0, lines: result.lines });
});

test.each([
  ['without --run', ['--reconcile'], '--reconcile: belongs to --run'],
  ['with --resend-unknown', ['--run', 'r', '--reconcile', '--resend-unknown'], 'exclude each other'],
])('runs resume --reconcile %s is exit 2', async (_what, more, said) => {
  const result = await runFrontdesk([...BLOCK, ...more], { stdin: idLines(2) });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(said);
});

test('--run with an input without rows is another input', async () => {
  const server = await startRecordingServer(playService(() => refusal(401, 'NO')));
  const options = { env: server.env, home: createHome() };
  await runFrontdesk([...BLOCK, '--run', 'm', '-j', '1'], { ...options, stdin: idLines(2) });
  const { code, stdout, stderr } = await runFrontdesk([...BLOCK, '--run', 'm'], { ...options, stdin: '' });
  expect({ code, stdout, error: JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') }).toMatchObject({
    code: 2,
    stdout: '',
    error: { error: { message: expect.stringContaining('its rows differ, and it has 2 rows, not 0') } },
  });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['no run and no --last', ['runs', 'resume']],
  ['a run that is not there', ['runs', 'resume', 'nope']],
  ['--last without any run', ['runs', 'resume', '--last']],
  ['--reconcile and --resend-unknown', ['runs', 'resume', 'nope', '--reconcile', '--resend-unknown']],
])('runs resume: %s is exit 2', async (_what, args) => {
  expect(await runFrontdesk(args)).toMatchObject({ code: 2, stdout: '' });
});

test('runs resume resumes a sandbox run although its port changes', async () => {
  const home = createHome();
  const info = await runFrontdesk(['sandbox', 'info', '--json'], { home });
  // The ids that the sandbox lists.
  const { cards } = JSON.parse(info.stdout) as { cards: { cardId: string; status: string }[] };
  const ids = ['CANCELLED', 'ACTIVE'].flatMap((status) => {
    const card = cards.find((each) => each.status === status);
    return card === undefined ? [] : [card.cardId];
  });
  const sandbox = ['--profile', 'sandbox', 'card', 'block', ...ids, '--yes', '-j', '1', '-o', 'ndjson'];
  const begun = await runFrontdesk([...sandbox, '--max-failures', '1', '--run', 's'], { home });
  expect(rowLines(begun.stdout)[1]).toBe('2 not_sent null 0 PARTIAL');
  const resumed = await runFrontdesk(['runs', 'resume', 's'], { home });
  expect(rowLines(resumed.stdout)[1]).toBe('2 applied 200 1');
  expect(resumed.code).toBe(15);
});

async function mixed(home: Home) {
  const server = await startRecordingServer(
    playService((request) => (cardNumber(request) === 2 ? refusal(409, 'CARD_EXPIRED') : undefined)),
  );
  await runFrontdesk(['card', 'reissue', '--from', '-', '--yes', '-q', '--run', 'r'], {
    env: server.env,
    home,
    stdin: `cardId;clientReference\n${cardId(1)};a\n${cardId(2)};b\n${cardId(3)};c\n`,
  });
  return (args: readonly string[]) => runFrontdesk(['runs', 'results', 'r', ...args], { home });
}

test('runs results prints any run again: row, id, outcome, httpStatus, attempts, error', async () => {
  const results = await mixed(createHome());
  const { stdout, code } = await results(['-o', 'ndjson']);
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toBe(
    `{"row":1,"id":"${cardId(1)}","outcome":"applied","httpStatus":200,"attempts":1,"error":null,"resultId":"${REPLACEMENT_ID}"}`,
  );
  expect(JSON.parse(stdout.split('\n')[1] ?? '')).toMatchObject({
    row: 2,
    outcome: 'rejected',
    httpStatus: 409,
    attempts: 1,
    error: { code: 'REJECTED', exitCode: 6, service: { errorCode: 'CARD_EXPIRED' } },
  });
});

test('runs results --outcome filters by several outcomes', async () => {
  const results = await mixed(createHome());
  expect((await results(['--outcome', 'rejected', '--json', '--query', '[].row'])).stdout).toBe('[\n  2\n]\n');
  expect(rowLines((await results(['--outcome', 'rejected,applied', '-o', 'ndjson'])).stdout)).toHaveLength(3);
  expect((await results(['--outcome', 'unknown', '--json'])).stdout).toBe('[]\n');
  expect((await results(['--outcome', 'unknwon'])).code).toBe(2);
});

test.each<[readonly string[], string[]]>([
  [[], ['{"active":true}', '{"name":"B"}']],
  [
    ['--empty-cells', 'clear'],
    ['{"name":"","active":true}', '{"name":"B","active":false}'],
  ],
])('runs results --as-input of a table as NDJSON sends the same again (%j)', async (more, bodies) => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const update = ['calendar', 'update', '--from', '-', '-y', '-j', '1', ...more];
  const stdin = `id,name,active\ncal_1,,TRUE\ncal_2,B,${more.length === 0 ? '' : 'False'}\n`;
  await runFrontdesk(update, { env: server.env, home, stdin });
  const again = await runFrontdesk(['runs', 'results', '--last', '--as-input', '-o', 'ndjson'], { home });
  await runFrontdesk([...update, '--ignore-columns', '_outcome'], { env: server.env, home, stdin: again.stdout });
  expect(server.requests.map(({ body }) => body)).toEqual([...bodies, ...bodies]);
});

test.each([
  ['"location":""', 2, '--as-input: row 2 has an empty location, which a table cannot tell from an omitted cell'],
  ['"url":null', 2, '--as-input: row 2 has an empty url, which a table cannot tell from an omitted cell'],
  ['"location":"Hall"', 0, ''],
])('runs results --as-input of JSON as CSV loses no member: %s', async (member, code, said) => {
  const home = createHome();
  const server = await startRecordingServer(() => ({ status: 409, body: {} }));
  const event = '{"calendar":"cal_1","name":"A","start":"2027-01-01"';
  const stdin = `${event}}\n${event},${member}}\n`;
  await runFrontdesk(['calendar', 'event', 'create', '--from', '-', '-y'], { env: server.env, home, stdin });
  const results = await runFrontdesk(['runs', 'results', '--last', '--as-input', '-o', 'csv'], { home });
  const rows =
    'calendar,name,start,location,_outcome\ncal_1,A,2027-01-01,,rejected\ncal_1,A,2027-01-01,Hall,rejected\n';
  expect([results.code, results.stdout.replaceAll('\r\n', '\n')]).toEqual([code, code === 0 ? rows : '']);
  expect(results.stderr).toContain(said);
});

test('--failed and --as-input are in the dialect of the file that was read', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService(() => ({ status: 409, body: {} })));
  const failed = join(home.path, 'failed.csv');
  const run = (args: readonly string[], stdin: string | Uint8Array = '') =>
    runFrontdesk(args, { env: server.env, home, stdin });
  const head = '\ufeffcardId;reason';
  const row = `${cardId(1)};"Müller, c;d"`;
  for (const encoding of ['utf8', 'utf16le'] as const) {
    const stdin = Buffer.from(`${head}\r\n${row}\r\n`, encoding);
    await run([...BLOCK, '--run', encoding, '--failed', failed], stdin);
    expect(readFileSync(failed, 'utf8')).toMatch(
      new RegExp(`^${head};_row;_outcome;_error\r\n${row};1;rejected;[^\r\n]*\r\n$`),
    );
    expect((await run(['runs', 'results', encoding, '--as-input'])).stdout).toBe(
      `${head};_outcome\r\n${row};rejected\r\n`,
    );
  }
  await run([...BLOCK, '--failed', failed], `cardId\treason\n${cardId(1)}\tlost\n`);
  expect(readFileSync(failed, 'utf8')).toMatch(/^cardId\treason\t_row\t_outcome\t_error\n[^\r]*\n$/);
});

test('--as-input has one _outcome where the input was what --failed had written', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const stdin = `cardId,_row,_outcome,_error\n${cardId(1)},4,rejected,x\n`;
  await runFrontdesk([...BLOCK, '--run', 'r'], { env: server.env, home, stdin });
  const { stdout } = await runFrontdesk(['runs', 'results', 'r', '--as-input', '-o', 'csv'], { home });
  expect(stdout).toBe(`cardId,_outcome\n${cardId(1)},applied\n`);
});

async function two(home: Home): Promise<void> {
  const server = await startRecordingServer(playService());
  for (const name of ['first', 'second']) {
    await runFrontdesk([...BLOCK, '--run', name], { env: server.env, home, stdin: idLines(1) });
  }
}

test('runs list is newest first, and runs show prints one', async () => {
  const home = createHome();
  await two(home);
  expect((await runsList(home)).map(({ run }) => run)).toEqual(['second', 'first']);
  const shown = await runFrontdesk(['runs', 'show', 'first', '--json'], { home });
  expect(JSON.parse(shown.stdout)).toMatchObject({ run: 'first', state: 'finished', outcomes: { applied: 1 } });
});

test('runs list has the same members in every format, and says nothing about requests of a run that it omits', async () => {
  const home = createHome();
  await two(home);
  const { stdout } = await runFrontdesk(['runs', 'list', '-o', 'ndjson', '--limit', '1'], { home });
  expect(JSON.parse(stdout)).toEqual((await runsList(home))[0]);
  writeFileSync(join(home.stateDir, 'runs', 'first', 'header.json'), '{');
  for (const args of [['list'], ['remove', '--older-than', '7d', '--yes']]) {
    const { code, stderr } = await runFrontdesk(['runs', ...args], { home });
    expect([code, stderr]).toEqual([
      16,
      expect.stringMatching(/^frontdesk: run first is left out: the run's header is damaged \([^)]*header\.json\)\n$/),
    ]);
  }
});

test('runs list takes --state and --limit', async () => {
  const home = createHome();
  await two(home);
  const names = async (...args: string[]) => {
    const { stdout, stderr } = await runFrontdesk(
      ['runs', 'list', '-o', 'table', '--columns', 'run', '--no-header', ...args],
      { home },
    );
    return [stdout, stderr];
  };
  expect(await names('--state', 'finished')).toEqual(['second\nfirst\n', '']);
  expect(await names('--state', 'interrupted')).toEqual(['', '']);
  expect(await names('--limit', '1')).toEqual([
    'second\n',
    'frontdesk: note: 1 older run not listed. --limit lists more\n',
  ]);
  expect(await names('--state', 'finished', '--limit', '1')).toEqual([
    'second\n',
    'frontdesk: note: older runs that are finished are not listed. --limit lists more\n',
  ]);
  expect(await runFrontdesk(['runs', 'list', '--state', 'finshed', '--limit', '0'], { home })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/did you mean finished\?[\s\S]*--limit: must be a whole number/),
  });
});

test.each(['rows', 'a plan'])(
  'a resume of %s obeys the readOnly and requireReason that its profile has now',
  async (what) => {
    const home = createHome();
    let isOver = false;
    const server = await startRecordingServer(
      playService(({ method, url }) =>
        isOver || method === 'GET' || url.includes(cardId(1)) ? undefined : refusal(401, 'NO'),
      ),
    );
    const env = { ...server.env, FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };
    const live = (args: readonly string[], stdin = '') => runFrontdesk(['-p', 'live', ...args], { env, home, stdin });
    await runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url], { env, home });
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
    const { error } = JSON.parse(refused.stderr) as { error: { message: string; hint: string } };
    expect(error.message).toMatch(
      /^could not resume run \S+: row 2: reason: it does not match \^INC-\[0-9\]\+\$, as this profile requires\. Nothing was sent\.$/,
    );
    expect(error.hint).toMatch(
      /^print the rows that are left: frontdesk runs results \S+ --outcome not_sent --as-input$/,
    );
    expect(server.requests.length).toBe(before);
    await live(['profile', 'set', 'live', '--require-reason', '^lost$']);
    const resumed = await live(['runs', 'resume', '--last']);
    expect(rowLines(resumed.stdout)).toEqual(['1 applied 200 1', '2 applied 200 2', '3 applied 200 1']);
    expect(resumed.code).toBe(0);
  },
);

test.each(['left.csv', 'left.ndjson', 'left.json'])(
  'a run of IDs of a command line is resumed into its %s',
  async (name) => {
    const home = createHome();
    let isOver = false;
    const server = await startRecordingServer(playService(() => (isOver ? undefined : refusal(401, 'NO'))));
    const env = { env: server.env, home };
    const begun = await runFrontdesk(['card', 'block', cardId(1), cardId(2), '-y', '-j', '1', '--failed', name], env);
    expect(begun.code).toBe(4);
    const path = join(home.path, 'work', name);
    expect(readFileSync(path, 'utf8')).toContain(cardId(2));
    isOver = true;
    const resumed = await runFrontdesk(['runs', 'resume', '--last', '-o', 'ndjson', '--failed', name], env);
    expect(resumed.code).toBe(0);
    expect(rowLines(resumed.stdout)).toEqual(['1 applied 200 2', '2 applied 200 1']);
    expect(readFileSync(path, 'utf8')).not.toContain(cardId(2));
  },
);

test('results and reports take the shards of one input as one run, and name what is missing or doubled', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const run = (args: readonly string[], stdin = '') => runFrontdesk(args, { env: server.env, home, stdin });
  for (const [name, shard] of [
    ['one', '1/3'],
    ['two', '2/3'],
    ['three', '3/3'],
    ['again', '1/3'],
  ] as const) {
    expect(await run([...BLOCK, '--run', name, '--shard', shard], idLines(7))).toMatchObject({ code: 0 });
  }
  await run([...BLOCK, '--run', 'whole'], idLines(7));
  const results = async (...names: string[]) => run(['runs', 'results', ...names, '-o', 'ndjson']);
  const runsOf = (stdout: string) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((row) => `${row.row} ${row.run}`);
  const all = await results('two', 'three', 'one');
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(runsOf(all.stdout)).toEqual(['1 one', '2 two', '3 three', '4 one', '5 two', '6 three', '7 one']);
  const some = await results('one', 'again', 'three');
  expect(some.code).toBe(15);
  expect(runsOf(some.stdout).slice(0, 4)).toEqual(['1 one', '1 again', '3 three', '4 one']);
  expect(JSON.parse(some.stderr)).toEqual({
    notice: {
      code: 'SHARDS',
      message: 'shard 2 of 3 is missing (2 rows); shard 1 of 3 has more than one run',
      missing: [2],
      doubled: [1],
      rows: 2,
    },
  });
  const report = await run(['runs', 'report', 'one', 'three', '--as', 'markdown']);
  expect(report).toMatchObject({ code: 15, stdout: expect.stringContaining('5 of 7 rows succeeded') });
  expect(report.stdout).toContain('Of the shards: shard 2 of 3 is missing (2 rows).');
  const junit = await run(['runs', 'report', 'one', 'two', 'three', '--as', 'junit']);
  expect(junit).toMatchObject({ code: 0, stdout: expect.stringContaining('tests="7"') });
  const gap = await run(['runs', 'report', 'one', 'three', '--as', 'junit']);
  expect(gap.code).toBe(15);
  expect(gap.stdout).toContain('<property name="note" value="Of the shards: shard 2 of 3 is missing (2 rows)."/>');
  expect(await results('one', 'whole')).toMatchObject({ code: 2, stdout: '' });
  expect(await run(['runs', 'report', 'whole', 'one', '--as', 'html'])).toMatchObject({ code: 2, stdout: '' });
});

test('runs remove needs --yes outside a terminal', async () => {
  const home = createHome();
  await two(home);
  for (const which of [['first'], ['--older-than', '1ms']]) {
    const result = await runFrontdesk(['runs', 'remove', ...which], { home });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('--yes');
  }
  expect(readdirSync(join(home.stateDir, 'runs'))).toEqual(['first', 'second']);
});

test.each([
  ['finished', 'Delete run first?', { rejected: 0 }],
  [
    'unsettled',
    'Delete run first? It is unsettled and has 1 row whose outcome is unknown (open: first:1).',
    { rejected: 1 },
  ],
])('the question before the removal of a run that is %s says what is lost', async (state, question, { rejected }) => {
  const home = createHome();
  const server = await startRecordingServer(playService(() => (rejected > 0 ? { status: 500, body: {} } : undefined)));
  const options = { env: { ...server.env, ...NO_PAUSE }, home, stdin: idLines(1) };
  await runFrontdesk([...BLOCK, '--run', 'first', '--retries', '0'], options);
  expect((await runsList(home))[0]?.state).toBe(state);
  const { stderr } = await runFrontdesk(['runs', 'remove', 'first'], { home });
  expect(stderr).toContain(question);
});

test.each([[['first']], [['--older-than', '1ms']]])(
  'runs remove %j --yes says which open changes are forgotten',
  async (which) => {
    const home = createHome();
    const server = await startRecordingServer(() => ({ status: 500, body: {} }));
    const options = { env: { ...server.env, ...NO_PAUSE }, home };
    await runFrontdesk([...BLOCK, '--run', 'first', '--retries', '0'], { ...options, stdin: idLines(7) });
    const { code, stdout, stderr } = await runFrontdesk(['runs', 'remove', ...which, '--yes', '--json'], { home });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{\n  "removed": [\n    "first"\n  ]\n}\n' });
    expect(stderr).toContain('"code":"OPEN_FORGOTTEN"');
    expect(stderr).toContain('were deleted too: first:1, first:2, first:3, first:4, first:5 and 2 more. Nothing keeps');
  },
);

test('runs remove deletes what a run kept', async () => {
  const home = createHome();
  await two(home);
  expect((await runFrontdesk(['runs', 'remove', '--older-than', '90d', '--yes', '--json'], { home })).stdout).toBe(
    '{\n  "removed": []\n}\n',
  );
  expect((await runFrontdesk(['runs', 'remove', 'first', '--yes'], { home })).code).toBe(0);
  expect(readdirSync(join(home.stateDir, 'runs'))).toEqual(['second']);
  expect((await runFrontdesk(['runs', 'remove', '--older-than', '1ms', '--yes'], { home })).code).toBe(0);
  expect(readdirSync(join(home.stateDir, 'runs'))).toEqual([]);
  expect((await runFrontdesk(['runs', '--json'], { home })).stdout).toBe('[]\n');
  expect((await runFrontdesk(['runs', 'remove', 'first', '--yes'], { home })).code).toBe(2);
});

test('a run of the current profile that began at the URL of the environment is resumed there', async () => {
  const home = createHome();
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', 'https://cards.example.com'], { home });
  await runFrontdesk(['profile', 'use', 'live'], { home });
  let isRefusing = true;
  const server = await startRecordingServer(playService(() => (isRefusing ? refusal(401, 'NO') : undefined)));
  const began = await runFrontdesk([...BLOCK, '--run', 'nightly', '-j', '1'], {
    env: server.env,
    home,
    stdin: idLines(3),
  });
  expect(began.code).toBe(4);
  isRefusing = false;
  const resumed = await runFrontdesk(['runs', 'resume', 'nightly'], { env: server.env, home });
  expect(rowLines(resumed.stdout)).toEqual(['1 applied 200 2', '2 applied 200 1', '3 applied 200 1']);
  expect(resumed.code).toBe(0);
});

test('a run of the current profile is not resumed at another URL of the environment', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService(() => refusal(401, 'NO')));
  const other = await startRecordingServer(playService());
  const { FRONTDESK_CARDS_URL = '', FRONTDESK_CARDS_TOKEN = '' } = server.env;
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', FRONTDESK_CARDS_URL], { home });
  await runFrontdesk(['profile', 'use', 'live'], { home });
  await runFrontdesk([...BLOCK, '--run', 'nightly', '-j', '1'], {
    env: { FRONTDESK_CARDS_TOKEN },
    home,
    stdin: idLines(2),
  });
  const { code, stderr } = await runFrontdesk(['runs', 'resume', 'nightly'], {
    env: { FRONTDESK_CARDS_TOKEN, FRONTDESK_CARDS_URL: other.env['FRONTDESK_CARDS_URL'] ?? '' },
    home,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('now leads to');
  expect(other.lines).toEqual([]);
});

test.each([
  ['a resume', ['runs', 'resume', 'r']],
  ['a call with the same name', ['card', 'block', cardId(1), cardId(2), '--run', 'r']],
])('%s says which unknown rows it will send again, and which it leaves', async (_what, args) => {
  const { run, posts } = await openService();
  const block = ['card', 'block', cardId(1), cardId(2), '--run', 'r', '--yes', '-q', '--retries', '0'];
  expect((await run(block)).code).toBe(8);
  const left = await run([...args, '--yes']);
  expect([left.stderr.split('\n')[0], posts()]).toEqual([
    expect.stringMatching(/is unsettled: of 2 rows nothing is left to send, 2 unknown$/),
    2,
  ]);
  const again = await run([...args, '--resend-unknown', '--yes', '--retries', '0']);
  expect([again.stderr.split('\n')[0], posts()]).toEqual([
    expect.stringMatching(/is unsettled: of 2 rows 2 unknown to send again$/),
    4,
  ]);
});

test('a row that a later change superseded is neither sent again nor recorded as done, and no command names it', async () => {
  const home = createHome();
  let isDown = true;
  const server = await startRecordingServer(({ method, url, body }) =>
    isDown && method === 'POST'
      ? { status: 500, body: {} }
      : { body: { id: url.split('/').at(-1), object: 'subscriber', ...JSON.parse(body || '{}') } },
  );
  const update = ['calendar', 'subscribers', 'update'];
  const run = (args: readonly string[], stdin?: string) =>
    runFrontdesk(args, { env: { ...server.env, ...NO_PAUSE }, home, ...(stdin === undefined ? {} : { stdin }) });
  await run([...update, '--from', '-', '--yes', '--run', 'r', '--retries', '0'], 'id,email\nzz1,old@x\nzz2,two@x\n');
  isDown = false;
  await run([...update, 'zz1', '--email', 'new@x', '--yes']);
  const before = server.requests.length;
  const resumed = await run(['runs', 'resume', 'r', '--resend-unknown', '--yes', '-o', 'ndjson']);
  expect(rowLines(resumed.stdout).map((row) => row.split(' ')[1])).toEqual(['unknown', 'applied']);
  expect(resumed.stderr).toContain('of 2 rows 1 unknown to send again, 1 unknown that a later change superseded');
  expect(server.requests.slice(before).map(({ url }) => url)).toEqual(['/v1/subscribers/zz2']);
  expect(resumed.stderr).toContain('"resume":null');
});

test('--reconcile leaves a row that a later change superseded unknown', async () => {
  const home = createHome();
  let isDown = true;
  const server = await startRecordingServer(playService(() => (isDown ? { status: 500, body: {} } : undefined)));
  const run = (args: readonly string[], stdin?: string) =>
    runFrontdesk(args, { env: { ...server.env, ...NO_PAUSE }, home, ...(stdin === undefined ? {} : { stdin }) });
  await run([...BLOCK, '--run', 'r', '--retries', '0'], idLines(1));
  isDown = false;
  await run(['card', 'block', cardId(1), '--yes']);
  const before = server.requests.length;
  const { stdout } = await run(['runs', 'resume', 'r', '--reconcile', '-o', 'ndjson']);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'unknown' });
  expect(server.requests.slice(before)).toEqual([]);
});

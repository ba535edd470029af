import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cardId, idLines, playService, refusal } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { copyHome, createHome, type Home, NO_PAUSE, runFrontdesk } from '../support/run-frontdesk.ts';

const FORMS = ['html', 'junit', 'markdown'] as const;

/** A run `nightly` of five cards, one after the other: two blocked, one rejected, one unknown, one blocked. */
async function blockFive(home: Home, args: readonly string[] = []) {
  const server = await startRecordingServer(
    playService(({ url, method }) => {
      if (url.includes(cardId(3))) return refusal(412, 'CARD_EXPIRED');
      if (url.includes(cardId(4)) && method === 'POST') return refusal(503, 'TRY_LATER');
      return undefined;
    }),
  );
  const result = await runFrontdesk(
    [
      'card',
      'block',
      '--from',
      '-',
      '--yes',
      '-j',
      '1',
      '--retries',
      '0',
      '--reason',
      'Secret 4711',
      '--run',
      'nightly',
      ...args,
    ],
    { env: { ...server.env, ...NO_PAUSE }, home, stdin: idLines(5) },
  );
  return { server, result };
}

const made = new Map<string, Promise<Home>>();

/** A home with such a run, for a test that needs nothing of its service. Runs made with the same words are made once. */
async function withFiveBlocked(...args: readonly string[]): Promise<Home> {
  const key = args.join(' ');
  const home = createHome();
  const run = made.get(key) ?? blockFive(home, args).then(() => home);
  made.set(key, run);
  return copyHome(await run);
}

function runFile(home: Home, name: string): string {
  return join(home.stateDir, 'runs', 'nightly', name);
}

/** Names, contents and times of all that the run keeps. */
function stateOf(home: Home): unknown {
  const folder = join(home.stateDir, 'runs', 'nightly');
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'latin1'), statSync(join(folder, name)).mtimeMs]);
}

async function report(home: Home, form: string, name = 'nightly') {
  return runFrontdesk(['runs', 'report', name, '--as', form], { home });
}

/** Changes the lines of the journal. */
function changeJournal(home: Home, change: (lines: string[]) => readonly string[]): void {
  const path = runFile(home, 'journal.jsonl');
  const lines = readFileSync(path, 'latin1').split('\n').slice(0, -1);
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
    'latin1',
  );
}

test('runs report prints the document on stdout, exits 0, sends nothing and leaves the run as it is', async () => {
  const home = createHome();
  const { server } = await blockFive(home);
  const [before, requests] = [stateOf(home), server.requests.length];
  for (const form of FORMS) {
    const result = await runFrontdesk(['runs', 'report', 'nightly', '--as', form], { home, env: server.env });
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(result.stdout).toContain('CARD_EXPIRED');
  }
  expect(server.requests).toHaveLength(requests);
  expect(stateOf(home)).toEqual(before);
});

test('runs report tells an event by its new ID, never by its name, and without one by its number alone', async () => {
  const home = createHome();
  const server = await startRecordingServer([{ body: { id: 'evt_7', object: 'event' } }, { status: 400, body: {} }]);
  const stdin =
    'name,start,calendar,Team\nAnn Lee,2027-04-02,cal_1,x\nBob Roy,2027-04-03,cal_1,x\nCid,2027-04-03,cal_1,y\n';
  const args = [
    'calendar',
    'event',
    'create',
    '--from',
    '-',
    '--yes',
    '-j',
    '1',
    '--run',
    'nightly',
    '--where',
    'Team=x',
  ];
  expect((await runFrontdesk(args, { home, env: server.env, stdin })).code).toBe(15);
  const junit = (await report(home, 'junit')).stdout;
  expect(junit.match(/<testcase name="[^"]*"/g)).toEqual(['<testcase name="row 1 evt_7"', '<testcase name="row 2"']);
  const html = (await report(home, 'html')).stdout;
  expect(html).toContain('--where Team,');
  for (const name of ['Ann', 'Bob', 'Team=x']) expect(junit + html).not.toContain(name);
});

test('runs report with --json is one object that holds the document', async () => {
  const home = await withFiveBlocked();
  const result = await runFrontdesk(['runs', 'report', 'nightly', '--as', 'junit', '--json'], { home });
  expect(JSON.parse(result.stdout)).toEqual({
    run: 'nightly',
    as: 'junit',
    document: (await report(home, 'junit')).stdout,
  });
});

test('runs report prints the document itself whatever the usual output format is', async () => {
  const home = await withFiveBlocked();
  const env = { FRONTDESK_OUTPUT: 'json' };
  const result = await runFrontdesk(['runs', 'report', 'nightly', '--as', 'markdown'], { home, env });
  expect(result.stdout).toBe((await report(home, 'markdown')).stdout);
});

test.each([
  [['nightly'], '--as: is required: one of html, junit, markdown'],
  [['nightly', '--as', 'htm'], '--as: must be one of html, junit, markdown'],
  [
    ['nightly', '--as', 'junit', '--json', '--query', 'run'],
    '--as: prints a whole document, which excludes --columns, --query and -o xlsx',
  ],
  [['none', '--as', 'html'], 'none'],
  [['../x', '--as', 'html'], 'cannot name a run'],
  [['--as', 'html'], '<run>: is required, or --last'],
  [['nightly', '--last', '--as', 'html'], 'exclude each other'],
])('runs report: %j is exit 2', async (args, message) => {
  const home = await withFiveBlocked();
  const result = await runFrontdesk(['runs', 'report', ...args], { home });
  expect([result.code, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toContain(message);
});

test.each(FORMS)('no secret and no data of a customer in the report: %s', async (form) => {
  const home = createHome();
  const { server } = await blockFive(home, [
    '--expect',
    'cardHolder=Ann Lee',
    '--expect',
    'metadata.mail=ann@example.com',
  ]);
  const subscribers = [
    'calendar',
    'subscribers',
    'update',
    '--from',
    '-',
    '--yes',
    '--first-name',
    'Bea',
    '--run',
    'people',
  ];
  await runFrontdesk(subscribers, {
    env: server.env,
    home,
    stdin: 'id,email,last_name\ns1,bea@example.com,Miller\ns2,,Smith\n',
  });
  const text = `${(await report(home, form)).stdout}${(await report(home, form, 'people')).stdout}`;
  const secrets = ['Secret', '4711', 'Ann', 'Lee', 'ann@', 'Bea', 'bea@', 'Miller', 'Smith'];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  for (const token of Object.entries(server.env).filter(([name]) => name.endsWith('_TOKEN'))) {
    expect(text).not.toContain(token[1]);
  }
});

test('a report of a run that was killed, with half a record at the end', async () => {
  const home = await withFiveBlocked();
  // What a kill after the intent of row 5 leaves.
  changeJournal(home, (lines) => lines.slice(0, lines.findLastIndex((line) => line.includes('"intent"')) + 1));
  appendFileSync(runFile(home, 'journal.jsonl'), '{"n":5,"t":17776');
  const html = await report(home, 'html');
  expect([html.code, html.stderr]).toEqual([0, '']);
  expect(html.stdout).toContain('<h1>2 of 5 rows succeeded</h1>');
  expect(html.stdout).toContain('The process of the run was killed.');
  expect((await report(home, 'junit')).stdout).toContain('tests="5" failures="1" errors="2" skipped="0"');
});

test('a report of a run whose journal is damaged goes up to the damage, and says so', async () => {
  const home = await withFiveBlocked();
  changeJournal(home, (lines) => lines.map((line, index) => (index === 4 ? line.replace('"n"', '"N"') : line)));
  const result = await report(home, 'markdown');
  expect(result.code).toBe(0);
  expect(result.stdout).toContain(
    'The record of the run could not be read to its end: what it says after that is missing here.',
  );
  expect(result.stderr).toContain('damaged at line 5');
});

test('a report of a run whose rows are gone has no IDs of rows that were not reached', async () => {
  const home = await withFiveBlocked('--max-failures', '1');
  rmSync(runFile(home, 'rows'));
  const result = await report(home, 'junit');
  expect(result.code).toBe(0);
  expect(result.stdout.match(/<testcase name="[^"]*"/g)).toEqual([
    ...[1, 2, 3].map((n) => `<testcase name="row ${n} ${cardId(n)}"`),
    '<testcase name="row 4"',
    '<testcase name="row 5"',
    '<testcase name="run"',
  ]);
  expect((await report(home, 'markdown')).stdout).toContain(
    'The rows of the run could not be read, so some IDs are missing.',
  );
});

test('a report of a run of a newer frontdesk has what is understood', async () => {
  const home = await withFiveBlocked();
  // The header is frontdesk's own JSON.
  const header = JSON.parse(readFileSync(runFile(home, 'header.json'), 'utf8')) as object;
  const newer = { ...header, version: 3, operation: 'card.freeze', colour: 'green', inputFormat: 'parquet' };
  writeFileSync(runFile(home, 'header.json'), JSON.stringify(newer));
  const result = await report(home, 'markdown');
  expect(result.code).toBe(0);
  expect(result.stdout).toContain('- Command: `card freeze`');
  expect(result.stdout).toContain('| applied | 3 |');
  expect(result.stdout).toContain('A newer frontdesk wrote this run. What this one does not know is left out.');
  expect((await runFrontdesk(['runs', 'show', 'nightly'], { home })).code).toBe(2);
});

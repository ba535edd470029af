import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cardId, playService, rowLines } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';

/** What version 0.1.0 wrote: its history and the folders of its runs. */
const OLD_STATE = fileURLToPath(new URL('../fixtures/state-0.1.0', import.meta.url));

function homeWithOldState(): Home {
  const home = createHome();
  cpSync(OLD_STATE, home.stateDir, { recursive: true });
  return home;
}

test('the history of version 0.1.0 is read: single changes and rows of runs', async () => {
  const { code, stdout } = await runFrontdesk(['history', '--json', '--limit', '100'], { home: homeWithOldState() });
  // The members of an entry, as a test reads them.
  const entries = JSON.parse(stdout) as Record<string, string | number | null>[];
  expect(code).toBe(0);
  const line = ({ run, operation, id, outcome, httpStatus, requestId, resultId }: (typeof entries)[number]) =>
    [run, operation, String(id).slice(-3), outcome, httpStatus, requestId, String(resultId).slice(-3)].join(' ');
  expect(entries.filter(({ run }) => run === null).map(line)).toEqual([
    ' calendar.event.create ull applied 200 req-10 _10',
    ' card.block 009 unknown   ull',
    ' card.activate 001 not_sent   ull',
    ' card.block 005 confirmed_by_read 200 req-8 ull',
    ' card.block 004 unknown 500 req-4 ull',
    ' card.block 002 rejected 404 req-3 ull',
    ' card.reissue 007 applied 200 req-2 907',
    ' card.block 001 applied 200 req-1 ull',
  ]);
  expect(entries.filter(({ run }) => run === 'killed').map(line)).toEqual([
    'killed card.reissue 009 unknown   ull',
    'killed card.reissue 002 rejected 404 req-31 ull',
    'killed card.reissue 001 applied 200 req-30 901',
  ]);
  expect(entries.at(-1)).toMatchObject({
    time: '2026-11-21T22:02:18.891Z',
    user: 'desk',
    reason: 'lost, ticket 4711',
    durationMs: 37,
  });
});

test.each([
  [
    'finished',
    [
      '1 applied 200 1',
      '2 rejected 404 1 NOT_FOUND',
      '3 rejected 409 1 REJECTED',
      '4 unknown 500 1 OUTCOME_UNKNOWN',
      '5 confirmed_by_read 200 1',
      '6 not_sent null 0 PRECONDITION',
      '7 applied 200 1',
    ],
  ],
  [
    'stopped',
    [
      '1 applied 200 1',
      '2 rejected 404 1 NOT_FOUND',
      '3 rejected 409 1 REJECTED',
      '4 not_sent null 0 PARTIAL',
      '5 not_sent null 0 PARTIAL',
    ],
  ],
  [
    'killed',
    ['1 applied 200 1', '2 rejected 404 1 NOT_FOUND', '3 unknown null 1 OUTCOME_UNKNOWN', '4 not_sent null 0 PARTIAL'],
  ],
  ['resumed', ['1 applied 200 1', '2 applied 200 1', '3 applied 200 1']],
  ['events', ['1 applied 200 1', '2 applied 200 1']],
])('the results of the run %s of version 0.1.0 are read', async (run, lines) => {
  const result = await runFrontdesk(['runs', 'results', run, '-o', 'ndjson'], { home: homeWithOldState() });
  const message = `run ${run} was begun by an earlier build, so ids of rows that it did not reach are missing`;
  const lacksIds = ['stopped', 'killed'].includes(run);
  const stderr = lacksIds ? `${JSON.stringify({ notice: { code: 'NO_IDS', message } })}\n` : '';
  expect(result).toMatchObject({ code: 0, stderr });
  expect(rowLines(result.stdout)).toEqual(lines);
});

test('a run of version 0.1.0 says why a row failed, and when it was sent', async () => {
  const { stdout } = await runFrontdesk(['runs', 'results', 'finished', '-o', 'ndjson'], {
    home: homeWithOldState(),
  });
  const errors = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { error: { message: string; sentAt?: string } | null }).error);
  expect(errors[2]).toMatchObject({
    message: `could not block card ${cardId(3)}: the service returned 409 (CARD_EXPIRED). Nothing was changed.`,
    service: { errorCode: 'CARD_EXPIRED' },
    http: { status: 409, requestId: 'req-16' },
  });
  expect(errors[3]).toMatchObject({
    sentAt: expect.stringMatching(/^2026-11-21T22:02:2/),
    observed: { status: 'ACTIVE' },
  });
  expect(errors[5]?.message).toBe(
    `could not block card ${cardId(6)}: the card did not match what was expected. Nothing was sent.`,
  );
});

test('runs of version 0.1.0 are listed', async () => {
  const { stdout } = await runFrontdesk(['runs', 'list', '--json'], { home: homeWithOldState() });
  expect(JSON.parse(stdout)).toMatchObject([
    { run: 'resumed', state: 'finished', outcomes: { applied: 3 } },
    { run: 'events', state: 'finished', outcomes: { applied: 2 } },
    { run: 'killed', state: 'interrupted', outcomes: { applied: 1, rejected: 1, not_sent: 1, unknown: 1 } },
    { run: 'stopped', state: 'stopped', outcomes: { applied: 1, rejected: 2, not_sent: 2 } },
    {
      run: 'finished',
      state: 'unsettled',
      outcomes: { applied: 2, confirmed_by_read: 1, rejected: 2, not_sent: 1, unknown: 1 },
    },
  ]);
});

test.each([
  ['runs resume', ['runs', 'resume', 'stopped', '-o', 'table']],
  ['runs resume --resend-unknown', ['runs', 'resume', 'killed', '--resend-unknown', '--yes', '-o', 'table']],
  ['--run', ['card', 'reissue', '--from', 'input', '--run', 'killed', '--yes']],
  ['runs revert', ['runs', 'revert', 'subscribers', '--plan', 'back.plan']],
  ['runs results --as-input', ['runs', 'results', 'killed', '--as-input']],
])('%s of a run of version 0.1.0 is refused, with what to do, and sends nothing', async (_, args) => {
  const home = homeWithOldState();
  const runs = join(home.stateDir, 'runs');
  cpSync(join(runs, 'killed'), join(runs, 'subscribers'), { recursive: true });
  cpSync(join(runs, 'killed', 'input'), join(home.path, 'input'));
  const server = await startRecordingServer(playService());
  const atThisServer = (run: string, operation = 'card.reissue') => {
    const path = join(runs, run, 'header.json');
    const header = readFileSync(path, 'utf8').replace('http://127.0.0.1:18099', server.url);
    writeFileSync(path, header.replace('"card.reissue"', `"${operation}"`).replace('"killed"', `"${run}"`));
  };
  atThisServer('stopped');
  atThisServer('killed');
  atThisServer('subscribers', 'calendar.subscribers.update');
  const run = args.find((arg) => ['stopped', 'killed', 'subscribers'].includes(arg)) ?? '';
  const result = await runFrontdesk(args, { home, env: server.env, cwd: home.path });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  // Neither makes a request, so they say nothing of what was sent.
  const told = ['revert', 'results'].includes(args[1] ?? '') ? '' : '. Nothing was sent.';
  expect(result.stderr).toBe(
    `frontdesk: run ${run} was begun by an earlier build: it tells what it did, and cannot go on${told}\n` +
      `hint: see its rows: frontdesk runs results ${run}\n` +
      `hint: begin a new run with the rows that are left of ${join(runs, run, 'input')}\n`,
  );
  expect(server.requests).toEqual([]);
  expect(existsSync(join(runs, run, 'input'))).toBe(true);
});

test('a report of a run of version 0.1.0 says what it cannot know', async () => {
  const result = await runFrontdesk(['runs', 'report', 'killed', '--as', 'markdown'], { home: homeWithOldState() });
  expect(result.code).toBe(0);
  expect(result.stdout).toContain('An earlier build began this run: ids of rows that it did not reach are missing.');
});

test('unknown rows are named before a run of version 0.1.0 is removed', async () => {
  const home = homeWithOldState();
  const open = await runFrontdesk(['history', '--open', '--json'], { home });
  // The members of an entry, as a test reads them.
  const entries = JSON.parse(open.stdout) as { entry: string }[];
  expect(entries.map(({ entry }) => entry)).toEqual(expect.arrayContaining(['killed:3', 'finished:4']));
  const questions = [
    'Delete run killed? It is interrupted, has 1 row whose outcome is unknown (open: killed:3) and cannot be resumed once deleted.',
    'Delete run finished? It is unsettled and has 1 row whose outcome is unknown (open: finished:4).',
  ];
  for (const question of questions) {
    const [, , run = ''] = question.split(/[ ?]/);
    const asked = await runFrontdesk(['runs', 'remove', run], { home });
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain(question);
    expect(existsSync(join(home.stateDir, 'runs', run))).toBe(true);
  }
  const all = await runFrontdesk(['runs', 'remove', '--older-than', '1ms'], { home });
  for (const question of questions)
    expect(all.stderr).toContain(question.slice('Delete run '.length, -1).replace('? It', ''));
});

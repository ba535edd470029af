import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cardId, idLines, openPlain, refusal } from '../support/plain-service.ts';

const FORMS = ['html', 'junit', 'markdown'] as const;

/** A run `nightly` of five cards, one after the other: two blocked, one rejected, one unknown, one blocked. */
async function blockFive(...args: readonly string[]) {
  const place = await openPlain(({ url, method }) => {
    if (url.includes(cardId(3))) return refusal(412, 'CARD_EXPIRED');
    return url.includes(cardId(4)) && method === 'POST' ? refusal(503, 'TRY_LATER') : undefined;
  });
  const nightly = ['--retries', '0', '--reason', 'Secret 4711', '--run', 'nightly'];
  await place.run(['card', 'block', '--from', '-', '--yes', '-j', '1', ...nightly, ...args], idLines(5));
  const folder = join(place.home.stateDir, 'runs', 'nightly');
  return {
    ...place,
    folder,
    report: (form: string, name = 'nightly') => place.run(['runs', 'report', name, '--as', form]),
    changeJournal(change: (lines: string[]) => readonly string[]): void {
      const path = join(folder, 'journal.jsonl');
      const lines = readFileSync(path, 'latin1').split('\n').slice(0, -1);
      writeFileSync(path, `${change(lines).join('\n')}\n`, 'latin1');
    },
  };
}

test('runs report prints the document on stdout, exits 0, sends nothing and leaves the run as it is', async () => {
  const { folder, report, server } = await blockFive();
  const state = () => {
    const paths = readdirSync(folder).map((name) => join(folder, name));
    return paths.map((path) => [path, readFileSync(path, 'latin1'), statSync(path).mtimeMs]);
  };
  const [before, requests] = [state(), server.requests.length];
  for (const form of FORMS) {
    expect(await report(form)).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('CARD_EXPIRED') });
  }
  expect(server.requests).toHaveLength(requests);
  expect(state()).toEqual(before);
});

test('runs report tells an event by its new ID, never by its name, and without one by its number alone', async () => {
  const { run } = await openPlain((_request, count) => (count === 1 ? undefined : { status: 400, body: {} }));
  const stdin = 'name,start,calendar,Team\nAnn,2027-04-02,cal_1,x\nBob,2027-04-03,cal_1,x\nCid,2027-04-03,cal_1,y\n';
  const create = ['calendar', 'event', 'create', '--from', '-', '--yes', '-j', '1', '--run', 'nightly'];
  expect((await run([...create, '--where', 'Team=x'], stdin)).code).toBe(15);
  const report = async (as: string) => (await run(['runs', 'report', 'nightly', '--as', as])).stdout;
  const [junit, html] = [await report('junit'), await report('html')];
  expect(junit.match(/<testcase name="[^"]*"/g)).toEqual(['<testcase name="row 1 evt_1"', '<testcase name="row 2"']);
  expect(html).toContain('--where Team,');
  for (const name of ['Ann', 'Bob', 'Team=x']) expect(junit + html).not.toContain(name);
});

test('runs report with --json is one object that holds the document, which no usual output format changes', async () => {
  const { json, report, run } = await blockFive();
  const document = (await report('junit')).stdout;
  expect(await json('runs', 'report', 'nightly', '--as', 'junit')).toEqual({ run: 'nightly', as: 'junit', document });
  const usual = await run(['runs', 'report', 'nightly', '--as', 'junit'], '', { FRONTDESK_OUTPUT: 'json' });
  expect(usual.stdout).toBe(document);
});

test.each([
  [['nightly'], '--as: is required: one of html, junit, markdown'],
  [['nightly', '--as', 'htm'], '--as: must be one of html, junit, markdown'],
  [['nightly', '--as', 'junit', '--json', '--query', 'run'], '--as: prints a whole document, which excludes --columns'],
  [['../x', '--as', 'html'], 'cannot name a run'],
  [['--as', 'html'], '<run>: is required, or --last'],
])('runs report: %j is exit 2', async (args, message) => {
  const { run } = await blockFive();
  const result = await run(['runs', 'report', ...args]);
  expect([result.code, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toContain(message);
});

test.each(FORMS)('no secret and no data of a customer in the report: %s', async (form) => {
  const expects = ['--expect', 'cardHolder=Ann Lee', '--expect', 'metadata.mail=ann@example.com'];
  const { report, run, server } = await blockFive(...expects);
  const update = ['calendar', 'subscribers', 'update', '--from', '-', '--yes', '--first-name', 'Bea'];
  await run([...update, '--run', 'people'], 'id,email,last_name\ns1,bea@example.com,Miller\ns2,,Smith\n');
  const text = `${(await report(form)).stdout}${(await report(form, 'people')).stdout}`;
  const tokens = Object.keys(server.env).flatMap((name) => (name.endsWith('_TOKEN') ? [server.env[name] ?? ''] : []));
  const secrets = ['Secret', '4711', 'Ann', 'Lee', 'ann@', 'Bea', 'bea@', 'Miller', 'Smith', ...tokens];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

test('a report of a run that was killed, with half a record at the end', async () => {
  const { changeJournal, folder, report } = await blockFive();
  // What a kill after the intent of row 5 leaves.
  changeJournal((lines) => lines.slice(0, lines.findLastIndex((line) => line.includes('"intent"')) + 1));
  appendFileSync(join(folder, 'journal.jsonl'), '{"n":5,"t":17776');
  rmSync(join(folder, 'reached'));
  const html = await report('html');
  expect([html.code, html.stderr]).toEqual([0, '']);
  expect(html.stdout).toContain('<h1>2 of 5 rows succeeded</h1>');
  expect(html.stdout).toContain('The process of the run was killed.');
  expect((await report('junit')).stdout).toContain('tests="5" failures="1" errors="2" skipped="0"');
});

test('a report of a run whose journal is damaged goes up to the damage, and says so', async () => {
  const { changeJournal, report } = await blockFive();
  changeJournal((lines) => lines.map((line, index) => (index === 4 ? line.replace('"n"', '"N"') : line)));
  const result = await report('markdown');
  expect(result.code).toBe(0);
  expect(result.stdout).toContain(
    'The record of the run could not be read to its end: what it says after that is missing here.',
  );
  expect(result.stderr).toContain('damaged at line 5');
});

test('a report of a run whose rows are gone has no IDs of rows that were not reached', async () => {
  const { folder, report } = await blockFive('--max-failures', '1');
  rmSync(join(folder, 'rows'));
  const result = await report('junit');
  expect(result.code).toBe(0);
  expect(result.stdout.match(/<testcase name="[^"]*"/g)).toEqual([
    ...[1, 2, 3].map((n) => `<testcase name="row ${n} ${cardId(n)}"`),
    '<testcase name="row 4"',
    '<testcase name="row 5"',
    '<testcase name="run"',
  ]);
  expect((await report('markdown')).stdout).toContain(
    'The rows of the run could not be read, so some IDs are missing.',
  );
});

test('a report of a run of a newer frontdesk has what is understood', async () => {
  const { folder, report, run } = await blockFive();
  const path = join(folder, 'header.json');
  const header = JSON.parse(readFileSync(path, 'utf8'));
  const newer = { ...header, version: 3, operation: 'card.freeze', colour: 'green', inputFormat: 'parquet' };
  writeFileSync(path, JSON.stringify(newer));
  const result = await report('markdown');
  expect(result.code).toBe(0);
  expect(result.stdout).toContain('- Command: `card freeze`');
  expect(result.stdout).toContain('| applied | 3 |');
  expect(result.stdout).toContain('A newer frontdesk wrote this run. What this one does not know is left out.');
  expect((await run(['runs', 'show', 'nightly'])).code).toBe(2);
});

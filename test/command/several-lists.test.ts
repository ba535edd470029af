import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const entry = (id: string, email: string) => `{"id":"${id}","calendar":"x","email":"${email}","active":true,"n":1.10}`;
const listOf = (...entries: readonly string[]) => `{"object":"list","data":[${entries.join(',')}],"url":"/u"}`;

async function begin() {
  const home = createHome();
  const server = await startRecordingServer(({ url }): Reply => {
    if (url.includes('/c1')) return { status: 200, body: listOf(entry('s1', 'a@x'), entry('s2', 'b@x')) };
    if (url.includes('/c2/')) return { status: 200, body: listOf(entry('s1', 'a@x')) };
    if (url.includes('/odd/')) return { status: 200, body: listOf('"a"', '1.10', 'null', '[1]', '{"value":2}') };
    return { status: 404, body: '{}' };
  });
  const run = (...args: readonly string[]) => runFrontdesk(args, { home, env: server.env });
  return { server, run, file: (name: string, text: string) => writeFileSync(join(home.path, 'work', name), text) };
}

const LIST = ['calendar', 'subscribers', 'list'];

it('the lists of several calendars are an array of the Lists as sent in json, and entries with their calendar first elsewhere', async () => {
  const { server, run, file } = await begin();
  const json = await run(...LIST, 'c2', 'c1', '--json', '-q');
  expect(json.code).toBe(0);
  const lists = [listOf(entry('s1', 'a@x')), listOf(entry('s1', 'a@x'), entry('s2', 'b@x'))];
  expect(JSON.parse(json.stdout)).toEqual(lists.map((text) => JSON.parse(text)));
  expect(json.stdout).toContain('1.10');
  expect(server.lines.toSorted()).toEqual(['GET /v1/calendars/c1/subscribers', 'GET /v1/calendars/c2/subscribers']);
  const ndjson = await run(...LIST, 'c1', 'c2', '-o', 'ndjson', '-q', '--limit', '50');
  const line = (calendar: string, id: string, email: string) =>
    `{"calendar":"${calendar}","id":"${id}","email":"${email}","active":true,"n":1.10}\n`;
  expect(ndjson.stdout).toBe(line('c1', 's1', 'a@x') + line('c1', 's2', 'b@x') + line('c2', 's1', 'a@x'));
  expect(server.lines.slice(2).toSorted()).toEqual([
    'GET /v1/calendars/c1/subscribers?limit=50',
    'GET /v1/calendars/c2/subscribers?limit=50',
  ]);
  file('ids.txt', 'c1\n');
  const from = [...LIST, '--from', 'ids.txt', '--from-format', 'ids', '-q'];
  expect((await run(...from, '-o', 'csv')).stdout).toMatch(/^calendar,id,.*\r\nc1,s1,/);
  expect((await run(...from, '--json')).stdout).toMatch(/^\[/);
});

it('of several lists, an entry that is no object keeps its value in ndjson, and a notice names the format that has it', async () => {
  const { run } = await begin();
  const { stdout, stderr } = await run(...LIST, 'odd', 'odd', '-o', 'ndjson');
  const lines = ['"a"', '1.10', 'null', '[1]', '2'].map((value) => `{"calendar":"odd","value":${value}}`);
  expect(stdout.split('\n')).toEqual([...lines, ...lines, '']);
  expect(stderr).toContain('in another form than the service documents. JSON output shows it as sent');
});

it('of several lists, one that fails is an error with its row, and the others are printed (15)', async () => {
  const { run } = await begin();
  const { code, stdout, stderr } = await run(...LIST, 'c1', 'nope', 'c2', '--json');
  expect(code).toBe(15);
  expect(JSON.parse(stdout)).toHaveLength(2);
  expect(JSON.parse(stderr.split('\n')[0] ?? '').error).toMatchObject({ code: 'NOT_FOUND', row: 2, id: 'nope' });
});

it('of several lists, those that a refused token kept from being read are one line with their number', async () => {
  const home = createHome();
  const server = await startRecordingServer([{ body: listOf() }, { body: listOf() }, { status: 401, body: '{}' }]);
  const args = [...LIST, 'c1', 'c2', 'c3', '-j', '1', '--active', 'all', '-o', 'ndjson'];
  const { code, stderr } = await runFrontdesk(args, { home, env: server.env });
  expect(code).toBe(4);
  expect(stderr).toContain('{"notice":{"code":"NOT_REACHED","message":"1 row was not reached"}}\n');
  // Both halves of the first list, and one that was refused.
  expect(stderr).toContain(
    '{"summary":{"run":null,"rows":3,"outcomes":{"not_sent":1,"read":1,"failed":1},"requests":3,',
  );
});

it('several lists that may have more entries get a warning, and 15 with --require-complete', async () => {
  const { run } = await begin();
  const { code, stderr } = await run(...LIST, 'c2', 'c1', '--limit', '2', '--require-complete', '--json');
  expect(code).toBe(15);
  const [error, summary] = stderr.split('\n').map((line) => JSON.parse(line || 'null'));
  expect(error.error.message).toBe('1 of 2 lists may have more entries (c1), and the service documents no paging');
  expect(summary.summary).toMatchObject({ rows: 2, requests: 2, outcomes: { read: 2 }, exitCode: 15 });
  const many = Array.from({ length: 12 }, (_, index) => `c1-${index}`);
  expect((await run(...LIST, ...many, '--limit', '2')).stderr).toContain(
    `12 of 12 lists may have more entries (${many.slice(0, 10).join(', ')} and 2 more), and the service`,
  );
});

it('several lists are valid input of an update: a subscriber of two calendars whose copies are unchanged is no duplicate', async () => {
  const { server, run, file } = await begin();
  const { stdout } = await run(...LIST, 'c1', 'c2', '-o', 'csv', '-q');
  file('old.csv', stdout);
  file('new.csv', stdout.replace('b@x', 'c@x'));
  const before = server.requests.length;
  const update = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--changed-from', 'old.csv'];
  const { code, stderr } = await run(...update, '--dry-run', '--json');
  expect([code, stderr.includes('same id')]).toEqual([0, false]);
  const dry = await run(...update, '--dry-run', '--json', '-q');
  expect(JSON.parse(dry.stdout).requests.map(({ body }: { body: unknown }) => body)).toEqual([{ email: 'c@x' }]);
  expect(server.requests).toHaveLength(before);
});

it('several lists are valid input of an update: copies with the same values are no duplicates, others are', async () => {
  const { server, run, file } = await begin();
  const { stdout } = await run(...LIST, 'c1', 'c2', '-o', 'csv', '-q');
  file('same.csv', stdout);
  const at = stdout.lastIndexOf('a@x');
  file('other.csv', `${stdout.slice(0, at)}z@x${stdout.slice(at + 3)}`);
  const before = server.requests.length;
  const update = (name: string) =>
    run('calendar', 'subscribers', 'update', '--from', name, '--dry-run', '--json', '-q');
  expect(await update('same.csv')).toMatchObject({ code: 0, stderr: '' });
  const { code, stderr } = await update('other.csv');
  expect([code, stderr.match(/the same id as/g)?.length]).toEqual([2, 1]);
  expect(server.requests).toHaveLength(before);
});

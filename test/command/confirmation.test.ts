import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cardId, playService } from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';
import { type Handler, startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';
import { handMadeWorkbook, textRow } from '../support/workbooks.ts';

const READ = `GET /v1/cards/${CARD_ID}`;

/** Types `answer` at the question of a call on a terminal; how it ended, and what the service saw. */
async function answered(args: readonly string[], answer: string, handler: Handler = playService(), columns = 160) {
  const server = await startRecordingServer(handler);
  const home = createHome();
  const terminal = openTerminal(args, { home, env: server.env, columns });
  await terminal.waitFor(/\(y\/N/);
  const atQuestion = [...server.lines];
  terminal.type(answer);
  const { code, text } = await terminal.end;
  return { code, text, atQuestion, home, env: server.env, lines: server.lines, requests: server.requests };
}

test.each(['block', 'reissue'])('%s asks in a terminal after showing the card, and yes sends it', async (verb) => {
  const result = await answered(['card', verb, CARD_ID, '--reason', 'lost'], 'y\r');
  expect(result.atQuestion).toEqual([READ]);
  expect(result.text).toMatch(/Status +ACTIVE/);
  expect(result.text).toContain('order-1');
  expect(result.code).toBe(0);
  // Read again right before it leaves: it may have changed while the question stood.
  expect(result.lines).toEqual([READ, READ, `POST /v1/cards/${CARD_ID}/${verb}`]);
  expect(result.requests[2]?.body).toBe('{"reason":"lost"}');
});

test.each([
  ['block', 'BLOCKED', '▲ The card is BLOCKED already. A yes sends a second block.'],
  ['reissue', 'REISSUED', '▲ The card is REISSUED already. A yes sends a second reissue.'],
])('the question before a %s says that the card is %s', async (verb, status, told) => {
  const { text, lines } = await answered(['card', verb, CARD_ID], 'n\r', () => ({ body: cardText(status) }));
  expect(text).toContain(`\n\n${told}\nA ${verb} cannot be undone.\n`);
  expect(lines).toEqual([READ]);
});

const REPLACEMENT = '11111111-2222-3333-4444-555555555555';
const EVENT = ['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'T', '--start', '2026-05-01'];

const OF_CARD = (status: string) => `Card       ${CARD_ID}  order-1  ${status}  10.10`;
const SHOW = `Show it: frontdesk card get ${REPLACEMENT}`;
const NEW_CARD = [`Old card   ${CARD_ID}`, `New card   ${REPLACEMENT}  order-1  ACTIVE  10.10`, SHOW];

test.each([
  [['card', 'activate', CARD_ID], cardText('ACTIVE'), ['✔ ACTIVATED', OF_CARD('ACTIVE')]],
  [['card', 'block', CARD_ID, '-y'], cardText('BLOCKED'), ['✔ BLOCKED', OF_CARD('BLOCKED')]],
  [['card', 'reissue', CARD_ID, '-y'], cardText('ACTIVE', REPLACEMENT), ['✔ REISSUED', ...NEW_CARD]],
  [['card', 'reissue', CARD_ID, '-y'], cardText('ACTIVE'), ['✔ REISSUED', OF_CARD('ACTIVE')]],
  [['calendar', 'update', 'cal_1', '--name', 'n', '-y'], '{"id":"cal_1"}', ['✔ UPDATED', 'Calendar   cal_1']],
  [[...EVENT, '-y'], '{"id":"ev_9"}', ['✔ CREATED', 'Event      ev_9']],
])('a change ends in a terminal with how it ended, when, and of which card: %j', async (args, body, lines) => {
  const server = await startRecordingServer([{ body }]);
  const { code, text } = await openTerminal(args, { home: createHome(), env: server.env, columns: 160 }).end;
  expect(code).toBe(0);
  const last = text.trimEnd().split('\n').slice(-lines.length);
  expect(last.map((line) => line.replace(/ at \d\d:\d\d$/, ''))).toEqual(lines);
});

test('the question before an event shows it line by line, with what may be a mistake', async () => {
  const description = `First line\nsecond ${'word '.repeat(12)}end`;
  const args = [...EVENT, '--description', description, '--location', 'Cellar\\nTwo'];
  const { code, text, requests } = await answered(args, 'y\r', undefined, 80);
  expect(code).toBe(0);
  expect(text).toContain(
    [
      'frontdesk: warning: --location has a backslash and an n, not a line break, and',
      'is sent as given',
      '  calendar      "cal_1"',
      '  name          "T"',
      '  start         "2026-05-01"',
      '  location      "Cellar\\nTwo"',
      '  description   "First line',
      '                | second word word word word word word word word word word word',
      '                | word end"',
      '  The start is in the past.',
      '? Create event "T" at 127.0.0.1:',
    ].join('\n'),
  );
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ description, location: 'Cellar\\nTwo' });
});

test('an e-mail address without an @ is sent with a warning', async () => {
  const server = await startRecordingServer(() => ({ body: '{"id":"s1"}' }));
  const args = ['calendar', 'subscribers', 'update', 's1', '--email', 'ana.example.com'];
  const { code, text } = await openTerminal(args, { home: createHome(), env: server.env }).end;
  const warning = 'frontdesk: warning: --email has no @, and is sent as given\n';
  expect([code, text]).toEqual([0, expect.stringContaining(warning)]);
  expect(await runFrontdesk(args, { env: server.env })).toMatchObject({ code: 0, stderr: '' });
  expect(server.requests.map(({ body }) => body)).toEqual(Array(2).fill('{"email":"ana.example.com"}'));
});

test('no line about an applied change outside a terminal, or with --quiet', async () => {
  const server = await startRecordingServer(() => ({ body: cardText('BLOCKED') }));
  expect((await runFrontdesk(['card', 'block', CARD_ID, '-y'], { env: server.env })).stderr).toBe('');
  const quiet = openTerminal(['card', 'block', CARD_ID, '-y', '-q'], { home: createHome(), env: server.env });
  expect((await quiet.end).text).not.toContain('BLOCKED at');
});

test('what the question with --changed-from showed is sent, even if the files change meanwhile', async () => {
  const home = createHome();
  const [older, newer] = [join(home.path, 'old.csv'), join(home.path, 'new.csv')];
  writeFileSync(older, 'id,email\ns1,a@x\ns2,b@x\n');
  writeFileSync(newer, 'id,email\ns1,c@x\ns2,d@x\n');
  const server = await startRecordingServer(playService());
  const args = ['calendar', 'subscribers', 'update', '--from', newer, '--changed-from', older];
  const terminal = openTerminal(args, { home, env: server.env, columns: 200 });
  await terminal.waitFor(/\(y\/N/);
  writeFileSync(older, 'id,email\ns1,c@x\ns2,d@x\n');
  writeFileSync(newer, 'id,email\ns1,x@x\ns2,x@x\n');
  terminal.type('y\r');
  expect((await terminal.end).code).toBe(0);
  expect(server.requests.map(({ body }) => body)).toEqual(['{"email":"c@x"}', '{"email":"d@x"}']);
});

test('the question before many rows with --changed-from names emptied cells, and counts missing and hidden rows', async () => {
  const home = createHome();
  const [older, newer] = [join(home.path, 'old.csv'), join(home.path, 'new.xlsx')];
  writeFileSync(older, 'id,email,first_name\ns1,a@x,Ann\ns2,b@x,Bob\ns3,c@x,Cid\n');
  const hidden = textRow(3, ['s2', 'n@y', '']).replace('<row', '<row hidden="1"');
  const rows = textRow(1, ['id', 'email', 'first_name']) + textRow(2, ['s1', 'n@x', '']) + hidden;
  writeFileSync(newer, handMadeWorkbook({ rows }));
  const result = await answered(['calendar', 'subscribers', 'update', '--from', newer, '--changed-from', older], 'n\r');
  expect(result.text).toContain(
    [
      '2 of 2 rows change',
      '1 of 2 rows is hidden in the sheet, but included in this run',
      '1 row in the older file but not in the input, left unchanged',
      '▲ row 1 (line 2), s1: first_name was "Ann" and is empty now. It is not cleared (--empty-cells clear does that)',
      '▲ row 2 (line 3), s2: first_name was "Bob" and is empty now. It is not cleared (--empty-cells clear does that)',
    ].join('\n'),
  );
  expect(result.lines).toEqual([]);
});

test('one row of --from counts as a single change', async () => {
  const server = await startRecordingServer(playService());
  const result = await runFrontdesk(['card', 'activate', '--from', '-'], { env: server.env, stdin: `${CARD_ID}\n` });
  expect(result.code).toBe(0);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['yes', 'y\r', 0, 1],
  ['Enter', '\r', 130, 0],
])('api POST asks in a terminal: %s', async (_what, answer, code, requests) => {
  const result = await answered(['api', 'POST', '/v1/subscribers', '--data', '{"active":true}'], answer);
  expect(result.code).toBe(code);
  expect(result.text).toContain('POST /v1/subscribers');
  expect(result.lines).toHaveLength(requests);
});

test.each([
  [['card', 'block', CARD_ID]],
  [['card', 'block', cardId(1), cardId(2)]],
  [EVENT],
  [['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--out', 's.json']],
  [['plan', 'apply', 'p.plan']],
  [['api', 'POST', '/v1/subscribers', '--data', '{}']],
])('a yes sends nothing once the profile was made read-only beside the question: %j', async (args) => {
  const server = await startRecordingServer(playService());
  const home = createHome();
  const run = (...words: readonly string[]) => runFrontdesk(words, { home, env: server.env, cwd: home.path });
  const set = ['profile', 'set', 'live', '--cards-url', server.url, '--calendar-url', server.url, '--read-only'];
  await run(...set, 'false');
  if (args[0] === 'plan') await run('card', 'block', CARD_ID, '--plan', 'p.plan', '-p', 'live');
  const terminal = openTerminal([...args, '-p', 'live'], { home, env: server.env });
  await terminal.waitFor(/\(y\/N/);
  await run(...set, 'true');
  terminal.type('y\r');
  const said = expect.stringContaining('frontdesk: profile live is read-only. Nothing was sent.');
  expect(await terminal.end).toMatchObject({ code: 5, text: said });
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
});

test('profile remove asks, and the default is no', async () => {
  const home = createHome();
  await runFrontdesk(['profile', 'set', 'live'], { home });
  const ask = async (answer: string) => {
    const terminal = openTerminal(['profile', 'remove', 'live'], { home, columns: 120 });
    await terminal.waitFor(/\(y\/N/);
    terminal.type(answer);
    return (await terminal.end).code;
  };
  expect([await ask('\r'), (await runFrontdesk(['profile', 'show', 'live'], { home })).code]).toEqual([130, 0]);
  expect([await ask('y\r'), (await runFrontdesk(['profile', 'show', 'live'], { home })).code]).toEqual([0, 2]);
});

test('the question about several rows says how many will not be sent, and why the first of them is not', async () => {
  const [blocked, gold] = [cardId(2), cardId(3)];
  const args = ['card', 'block', cardId(1), blocked, gold, '--skip-if', 'status=BLOCKED', '--expect', 'design=classic'];
  const { code, text, lines } = await answered(args, '\r', ({ url }) => {
    const id = url.split('/')[3] ?? '';
    const card = cardText(id === blocked ? 'BLOCKED' : 'ACTIVE', id);
    return { body: id === gold ? card.replace('"classic"', '"gold"') : card };
  });
  expect(code).toBe(130);
  expect(text).toContain('1 row will not be sent because of --skip-if: row 2: the card is BLOCKED already');
  expect(text).toMatch(/1 row will not be sent because of --expect: row 3: design is "?gold"?, not "?classic"?/);
  expect(lines.filter((line) => line.startsWith('POST'))).toEqual([]);
});

test('nobody is asked about cards that all are as --skip-if says', async () => {
  const server = await startRecordingServer(({ url }) => ({ body: cardText('BLOCKED', url.split('/')[3]) }));
  const args = ['card', 'block', cardId(1), cardId(2), '--skip-if', 'status=BLOCKED'];
  const { code, text } = await openTerminal(args, { home: createHome(), env: server.env, columns: 160 }).end;
  expect([code, text.includes('y/N'), server.lines.filter((line) => line.startsWith('POST'))]).toEqual([0, false, []]);
});

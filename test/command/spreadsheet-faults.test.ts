import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

/** Updates subscribers from `new.csv`, off a terminal; what stood on stderr, and what was sent. */
async function update(files: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const home = createHome();
  const server = await startRecordingServer(() => ({ status: 200, body: '{"email":"x"}' }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, 'work', name), text);
  const args = ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--yes', ...more];
  const { code, stderr } = await runFrontdesk(args, { home, env: server.env });
  const sent = server.requests.map(({ url, body }) => `${url} ${body}`);
  return { code, stderr, sent };
}

const OLDER = ['--changed-from', 'old.csv'];

it('a file with a wrong header has one error for each column, and none for its rows', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `s${at},no boolean,x`).join('\n');
  const { code, stderr, sent } = await update({ 'new.csv': `id,activ,emial\n${rows}\n` });
  expect([code, sent]).toEqual([2, []]);
  expect(stderr.trimEnd().split('\n')).toEqual([
    'frontdesk: 2 faults in "new.csv", nothing was sent:',
    '  line 1, column 2: unknown column "activ": did you mean active?',
    '  line 1, column 3: unknown column "emial": did you mean email?',
  ]);
});

it('a file with booleans of another language or errors of a formula is refused, and says what to write', async () => {
  const { code, stderr, sent } = await update(
    {
      'new.csv': 'id,active,email,note\ns1,WAHR,a@x,c\ns2,faux,a@x,c\n#REF!,true,a@x,c\ns4,true,#N/A,#REF!\n',
    },
    ['--ignore-columns', 'note'],
  );
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain(
    'line 2 and 1 more, column active: must be true or false, not "WAHR". Or save as .xlsx, which needs no words\n',
  );
  expect(stderr).toContain('line 4, column id: #REF! is a spreadsheet error, not a value');
  expect(stderr).toContain('line 5, column email: #N/A is a spreadsheet error, not a value');
  expect(stderr).not.toContain('column note');
});

it('with --changed-from an ID that lost its zeros is named with the one that it was', async () => {
  const { code, stderr, sent } = await update(
    { 'old.csv': 'id,email\n00000101,a@x\n', 'new.csv': 'id,email\n101,a@y\n' },
    OLDER,
  );
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain('"101" is not in "old.csv", which has "00000101": was a zero lost, or the case changed?');
});

it('with --changed-from text that was opened in the wrong encoding is an error of the whole file', async () => {
  const { code, stderr, sent } = await update(
    {
      'old.csv': 'id,first_name\ns1,Günther\ns2,Zoë\ns3,Ann\n',
      'new.csv': 'id,first_name\ns1,GÃ¼nther\ns2,ZoÃ«\ns3,Anna\n',
    },
    OLDER,
  );
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain(
    'line 2: 2 cells are the older text, opened as Windows-1252 or Latin-1 and saved (first_name: "Günther" became "GÃ¼nther")',
  );
});

it('--expect-changes requires exactly so many rows that differ (17), and an older file (2)', async () => {
  const files = { 'old.csv': 'id,email\ns1,a@x\ns2,b@x\n', 'new.csv': 'id,email\ns1,a@y\ns2,b@x\n' };
  const wrong = await update(files, [...OLDER, '--expect-changes', '2']);
  expect([wrong.code, wrong.sent]).toEqual([17, []]);
  expect(wrong.stderr).toContain('1 row differs from the older file, and --expect-changes says 2. Nothing was sent.');
  const right = await update(files, [...OLDER, '--expect-changes', '1']);
  expect([right.code, right.sent]).toEqual([0, ['/v1/subscribers/s1 {"email":"a@y"}']]);
  expect((await update(files, ['--expect-changes', '1'])).code).toBe(2);
  expect((await update(files, [...OLDER, '--expect-changes', '2', '--dry-run'])).code).toBe(17);
});

it('without --changed-from, text that looks garbled is a warning that counts it and shows the first', async () => {
  const { code, stderr, sent } = await update({
    'new.csv': 'id,first_name\ns1,GÃ¼nther\ns2,ZoÃ«\ns3,Müller\ns4,Ã\ns5,Â£\n',
  });
  expect(code).toBe(0);
  expect(stderr).toContain(
    '3 cells of column first_name (row 1 and others) have text that was opened in the wrong encoding ("GÃ¼nther" for "Günther"), and are sent as given',
  );
  expect(sent).toHaveLength(5);
  const { stderr: one } = await update({ 'new.csv': 'id,first_name\ns1,GÃ¼nther\n' });
  expect(one).toContain('1 cell of column first_name (row 1) has text that was opened in the wrong encoding');
});

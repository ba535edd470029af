import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openTerminal } from '../../support/pty.ts';
import type { RunResult } from '../../support/run-frontdesk.ts';
import { CARD_ID } from '../../support/sample-card.ts';
import { AS_SOMEBODY_ELSE, onStage, type Stage } from './stage.ts';

const OTHER_ID = CARD_ID.replace('7', '8');

async function expectRefused(stage: Stage, result: Promise<RunResult>, ...texts: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await result;
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^frontdesk: /) });
  for (const text of texts) expect(stderr).toContain(text);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  expect(stage.lines).toEqual([]);
}

test.concurrent('I20 refuses JSON on stdin that is broken or ambiguous, naming line and column', () =>
  onStage(async (stage) => {
    const update = ['calendar', 'update', '--from', '-', '--yes', '--from-format'];
    const cases = [
      ['json', '[{"id":"cal_1",\n  "name":}]', 'line 2', 'column'],
      ['json', '[{"id":"cal_1","name":"a","name":"b"}]', 'name'],
      ['json', '{"id":"cal_1","name":"a"}', 'array'],
      ['json', '[["cal_1"]]', 'line 1'],
      ['ndjson', '{"id":"cal_1","name":"a"}\n{"id":"cal_2"', 'line 2'],
      ['ndjson', '{"id":"cal_1","name":12345678901234567890}', 'name'],
    ] as const;
    await Promise.all(
      cases.map(([format, stdin, ...texts]) =>
        expectRefused(stage, stage.run([...update, format], { stdin }), ...texts),
      ),
    );
    const raw = ['api', 'POST', '/v1/events/import', '--yes', '--data', '@-'];
    await expectRefused(stage, stage.run(raw, { stdin: '{"a":1,}' }), 'line 1');
    await expectRefused(stage, stage.run(raw, { stdin: '{"a":1,"a":2}' }), 'a');
  }));

test.concurrent('I20 sends numbers of a raw body digit for digit, and takes a BOM', () =>
  onStage(async (stage) => {
    const stdin = '\ufeff{"amount":12345678901234567.890,"small":1e-400}';
    const { code } = await stage.run(['api', 'POST', '/v1/events/import', '--yes', '--data', '@-'], { stdin });
    expect(code).toBe(0);
    expect(stage.server.requests[0]?.body).toBe('{"amount":12345678901234567.890,"small":1e-400}');
    const rows = '\ufeff[{"id":"cal_1","name":"a"}]';
    expect((await stage.run(['calendar', 'update', '--from', '-', '--yes'], { stdin: rows })).code).toBe(0);
    expect(stage.lines).toEqual(['POST /v1/events/import', 'POST /v1/calendars/cal_1']);
  }));

const READS_STDIN = [
  ['card block --from - --yes', '--from: could not read stdin'],
  ['card block --from - --plan new.plan', '--from: could not read stdin'],
  ['calendar subscribers update --from new.csv --changed-from - --yes', '--changed-from: could not read stdin'],
  ['calendar update cal_1 --description-file - --yes', '--description-file: could not read stdin'],
  ['api POST /v1/events/import --data @- --yes', '--data: could not read stdin'],
  ['auth login -p live --family cards --token-stdin', '--token-stdin: could not read stdin'],
] as const;

test.runIf(process.platform === 'linux').concurrent.each([
  // The memory of another process cannot be read at 0, as a disk that is broken.
  ['of a broken device', 'exec 3< /proc/self/mem', 'the device reported an error (EIO)'],
  ['that is a folder', 'exec 3< .', 'it is a folder (EISDIR)'],
])('I25 E20 refuses a stdin %s', (_, open, reason) =>
  onStage(async (stage) => {
    stage.file('new.csv', 'id,email\ns1,a@x\n');
    for (const [args, what] of READS_STDIN) {
      const run = stage.shell(`${open}; unset FRONTDESK_CARDS_TOKEN; $FD ${args} <&3; exit $?`, {
        env: args.startsWith('auth') ? {} : { FRONTDESK_CALENDAR_TOKEN: 'x' },
      });
      const { code, stdout, stderr } = await run;
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr.replace('. Nothing was sent.', '')).toBe(`frontdesk: ${what}: ${reason}\n`);
    }
    expect(stage.lines).toEqual([]);
  }),
);

test.runIf(process.platform === 'linux').concurrent('E20 says why mcp stops if stdin cannot be read, and exits', () =>
  onStage(async (stage) => {
    const { code, stdout, stderr } = await stage.shell('exec 3< /proc/self/mem; $FD mcp <&3; exit $?');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('warning: could not read stdin: the device reported an error (EIO)\n');
  }),
);

test.concurrent('I21 never waits for data from a terminal without a prompt', () =>
  onStage(async ({ home, env, lines }) => {
    const calls = [
      ['card', 'get', '--from', '-'],
      ['calendar', 'update', 'cal_1', '--description-file', '-'],
      ['api', 'POST', '/v1/events/import', '--yes', '--data', '@-'],
      ['card', 'get', '--no-input'],
    ];
    const ends = await Promise.all(calls.map((args) => openTerminal(args, { home, env }).end));
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    for (const { text } of ends.slice(0, 3)) expect(text).toContain('terminal');
    expect(lines).toEqual([]);
  }));

test.concurrent('I22 reads the whole CSV before the first request, and lists every error with its line', () =>
  onStage(async (stage) => {
    const update = (content: string | Uint8Array, name: string) =>
      stage.run(['calendar', 'subscribers', 'update', '--yes', '--from', stage.file(name, content)]);
    const rows = Array.from({ length: 30 }, (_, index) => `sub_${index},x`).join('\n');
    const cases: readonly (readonly [content: string | Uint8Array, ...texts: readonly string[]])[] = [
      ['id,email\nsub_1,a\nsub_2,b,c\nsub_3\n', 'line 3', 'line 4'],
      ['id,email\nsub_1\u0000,a\n', 'line 2', 'id'],
      ['sub_1,a\nsub_2,b\n', 'line 1'],
      ['id,email,email\nsub_1,a,b\n', 'email'],
      ['id,emial\nsub_1,a\n', 'emial', 'email'],
      [Buffer.from('id,first_name\nsub_1,Jos\u00e9\n', 'latin1'), 'UTF-8'],
      ['id,email\n"sub_1,a\n', 'line 2'],
      [`id,active\n${rows}\n`, '30 faults', 'line 2 and 29 more', 'active'],
      ['id,active\nsub_1,true\nsub_2,x\nsub_3\n', 'line 3', 'line 4'],
    ];
    await Promise.all(
      cases.map(([content, ...texts], index) => expectRefused(stage, update(content, `rows-${index}.csv`), ...texts)),
    );
  }));

test.concurrent('I22 takes a BOM, CRLF, and line breaks inside quotes', () =>
  onStage(async (stage) => {
    const file = stage.file('rows.csv', '\ufeffid;first_name\r\nsub_1;"A\r\nB"\r\n');
    const { code } = await stage.run(['calendar', 'subscribers', 'update', '--yes', '--from', file]);
    expect(code).toBe(0);
    expect(stage.server.requests.map(({ target, body }) => [target, body])).toEqual([
      ['/v1/subscribers/sub_1', '{"first_name":"A\\r\\nB"}'],
    ]);
  }));

test.concurrent('I23 refuses the same card twice, whatever its case, without --allow-duplicates', () =>
  onStage(async (stage) => {
    const twice = `${CARD_ID}\n${OTHER_ID}\n${CARD_ID.toUpperCase()}\n`;
    const block = ['card', 'block', '--yes', '--from', stage.file('rows.txt', twice)];
    await expectRefused(stage, stage.run(block), 'line 3', '--allow-duplicates');
    await expectRefused(stage, stage.run(['card', 'activate', '--yes', CARD_ID, CARD_ID]), '--allow-duplicates');
    expect((await stage.run([...block, '--allow-duplicates'])).code).toBe(0);
    expect(stage.lines).toHaveLength(3);
  }));

test.concurrent('I24 resumes with the rows as they were at the start, even if the file changes', () =>
  onStage(async (stage) => {
    const file = stage.file('rows.txt', `${CARD_ID}\n`);
    const activate = ['card', 'activate', '--yes', '--run', 'monday', '--from', file];
    expect((await stage.run(activate)).code).toBe(0);
    stage.file('rows.txt', `${OTHER_ID}\n`);
    const other = await stage.run(activate);
    expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 2, stdout: '' });
    expect(other.stderr).toContain('could not start run monday: it exists, and its rows differ. Nothing was sent.');
    const rows = readFileSync(stage.path('../state/runs/monday/rows'), 'utf8');
    expect(rows).toContain(CARD_ID);
    stage.file('../state/runs/monday/rows', rows.replace(CARD_ID, OTHER_ID));
    const changed = await stage.run(['runs', 'resume', 'monday']);
    expect({ code: changed.code, stdout: changed.stdout }).toEqual({ code: 2, stdout: '' });
    expect(changed.stderr).toContain('the rows of run monday were changed after they were written');
    expect(stage.lines).toEqual([`POST /v1/cards/${CARD_ID}/activate`]);
  }));

test.concurrent('I24 refuses rows that do not belong to the record of their run, before a request', () =>
  onStage(async (stage) => {
    const file = stage.file('rows.txt', `${CARD_ID}\n${OTHER_ID}\n`);
    const activate = ['card', 'activate', '--yes', '--run', 'monday', '--from', file];
    // The second row is left.
    await stage.run([...activate, '-j', '1', '--retries', '0', '--max-failures', '1', '--timeout', '1ms']);
    const before = stage.lines.length;
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const [rowsPath, headerPath] = ['rows', 'header.json'].map((name) => `../state/runs/monday/${name}`);
    const [rows, header] = [rowsPath, headerPath].map((path = '') => readFileSync(stage.path(path), 'utf8'));
    const changed = (rows ?? '').replace(OTHER_ID, OTHER_ID.replace('8', '9'));
    expect(changed).not.toBe(rows);
    stage.file(rowsPath ?? '', changed);
    stage.file(headerPath ?? '', (header ?? '').replace(sha256(rows ?? ''), sha256(changed)));
    const resumed = await stage.run(['runs', 'resume', 'monday']);
    expect({ code: resumed.code, stdout: resumed.stdout }).toEqual({ code: 16, stdout: '' });
    expect(resumed.stderr).toContain('the rows of run monday are not those with which its record begins');
    const again = await stage.run(activate);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 16, stdout: '' });
    expect(again.stderr).toContain('the rows of run monday are not those with which its record begins');
    expect(stage.lines).toHaveLength(before);
  }));

test.concurrent('I25 refuses a folder, a missing file and an unreadable one, and endless zeros without reading them all', () =>
  onStage(async (stage) => {
    const get = (path: string) => stage.run(['card', 'get', '--from', path]);
    mkdirSync(stage.path('folder'));
    // To read a tebibyte would take many minutes.
    truncateSync(stage.file('huge.csv', 'cardId\n'), 2 ** 40);
    await Promise.all([
      expectRefused(stage, get('folder'), 'folder'),
      expectRefused(stage, get('absent.csv'), 'absent.csv'),
      expectRefused(stage, get('/proc/self/mem'), '/proc/self/mem'),
      expectRefused(stage, get(''), '--from'),
      expectRefused(stage, get('huge.csv'), 'line 2'),
    ]);
    rmSync(stage.path('huge.csv'));
    // The superuser may read everything, so somebody else tries.
    const hidden = stage.file('hidden.csv', `cardId\n${CARD_ID}\n`);
    execFileSync('chmod', ['-R', 'a+rwX', stage.home.path]);
    execFileSync('chmod', ['000', hidden]);
    const denied = await stage.shell(`${AS_SOMEBODY_ELSE} $FD card get --from hidden.csv`);
    expect(denied).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('hidden.csv') });
    // The stage reads every file at its end, and an ordinary user could not.
    execFileSync('chmod', ['600', hidden]);
    const nowhere = await stage.run(['card', 'get', CARD_ID, OTHER_ID], { env: { TMPDIR: stage.path('absent') } });
    expect(nowhere).toMatchObject({ code: 16, stdout: '', stderr: expect.stringContaining(stage.path('absent')) });
    expect(readdirSync(stage.path('.')).filter((name) => name.startsWith('frontdesk-'))).toEqual([]);
    expect(stage.lines).toEqual([]);
  }));

test.concurrent('I25 reads a pipe, and has nothing to do without rows', () =>
  onStage(async (stage) => {
    const piped = await stage.shell(
      `mkfifo rows && { printf 'cardId\\n${CARD_ID}\\n' > rows & } && $FD card activate --yes --from rows --from-format csv --json`,
    );
    expect(piped.code).toBe(0);
    expect(JSON.parse(piped.stdout)).toMatchObject([{ row: 1, outcome: 'applied' }]);
    for (const content of ['', 'cardId\n', '\n\n']) {
      const none = await stage.run(['card', 'get', '--json', '--from', stage.file('none.csv', content)]);
      expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 0, stdout: '[]\n' });
      expect(none.stderr).toContain('nothing to do');
    }
    expect(stage.lines).toEqual([`POST /v1/cards/${CARD_ID}/activate`]);
  }));

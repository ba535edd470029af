import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, truncateSync } from 'node:fs';
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

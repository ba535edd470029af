import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { openTerminal } from '../../support/pty.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';
import { screenOf } from './screen.ts';

// What a person sees on the two smallest terminals: what is whole, what stands last, and what is not there twice.

const SIZES: [columns: number, rows: number][] = [
  [80, 24],
  [100, 30],
];
const [LOST, STOLEN, BLOCKED, CANCELLED] = [
  '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202',
  '2d9c8e30-5174-4fac-9e63-70419cb2d303',
  '72e1e385-a6c9-44f1-b3b8-c596e1072808',
  'b62527c9-ea0d-4835-b7fc-09da254b6c0c',
];
const CARDS = `cardId,reason\n${LOST},lost\n${STOLEN},stolen\n${BLOCKED},lost\n${CANCELLED},lost\n`;

interface Call {
  readonly args: readonly string[];
  readonly home?: Home;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers no to its question. */
  readonly isAsked?: boolean;
}

/** The lines that stand on a terminal of that size after a call; at its question, if it asks. */
async function seen(
  { args, home = createHome(), env = { FRONTDESK_PROFILE: 'sandbox' }, isAsked = false }: Call,
  [columns, rows]: readonly [number, number],
): Promise<readonly string[]> {
  const terminal = openTerminal(args, { home, env: { ...env, ...NO_PAUSE }, columns, rows });
  if (isAsked) await terminal.waitFor(/\(y\/N.*\) *$/);
  const screen = screenOf(terminal, columns, rows);
  if (isAsked) terminal.type('n\r');
  await terminal.end;
  return isAsked ? screen : screenOf(terminal, columns, rows);
}

function fileIn(home: Home, name: string, text: string): string {
  const path = join(home.path, 'work', name);
  writeFileSync(path, text);
  return path;
}

it.concurrent.each(SIZES)('the question about several cards on %i by %i', async (columns, rows) => {
  const home = createHome();
  const args = ['card', 'block', '--from', fileIn(home, 'cards.csv', CARDS)];
  const screen = await seen({ args, home, isAsked: true }, [columns, rows]);
  expect(screen.slice(1)).toEqual([
    ...(columns === 80
      ? [
          'ROW  CARD                                  REFERENCE    BALANCE  NOW',
          `  1  ${LOST}  order-10002   100.10  ACTIVE`,
          '     reason: lost',
          `  2  ${STOLEN}  order-10003     0.00  ACTIVE`,
          '     reason: stolen',
          `  3  ${BLOCKED}  order-10008    33.33  BLOCKED`,
          '     ▲ already  reason: lost',
          `  4  ${CANCELLED}  order-10011     0.00  CANCELLED`,
          '     reason: lost',
        ]
      : [
          'ROW  CARD                                  REFERENCE    BALANCE  NOW        REASON',
          `  1  ${LOST}  order-10002   100.10  ACTIVE     lost`,
          `  2  ${STOLEN}  order-10003     0.00  ACTIVE     stolen`,
          `  3  ${BLOCKED}  order-10008    33.33  BLOCKED    lost  ▲ already`,
          `  4  ${CANCELLED}  order-10011     0.00  CANCELLED  lost`,
        ]),
    '',
    '▲ 1 of 4 is BLOCKED already.',
    'A block cannot be undone.',
    '? Block 4 cards (SANDBOX)? (y/N)',
  ]);
});

it.concurrent.each(SIZES)(
  'a plan on %i by %i: what was made without its rows, and its question below them',
  async (...size) => {
    const home = createHome();
    const from = ['--from', fileIn(home, 'cards.csv', CARDS)];
    const made = (await seen({ args: ['card', 'block', ...from, '--plan', 'p.plan'], home }, size)).join('\n');
    expect(made).not.toContain(LOST);
    expect(made).toMatch(/\nBalances {13}133\.43 in all\n/);
    expect(made).toMatch(
      /plan show p\.plan -p sandbox\nfrontdesk: note: apply it: frontdesk plan apply p\.plan -p sandbox$/,
    );
    const shown = await seen({ args: ['plan', 'show', 'p.plan'], home }, size);
    const rows = shown.slice(shown.findIndex((line) => line.startsWith('ROW ')));
    expect(rows.filter((line) => line.includes('▲'))).toEqual([expect.stringMatching(/ ▲ already/)]);
    const asked = await seen({ args: ['plan', 'apply', 'p.plan'], home, isAsked: true }, size);
    expect(asked.slice(-rows.length - 4)).toEqual([
      ...rows,
      '',
      '▲ 1 of 4 was BLOCKED already when planned.',
      'A block cannot be undone.',
      expect.stringMatching(/^\? Apply plan [0-9a-f]{12}: block 4 cards \(SANDBOX\)\? \(y\/N\)$/),
    ]);
  },
);

const subscribers = (rows: readonly string[]) => `id,email,first_name\n${rows.join('\n')}\n`;

it.concurrent.each(SIZES)('an update on %i by %i: what differs, and each cell that was emptied', async (...size) => {
  const home = createHome();
  const older = fileIn(home, 'old.csv', subscribers(['sub_1,a@x,P1', 'sub_2,b@x,P2', 'sub_3,c@x,', 'sub_4,d@x,P4']));
  const newer = fileIn(home, 'new.csv', subscribers(['sub_1,n@x,P1', 'sub_2,m@x,P2', 'sub_3,c@x,', 'sub_4,d@x,']));
  const args = ['calendar', 'subscribers', 'update', '--from', newer, '--changed-from', older];
  const changes = ['row 1 sub_1  email: a@x → n@x', 'row 2 sub_2  email: b@x → m@x'];
  const emptied = 'row 4 (line 5), sub_4: first_name was "P4" and is empty now.';
  const screen = (await seen({ args, home, isAsked: true }, size)).join('\n');
  expect(screen).toContain(`\n${changes.join('\n')}\n\n2 of 4 rows change\n▲ ${emptied}`);
  expect(screen).toMatch(/ does that\)\n\? Update 2 subscribers \(SANDBOX\)\? \(y\/N\)$/);
  expect(screen).not.toContain('sub_3');
  const dry = (await seen({ args: [...args, '--dry-run'], home }, size)).join('\n');
  expect(dry).toContain(`${changes.join('\n')}\nfrontdesk: note: ${emptied}`);
  expect(dry).toMatch(/\nfrontdesk: note: 2 rows would be sent \(-v shows the requests\); 2 of 4 rows[ \n]change$/);
  expect((await seen({ args: [...args, '--dry-run', '-v'], home }, size)).join('\n')).toContain(
    'POST http://127.0.0.1/',
  );
});

it.concurrent.each(SIZES)(
  'rows that are sent again on %i by %i: how each reads now, and what it may come to',
  async (...size) => {
    let sent = 0;
    const server = await startRecordingServer(({ url, method }) => {
      if (method === 'GET') return { body: cardText(url.includes(LOST) ? 'REISSUED' : 'ACTIVE', url.split('/')[3]) };
      sent += 1;
      return { status: 500, body: {} };
    });
    const home = createHome();
    const run = ['card', 'reissue', LOST, STOLEN, '--reason', 'lost', '--yes', '--run', 'monday'];
    await runFrontdesk(run, { home, env: { ...server.env, ...NO_PAUSE } });
    expect(sent).toBe(2);
    const args = ['runs', 'resume', 'monday', '--resend-unknown'];
    const screen = await seen({ args, home, env: server.env, isAsked: true }, size);
    expect(screen.slice(screen.findIndex((line) => line.startsWith('ROW ')))).toEqual([
      expect.stringMatching(/^ROW {2}CARD +REFERENCE {2}BALANCE {2}NOW/),
      ...(size[0] === 80
        ? [
            `  1  ${LOST}  order-1      10.10  REISSUED`,
            '     ▲ already  reason: lost',
            `  2  ${STOLEN}  order-1      10.10  ACTIVE`,
            '     reason: lost',
            '',
            '▲ The first one may have been done: this may make a second card with money on',
            'it.',
          ]
        : [
            `  1  ${LOST}  order-1      10.10  REISSUED  lost  ▲ already`,
            `  2  ${STOLEN}  order-1      10.10  ACTIVE    lost`,
            '',
            '▲ The first one may have been done: this may make a second card with money on it.',
          ]),
      '▲ 1 of 2 is REISSUED already.',
      'A reissue cannot be undone.',
      expect.stringMatching(/^\? Reissue 2 cards again at 127\.0\.0\.1:\d+ \(default\)\? \(y\/N\)$/),
    ]);
    expect(sent).toBe(2);
  },
);

/** Whole, or not there: no part of an ID, of a reference or of an outcome. */
const CUT = /[0-9a-f]{8}-[0-9a-f-]{0,27}…|(?:order-|sub_|txn_)\w*…|\b(?:appl|reject|conf|not s|UNKN|unkn)[a-z ]*…/;

it.concurrent.for(SIZES)('no screen on %i by %i cuts what identifies, or is wider', async ([columns, rows]) => {
  const home = createHome();
  const env = { FRONTDESK_PROFILE: 'sandbox' };
  const file = fileIn(home, 'cards.csv', CARDS);
  await runFrontdesk(['card', 'reissue', LOST, '--yes', '--reason', 'damaged, ticket 4712'], { home, env });
  await runFrontdesk(['card', 'block', '--from', file, '--yes', '--run', 'monday'], { home, env });
  await runFrontdesk(['card', 'block', '--from', file, '--plan', 'p.plan'], { home, env });
  const calls = [
    ['card', 'get', STOLEN],
    ['card', 'get', LOST, STOLEN, BLOCKED, CANCELLED],
    ['card', 'get', STOLEN.replace('2d9c', '2d9d')],
    ['card', 'find', 'order-1'],
    ['card', 'block', BLOCKED, '--yes'],
    ['card', 'activate', STOLEN],
    ['card', 'block', '--from', file, '--dry-run'],
    ['plan', 'show', 'work/p.plan'],
    ['runs'],
    ['runs', 'show', 'monday'],
    ['runs', 'results', 'monday'],
    ['history', '--limit', '20'],
    ['history', '--id', LOST],
    ['calendar', 'subscribers', 'list', 'cal_tea_ceremony'],
    ['sandbox', 'info'],
    ['auth', 'status'],
  ];
  for (const args of calls) {
    const terminal = openTerminal(args, { home, env: { ...env, ...NO_PAUSE }, columns, rows });
    await terminal.end;
    const lines = screenOf(terminal, columns, 500);
    expect([args, lines.filter((line) => CUT.test(line))]).toEqual([args, []]);
    // A command is pasted, and stays on one line whatever its length.
    const { text } = await terminal.end;
    const long = text.split('\n').filter((line) => stringWidth(line) > columns && !/rows \(|frontdesk /.test(line));
    expect([args, long]).toEqual([args, []]);
  }
});

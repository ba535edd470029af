import { expect, test } from 'vitest';
import { json } from '../../support/fault-server.ts';
import { openTerminal } from '../../support/pty.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { answerAsService, onStage, type Stage } from './stage.ts';

const GET = ['card', 'get', CARD_ID];
const LIST = ['calendar', 'subscribers', 'list', 'cal_1', '--limit', '50'];

/** C0 without the line feed, DEL, C1. A tab may stand between the cells of a table that is no terminal's. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const ALL_CONTROLS = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, index) => 0x7f + index)]
  .map((codePoint) => String.fromCodePoint(codePoint))
  .join('');
const HOSTILE = `\u001b]0;owned\u0007\u001b[2J\u001b]8;;https://evil.example\u001b\\${ALL_CONTROLS}B`;
function hostileCard(text: string): string {
  const card = JSON.parse(cardText('ACTIVE'));
  return JSON.stringify({
    ...card,
    clientReference: text,
    status: text,
    design: text,
    expiryDate: text,
    metadata: { [text]: text, list: [text] },
    transactions: [{ transactionId: text, amount: 1, type: text, createdAt: text }],
  });
}

const subscriber = (fields: Readonly<Record<string, unknown>>) => ({ object: 'subscriber', active: true, ...fields });
const listOf = (data: readonly unknown[]) => json(200, { object: 'list', data });

/** Stands on the terminal when the program has ended. */
const END = '(the end)';

/** What stands on a terminal of that width when stdout alone is there. */
async function onTerminal(
  stage: Stage,
  args: readonly string[],
  options: { readonly columns?: number; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const { home, env } = stage;
  // The terminal is taken down soon after the program has ended, read or not: so the shell waits for a key.
  const script = `$FD ${args.map((arg) => `'${arg}'`).join(' ')} 2> stderr.txt; code=$?; printf '${END}'; read key; exit $code`;
  const { columns = 80 } = options;
  const terminal = openTerminal([], { home, script, columns, env: { ...env, ...options.env } });
  await terminal.talk([END, '\r']);
  const { code, output, text } = await terminal.end;
  return { code, output: output.split(END)[0] ?? '', text: text.split(END)[0] ?? '' };
}

test.concurrent('T1 shows every control character of every field as text, in tables and errors, in a terminal and elsewhere', async () => {
  await onStage(
    async (stage) => {
      const clean = (text: string) => expect(text.replaceAll('\t', '')).not.toMatch(CONTROLS);
      const list = await stage.run(LIST);
      const card = await stage.run([...GET, '--verbose']);
      const error = await stage.run(['card', 'activate', CARD_ID, '--verbose']);
      expect([list.code, card.code, error.code]).toEqual([0, 0, 6]);
      for (const { stdout, stderr } of [list, card, error]) {
        clean(stdout);
        clean(stderr);
      }
      expect(list.stdout).toContain('\\x1b');
      expect(card.stdout).toContain('\\x9f');
      expect(error.stderr).toContain('\\x1b]0;owned');
      for (const args of [LIST, GET]) {
        const end = await onTerminal(stage, [...args, '--no-color'], { columns: 400 });
        expect(end.code).toBe(0);
        expect(end.output.replaceAll('\r\n', '\n')).not.toMatch(CONTROLS);
        expect(end.text).toContain('\\x1b');
      }
    },
    {
      route: ({ method, target }) => {
        if (method === 'POST')
          return json(409, { errorCode: HOSTILE, message: HOSTILE, details: { [HOSTILE]: HOSTILE } });
        if (target.startsWith('/v1/cards/')) return json(200, hostileCard(HOSTILE));
        return listOf([subscriber({ id: HOSTILE, email: HOSTILE, first_name: HOSTILE, last_name: HOSTILE })]);
      },
    },
  );
});

test.concurrent('T1 shows text of the service as text in the question before a change', () =>
  onStage(
    async ({ home, env }) => {
      const terminal = openTerminal(['card', 'block', CARD_ID, '--reason', HOSTILE.replaceAll('\0', '')], {
        home,
        env,
      });
      await terminal.talk([/Block card [^?]*\?/, '\r']);
      const { code, output, text } = await terminal.end;
      expect(code).toBe(130);
      expect(text).toContain('\\x1b]0;owned');
      expect(output).not.toContain('\u001b]0;owned');
      expect(output).not.toContain('\u001b[2J');
      expect(output).not.toMatch(/[\u0080-\u009f]/);
    },
    { route: () => json(200, hostileCard(HOSTILE)) },
  ));

test.concurrent('T11 never makes a link of a URL, and opens none', () =>
  onStage(
    async (stage) => {
      const end = await onTerminal(stage, ['calendar', 'update', 'cal_1', '--name', 'n'], {
        env: { FORCE_HYPERLINK: '1', TERM_PROGRAM: 'iTerm.app', BROWSER: `touch ${stage.path('opened')}` },
      });
      expect(end.code).toBe(0);
      expect(end.text).toContain('https://evil.example');
      expect(end.output).not.toContain('\u001b]');
      expect((await stage.shell('ls')).stdout).not.toContain('opened');
    },
    { route: () => json(200, { id: 'cal_1', object: 'calendar', url: 'https://evil.example/\u001b]8;;x' }) },
  ));

test.concurrent('T9 puts no escape sequence into a pipe, and no color with NO_COLOR', () =>
  onStage(async (stage) => {
    const settings: Record<string, string>[] = [
      {},
      { FORCE_COLOR: '3' },
      { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    ];
    const calls = [GET, LIST, ['card', 'gte'], ['doctor'], ['help'], ['card', 'get', '--help']];
    const piped = await Promise.all(settings.flatMap((env) => calls.map((args) => stage.run(args, { env }))));
    for (const { stdout, stderr } of piped) expect(stdout + stderr).not.toContain('\u001b');
    const coloured = await onTerminal(stage, GET);
    expect(coloured.output).toContain('\u001b[');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await onTerminal(stage, GET, { env })).output).not.toContain('\u001b');
    }
    expect((await onTerminal(stage, [...GET, '--no-color'])).output).not.toContain('\u001b');
  }));

test.concurrent('T13 shows a stack trace only with FRONTDESK_DEBUG=1', () =>
  onStage(
    async (stage) => {
      const once = [...GET, '--retries', '0'];
      const { stderr } = await stage.run(once);
      expect(stderr).not.toMatch(/^\s+at /m);
      const debug = await stage.run(once, { env: { FRONTDESK_DEBUG: '1' } });
      expect(debug.code).toBe(10);
      expect(debug.stderr).toMatch(/^\s+at /m);
      expect(debug.stderr.startsWith(stderr.split('\n')[0] ?? '-')).toBe(true);
    },
    { route: (request) => (request.method === 'GET' ? json(200, 'no JSON') : answerAsService(request)) },
  ));

import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { drip, json } from '../../support/fault-server.ts';
import { openTerminal } from '../../support/pty.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { answerAsService, onStage, type Stage } from './stage.ts';

const GET = ['card', 'get', CARD_ID];
const LIST = ['calendar', 'subscribers', 'list', 'cal_1', '--limit', '50'];

/** C0 without the line feed, DEL, C1. A tab may stand between the cells of a table that is no terminal's. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const INVISIBLE = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0001}-\u{e007f}]/u;

const ALL_CONTROLS = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, index) => 0x7f + index)]
  .map((codePoint) => String.fromCodePoint(codePoint))
  .join('');
const HOSTILE = `\u001b]0;owned\u0007\u001b[2J\u001b]8;;https://evil.example\u001b\\${ALL_CONTROLS}B`;
const BIDI = 'x\u202e\u2066\u200b\u2028\u{e0041}y';

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
  await terminal.waitFor(END);
  terminal.type('\r');
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
      await terminal.waitFor(/Block card [^?]*\?/);
      terminal.type('\r');
      const { code, output, text } = await terminal.end;
      expect(code).toBe(130);
      expect(text).toContain('\\x1b]0;owned');
      expect(output).not.toContain('\u001b]0;owned');
      expect(output).not.toContain('\u001b[2J');
      expect(output).not.toMatch(/[\u0080-\u009f]/);
    },
    { route: () => json(200, hostileCard(HOSTILE)) },
  ));

test.concurrent('T2 escapes controls in JSON, and bidi in a terminal, without changing a value', () =>
  onStage(
    async (stage) => {
      for (const format of ['json', 'ndjson']) {
        const { code, stdout } = await stage.run([...GET, '-o', format]);
        expect(code).toBe(0);
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        expect(stdout).toContain('\\u009b');
        expect(stdout).toContain('\\u007f');
        expect(JSON.parse(stdout)).toEqual(JSON.parse(hostileCard(HOSTILE + BIDI)));
      }
      const end = await onTerminal(stage, [...GET, '--json'], { columns: 4000 });
      expect(end.text).not.toMatch(INVISIBLE);
      expect(end.text).toContain('\\u202e');
      expect(JSON.parse(end.text)).toEqual(JSON.parse(hostileCard(HOSTILE + BIDI)));
    },
    { route: () => json(200, hostileCard(HOSTILE + BIDI)) },
  ));

test.concurrent('T3 makes bidi overrides and invisible characters visible, and leaves ordinary letters of every script', () =>
  onStage(
    async (stage) => {
      const { stdout } = await stage.run(LIST);
      expect(stdout.replace('👩‍👩‍👧', '')).not.toMatch(INVISIBLE);
      expect(stdout).toContain('x<U+202E><U+2066><U+200B><U+2028><U+E0041>y');
      expect(stdout).toContain('ليلى');
      expect(stdout).toContain('👩‍👩‍👧');
      const end = await onTerminal(stage, LIST, { columns: 200 });
      expect(end.text).not.toMatch(/[\u202e\u2066\u2028]/);
      expect(end.text).toContain('ليلى');
    },
    { route: () => listOf([subscriber({ id: 'sub_1', email: BIDI, first_name: 'ليلى', last_name: '👩‍👩‍👧' })]) },
  ));

test.concurrent('T4 keeps one record on one line, whatever line breaks are in it', () =>
  onStage(
    async (stage) => {
      const { stdout } = await stage.run(LIST);
      expect(stdout.split('\n')).toHaveLength(3);
      expect(stdout).toContain('a\\nsub_9\\tforged\\r\\n');
    },
    { route: () => listOf([subscriber({ id: 'sub_1', email: 'a\nsub_9\tforged\r\n', first_name: 'b' })]) },
  ));

test.concurrent('T5 keeps floods of marks and wide letters inside the terminal', () =>
  onStage(
    async (stage) => {
      for (const columns of [40, 60, 100]) {
        const end = await onTerminal(stage, LIST, { columns });
        expect(end.code).toBe(0);
        for (const line of stripVTControlCharacters(end.output).split('\r\n')) {
          expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/\p{M}{20}/u);
        }
      }
    },
    {
      route: () =>
        listOf([
          subscriber({ id: 'sub_1', email: `Z${'\u0301'.repeat(3000)}`, first_name: '漢'.repeat(300) }),
          subscriber({
            id: '😀'.repeat(200),
            email: 'ｗｉｄｅ'.repeat(50),
            last_name: 'é'.normalize('NFD').repeat(99),
          }),
        ]),
    },
  ));

test.concurrent('T6 cuts a long text in a terminal, saying by how much, and nowhere else', () =>
  onStage(
    async (stage) => {
      const update = ['calendar', 'update', 'cal_1', '--name', 'n'];
      const end = await onTerminal(stage, update);
      expect(end.output.length).toBeLessThan(10_000);
      expect(end.text).toMatch(/…|\.\.\./);
      expect(end.text).toContain('(+39,');
      const json = await stage.run([...update, '--json']);
      expect(JSON.parse(json.stdout).description).toHaveLength(40_000);
      expect((await stage.run(update)).stdout).toContain('d'.repeat(40_000));
    },
    { route: () => json(200, { id: 'cal_1', object: 'calendar', description: 'd'.repeat(40_000) }) },
  ));

test.concurrent('T7 shows 20,000 rows in a terminal', () => {
  const row = (index: number) => subscriber({ id: `sub_${index}`, email: `c${index}@example.com`, first_name: 'Ana' });
  const data = Array.from({ length: 20_000 }, (_, index) => row(index));
  return onStage(
    async (stage) => {
      const end = await onTerminal(stage, LIST);
      expect(end.code).toBe(0);
      expect(end.text.match(/sub_\d+/g)).toHaveLength(20_000);
    },
    { route: () => listOf(data) },
  );
});

test.concurrent('T8 disarms formulas in CSV text, not in numbers, and not with --csv-raw', () =>
  onStage(
    async (stage) => {
      const { stdout } = await stage.run([...LIST, '-o', 'csv', '--columns', 'email,first_name,last_name']);
      expect(stdout).toBe(`email,first_name,last_name\r\n'=1+1,'+1,'-1\r\n'@x,'\tx,"'\rx"\r\n1-1,,a=b\r\n`);
      const raw = await stage.run([...LIST, '-o', 'csv', '--columns', 'email', '--csv-raw']);
      expect(raw.stdout).toBe('email\r\n=1+1\r\n@x\r\n1-1\r\n');
      const card = await stage.run([...GET, '-o', 'csv', '--columns', 'currentBalance']);
      expect(card.stdout).toBe('currentBalance\r\n-10.10\r\n');
    },
    {
      route: ({ target }) =>
        target.startsWith('/v1/cards/')
          ? json(200, cardText('ACTIVE').replace('10.10', '-10.10'))
          : listOf([
              subscriber({ email: '=1+1', first_name: '+1', last_name: '-1' }),
              subscriber({ email: '@x', first_name: '\tx', last_name: '\rx' }),
              subscriber({ email: '1-1', last_name: 'a=b' }),
            ]),
    },
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

test.concurrent('T10 shows that it waits in a terminal, and prints nothing about it elsewhere', () =>
  onStage(
    async (stage) => {
      const args = [...GET, '--timeout', '1500ms', '--retries', '0'];
      const piped = await stage.run(args);
      expect({ code: piped.code, stdout: piped.stdout }).toEqual({ code: 10, stdout: '' });
      expect(piped.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
      expect(piped.stderr).not.toMatch(/[\r\u001b]/);
      const end = await openTerminal(args, { home: stage.home, env: stage.env }).end;
      expect(end.code).toBe(10);
      expect(end.output).toContain('\u001b[');
      expect(end.output.length).toBeGreaterThan(piped.stderr.length);
    },
    { route: () => drip('HTTP/1.1 200 OK\r\n', 'X: y\r\n', 200) },
  ));

test.concurrent('T12 draws with ASCII where the terminal is not UTF-8', () =>
  onStage(
    async (stage) => {
      const ascii = await onTerminal(stage, LIST, { env: { LANG: 'C' } });
      expect(ascii.output).not.toMatch(/[\u2500-\u257f…]/);
      expect(ascii.text).toMatch(/^-{4,}/m);
      const unicode = await onTerminal(stage, LIST, { env: { LANG: 'nb_NO.UTF-8' } });
      expect(unicode.output).toMatch(/[\u2500-\u257f]/);
    },
    { route: () => listOf([subscriber({ id: 'sub_1', email: 'a@example.com' })]) },
  ));

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

import { expect, test } from 'vitest';
import { json } from '../../support/fault-server.ts';
import { openTerminal } from '../../support/pty.ts';
import { CARD_ID } from '../../support/sample-card.ts';
import { onStage, type Stage } from './stage.ts';

const GET = ['card', 'get', CARD_ID];
const LIST = ['calendar', 'subscribers', 'list', 'cal_1', '--limit', '50'];

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
    expect((await onTerminal(stage, GET)).output).toContain('\u001b[');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await onTerminal(stage, GET, { env })).output).not.toContain('\u001b');
    }
    expect((await onTerminal(stage, [...GET, '--no-color'])).output).not.toContain('\u001b');
  }));

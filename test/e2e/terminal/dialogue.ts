import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTerminal } from '../../support/pty.ts';
import { createHome, type Home } from '../../support/run-frontdesk.ts';

/** Wait for that to stand on the terminal, then type. A signal is sent to frontdesk instead. */
export type Step = readonly [seen: string | RegExp, typed: string | { readonly signal: NodeJS.Signals }];

export interface DialogueOptions {
  readonly home?: Home;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
}

export interface DialogueEnd {
  /** As the shell around it has it: 128 and its number for a signal. */
  readonly code: number;
  /** What a person reads, top to bottom; lines that were drawn over stand there too. */
  readonly text: string;
  /** What frontdesk wrote, byte for byte. */
  readonly output: string;
  readonly home: Home;
  /** What is not as it was before: empty when the terminal was left as it was found. */
  readonly leftBehind: readonly string[];
}

const MARK = 'FRONTDESK-ENDED-WITH=';
const OVER = 'ALL-IS-SAID';

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What is still switched over: the echo and the line editing of the terminal, a hidden cursor, bracketed paste, a color. */
function leftBehind(output: string, modes: string): string[] {
  const last = (pattern: RegExp) => [...output.matchAll(pattern)].at(-1)?.[1];
  const cursor = last(/\u001b\[\?25([lh])/g);
  const paste = last(/\u001b\[\?2004([lh])/g);
  const colour = last(/\u001b\[([0-9;]*)m/g);
  return [
    ...['echo', 'icanon', 'isig', 'icrnl', 'opost'].filter((mode) => !new RegExp(`(^|\\s)${mode}\\b`).test(modes)),
    ...(cursor === 'l' ? ['cursor hidden'] : []),
    ...(paste === 'h' ? ['bracketed paste'] : []),
    ...(colour === undefined || ['', '0', '22', '39'].includes(colour) ? [] : [`colour ${colour}`]),
  ];
}

/**
 * Runs frontdesk on a terminal and talks with it. A shell stands around it, as at a desk: it tells how frontdesk
 * ended and which state the terminal was left in.
 */
export async function dialogue(
  args: readonly string[],
  steps: readonly Step[] = [],
  options: DialogueOptions = {},
): Promise<DialogueEnd> {
  const home = options.home ?? createHome();
  const pidFile = join(home.path, 'pid');
  const inner = `echo $$ > ${quote(pidFile)}; exec $FD ${args.map(quote).join(' ')}`;
  const script = `trap : INT TERM; sh -c ${quote(inner)}; printf '\\n${MARK}%s\\n' $?; stty -a; echo ${OVER}; read -r over`;
  const terminal = openTerminal(args, { home, script, env: options.env ?? {}, columns: options.columns ?? 80 });
  for (const [seen, typed] of steps) {
    await terminal.waitFor(seen);
    if (typeof typed === 'string') terminal.type(typed);
    else process.kill(Number(readFileSync(pidFile, 'utf8')), typed.signal);
  }
  // Until then the terminal stays open: what was written last is not lost. A line feed is Enter in every mode.
  await terminal.talk([OVER, '\n']);
  const { output: all, text } = await terminal.end;
  const [output = '', rest = ''] = all.split(MARK);
  const [code = '', ...modes] = rest.split('\n');
  return {
    code: Number.parseInt(code, 10),
    text: text.split(`\n${MARK}`, 1)[0] ?? '',
    output,
    home,
    leftBehind: leftBehind(output, modes.join(' ')),
  };
}

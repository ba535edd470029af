import { readSync } from 'node:fs';
import { constants } from 'node:os';
import type { ReadStream } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import type { Home } from './run-frontdesk.ts';

/** As in run-frontdesk.ts: FRONTDESK_TEST_PROGRAM names another program that has to pass the same tests. */
const PROGRAM =
  process.env['FRONTDESK_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url));

const LIMIT_MS = 50_000;

/** Their names and numbers. The entries of an object that is keyed by the names have these types. */
const signals = Object.entries(constants.signals) as [NodeJS.Signals, number][];

export interface TerminalOptions {
  readonly home: Home;
  /** Added to a clean environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Typed before the program starts: what is typed right after it has started may come too late on a busy machine. */
  readonly early?: string;
  /** Runs this line of `sh` on the terminal instead, with `$FD` as the program: for redirections. */
  readonly script?: string;
}

interface TerminalEnd {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Everything that reached the terminal, byte for byte (also what was typed and echoed). */
  readonly output: string;
  /** The same without escape sequences and carriage returns: what a person reads, top to bottom. */
  readonly text: string;
}

/** The built program on a terminal of its own: stdin, stdout and stderr are all that terminal. */
export type Terminal = ReturnType<typeof openTerminal>;

const readable = (output: string) => stripVTControlCharacters(output).replaceAll('\r', '');

/** The beginning of an escape sequence whose end has not come yet. */
const UNFINISHED = /\u001b(?:\[[\d;:?<=>]*|\][^\u0007]*|[()#]?)$/;

/** What a person reads of output that comes in parts: each part is looked at once, however much there was before. */
function readAlong() {
  let text = '';
  let rest = '';
  return {
    add(part: string): void {
      rest += part;
      const end = UNFINISHED.exec(rest)?.index ?? rest.length;
      text += readable(rest.slice(0, end));
      rest = rest.slice(end);
    },
    text: () => text + readable(rest),
  };
}

/** What a line still holds that nobody writes to any more. */
function restOf(fd: number): string {
  const pieces: Buffer[] = [];
  const piece = Buffer.alloc(65_536);
  try {
    for (let size = -1; size !== 0; ) {
      size = readSync(fd, piece);
      pieces.push(Buffer.from(piece.subarray(0, size)));
    }
  } catch {
    // EIO is the end of a line.
  }
  return Buffer.concat(pieces).toString('utf8');
}

/**
 * node-pty takes the line down 200 ms after the end of the program, whether it was read or not: what was written last
 * was lost where the tests had a busy machine. Here the line ends by itself, once all of it was read. libuv takes the
 * first 4 KiB after a hangup for the last, so `onRest` is given what is left.
 */
function readToTheEnd(terminal: IPty, onRest: (rest: string) => void): { hangUp(): void } {
  // Members that the types do not name: the readable end of the line, and its descriptor.
  const { _socket: socket, fd } = terminal as IPty & { readonly _socket: ReadStream; readonly fd: number };
  const destroy = socket.destroy.bind(socket);
  let isRead = false;
  socket.destroy = (error) => {
    if (error === undefined && !socket.readableEnded) return socket;
    if (!isRead) onRest(restOf(fd));
    isRead = true;
    return destroy(error);
  };
  return { hangUp: () => void socket.on('error', () => undefined).destroy(new Error('the window was closed')) };
}

/** Starts `frontdesk` with these arguments on a new terminal. */
export function openTerminal(args: readonly string[], options: TerminalOptions) {
  const { home, columns = 80, rows = 40, script, early } = options;
  const env: Record<string, string | undefined> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home.path,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    FRONTDESK_CONFIG_DIR: home.configDir,
    FRONTDESK_STATE_DIR: home.stateDir,
    FD: `${process.execPath} ${PROGRAM}`,
    ...options.env,
  };
  // node-pty would give the program the text "undefined".
  for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
  // The shell takes no more than its own line, so the rest waits on the terminal for the program.
  const line = early === undefined ? script : 'read -r line; exec $FD "$@"';
  const [file, argv] =
    line === undefined ? [process.execPath, [PROGRAM, ...args]] : ['sh', ['-c', line, 'sh', ...args]];
  const terminal = spawn(file, argv, { cols: columns, rows, cwd: home.path, env, name: env['TERM'] ?? '' });
  if (early !== undefined) terminal.write(`\r${early}`);
  let output = '';
  const read = readAlong();
  let isOver = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const each of [...waiting]) each();
  };
  const add = (part: string) => {
    output += part;
    read.add(part);
    look();
  };
  terminal.onData(add);
  const { hangUp } = readToTheEnd(terminal, add);
  const end = new Promise<TerminalEnd>((resolve, reject) => {
    const limit = setTimeout(() => {
      terminal.kill('SIGKILL');
      reject(new Error(`frontdesk ${args.join(' ')} had not ended after ${LIMIT_MS} ms\n${readable(output)}`));
    }, LIMIT_MS);
    terminal.onExit(({ exitCode, signal = 0 }) => {
      clearTimeout(limit);
      isOver = true;
      look();
      const name = signals.find(([, number]) => number === signal)?.[0] ?? null;
      resolve({ code: name === null ? exitCode : null, signal: name, output, text: readable(output) });
    });
  });
  // The caller that awaits the end hears of it; a test that waits for text first must not be cut short.
  end.catch(() => undefined);
  const waitFor = (wanted: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const isThere = () => {
        const text = read.text();
        return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
      };
      const check = () => {
        if (!isThere() && !isOver) return;
        waiting.delete(check);
        if (isThere()) resolve();
        else reject(new Error(`"${wanted}" never stood on the terminal:\n${read.text()}`));
      };
      waiting.add(check);
      check();
    });
  return {
    pid: terminal.pid,
    /** Types text; `\r` is Enter, `\x03` Ctrl-C, `\x04` the end of input. */
    type: (text: string) => terminal.write(text),
    /** Waits for each text in turn, and types what stands beside it. */
    async talk(...steps: readonly (readonly [seen: string | RegExp, typed: string])[]) {
      for (const [seen, typed] of steps) {
        await waitFor(seen);
        terminal.write(typed);
      }
    },
    /** Everything that reached the terminal so far, byte for byte. */
    get output() {
      return output;
    },
    /** Resolves when more of it came; rejects when the program has ended. */
    more: () =>
      new Promise<void>((resolve, reject) => {
        if (isOver) reject(new Error(`frontdesk has ended:\n${readable(output)}`));
        const come = () => {
          waiting.delete(come);
          resolve();
        };
        waiting.add(come);
      }),
    resize: (width: number, height: number) => terminal.resize(width, height),
    /** The other end of the line is cut, as when a window is closed. */
    hangUp,
    /** Resolves once that stood on the terminal; rejects, with all that did, when the program ended without. */
    waitFor,
    /** How it ended. Rejects when it had to be killed. */
    end,
  };
}

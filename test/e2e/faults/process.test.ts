import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { json, silence } from '../../support/fault-server.ts';
import { lastLine } from '../../support/plain-service.ts';
import { openTerminal } from '../../support/pty.ts';
import {
  ENDLESS_GRACE,
  injecting,
  type RunningFrontdesk,
  SHORT_GRACE,
  startFrontdesk,
} from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { IS_LONG, onStage, PROGRAM, type Stage, until } from './stage.ts';

const GET = ['card', 'get', CARD_ID];
const ACTIVATE = ['card', 'activate', CARD_ID];
const REPLACEMENT = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const REISSUE = ['card', 'reissue', CARD_ID, '--yes'];

function start(stage: Stage, args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningFrontdesk {
  return startFrontdesk(args, { home: stage.home, env: { ...stage.env, ...env } });
}

const untilRequests = (stage: Stage, count: number) => until(`request ${count}`, () => stage.lines.length === count);

test.concurrent('P2 says that a change was applied whose result could not be written to a full disk', () =>
  onStage(
    async (stage) => {
      const dry = await stage.shell(`$FD ${REISSUE.join(' ')} --dry-run > /dev/full`);
      const lost = (command: string, state: string) =>
        `frontdesk: could not write the result of ${command} to stdout: no space left${state}\nhint: free space there, or write the result to another place\n`;
      expect(dry.stderr).toBe(lost('card reissue', '. Nothing was sent.'));
      expect((await stage.shell(`$FD ${GET.join(' ')} > /dev/full`)).stderr).toBe(lost('card get', ''));
      expect((await stage.shell('$FD --version > /dev/full')).stderr).toContain('could not write the version');
      const write = await stage.shell(`$FD ${REISSUE.join(' ')} --json > /dev/full`);
      expect(write.code).toBe(16);
      // The last line of stderr is the error.
      expect(lastLine(write.stderr)).toMatchObject({
        error: {
          code: 'LOCAL_IO',
          outcome: 'applied',
          resultId: REPLACEMENT,
          message: expect.stringContaining('WAS applied'),
        },
      });
      expect(JSON.parse((await stage.run(['history', '--json', '--query', '[].outcome'])).stdout)).toEqual(['applied']);
      expect(stage.lines).toHaveLength(2);
    },
    // The ID of a replacement is another one.
    { route: ({ method }) => (method === 'POST' ? json(200, cardText('ACTIVE', REPLACEMENT)) : undefined) },
  ));

test.concurrent('P3 hands every one of 10,000,000 bytes to a reader that is slow (G11)', () => {
  const text = 'd'.repeat(9_999_983);
  return onStage(
    async (stage) => {
      const child = spawn(process.execPath, [PROGRAM, 'api', 'GET', '/v1/calendars/x', '--json'], {
        env: { PATH: process.env['PATH'], HOME: stage.home.path, ...stage.env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let bytes = 0;
      // Not until the program has had all the time it wants may anything be read; then in small sips.
      await untilRequests(stage, 1);
      for await (const part of child.stdout) {
        bytes += part.length;
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      const code = child.exitCode ?? (await new Promise((resolve) => child.on('exit', resolve)));
      expect({ code, bytes }).toEqual({ code: 0, bytes: 10_000_000 });
    },
    { route: () => json(200, { text }) },
  );
});

test.concurrent('P4 a stdout that is the null device, however it was opened, or closed, counts as written', () =>
  onStage(async (stage) => {
    for (const args of [GET, ACTIVATE]) {
      for (const redirection of ['>&-', '> /dev/null', '1<> /dev/null']) {
        expect(await stage.shell(`$FD ${args.join(' ')} ${redirection}`)).toMatchObject({ code: 0, stderr: '' });
      }
    }
    expect(stage.lines.filter((line) => line.startsWith('POST')).length).toBe(3);
  }));

test.concurrent('P5 keeps the exit code of the operation when stderr is closed, full or gone', () =>
  onStage(
    async (stage) => {
      for (const redirection of ['2>&-', '2>/dev/full']) {
        expect((await stage.shell(`$FD ${GET.join(' ')} ${redirection}`)).code).toBe(3);
        expect((await stage.shell(`$FD ${ACTIVATE.join(' ')} --verbose ${redirection}`)).code).toBe(0);
      }
      const gone = await stage.shell(`{ $FD ${GET.join(' ')} 2>&1 >/dev/null; echo "code $?" >&2; } | true`);
      expect(gone.stderr).toBe('code 3\n');
      expect((await stage.shell(`$FD ${ACTIVATE.join(' ')} <&- >&- 2>&-`)).code).toBe(0);
    },
    { route: ({ method }) => (method === 'GET' ? json(404, { errorCode: 'X', message: 'no' }) : undefined) },
  ));

test.concurrent('P6 ends by the signal when interrupted before anything was sent', () =>
  onStage(async (stage) => {
    const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url];
    const env = { FRONTDESK_CARDS_URL: '', FRONTDESK_CARDS_TOKEN: '' };
    await stage.run([...login, '--token-command', 'touch asked; exec sleep 100'], { env });
    const running = start(stage, [...ACTIVATE, '-p', 'live', '--json'], env);
    await until('the token command', () => existsSync(stage.path('asked')));
    running.child.kill('SIGINT');
    const { signal, stdout, stderr } = await running.result;
    expect({ signal, stdout }).toEqual({ signal: 'SIGINT', stdout: '' });
    expect(lastLine(stderr)).toMatchObject({ error: { code: 'CANCELLED', outcome: 'not_sent' } });
    expect(stage.lines).toEqual([]);
  }));

/** A loop of a shell over two blocks, which gets these signals, 50 ms apart, as a terminal sends them: to all of it. */
async function loop(stage: Stage, sent: readonly NodeJS.Signals[], env: Readonly<Record<string, string>> = {}) {
  const script = `for id in ${CARD_ID} ${CARD_ID.replace('7', '8')}; do "$0" "$1" card block $id --yes --json; done`;
  const child = spawn('bash', ['-c', script, process.execPath, PROGRAM], {
    env: { PATH: process.env['PATH'], HOME: stage.home.path, ...stage.env, ...env },
    detached: true,
  });
  const parts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (part) => (parts[name] += String(part)));
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code));
  });
  await untilRequests(stage, 1);
  for (const signal of sent) {
    process.kill(-(child.pid ?? 0), signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { ended, parts };
}

test.concurrent.each([
  ['applied', ['SIGINT'], 200, { code: 'CANCELLED', exitCode: 130, outcome: 'applied' }],
  ['rejected', ['SIGINT'], 404, { code: 'CANCELLED', exitCode: 130, outcome: 'rejected' }],
  ['applied, and a wrapper passed the signal on', ['SIGINT', 'SIGINT'], 200, { exitCode: 130, outcome: 'applied' }],
] as const)('P7 Ctrl-C stops a loop of the shell, although its change was %s', async (_, sent, status, error) => {
  const held: (() => void)[] = [];
  await onStage(
    async (stage) => {
      const { ended, parts } = await loop(stage, sent, ENDLESS_GRACE);
      for (const release of held) release();
      expect([await ended, stage.lines]).toEqual(['SIGINT', [`POST /v1/cards/${CARD_ID}/block`]]);
      expect(parts.stdout === '').toBe(status === 404);
      expect(lastLine(parts.stderr)).toMatchObject({ error });
    },
    {
      route: () => {
        const answer = json(status, status === 404 ? '{"errorCode":"X","message":"no"}' : cardText('BLOCKED'));
        return { onRequest: (socket, asked) => void held.push(() => answer.onRequest?.(socket, asked)) };
      },
    },
  );
});

test.concurrent('P7 an unknown outcome stays 8 after Ctrl-C, and says that a loop of the shell may go on', () =>
  onStage(
    async (stage) => {
      const { ended, parts } = await loop(stage, ['SIGINT'], { ...SHORT_GRACE, FRONTDESK_TIMEOUT: '3s' });
      expect(await ended).toBe(8);
      expect(stage.lines.length).toBeGreaterThan(1);
      expect(parts.stderr).toContain('a loop of the shell may go on after this. Press Ctrl-C again to stop it');
    },
    { route: () => silence() },
  ));

test.concurrent.for([
  ['stdout', 'the results', 200],
  ['stderr', 'the errors', 404],
] as const)('P17 ends at a signal although the reader of %s takes nothing of %s', ([stream, , status]) =>
  onStage(
    async (stage) => {
      const ids = Array.from({ length: 5000 }, (_, index) => CARD_ID.replace('7c0e1111', `${10_000_000 + index}`));
      const rows = stage.file('rows.txt', ids.join('\n'));
      const running = start(stage, ['card', 'get', '--from', rows, '-o', 'ndjson'], SHORT_GRACE);
      running.child[stream]?.pause();
      running.child.once('exit', () => running.child[stream]?.resume());
      await until('request 100', () => stage.lines.length >= 100);
      running.child.kill('SIGTERM');
      expect((await running.result).signal).toBe('SIGTERM');
      expect(stage.lines.length).toBeLessThan(5000);
    },
    {
      route: ({ target }) => {
        const card = cardText('ACTIVE', decodeURIComponent(target.split('/')[3] ?? ''));
        return json(status, card.replace('{', `{"note":"${'n'.repeat(10_000)}",`));
      },
    },
  ),
);

test.concurrent('P10 does not exit with 0 if it waits for something that never comes', () =>
  onStage(async (stage) => {
    const env = injecting(
      'const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }; Object.defineProperty(process, "stdin", { value: never });',
    );
    const { code, stdout, stderr } = await stage.run(['card', 'get', '--from', '-'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^frontdesk: internal error: the call waits for something that can no longer happen/);
  }));

test.concurrent('P10 says that a change is unknown (8) if it waits for an answer that nothing keeps the process for', () =>
  onStage(
    async (stage) => {
      const env = injecting(
        `import { subscribe } from 'node:diagnostics_channel';
        const real = setTimeout;
        globalThis.setTimeout = (done, ms, ...more) => (ms > 5000 ? real(done, ms, ...more).unref() : real(done, Math.min(ms, 300), ...more));
        subscribe('undici:client:sendHeaders', ({ socket }) => setImmediate(() => socket.unref()));`,
      );
      const { code, stderr } = await stage.run(ACTIVATE, { env });
      expect(stderr).toContain('internal error: the call waits for something');
      expect(code).toBe(8);
      expect(JSON.parse((await stage.run(['history', '--json', '--query', '[].outcome'])).stdout)).toEqual(['unknown']);
    },
    { route: () => silence() },
  ));

test.concurrent('P11 reports an error that nothing caught, with its stack only for FRONTDESK_DEBUG', () =>
  onStage(
    async (stage) => {
      const env = injecting('setTimeout(() => { throw new Error("boom"); }, 1000);');
      const [plain, debug] = await Promise.all([
        stage.run(GET, { env }),
        stage.run(GET, { env: { ...env, FRONTDESK_DEBUG: '1' } }),
      ]);
      expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code: 1, stdout: '' });
      expect(plain.stderr).toMatch(/^frontdesk: internal error: boom\nhint: report it/);
      expect(plain.stderr).not.toMatch(/^\s+at /m);
      expect(debug.stderr).toMatch(/^\s+at /m);
    },
    { route: () => silence() },
  ));

test.concurrent('P15 measures time on a clock that no change of the date moves', () =>
  onStage(
    async (stage) => {
      const args = [...GET, '--timeout', '2s', '--retries', '0', '--json'];
      const jumps = ['86400000 * 30', '-86400000 * 30'];
      await Promise.all(
        jumps.map(async (jump) => {
          const code = `const real = Date.now; const start = real(); Date.now = () => real() + (real() - start > 900 ? ${jump} : 0);`;
          const result = await stage.run(args, { env: injecting(code) });
          expect({ jump, code: result.code }).toEqual({ jump, code: 10 });
          expect(result.elapsedMs).toBeGreaterThan(1900);
        }),
      );
    },
    { route: () => silence() },
  ));

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

const NO_TOKENS = { FRONTDESK_CARDS_TOKEN: undefined, FRONTDESK_CALENDAR_TOKEN: undefined };
/** Only the stored settings and credentials count. */
const STORED = { ...NO_TOKENS, FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };

test.runIf(IS_LONG).concurrent('C16 gives up on a token command after 60 s, and ends it', { timeout: 90_000 }, () =>
  onStage(async (stage) => {
    const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url, '--token-command', 'sleep 300'];
    expect((await stage.run(login, { env: STORED })).code).toBe(0);
    const result = await stage.run([...GET, '-p', 'live'], { env: STORED, timeoutMs: 80_000 });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 4, stdout: '' });
    expect(result.stderr).toContain('within 60 s');
    expect(result.elapsedMs).toBeGreaterThan(59_000);
    expect(stage.lines).toEqual([]);
  }),
);

test.concurrent('C21 keeps the token out of a diagnostic report', () =>
  onStage(
    async (stage) => {
      const options = '--report-on-signal --report-signal=SIGUSR2';
      const running = startFrontdesk([...GET, '--retries', '0'], {
        home: stage.home,
        env: { ...stage.env, NODE_OPTIONS: `${options} --report-dir=${stage.path('.')} --report-filename=report.json` },
      });
      await until('the request', () => stage.lines.length === 1);
      running.child.kill('SIGUSR2');
      const report = () => {
        try {
          return JSON.parse(readFileSync(stage.path('report.json'), 'utf8'));
        } catch {
          return undefined;
        }
      };
      await until('the report', () => report() !== undefined);
      running.child.kill('SIGINT');
      await running.result;
      const { environmentVariables } = report();
      expect(environmentVariables).toMatchObject({ FRONTDESK_CARDS_URL: stage.server.url });
      expect(environmentVariables).not.toHaveProperty('FRONTDESK_CARDS_TOKEN');
    },
    { route: () => silence() },
  ));

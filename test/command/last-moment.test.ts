import { describe, expect, test } from 'vitest';
import { idLines, playService } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { injecting, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

// Between the last outcome and the end of the program: signals that come too late.

/** Has this code, which knows `write`, `text` and `done`, hand over to stdout each text that ends like this. */
function atTheEndOf(callOutcome: string, code: string) {
  return injecting(`import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    const { stdout } = process;
    const write = stdout.write.bind(stdout);
    const { writeSync } = fs;
    fs.writeSync = (fd, ...rest) => {
      if (fd === 1) throw Object.assign(new Error('later'), { code: 'EAGAIN' });
      return writeSync(fd, ...rest);
    };
    syncBuiltinESMExports();
    stdout.write = (text, done) => { if (!String(text).endsWith(${JSON.stringify(callOutcome)})) return write(text, done); ${code} };`);
}

/** Ctrl-C that often once the text is out, and before the program hears that it is. */
const interrupts = (count: number, then = 'clearInterval(alive), setImmediate(done)') => `
  let left = ${count};
  // A signal that is on its way keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  const press = () => {
    if (left === 0) return void (${then});
    left -= 1;
    // Half a second later it is another one.
    process.once('SIGINT', () => (left === 0 ? press() : setTimeout(press, 600)));
    process.kill(process.pid, 'SIGINT');
  };
  write(text, press);`;

const WRITES = [
  ['a write', ['card', 'block', CARD_ID, '--yes', '--json'], '', '}\n'],
  ['a run', ['card', 'block', '--from', '-', '--yes', '--json'], idLines(1), ']\n'],
] as const;

describe.each(WRITES)('P8 Ctrl-C behind the outcome of %s', (what, args, stdin, callOutcome) => {
  test(`P8 Ctrl-C after the outcome of ${what} is too late, and the result follows`, async () => {
    const server = await startRecordingServer(playService());
    const env = { ...server.env, ...atTheEndOf(callOutcome, interrupts(1)) };
    const { code, signal, stdout, stderr } = await runFrontdesk(args, { env, stdin });
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' });
    expect(JSON.stringify(JSON.parse(stdout))).toContain('BLOCKED');
    expect(stderr).toContain('too late to cancel: the command has finished, and its result follows');
    expect(server.lines).toHaveLength(1);
  });

  test(`P8 Ctrl-C twice after the outcome of ${what} exits without the result`, async () => {
    const server = await startRecordingServer(playService());
    const env = { ...server.env, ...atTheEndOf(callOutcome, interrupts(2, 'undefined')) };
    const { code, signal, stderr } = await runFrontdesk(args, { env, stdin });
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' });
    expect(stderr).toContain(
      'the command has finished, but its result was not printed. See what happened: frontdesk history',
    );
    expect(server.lines).toHaveLength(1);
  });
});

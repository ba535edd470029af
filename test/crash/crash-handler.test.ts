import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playService } from '../support/plain-service.ts';
import { type RecordedRequest, startRecordingServer } from '../support/recording-server.ts';
import { createHome, injecting, runFrontdesk, STALLED } from '../support/run-frontdesk.ts';
import { CARD_ID } from '../support/sample-card.ts';

/** Breaks the program when it has sent, or been answered, the first request of this method; then sends itself this signal. */
const BREAKING = injecting(`
  // The five seconds pass at once in which no answer comes.
  const real = setTimeout;
  const isShort = (ms) => ms === 5000 && process.env.BREAK_AT === 'undici:client:sendHeaders';
  globalThis.setTimeout = (done, ms, ...more) => real(done, isShort(ms) ? 300 : ms, ...more);
  import { subscribe } from 'node:diagnostics_channel';
  const { BREAK_AT, BREAK_METHOD, BREAK_BY, BREAK_SIGNAL } = process.env;
  let isBroken = false;
  subscribe(BREAK_AT, ({ request }) => {
    if (isBroken || request.method !== BREAK_METHOD) return;
    isBroken = true;
    if (BREAK_BY === 'throw') process.nextTick(() => { throw new Error('boom'); });
    else Promise.reject(new Error('boom'));
    if (BREAK_SIGNAL) setImmediate(() => process.kill(process.pid, BREAK_SIGNAL));
  });`);

const SENT = 'undici:client:sendHeaders';
const ANSWERED = 'undici:request:headers';

async function broken(args: readonly string[], env: Readonly<Record<string, string>>, silent = false) {
  const home = createHome();
  const special = ({ method }: RecordedRequest) => (silent && method === 'POST' ? 'hang' : undefined);
  const server = await startRecordingServer(playService(special));
  const all = { ...server.env, ...BREAKING, ...env };
  const { code, stdout } = await runFrontdesk(args, { home, env: all, script: STALLED });
  const history = await runFrontdesk(['history', '--json', '--query', '[].outcome'], { home, env: server.env });
  const posts = server.lines.filter((line) => line.startsWith('POST')).length;
  await server.stop();
  return { code, stdout, posts, history: JSON.parse(history.stdout) };
}

const GUARD = ['--expect', 'status=ACTIVE', '--yes', '--json'];
const SINGLE = [
  ['a block', ['card', 'block', CARD_ID, ...GUARD]],
  ['a reissue', ['card', 'reissue', CARD_ID, ...GUARD]],
] as const;
const SIGNALS = ['', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGPIPE'] as const;
const ENDS = SINGLE.flatMap(([name, args]) => SIGNALS.map((signal) => [name, signal, args] as const));

describe.concurrent('an error that nothing caught, while the reader of stderr stands still', () => {
  it.each(ENDS)('keeps %s back that was not sent yet (then %s)', async (_, signal, args) => {
    const env = { BREAK_AT: ANSWERED, BREAK_METHOD: 'GET', BREAK_SIGNAL: signal };
    const { code, posts, history, stdout } = await broken(args, env);
    expect({ code, posts, stdout }).toEqual({ code: 1, posts: 0, stdout: '' });
    // Its beginning may be recorded by then; that it was not sent is then recorded too.
    expect(history.filter((outcome: string) => outcome !== 'not_sent')).toEqual([]);
  });

  it.each(ENDS)('ends %s that was sent with 8, and its record stays open (then %s)', async (_, signal, args) => {
    const env = { BREAK_AT: SENT, BREAK_METHOD: 'POST', BREAK_BY: 'throw', BREAK_SIGNAL: signal };
    expect(await broken(args, env, true)).toEqual({ code: 8, posts: 1, stdout: '', history: ['unknown'] });
  });

  it('takes the rows of an input away that were written down to be checked', async () => {
    const folder = mkdtempSync(join(createHome().path, 'tmp-'));
    const env = { BREAK_AT: ANSWERED, BREAK_METHOD: 'GET', TMPDIR: folder };
    expect((await broken(['card', 'get', CARD_ID, CARD_ID, '--json'], env)).code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });
});

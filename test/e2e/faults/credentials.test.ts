import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { silence } from '../../support/fault-server.ts';
import { startFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID } from '../../support/sample-card.ts';
import { IS_LONG, onStage, until } from './stage.ts';

const GET = ['card', 'get', CARD_ID];
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

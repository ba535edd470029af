import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { json, silence, startFaultServer } from '../../support/fault-server.ts';
import { startFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { CAN_MOUNT, CARDS_CANARY, IS_LONG, onSmallDisk, onStage, STORED_CANARY, type Stage, until } from './stage.ts';

const GET = ['card', 'get', CARD_ID];
const LINE = `GET /v1/cards/${CARD_ID}`;
const NO_TOKENS = { FRONTDESK_CARDS_TOKEN: undefined, FRONTDESK_CALENDAR_TOKEN: undefined };
/** Only the stored settings and credentials count. */
const STORED = { ...NO_TOKENS, FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };

/** Stores the planted token for the server of the stage in the profile `live`. */
async function logIn(stage: Stage, url = stage.server.url): Promise<void> {
  const args = ['auth', 'login', '-p', 'live', '--cards-url', url, '--token-stdin'];
  const { code, stderr } = await stage.run(args, { env: STORED, stdin: `${STORED_CANARY}\n` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

test.concurrent('C2 keeps a stored token from every other scheme, host and port', () =>
  onStage(async (stage) => {
    const other = await startFaultServer({ script: [json(200, cardText('ACTIVE'))] });
    try {
      await logIn(stage);
      expect((await stage.run([...GET, '-p', 'live'], { env: STORED })).code).toBe(0);
      const { port } = stage.server;
      for (const url of [other.url, `http://localhost:${port}`, `https://127.0.0.1:${port}`]) {
        await stage.run(['profile', 'set', 'live', '--cards-url', url], { env: STORED });
        const { code, stdout, stderr } = await stage.run([...GET, '-p', 'live'], { env: STORED });
        expect({ url, code, stdout }).toEqual({ url, code: 4, stdout: '' });
        expect(stderr).toContain(`belongs to ${stage.server.url}`);
      }
      expect(other.connections).toBe(0);
      expect(stage.lines).toEqual([LINE]);
    } finally {
      await other.close();
    }
  }));

test.concurrent('C3 sends the token of the environment to the URL of the environment, else to that of the profile', () =>
  onStage(async (stage) => {
    const other = await startFaultServer({ script: [json(200, cardText('ACTIVE'))] });
    try {
      await logIn(stage, other.url);
      const withEnvironment = await stage.run(GET);
      expect(withEnvironment.code).toBe(0);
      expect(stage.server.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${CARDS_CANARY}`]);
      const noUrls = { FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };
      const withProfile = await stage.run([...GET, '--verbose'], { env: noUrls });
      expect(withProfile.code).toBe(0);
      expect(other.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${CARDS_CANARY}`]);
      expect(withProfile.stderr).toMatch(/environment \(FRONTDESK_CARDS_TOKEN\).*stored/);
      const both = await stage.run([...GET, '-p', 'live']);
      expect({ code: both.code, stdout: both.stdout }).toEqual({ code: 2, stdout: '' });
      expect(both.stderr).toContain(other.url);
      expect(both.stderr).toContain(stage.server.url);
      expect(stage.lines).toHaveLength(1);
      expect(other.requests).toHaveLength(1);
    } finally {
      await other.close();
    }
  }));

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

test.concurrent('C20 masks its token wherever the service echoes it', async () => {
  const forms = [CARDS_CANARY, encodeURIComponent(CARDS_CANARY), Buffer.from(CARDS_CANARY).toString('base64')];
  const echo = {
    errorCode: 'DENIED',
    message: `who is ${forms.join(' or ')}?`,
    details: { [forms[0] ?? '']: forms },
  };
  for (const format of ['table', 'json']) {
    await onStage(
      async (stage) => {
        const args = [...GET, '-o', format, '--verbose'];
        const { code, stderr } = await stage.run(args, { env: { FRONTDESK_DEBUG: '1' } });
        expect(code).toBe(6);
        expect(stderr).toContain('who is *** or *** or ***?');
      },
      { route: () => json(400, echo, { 'X-Request-Id': CARDS_CANARY, 'X-Echo': `Bearer ${CARDS_CANARY}` }) },
    );
    await onStage(
      async (stage) => {
        const { code, stdout } = await stage.run([...GET, '-o', format, '--verbose']);
        expect(code).toBe(0);
        expect(stdout).toContain('***');
        if (format === 'json') expect(stdout).toContain(`*** ${forms.slice(1).join(' ')}`);
      },
      {
        printsData: true,
        route: () => json(200, cardText('ACTIVE').replace('Bergen', forms.join(' ')).replace('order-1', CARDS_CANARY)),
      },
    );
  }
  await onStage(
    async (stage) => {
      expect((await stage.run(['card', 'activate', CARD_ID])).code).toBe(6);
      expect((await stage.run(['history', '--json'])).code).toBe(0);
    },
    { route: () => json(409, echo, { 'X-Request-Id': CARDS_CANARY }) },
  );
});

test.concurrent('C20 masks its token where a body that is not wholly JSON has it escaped', async () => {
  const escaped = [...CARDS_CANARY].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
  const body = `gateway: rejected {"auth":"${escaped}","said":"${escaped.replaceAll('\\', '\\\\')}"}`;
  await onStage(
    async (stage) => {
      for (const format of ['table', 'json']) {
        const { code, stderr } = await stage.run([...GET, '-o', format, '--verbose']);
        expect(code).toBe(6);
        expect(stderr.match(/rejected.*?auth\S+\*{3}/g)?.length).toBeGreaterThan(1);
        expect(stderr).not.toContain('\\u00');
      }
      expect((await stage.run(['card', 'activate', CARD_ID, '--verbose'])).stderr).not.toContain('\\u00');
      expect((await stage.run(['history', '--json'])).stdout).not.toContain('\\u00');
    },
    { route: () => json(400, body) },
  );
});

test.concurrent('C21 keeps the token out of a diagnostic report', () =>
  onStage(
    async (stage) => {
      const options = '--report-on-signal --report-signal=SIGUSR2';
      const running = startFrontdesk([...GET, '--retries', '0'], {
        home: stage.home,
        env: {
          ...stage.env,
          NODE_OPTIONS: `${options} --report-dir=${stage.path('.')} --report-filename=report.json`,
        },
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

test.runIf(CAN_MOUNT).concurrent('C14 leaves the old files whole when the disk is full', () =>
  onStage(async (stage) => {
    stage.file('token.planted', STORED_CANARY);
    stage.file('other.planted', 'x'.repeat(8000));
    const login = '$FD auth login -p live --cards-url https://cards.example.com --token-stdin';
    const full = await stage.shell(
      onSmallDisk(
        stage.home.configDir,
        64,
        `cd ${stage.path('.')}
          ${login} < token.planted > /dev/null
          cp -r ${stage.home.configDir} before.planted
          dd if=/dev/zero of=${stage.home.configDir}/fill bs=4096 2> /dev/null
          ${login} < other.planted; echo $?
          $FD profile set live --require-reason ${'x'.repeat(5000)}; echo $?
          truncate -s -8192 ${stage.home.configDir}/fill
          ${login} < other.planted; echo $?
          $FD profile set live --require-reason ${'x'.repeat(9000)}; echo $?
          rm ${stage.home.configDir}/fill
          diff -r ${stage.home.configDir} before.planted && echo unchanged`,
      ),
      { env: { FRONTDESK_CARDS_URL: '', FRONTDESK_CALENDAR_URL: '' } },
    );
    expect(full.stdout).toBe('16\n16\n16\n16\nunchanged\n');
    const lines = full.stderr.split('\n').filter((line) => line.startsWith('frontdesk: could not'));
    expect(lines).toHaveLength(4);
    // A lock comes before the first change, so a failure of its own claims nothing.
    for (const line of lines)
      expect(line).toMatch(
        /^frontdesk: could not (?:lock .*: no space left|save .*(?:no space left|the disk took).*(?:unchanged|Done before that))/,
      );
  }),
);

import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
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

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Stores the planted token for the server of the stage in the profile `live`. */
async function logIn(stage: Stage, url = stage.server.url): Promise<void> {
  const args = ['auth', 'login', '-p', 'live', '--cards-url', url, '--token-stdin'];
  const { code, stderr } = await stage.run(args, { env: STORED, stdin: `${STORED_CANARY}\n` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

const credentialsOf = (stage: Stage) => join(stage.home.configDir, 'credentials.json');
const settingsOf = (stage: Stage) => join(stage.home.configDir, 'settings.json');

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function jwt(claims: unknown, header: unknown = { alg: 'HS256' }): string {
  return `${base64url(header)}.${base64url(claims)}.c2lnbmF0dXJl`;
}

test.concurrent('C1 says how to log in when there is no token, and sends nothing', () =>
  onStage(async (stage) => {
    const { code, stdout, stderr } = await stage.run(GET, { env: NO_TOKENS });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('FRONTDESK_CARDS_TOKEN');
    expect(stderr).toContain('auth login');
    expect(stage.server.connections).toBe(0);
  }));

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

test.concurrent('C4 never sends the token of one API to the other, although both are at the same host', () =>
  onStage(async (stage) => {
    const calendar = ['calendar', 'subscribers', 'list', 'cal_1'];
    const withoutOwn = await stage.run(calendar, { env: { FRONTDESK_CALENDAR_TOKEN: undefined } });
    expect(withoutOwn.code).toBe(4);
    await logIn(stage);
    const args = [...calendar, '-p', 'live'];
    const env = { ...STORED, FRONTDESK_CALENDAR_URL: stage.server.url };
    expect((await stage.run(args, { env })).code).toBe(4);
    expect(stage.lines).toEqual([]);
  }));

test.concurrent('C5 refuses a token that is not visible ASCII, wherever it comes from, without showing it', () =>
  onStage(async (stage) => {
    const bad = ['abc\ndef-hunter2', 'abc\rdef-hunter2', 'abc def-hunter2', 'abcédef-hunter2', 'abc\u007fhunter2'];
    const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url];
    const calls = bad.flatMap((token, index) => [
      stage.run(GET, { env: { FRONTDESK_CARDS_TOKEN: token } }),
      stage.run([...login, '--token-stdin'], { env: STORED, stdin: token }),
      stage.run([...login, '--token-file', stage.file(`token-${index}.planted`, `${token}\n`)], { env: STORED }),
    ]);
    for (const { code, stdout, stderr } of await Promise.all(calls)) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('visible ASCII');
      expect(stderr).not.toContain('hunter2');
    }
    const nul = await stage.run([...login, '--token-stdin'], { env: STORED, stdin: 'abc\0def' });
    expect(nul.code).toBe(2);
    expect(readdirSync(stage.home.path)).not.toContain('config');
    expect(stage.server.connections).toBe(0);
  }));

test.concurrent('C6 has no option that takes a token, and says why if one is typed', () =>
  onStage(async (stage) => {
    const calls = [
      [...GET, '--token', 'hunter2-hunter2'],
      ['auth', 'login', '--token=hunter2-hunter2'],
      ['auth', 'login', '--family', 'cards', '--token', 'hunter2-hunter2'],
    ].map((args) => stage.run(args));
    for (const { code, stdout, stderr } of await Promise.all(calls)) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('--token');
      expect(stderr).toMatch(/other programs|process list|shell/);
      expect(stderr).not.toContain('hunter2');
    }
    expect(stage.lines).toEqual([]);
  }));

test.concurrent('C15 works with the environment alone: no home, a home that cannot be written', () =>
  onStage(async (stage) => {
    const folders = { FRONTDESK_CONFIG_DIR: undefined, XDG_CONFIG_HOME: undefined, FRONTDESK_STATE_DIR: undefined };
    const nowhere = await stage.run(GET, { env: { ...folders, HOME: undefined } });
    expect({ code: nowhere.code, stderr: nowhere.stderr }).toEqual({ code: 0, stderr: '' });
    const readOnly = await stage.run(GET, { env: { ...folders, HOME: '/proc/self/absent' } });
    expect({ code: readOnly.code, stderr: readOnly.stderr }).toEqual({ code: 0, stderr: '' });
    const write = ['card', 'activate', CARD_ID];
    const refused = await stage.run(write, { env: { ...folders, HOME: '/proc/self/absent' } });
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--no-history');
    expect((await stage.run([...write, '--no-history'], { env: { ...folders, HOME: undefined } })).code).toBe(0);
    expect(stage.lines).toEqual([LINE, LINE, `POST /v1/cards/${CARD_ID}/activate`]);
  }));

test.concurrent('C16 exits with 4 if the token command fails, prints nothing of its output, and uses no other token', () =>
  onStage(async (stage) => {
    const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url, '--token-command'];
    for (const [command, text] of [
      ['echo hunter2; echo hunter2 >&2; exit 3', 'exit status 3'],
      ['true', 'printed nothing'],
      ['kill -9 $$', 'SIGKILL'],
    ] as const) {
      expect((await stage.run([...login, command], { env: STORED })).code).toBe(0);
      const { code, stdout, stderr } = await stage.run([...GET, '-p', 'live'], { env: STORED });
      expect({ command, code, stdout }).toEqual({ command, code: 4, stdout: '' });
      expect(stderr).toContain(text);
      expect(stderr).not.toContain('hunter2');
    }
    expect(stage.lines).toEqual([]);
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

test.concurrent('C17 refuses a card token that says it has expired, and warns of one that soon will', () =>
  onStage(async (stage) => {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const cards = (token: string, ...more: readonly string[]) =>
      stage.run([...GET, ...more], { env: { FRONTDESK_CARDS_TOKEN: token } });
    const old = jwt({ exp: nowSeconds - 7200 });
    const expired = await cards(old);
    expect({ code: expired.code, stdout: expired.stdout }).toEqual({ code: 4, stdout: '' });
    expect(expired.stderr).toContain('expired 2 h ago');
    expect(expired.stderr).toContain('--ignore-expiry');
    expect(stage.lines).toEqual([]);
    expect((await cards(old, '--ignore-expiry')).code).toBe(0);
    expect((await cards(jwt({ exp: nowSeconds - 5 }))).code).toBe(4);
    const soon = await cards(jwt({ exp: nowSeconds + 7300 }));
    expect({ code: soon.code, stderr: soon.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('expires in 2 h'),
    });
    const calendar = await stage.run(['calendar', 'subscribers', 'list', 'c'], {
      env: { FRONTDESK_CALENDAR_TOKEN: old },
    });
    expect({ code: calendar.code, stderr: calendar.stderr }).toEqual({ code: 0, stderr: '' });
  }));

test.concurrent('C18 leaves tokens that only look like a JWT to the service, and shows no claim', () =>
  onStage(async (stage) => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const tokens = [
      jwt({ exp: '1', name: 'hunter2' }),
      jwt({ exp: null }),
      jwt({ exp: 1e308 }),
      jwt({ name: 'hunter2' }, { alg: 'none' }),
      jwt([]),
      `${base64url({})}.!!!.x`,
      `${base64url({ alg: 'HS256' })}.${Buffer.from(deep).toString('base64url')}.x`,
      `${base64url({ alg: 'HS256' })}.${base64url({ pad: 'x'.repeat(40_000) })}.x`,
      'a.b.c',
    ];
    const results = await Promise.all(tokens.map((token) => stage.run(GET, { env: { FRONTDESK_CARDS_TOKEN: token } })));
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(tokens.map(() => ({ code: 0, stderr: '' })));
  }));

test.concurrent('C19 shows the whole exchange with --verbose, and no token', () =>
  onStage(async (stage) => {
    const { code, stderr } = await stage.run(['card', 'block', CARD_ID, '--yes', '--verbose', '--reason', 'lost']);
    expect(code).toBe(0);
    expect(stderr).toContain(`> POST ${stage.server.url}/v1/cards/${CARD_ID}/block`);
    expect(stderr).toContain('> Authorization: Bearer ***');
    expect(stderr).toContain('{"reason":"lost"}');
    expect(stderr).toContain('< 200');
  }));

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

test.concurrent('C22 runs the token command without tokens in its environment or in arguments', () =>
  onStage(async (stage) => {
    const script = stage.file(
      'give-token',
      'env > environment; cat /proc/self/cmdline /proc/$PPID/cmdline > arguments; cat token.planted',
    );
    stage.file('token.planted', `${STORED_CANARY}\n`);
    const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url];
    expect((await stage.run([...login, '--token-command', `sh ${script}`], { env: STORED })).code).toBe(0);
    const env = {
      FRONTDESK_CARDS_URL: undefined,
      FRONTDESK_CARDS_TOKEN: undefined,
      FRONTDESK_OTHER_TOKEN: 'hunter2',
    };
    expect((await stage.run([...GET, '-p', 'live'], { env })).code).toBe(0);
    expect(stage.server.requests[0]?.headers['authorization']).toBe(`Bearer ${STORED_CANARY}`);
    const environment = readFileSync(stage.path('environment'), 'utf8');
    expect(environment).toContain('FRONTDESK_CALENDAR_URL=');
    expect(environment).not.toMatch(/_TOKEN=|hunter2/);
    expect(readFileSync(stage.path('arguments'), 'utf8')).toContain('give-token');
  }));

test.concurrent('C23 shows the response to a provisioning in json alone, or in the file of --out', () =>
  onStage(async (stage) => {
    const provision = ['card', 'provision', CARD_ID, '--wallet', 'wallet_a', '--verbose'];
    for (const format of ['json', 'ndjson']) {
      const { code, stdout, stderr } = await stage.run([...provision, '-o', format]);
      expect(code).toBe(0);
      expect(stdout).toContain('PAYLOAD-ONE-TIME');
      expect(stderr).not.toContain('PAYLOAD');
    }
    for (const format of ['table', 'csv']) {
      expect((await stage.run([...provision, '-o', format])).code).toBe(2);
      expect((await stage.run([...provision, '-o', format, '--show-sensitive'])).stdout).toContain('PAYLOAD-ONE-TIME');
    }
    const { code, stdout, stderr } = await stage.run([...provision, '--json', '--out', 'secret.planted']);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('PAYLOAD');
    expect(modeOf(stage.path('secret.planted'))).toBe('600');
    expect(JSON.parse(readFileSync(stage.path('secret.planted'), 'utf8'))).toEqual({
      encryptedPaymentInstrument: 'PAYLOAD-ONE-TIME',
      activationData: 'PAYLOAD-ONE-TIME',
    });
    const kept = await stage.shell(`grep -rl PAYLOAD ${stage.home.stateDir} ${stage.home.configDir} || true`);
    expect(kept.stdout).toBe('');
  }));

test.concurrent('C7 refuses a store that others can read, write or swap, with the command that fixes it', () =>
  onStage(async (stage) => {
    await logIn(stage);
    const [file, folder] = [credentialsOf(stage), stage.home.configDir];
    expect([modeOf(file), modeOf(folder)]).toEqual(['600', '700']);
    const refused = async (fix: string) => {
      const { code, stdout, stderr } = await stage.run([...GET, '-p', 'live'], { env: STORED });
      expect({ fix, code, stdout }).toEqual({ fix, code: 4, stdout: '' });
      expect(stderr).toContain(fix);
    };
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(file, mode);
      await refused(`chmod 600 ${file}`);
    }
    chmodSync(file, 0o600);
    for (const mode of [0o770, 0o702]) {
      chmodSync(folder, mode);
      await refused(`chmod go-w ${folder}`);
    }
    chmodSync(folder, 0o755);
    renameSync(file, `${file}.real.planted`);
    symlinkSync(`${file}.real.planted`, file);
    await refused(`rm ${file}`);
    if (process.getuid?.() === 0) {
      renameSync(`${file}.real.planted`, file);
      chownSync(file, 65_534, 65_534);
      await refused(`chown 0 ${file}`);
      chownSync(file, 0, 0);
    }
    expect(stage.lines).toEqual([]);
  }));

test.concurrent('C7 makes files for this user alone, whatever the umask (G10)', async () => {
  const withUmask = (umask: string) =>
    onStage(async (stage) => {
      const login = `auth login -p live --cards-url ${stage.server.url} --token-stdin`;
      stage.file('token.planted', STORED_CANARY);
      const { code } = await stage.shell(
        `umask ${umask}; unset FRONTDESK_CARDS_URL; $FD ${login} < token.planted && unset FRONTDESK_CARDS_TOKEN && $FD card activate ${CARD_ID} -p live && $FD card activate -p live --yes ${CARD_ID} ${CARD_ID.replace('7', '8')}`,
      );
      expect(code).toBe(0);
      const entries = [stage.home.configDir, stage.home.stateDir].flatMap((folder) => [
        folder,
        ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
      ]);
      const open = entries.filter((path) => (statSync(path).mode & 0o077) !== 0);
      expect({ umask, open }).toEqual({ umask, open: [] });
      expect(entries.length).toBeGreaterThan(6);
    });
  await Promise.all(['000', '022', '077'].map(withUmask));
});

test.concurrent('C8 gives a rewritten file its mode anew, and puts no secret into an open one', () =>
  onStage(async (stage) => {
    await logIn(stage);
    chmodSync(settingsOf(stage), 0o644);
    expect((await stage.run(['config', 'set', 'retries', '1'], { env: STORED })).code).toBe(0);
    expect(modeOf(settingsOf(stage))).toBe('600');
    chmodSync(credentialsOf(stage), 0o644);
    const before = readFileSync(credentialsOf(stage));
    const again = await stage.run(['auth', 'login', '-p', 'live', '--family', 'cards', '--token-stdin'], {
      env: STORED,
      stdin: 'another-token',
    });
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 4, stdout: '' });
    expect(readFileSync(credentialsOf(stage)).equals(before)).toBe(true);
  }));

test.concurrent('C9 reads a mounted secret of any owner, and warns if everybody can', () =>
  onStage(async (stage) => {
    const file = stage.file('mounted.planted', `${STORED_CANARY}\n`);
    const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url, '--token-file', file];
    expect((await stage.run(login, { env: STORED })).code).toBe(0);
    chmodSync(file, 0o440);
    if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534);
    const quiet = await stage.run([...GET, '-p', 'live'], { env: STORED });
    expect({ code: quiet.code, stderr: quiet.stderr }).toEqual({ code: 0, stderr: '' });
    chmodSync(file, 0o444);
    const warned = await stage.run([...GET, '-p', 'live'], { env: STORED });
    expect({ code: warned.code, stderr: warned.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('every user of this machine can read'),
    });
    expect(readFileSync(credentialsOf(stage), 'utf8')).not.toContain(STORED_CANARY);
  }));

test.concurrent('C12 leaves a damaged settings file unchanged, and keeps a copy of damaged credentials at the next login', () =>
  onStage(async (stage) => {
    await logIn(stage);
    const good = readFileSync(settingsOf(stage));
    const damaged = [Buffer.alloc(0), good.subarray(0, good.length - 5), Buffer.concat([Buffer.from('\ufeff'), good])];
    for (const bytes of damaged) {
      writeFileSync(settingsOf(stage), bytes);
      const { code, stdout, stderr } = await stage.run(GET);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(settingsOf(stage));
      expect((await stage.run(['config', 'set', 'retries', '1'])).code).toBe(2);
      expect(readFileSync(settingsOf(stage)).equals(bytes)).toBe(true);
    }
    for (const args of [['doctor'], ['help'], ['--version'], ['card', '--help']]) {
      expect({ args, code: (await stage.run(args)).code }).toEqual({ args, code: 0 });
    }
    writeFileSync(settingsOf(stage), good);
    expect((await stage.run([...GET, '-p', 'live'], { env: STORED })).code).toBe(0);
    const half = readFileSync(credentialsOf(stage)).subarray(0, 40);
    writeFileSync(credentialsOf(stage), half);
    expect((await stage.run([...GET, '-p', 'live'], { env: STORED })).code).toBe(2);
    const login = ['auth', 'login', '-p', 'live', '--family', 'cards', '--token-stdin'];
    const fixed = await stage.run(login, { env: STORED, stdin: STORED_CANARY });
    expect({ code: fixed.code, stderr: fixed.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`${credentialsOf(stage)}.bad`),
    });
    expect(readFileSync(`${credentialsOf(stage)}.bad`).equals(half)).toBe(true);
    expect(stage.lines).toEqual([LINE]);
  }));

test.concurrent('C13 takes no other JSON for settings or credentials', () =>
  onStage(async (stage) => {
    await logIn(stage);
    for (const path of [settingsOf(stage), credentialsOf(stage)]) {
      const good = readFileSync(path);
      for (const text of ['null', '{}']) {
        writeFileSync(path, text);
        const { code, stdout, stderr } = await stage.run([...GET, '-p', 'live'], { env: STORED });
        expect({ path, text, code, stdout }).toEqual({ path, text, code: 2, stdout: '' });
        expect(stderr).toContain(path);
        expect(readFileSync(path, 'utf8')).toBe(text);
      }
      writeFileSync(path, good);
    }
    expect(stage.lines).toEqual([]);
  }));

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

test.concurrent('C24 refuses profile names that could lead elsewhere', () =>
  onStage(async (stage) => {
    const names = ['../x', '..', '.', '', 'a/b', 'a b', 'x'.repeat(65), 'a\nb', 'é'];
    const results = await Promise.all(
      names.map((name) => stage.run(['profile', 'set', `${name}`, '--cards-url', stage.server.url], { env: STORED })),
    );
    expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual(names.map(() => ({ code: 2, stdout: '' })));
    expect((await stage.run([...GET, '-p', '__proto__'])).code).toBe(2);
    const own = ['__proto__', 'constructor', 'toString'];
    for (const name of own) {
      expect((await stage.run(['profile', 'set', name, '--cards-url', stage.server.url], { env: STORED })).code).toBe(
        0,
      );
    }
    const { stdout } = await stage.run(['profile', 'list', '--json', '--query', '[].name'], { env: STORED });
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(own));
    expect(stage.lines).toEqual([]);
  }));

test.concurrent('C25 does not change files of a newer frontdesk', () =>
  onStage(async (stage) => {
    await logIn(stage);
    for (const path of [settingsOf(stage), credentialsOf(stage)]) {
      const good = readFileSync(path);
      const newer = '{"version":99,"entries":{},"profiles":[]}';
      writeFileSync(path, newer);
      const get = await stage.run([...GET, '-p', 'live'], { env: STORED });
      expect({ path, code: get.code, stderr: get.stderr }).toEqual({
        path,
        code: 2,
        stderr: expect.stringContaining('newer frontdesk'),
      });
      const login = ['auth', 'login', '-p', 'live', '--cards-url', stage.server.url, '--token-stdin'];
      expect((await stage.run(login, { env: STORED, stdin: STORED_CANARY })).code).toBe(2);
      expect(readFileSync(path, 'utf8')).toBe(newer);
      writeFileSync(path, good);
    }
    expect(stage.lines).toEqual([]);
  }));

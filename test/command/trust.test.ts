import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledgerIn } from '../support/open-service.ts';
import { cardId, idLines, openPlain, rowLines } from '../support/plain-service.ts';
import { CARDS_TOKEN, untilFileEnds } from '../support/recording-server.ts';
import { startFrontdesk } from '../support/run-frontdesk.ts';

// What another user of the machine could have put on the disk is not believed.

const CARD_ID = cardId(1);
const OTHER = 54_321;

type Stage = Awaited<ReturnType<typeof onStage>>;

/** The profile `live` of a service that can cut the connection of the next request that would change a card. */
async function onStage() {
  let cuts = false;
  const place = await openPlain(({ method }) => {
    if (!cuts || method !== 'POST') return undefined;
    cuts = false;
    return 'reset';
  }, untilFileEnds);
  const alone = { FRONTDESK_CARDS_URL: undefined, FRONTDESK_CALENDAR_URL: undefined };
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    place.run(args, idLines(3), { ...alone, ...env });
  expect((await run(['profile', 'set', 'live', '--cards-url', place.server.url])).code).toBe(0);
  const cutNext = () => {
    cuts = true;
  };
  /** What is said of a call that ends so, prints nothing and changes no card. */
  const refuses = async (args: readonly string[], code = 4, env: Readonly<Record<string, string>> = {}) => {
    const before = place.posts();
    const { stderr, ...ended } = await run(args, env);
    expect([ended.code, ended.stdout, place.posts()]).toEqual([code, '', before]);
    return stderr;
  };
  return { ...place, run, cutNext, refuses };
}

function sh(script: string, cwd: string, as?: number): void {
  const user = as === undefined ? [] : ['setpriv', '--reuid', `${as}`, '--regid', `${as}`, '--clear-groups'];
  const [file = '', ...args] = [...user, 'sh', '-ec', script];
  expect(spawnSync(file, args, { cwd, encoding: 'utf8' }).stderr).toBe('');
}

/** The command of a hint `fix it with: …`. */
const fixOf = (stderr: string) => /fix it with: ([^"\n]*)/.exec(stderr)?.[1] ?? '';

/** A run of three cards that stopped after the first, of which nothing is known. */
async function stopped(stage: Stage, env?: Readonly<Record<string, string>>): Promise<void> {
  stage.cutNext();
  const args = ['card', 'block', '--from', '-', '--run', 'may', '-j', '1', '--max-failures', '1', '--yes'];
  const first = await stage.run([...args, '--retries', '0'], env);
  expect(first.code, first.stderr).toBe(8);
}

const RESUME = ['runs', 'resume', '--last', '-o', 'ndjson'];

describe.skipIf(process.platform === 'win32')('T21 the state folder', () => {
  const places = ['', 'runs', 'runs/may', 'runs/may/rows', 'runs/may/header.json', 'runs/may/journal.jsonl'];

  it.each(places)('T21 "%s" of the state folder is refused if others can write to it, with the fix', async (place) => {
    const stage = await onStage();
    await stopped(stage);
    const before = stage.posts();
    const path = join(stage.home.stateDir, place);
    sh(`chmod g+w ${path}`, '/');
    const stderr = await stage.refuses(RESUME);
    expect(stderr).toContain(`${path.replace(/\/$/, '')} was not used: others can write to it`);
    sh(fixOf(stderr), '/');
    expect((await stage.run(RESUME)).code).not.toBe(4);
    expect(stage.posts()).toBeGreaterThan(before);
  });

  it('T21 the state folder may be read by others, below a folder of root that its group can write to', async () => {
    const stage = await onStage();
    const above = join(stage.home.path, 'volume');
    mkdirSync(above);
    chmodSync(above, 0o2775);
    const state = { FRONTDESK_STATE_DIR: join(above, 'state') };
    await stopped(stage, state);
    sh('chmod -R go+rX .', join(above, 'state'));
    expect((await stage.run(RESUME, state)).code).not.toBe(4);
    expect(stage.posts()).toBeGreaterThan(1);
    sh('chmod 0660 runs/may/*', join(above, 'state'));
    sh(fixOf(await stage.refuses(RESUME, 4, state)), '/');
    expect((await stage.run(RESUME, state)).code).not.toBe(4);
  });

  it('T21 runs list names a run that is refused, shows the others and exits with 4', async () => {
    const stage = await onStage();
    await stopped(stage);
    await stage.run(['card', 'block', '--from', '-', '--run', 'june', '--yes']);
    chmodSync(join(stage.home.stateDir, 'runs/may/rows'), 0o666);
    const { code, stdout, stderr } = await stage.run(['runs', 'list', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([4, [{ run: 'june' }]]);
    expect(stderr).toContain('run may is left out');
    await stage.refuses(['runs', 'resume', 'may', '-o', 'ndjson']);
    for (const args of [['doctor'], ['card', 'get', CARD_ID]]) expect((await stage.run(args)).code).toBe(0);
    sh('chmod 600 may/rows; mv may ../elsewhere; ln -s ../elsewhere may', join(stage.home.stateDir, 'runs'));
    const stderrOfLink = expect.stringMatching(/run may is left out.*it is a symbolic link/);
    for (const listing of ['runs list', 'history']) {
      const ended = await stage.run([...listing.split(' '), '--json']);
      expect(ended).toMatchObject({ code: 4, stdout: expect.stringContaining('"june"'), stderr: stderrOfLink });
    }
  });

  it('T21 a change is refused if others can write to the history, and is sent with --no-history', async () => {
    const stage = await onStage();
    const activate = ['card', 'activate', CARD_ID];
    expect((await stage.run(activate)).code).toBe(0);
    chmodSync(ledgerIn(stage.home), 0o620);
    expect(await stage.refuses(activate)).toContain('Nothing was sent.');
    expect((await stage.run([...activate, '--no-history'])).code).toBe(0);
    expect((await stage.run(['history'])).code).toBe(4);
  });
});

describe.skipIf(process.platform === 'win32')('a folder that is not of frontdesk alone', () => {
  const COMMAND = /\b(?:rm|mv|chmod|chown|find) /;
  const LOGIN = ['auth', 'login', '-p', 'live', '--family', 'cards', '--token-command', 'echo x'];
  const project = (script: string) => `mkdir folder && cd folder && touch package.json && ${script}`;

  it.each([
    ['a device', '/dev/zero', ''],
    ['a file that others can write to', 'folder', 'touch folder && chmod 666 folder'],
    ['a link', 'link', 'mkdir -m 700 folder && mkdir folder/runs && ln -s folder link'],
    ['a link to nowhere', 'link', 'ln -s nowhere link'],
    ['a folder for all', 'folder', 'mkdir -m 1777 folder'],
    ['a folder that others can write to', 'folder', project('mkdir runs && chmod 777 . runs')],
    ['a folder that others can read', 'folder', project('mkdir -m 755 runs cards')],
    ['a folder with links', 'folder', project('ln -s /usr runs && ln -s /usr cards && ln -s /usr open && chmod 700 .')],
    ['a folder with foreign locks', 'folder', project('mkdir foo.lock && touch foo.lock/file yarn.lock p.json.bad')],
    ['a folder with settings', 'folder', project('echo {} > settings.json && chmod 777 .')],
    ['a folder with credentials', 'folder', project('touch credentials.json && chmod 600 *.json && chmod 777 .')],
    ['a folder of another user', 'folder', project(`chmod 777 . && { chown ${OTHER} . 2>/dev/null || true; }`)],
  ])('no hint changes %s that a variable names', async (_, path, script) => {
    const stage = await onStage();
    sh(script, stage.home.path);
    const place = path.startsWith('/') ? path : join(stage.home.path, path);
    const one = ['card', 'block', CARD_ID, '--yes'];
    for (const name of ['FRONTDESK_STATE_DIR', 'FRONTDESK_CONFIG_DIR']) {
      const of = { [name]: place, FRONTDESK_CARDS_URL: stage.server.url };
      const env = name === 'FRONTDESK_STATE_DIR' ? { ...of, FRONTDESK_CARDS_URL: '', FRONTDESK_PROFILE: 'live' } : of;
      for (const args of [one, ['history'], ['runs', 'list'], ['card', 'find', 'order'], LOGIN, ['doctor', '--json']]) {
        const { code, stdout, stderr } = await stage.run(args, env);
        expect(stdout + stderr, args.join(' ')).not.toMatch(COMMAND);
        if (code === 4 && args !== LOGIN) expect(stderr).toMatch(new RegExp(`hint: set ${name} to `));
      }
    }
  });
});

describe.skipIf(process.platform === 'win32')('the run of a plan', () => {
  async function stopped() {
    const stage = await onStage();
    const work = join(stage.home.path, 'work');
    for (const path of ['p.plan', 'q.plan']) {
      expect((await stage.run(['card', 'block', '--from', '-', '--plan', path])).code).toBe(0);
    }
    stage.cutNext();
    const apply = ['plan', 'apply', 'p.plan', '--yes', '-j', '1', '--max-failures', '1', '--retries', '0'];
    expect((await stage.run(apply)).code).toBe(8);
    const [run = ''] = readdirSync(join(stage.home.stateDir, 'runs')).filter((name) => name.startsWith('plan-'));
    return { stage, work, run: join(stage.home.stateDir, 'runs', run) };
  }

  const HASH_OF_COPY = '$(sha256sum "$run/plan" | cut -c1-64)';
  const CHANGE_COPY = 'sed -i s/ACTIVE/ACTIVF/ "$run/plan"';
  /** Another plan of the same rows, with its hash in the header: a backup that was restored by half. */
  const OTHER_PLAN = `old=${HASH_OF_COPY}; cp q.plan "$run/plan"; sed -i "s/$old/${HASH_OF_COPY}/" "$run/header.json"`;

  it('the run of a plan is resumed from the copy that it keeps', async () => {
    const { stage, run, work } = await stopped();
    expect(existsSync(join(run, 'plan'))).toBe(true);
    sh('rm p.plan', work);
    const before = stage.posts();
    const resumed = await stage.run(RESUME);
    expect(resumed.code, resumed.stderr).not.toBe(5);
    expect(rowLines(resumed.stdout).length).toBe(3);
    expect(stage.posts()).toBeGreaterThan(before);
  });

  const APPLY = ['plan', 'apply', 'p.plan', '--yes'];

  it.each([
    ['if its copy was changed', CHANGE_COPY, RESUME, 'its hash does not match'],
    ['if its copy is another plan', OTHER_PLAN, RESUME, 'keeps another plan'],
    ['by plan apply if its copy is another plan', OTHER_PLAN, APPLY, 'applied another plan'],
  ])('the run of a plan is not resumed %s', async (_, script, args, says) => {
    const { stage, run, work } = await stopped();
    sh(script.replaceAll('$run', run), work);
    expect(await stage.refuses(args, 2)).toContain(says);
  });

  it('the run of a plan restores a changed copy from the plan, and sends the rows of the plan', async () => {
    const { stage, run, work } = await stopped();
    sh(CHANGE_COPY.replaceAll('$run', run), work);
    const before = stage.posts();
    expect(rowLines((await stage.run([...APPLY, '-o', 'ndjson'])).stdout).length).toBe(3);
    expect(stage.posts()).toBeGreaterThan(before);
    sh(`cmp p.plan ${run}/plan`, work);
  });
});

describe.skipIf(process.platform === 'win32')('T22 settings', () => {
  it.each([
    ['the file', 'settings.json'],
    ['the folder', '.'],
  ])('T22 settings are not used if others can write to %s', async (_, place) => {
    const stage = await onStage();
    sh(`chmod g+w ${place}`, stage.home.configDir);
    const stderr = await stage.refuses(['card', 'get', CARD_ID]);
    expect(stage.server.requests).toEqual([]);
    sh(fixOf(stderr), '/');
    expect((await stage.run(['card', 'get', CARD_ID])).code).toBe(0);
  });

  it('T22 settings may be a link, and may be read by others', async () => {
    const stage = await onStage();
    const link = 'mv settings.json ../dotfiles/s; chmod 644 ../dotfiles/s; ln -s ../dotfiles/s settings.json';
    sh(`mkdir ../dotfiles; ${link}`, stage.home.configDir);
    expect((await stage.run(['card', 'get', CARD_ID])).code).toBe(0);
    chmodSync(join(stage.home.path, 'dotfiles'), 0o777);
    expect([(await stage.run(['card', 'get', CARD_ID])).code, stage.server.requests.length]).toEqual([4, 1]);
  });
});

describe.skipIf(process.platform === 'win32')(
  'T24 a signal ends a command that reads a pipe which never ends',
  { concurrent: true },
  () => {
    it.each([
      ['the rows', ['card', 'get', '--from', 'pipe']],
      ['a plan', ['plan', 'show', 'pipe']],
      ['certificates', ['card', 'get', CARD_ID, '--ca-file', 'pipe']],
      ['a description', ['calendar', 'update', 'c', '--description-file', 'pipe']],
      ['a body', ['api', 'POST', '/v1/calendars/c/notes', '--data', '@pipe', '--yes']],
      ['an older file', ['calendar', 'update', '--from', 'rows.csv', '--changed-from', 'pipe', '--yes']],
      ['a seed', ['sandbox', 'serve', '--seed', 'pipe']],
    ])('T24 a signal ends a command that reads an endless pipe: %s', async (_, args) => {
      const { home, server } = await onStage();
      const work = join(home.path, 'work');
      sh('mkfifo pipe; printf "id,name\nc,x\n" > rows.csv', work);
      const running = startFrontdesk(args, { home, env: server.env });
      // Opening waits for the reader: once this resolves the program has the pipe.
      const writer = await open(join(work, 'pipe'), 'w');
      running.child.kill('SIGTERM');
      const { signal, elapsedMs } = await running.result;
      await writer.close();
      expect({ signal, requests: server.requests.length }).toEqual({ signal: 'SIGTERM', requests: 0 });
      expect(elapsedMs).toBeLessThan(20_000);
    });

    it('T24 a pipe that is written in pieces is read whole', async () => {
      const stage = await onStage();
      sh('mkfifo pipe', join(stage.home.path, 'work'));
      const running = stage.run(['card', 'get', '--from', 'pipe', '-o', 'ndjson']);
      const writer = await open(join(stage.home.path, 'work', 'pipe'), 'w');
      await writer.write(`${cardId(1)}\n`);
      await writer.write(`${cardId(2)}\n`);
      await writer.close();
      const { code, stdout } = await running;
      expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 2 });
    });
  },
);

it.skipIf(process.platform === 'win32')('no IDs of stdin stay in the temporary folder after a signal', async () => {
  const { home } = await onStage();
  const tmp = join(home.path, 'tmp');
  mkdirSync(tmp);
  const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN, TMPDIR: tmp };
  const running = startFrontdesk(['card', 'get', '--from', '-'], { home, env, keepStdinOpen: true });
  running.child.stdin?.write(idLines(3));
  await expect.poll(() => readdirSync(tmp).length, { timeout: 30_000 }).toBe(1);
  running.child.kill('SIGINT');
  expect([(await running.result).signal, readdirSync(tmp)]).toEqual(['SIGINT', []]);
});

it.skipIf(process.platform === 'win32')('a profile whose credentials are refused stays, with its token', async () => {
  const { home, run, refuses } = await onStage();
  expect((await run(['auth', 'login', '--family', 'cards', '--token-command', 'echo x'])).code).toBe(0);
  chmodSync(join(home.configDir, 'credentials.json'), 0o644);
  await refuses(['profile', 'remove', 'live', '--yes']);
  expect((await run(['profile', 'show', 'live'])).code).toBe(0);
  chmodSync(join(home.configDir, 'credentials.json'), 0o600);
  expect((await run(['profile', 'remove', 'live', '--yes'])).code).toBe(0);
  expect(readFileSync(join(home.configDir, 'credentials.json'), 'utf8')).not.toContain('echo x');
});

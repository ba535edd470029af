import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idLines, playService, rowLines } from '../support/plain-service.ts';
import { CARDS_TOKEN, type RecordingServer, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, type RunResult, runFrontdesk, withTimer } from '../support/run-frontdesk.ts';

const HAS_SSH_KEYGEN = spawnSync('ssh-keygen', ['-?']).error === undefined;
const withKeys = describe.skipIf(!HAS_SSH_KEYGEN);

interface Stage {
  readonly home: Home;
  readonly server: RecordingServer;
  readonly work: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>;
}

function makeKey(path: string, passphrase = ''): string {
  const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', '', '-f', path]);
  expect(made.status).toBe(0);
  return readFileSync(`${path}.pub`, 'utf8').trim();
}

/** A profile that demands approvals, and a plan of three cards made with it. Keys ann and bob are listed. */
async function stage(approvals = 2, options = ''): Promise<Stage> {
  const home = createHome();
  const work = join(home.path, 'work');
  const server = await startRecordingServer(playService());
  const listed = ['ann', 'bob'].map((name) => `${name} ${options}${makeKey(join(work, name))}\n`);
  writeFileSync(join(work, 'allowed'), listed.join(''));
  const run: Stage['run'] = (args, env = {}) =>
    runFrontdesk(args, { home, env: { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN, ...env }, stdin: idLines(3) });
  const set = ['profile', 'set', 'live', '--cards-url', server.url, '--approvers', 'allowed'];
  expect((await run([...set, '--approvals', String(approvals)])).code).toBe(0);
  const made = await run(['card', 'block', '--from', '-', '--plan', 'p.plan']);
  expect(made.code, made.stderr).toBe(0);
  return { home, server, work, run };
}

function approve({ run }: Stage, key: string, as: string, file = 'p.plan'): Promise<RunResult> {
  return run(['plan', 'approve', file, '--key', key, '--as', as, '--yes', '-q']);
}

/** The shard that has one of the three cards. */
const SHARD_OF_ONE = '1/3';

const APPLY = ['plan', 'apply', 'p.plan', '--yes', '-o', 'ndjson'];

function posts({ server }: Stage): number {
  return server.requests.filter(({ method }) => method === 'POST').length;
}

async function missing(from: Stage, count: string): Promise<void> {
  const { code, stdout, stderr } = await from.run(APPLY);
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toContain(count);
  expect(posts(from)).toBe(0);
}

withKeys('a plan that enough people approved (real keys)', () => {
  it('an approved plan has its rows in the audit log, with the plan and the names of its approvers', async () => {
    const place = await stage();
    await approve(place, 'ann', 'ann');
    await approve(place, 'bob', 'bob');
    const log = join(place.work, 'audit.jsonl');
    expect((await place.run(APPLY, { FRONTDESK_AUDIT_LOG: log })).code).toBe(0);
    const [header = ''] = readFileSync(join(place.work, 'p.plan'), 'utf8').split('\n');
    const { plan } = JSON.parse(header) as { plan: string };
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events).toHaveLength(6);
    for (const event of events) {
      expect(event).toMatchObject({ plan, approvers: ['ann', 'bob'], operation: 'card.block', run: `plan-${plan}` });
      expect(event).toMatchObject({ time: expect.stringMatching(/Z$/), id: expect.stringMatching(/^0b7a/) });
    }
  });

  it('an approved plan is applied, and says who approved it', async () => {
    const place = await stage();
    await missing(place, 'has 0 valid ones');
    const refused = await place.run([...APPLY, '-p', 'live']);
    expect(refused.stderr).toContain('have it approved: frontdesk -p live plan approve p.plan --key <key> --as <name>');
    const ann = await approve(place, 'ann', 'ann');
    expect({ code: ann.code, stderr: ann.stderr.includes('does not count') }).toEqual({ code: 0, stderr: false });
    await missing(place, 'has 1 valid one.');
    expect((await approve(place, 'bob', 'bob')).code).toBe(0);
    const shown = await place.run(['plan', 'show', 'p.plan', '--json', '--query', 'approvals']);
    const key = expect.stringMatching(/^SHA256:/);
    expect(JSON.parse(shown.stdout)).toEqual([
      { as: 'ann', key },
      { as: 'bob', key },
    ]);
    const { code, stdout, stderr } = await place.run(APPLY);
    expect(code, stderr).toBe(0);
    expect(rowLines(stdout)).toEqual(['1 applied 200 1', '2 applied 200 1', '3 applied 200 1']);
  });

  it('plan approve signs the bytes of the file into <file>.<name>.sig, in its own namespace', async () => {
    const place = await stage(1);
    const { code, stdout } = await place.run([
      'plan',
      'approve',
      'p.plan',
      '--key',
      'ann',
      '--as',
      'ann',
      '--yes',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      as: 'ann',
      file: 'p.plan.ann.sig',
      key: expect.stringMatching(/^SHA256:/),
    });
    const args = ['-Y', 'verify', '-f', 'allowed', '-I', 'ann', '-n', 'frontdesk-plan', '-s', 'p.plan.ann.sig'];
    const input = readFileSync(join(place.work, 'p.plan'));
    expect(spawnSync('ssh-keygen', args, { cwd: place.work, input }).status).toBe(0);
    const again = await approve(place, 'ann', 'ann');
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toBe(
      'frontdesk: the approval "p.plan.ann.sig" is there already, and is never replaced. Nothing was signed.\n' +
        'hint: to approve anew, remove it first: rm p.plan.ann.sig\n',
    );
    expect(place.server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('a plan can be approved and shown with FRONTDESK_READ_ONLY, and not applied', async () => {
    const place = await stage(1);
    const locked = { FRONTDESK_READ_ONLY: '1' };
    const args = ['plan', 'approve', 'p.plan', '--key', 'ann', '--as', 'ann', '--yes'];
    expect((await place.run(args, locked)).code).toBe(0);
    expect((await place.run(['plan', 'show', 'p.plan'], locked)).code).toBe(0);
    expect((await place.run(APPLY, locked)).code).toBe(5);
    expect(posts(place)).toBe(0);
  });

  it('runs resume resumes an approved plan, and refuses one that is not approved', async () => {
    const place = await stage(1);
    await place.run(['profile', 'set', 'live', '--approvers', '', '--approvals', '']);
    const down = { FRONTDESK_CARDS_URL: '' };
    await place.run([...APPLY, '--max-failures', '1', '-j', '1', '--timeout', '1ms', '--retries', '0'], down);
    const { plan } = JSON.parse(readFileSync(join(place.work, 'p.plan'), 'utf8').split('\n')[0] ?? '') as {
      plan: string;
    };
    await place.run(['profile', 'set', 'live', '--approvers', 'allowed']);
    const before = posts(place);
    expect((await place.run(['runs', 'resume', `plan-${plan}`])).code).toBe(5);
    expect(posts(place)).toBe(before);
    await approve(place, 'ann', 'ann');
    expect((await place.run(APPLY)).code).not.toBe(5);
  });

  it('an approval is verified for the bytes that are sent, even if the file changes meanwhile', async () => {
    const place = await stage(2);
    await approve(place, 'ann', 'ann');
    await approve(place, 'bob', 'bob');
    // Each call of ssh-keygen finds that the file has grown since the plan was read.
    const tools = join(place.home.path, 'tools');
    mkdirSync(tools);
    const real = spawnSync('sh', ['-c', 'command -v ssh-keygen'], { encoding: 'utf8' }).stdout.trim();
    writeFileSync(
      join(tools, 'ssh-keygen'),
      `#!/bin/sh\necho >> '${join(place.work, 'p.plan')}'\nexec ${real} "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const before = posts(place);
    const { code, stderr } = await place.run(APPLY, { PATH: `${tools}:${process.env['PATH']}` });
    expect({ code, sent: posts(place) - before }, stderr).toEqual({ code: 0, sent: 3 });
    expect(readFileSync(join(place.work, 'p.plan'), 'utf8')).toMatch(/\n\n\n$/);
  });

  it('an approval is required to resume a run, also for a shard with one row of many', async () => {
    const place = await stage(1);
    await place.run(['profile', 'set', 'live', '--approvers', '', '--approvals', '']);
    const args = ['card', 'block', '--from', '-', '--yes', '--run', 'part', '--shard', SHARD_OF_ONE];
    await place.run([...args, '--timeout', '1ms', '--retries', '0']);
    expect(JSON.parse(readFileSync(join(place.home.stateDir, 'runs/part/header.json'), 'utf8'))).toMatchObject({
      rows: 1,
      inputRows: 3,
    });
    await place.run(['profile', 'set', 'live', '--approvers', 'allowed', '--approvals', '1']);
    const before = posts(place);
    expect(await place.run(['runs', 'resume', 'part', '--yes'])).toMatchObject({ code: 5, stdout: '' });
    expect(posts(place)).toBe(before);
  });
});

withKeys('L6 an approval that does not count (real keys)', () => {
  it('an approval of another plan does not count', async () => {
    const place = await stage(1);
    await place.run(['card', 'block', '--from', '-', '--plan', 'q.plan']);
    await approve(place, 'ann', 'ann', 'q.plan');
    copyFileSync(join(place.work, 'q.plan.ann.sig'), join(place.work, 'p.plan.ann.sig'));
    await missing(place, 'the signature of ann does not count: it was not made for this plan');
  });

  it('an approval by one key under two names, or under the name of another, does not count', async () => {
    const place = await stage(2);
    const listed = readFileSync(join(place.work, 'allowed'), 'utf8');
    writeFileSync(join(place.work, 'allowed'), `${listed}eve ${readFileSync(join(place.work, 'ann.pub'), 'utf8')}`);
    await approve(place, 'ann', 'ann');
    const twice = await approve(place, 'ann', 'eve');
    expect(twice).toMatchObject({ code: 5, stdout: '' });
    expect(twice.stderr).toBe(
      'frontdesk: the signature of eve does not count: ann signed with the same key. The approval was not kept\n',
    );
    expect(existsSync(join(place.work, 'p.plan.eve.sig'))).toBe(false);
    copyFileSync(join(place.work, 'p.plan.ann.sig'), join(place.work, 'p.plan.eve.sig'));
    await missing(place, 'the signature of eve does not count: ann signed with the same key');
    expect((await approve(place, 'ann', 'bob')).code).toBe(5);
    copyFileSync(join(place.work, 'p.plan.ann.sig'), join(place.work, 'p.plan.bob.sig'));
    await missing(
      place,
      'the signature of bob does not count: it was not made for this plan with a key that is listed for that name',
    );
  });

  it('an approval by a key that is not listed, no longer listed, or expired does not count', async () => {
    const place = await stage(1);
    makeKey(join(place.work, 'mallory'));
    const signed = await place.run(['plan', 'approve', 'p.plan', '--key', 'mallory', '--as', 'mallory', '--yes']);
    expect(signed).toMatchObject({ code: 5, stdout: '' });
    expect(signed.stderr).toContain(
      'the signature of mallory does not count: it was not made for this plan with a key that is listed for that name. The approval was not kept',
    );
    expect(existsSync(join(place.work, 'p.plan.mallory.sig'))).toBe(false);
    await missing(place, 'has 0 valid ones');
    await approve(place, 'ann', 'ann');
    const ann = readFileSync(join(place.work, 'ann.pub'), 'utf8');
    writeFileSync(join(place.work, 'allowed'), `ann valid-before="20200101" ${ann}`);
    await missing(place, 'the signature of ann does not count: it was not made for this plan');
  });

  it('a signature in another namespace does not count', async () => {
    const place = await stage(1);
    spawnSync('ssh-keygen', ['-Y', 'sign', '-f', 'ann', '-n', 'git', 'p.plan'], { cwd: place.work });
    copyFileSync(join(place.work, 'p.plan.sig'), join(place.work, 'p.plan.ann.sig'));
    await missing(place, 'the signature of ann does not count: it was not made for this plan');
  });

  it('a file that is no signature does not count as an approval', async () => {
    const place = await stage(1);
    writeFileSync(join(place.work, 'p.plan.ann.sig'), 'yes');
    await missing(place, 'the signature of ann does not count: it was not made for this plan');
  });

  it('no approval counts if the approvers file is missing, or others can write to it', async () => {
    const place = await stage(1);
    await approve(place, 'ann', 'ann');
    chmodSync(join(place.work, 'allowed'), 0o666);
    const why = 'profile live demands an approval, and no signature counts: the approvers file';
    const fix = `fix it with: chmod go-w ${join(place.work, 'allowed')}`;
    await missing(
      place,
      `${why} ${join(place.work, 'allowed')} is not used: others can write to it (mode 0666). Nothing`,
    );
    await missing(place, fix);
    const signed = await place.run(['plan', 'approve', 'p.plan', '--key', 'bob', '--as', 'bob', '--yes']);
    expect(signed.stderr).toContain(`hint: ${fix}\n`);
    chmodSync(join(place.work, 'allowed'), 0o644);
    chmodSync(place.work, 0o777);
    await missing(place, 'others can write to its folder (mode 0777)');
    chmodSync(place.work, 0o700);
    rmSync(join(place.work, 'allowed'));
    await missing(place, 'no such file');
  });

  it('an approved plan that was changed since is refused as no plan', async () => {
    const place = await stage(1);
    await approve(place, 'ann', 'ann');
    const text = readFileSync(join(place.work, 'p.plan'), 'utf8');
    writeFileSync(join(place.work, 'p.plan'), text.replace('ACTIVE', 'ACTIVF'));
    expect((await place.run(APPLY)).code).toBe(2);
    expect(posts(place)).toBe(0);
  });
});

withKeys('plan approve signs nothing (real keys)', () => {
  it.each([
    [['--key', 'ann', '--as', 'a/b'], '--as: must be'],
    [['--key', 'ann', '--as', ''], '--as: must be'],
    [['--key', 'nokey', '--as', 'ann'], 'cannot be read'],
    [['--key', 'allowed', '--as', 'ann'], 'did not sign the plan'],
    [['--as', 'ann'], '--key: is required'],
    [['--key', 'ann'], '--as: is required'],
  ])('plan approve refuses %j (2)', async (args, message) => {
    const place = await stage(1);
    const { code, stdout, stderr } = await place.run(['plan', 'approve', 'p.plan', '--yes', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('card block of 3 rows');
    expect(existsSync(join(place.work, 'p.plan.ann.sig'))).toBe(false);
  });

  it('plan approve refuses a key that is not listed for the name, or approvers that others can write to (5), and shows no plan', async () => {
    const place = await stage(1);
    for (const mode of [0o600, 0o666]) {
      chmodSync(join(place.work, 'allowed'), mode);
      const { code, stdout, stderr } = await place.run([
        'plan',
        'approve',
        'p.plan',
        '--key',
        'ann',
        '--as',
        'bob',
        '--yes',
      ]);
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain('. The approval was not kept');
      expect(stderr).not.toContain('card block of 3 rows');
      expect(existsSync(join(place.work, 'p.plan.bob.sig'))).toBe(false);
    }
  });

  it('plan approve refuses without --yes outside a terminal, and a damaged plan', async () => {
    const place = await stage(1);
    expect((await place.run(['plan', 'approve', 'p.plan', '--key', 'ann', '--as', 'ann'])).code).toBe(2);
    writeFileSync(join(place.work, 'p.plan'), '{}\n');
    expect((await approve(place, 'ann', 'ann')).code).toBe(2);
    expect(existsSync(join(place.work, 'p.plan.ann.sig'))).toBe(false);
  });

  it('plan approve refuses a key with a passphrase, and never waits for one', async () => {
    const place = await stage(1);
    makeKey(join(place.work, 'locked'), 'a passphrase');
    const { code, stderr } = await approve(place, 'locked', 'ann');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('did not sign the plan') });
  });
});

async function planned() {
  const home = createHome();
  const work = join(home.path, 'work');
  const server = await startRecordingServer(playService());
  const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
  writeFileSync(join(work, 'allowed'), '');
  writeFileSync(join(work, 'key'), '');
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url, '--approvers', 'allowed'], { home });
  await runFrontdesk(['card', 'block', '--from', '-', '--plan', 'p.plan'], { home, env, stdin: idLines(2) });
  writeFileSync(join(work, 'p.plan.ann.sig'), 'x');
  const run = (args: readonly string[], path: string, more = {}) =>
    runFrontdesk(args, { home, env: { ...env, PATH: path, ...more } });
  return { home, work, server, run };
}

it('L7 plan approve says that ssh-keygen is missing (2), and plan show still works', async () => {
  const { run, server } = await planned();
  for (const args of [APPLY, ['plan', 'approve', 'p.plan', '--key', 'key', '--as', 'bob', '--yes']]) {
    const { code, stderr } = await run(args, '/nowhere');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no ssh-keygen') });
  }
  expect((await run(['plan', 'show', 'p.plan', '--json'], '/nowhere')).code).toBe(0);
  expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

it('L7 plan approve ends an ssh-keygen that hangs (2)', async () => {
  const { home, work, run, server } = await planned();
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ssh-keygen'), `#!${process.execPath}\nsetInterval(() => undefined, 1000);\n`);
  chmodSync(join(bin, 'ssh-keygen'), 0o755);
  // The ten seconds are shortened in the program that waits, not in the one that hangs.
  const { code, stderr } = await run(APPLY, bin, withTimer(10_000, 1000));
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('did not finish within 10 s') });
  expect(statSync(join(work, 'p.plan')).isFile()).toBe(true);
  expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

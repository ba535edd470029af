import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createHome, type Home, type RunResult, runFrontdesk } from '../support/run-frontdesk.ts';

// V8 runs compiled code unchecked, so what an earlier start left behind may speed the next one up, and nothing else:
// even where it is damaged, a call does what it does without.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CALL = ['config', 'get', 'concurrency', '--json'];

/** A user whose compiled code is in the home. */
function call(home: Home, args: readonly string[] = CALL, env: Readonly<Record<string, string | undefined>> = {}) {
  return runFrontdesk(args, { home, env: { XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined, ...env } });
}

function compiledFolder(home: Home): string {
  return join(home.path, '.cache', 'frontdesk', 'compiled');
}

/** The files of the one build that was started in this home. */
function keptFiles(home: Home): readonly string[] {
  const folder = compiledFolder(home);
  const [build = '', ...others] = existsSync(folder) ? readdirSync(folder) : [];
  expect(others).toEqual([]);
  return build === '' ? [] : readdirSync(join(folder, build)).map((name) => join(folder, build, name));
}

/** What tells a file that was written again from one that was not. */
function versions(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `${path} ${lstatSync(path).ino} ${lstatSync(path).mtimeMs}`);
}

/** What the files hold, as digests: megabytes of bytes take half a minute to be compared one by one. */
function digests(paths: readonly string[]): readonly string[] {
  return paths.map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'));
}

const readOf = ({ code, signal, stdout, stderr }: RunResult) => ({ code, signal, stdout, stderr });
const AS_ALWAYS = { code: 0, signal: null, stdout: '8\n', stderr: '' };

interface Found {
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

async function doctorOn(home: Home, env: Readonly<Record<string, string | undefined>> = {}): Promise<Found> {
  const { stdout } = await call(home, ['doctor', '--json', '--query', "checks[?name=='compile-cache'] | [0]"], env);
  // The query takes exactly this.
  return JSON.parse(stdout) as Found;
}

/** A home in which the call was made once, and what that kept. */
async function usedHome() {
  const home = createHome();
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  const files = keptFiles(home);
  expect(files.length).toBeGreaterThan(4);
  return { home, files };
}

it('compiled code is used by the next start, which writes nothing', async () => {
  const { home, files } = await usedHome();
  const before = versions(files);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect(versions(keptFiles(home))).toEqual(before);
  await doctorOn(home);
  const { status, message } = await doctorOn(home);
  expect(status).toBe('ok');
  expect(message).toMatch(/: (\d+) of the \1 files that doctor loads were compiled already$/);
});

it('compiled code is not used if a bit of it was lost, and is written anew', async () => {
  const { home, files } = await usedHome();
  for (const at of [0, 8, 15, 16, 40, 1000]) {
    for (const path of files) {
      const bytes = readFileSync(path);
      const place = Math.min(at, bytes.length - 1);
      bytes.writeUInt8(bytes.readUInt8(place) ^ 0x10, place);
      writeFileSync(path, bytes);
    }
    expect(readOf(await call(home))).toEqual(AS_ALWAYS);
    for (const path of files) {
      const bytes = readFileSync(path);
      expect(bytes.subarray(0, bytes.length / 2).equals(bytes.subarray(bytes.length / 2))).toBe(true);
    }
  }
});

it('compiled code is not used if its second copy has sixteen random bytes', async () => {
  const { home, files } = await usedHome();
  for (const path of files) {
    const bytes = readFileSync(path);
    randomBytes(16).copy(bytes, Math.floor(bytes.length * 0.75));
    writeFileSync(path, bytes);
  }
  expect((await doctorOn(home)).message).toMatch(/^damaged files in .* were not used. frontdesk writes them again$/);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
});

it.each([
  ['nothing', () => 0],
  ['less than a head', () => 15],
  ['a head', () => 16],
  ['two heads', () => 32],
  ['an odd number of bytes', () => 1001],
  ['one of two copies', (size: number) => size / 2],
  ['all but the last byte', (size: number) => size - 1],
  ['all but the last two bytes', (size: number) => size - 2],
])('compiled code is not used if %s is left of it', async (_, lengthOf) => {
  const { home, files } = await usedHome();
  for (const path of files) truncateSync(path, lengthOf(lstatSync(path).size));
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
});

it('compiled code is not used if it was replaced by zeros', async () => {
  const { home, files } = await usedHome();
  for (const path of files) writeFileSync(path, Buffer.alloc(lstatSync(path).size));
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
});

it('compiled code that V8 refuses is written anew three times, and then never again', async () => {
  const { home, files } = await usedHome();
  const [path = ''] = files.filter((file) => file.endsWith('base.cjs'));
  const refusals: number[] = [];
  for (let start = 0; start < 5; start += 1) {
    const bytes = readFileSync(path);
    refusals.push(bytes.readUInt32LE(12));
    // The mark of V8's own that both copies begin with: whole, as it was written, and of no use.
    for (const from of [16, bytes.length / 2 + 16]) bytes.fill(0x5a, from, from + 4);
    writeFileSync(path, bytes);
    expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  }
  expect(refusals).toEqual([0, 1, 2, 3, 3]);
  expect((await doctorOn(home)).status).toBe('warning');
});

it('compiled code stays whole with ten starts at once', async () => {
  const home = createHome();
  const ended = await Promise.all(Array.from({ length: 10 }, () => call(home)));
  expect(ended.map(readOf)).toEqual(Array.from({ length: 10 }, () => AS_ALWAYS));
  const files = keptFiles(home);
  expect(files.map((path) => basename(path)).filter((name) => name.startsWith('.'))).toEqual([]);
  for (const path of files) {
    const bytes = readFileSync(path);
    expect(bytes.subarray(0, bytes.length / 2).equals(bytes.subarray(bytes.length / 2)), path).toBe(true);
  }
  const before = versions(files);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect(versions(keptFiles(home))).toEqual(before);
});

it('compiled code belongs to the options of Node that it was made under', async () => {
  const { home, files } = await usedHome();
  const before = versions(files);
  const env = { NODE_OPTIONS: '--max-old-space-size=300' };
  for (let start = 0; start < 2; start += 1) expect(readOf(await call(home, CALL, env))).toEqual(AS_ALWAYS);
  expect(readdirSync(compiledFolder(home)).length).toBe(2);
  expect(versions(files)).toEqual(before);
  expect((await doctorOn(home, env)).status).toBe('ok');
});

/** The program in a folder of its own, with another text of the same length in it. */
function otherBuild(home: Home, seal: boolean): string {
  const folder = join(home.path, seal ? 'other' : 'half-replaced');
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const chunks = join(folder, 'dist', 'chunks');
  const digests: Record<string, string> = {};
  for (const name of readdirSync(chunks).sort()) {
    const text = readFileSync(join(chunks, name), 'latin1').replaceAll('unknown command of', 'unheard command of');
    writeFileSync(join(chunks, name), text);
    digests[name] = createHash('sha256').update(text, 'latin1').digest('hex');
  }
  if (seal) {
    const list = JSON.stringify(digests);
    writeFileSync(join(folder, 'dist', 'chunks.json'), list);
    writeFileSync(join(folder, 'dist', 'build-id'), createHash('sha256').update(list).digest('hex').slice(0, 16));
  }
  return join(folder, 'bin', 'frontdesk.js');
}

function refuse(home: Home, program: string): string {
  const env = { PATH: process.env['PATH'], HOME: home.path, LANG: 'C.UTF-8' };
  return spawnSync(process.execPath, [program, 'frobnicate'], { env, encoding: 'utf8' }).stderr;
}

it('the compiled code of two builds that take turns is not mixed up', () => {
  const home = createHome();
  const other = otherBuild(home, true);
  for (let turn = 0; turn < 3; turn += 1) {
    expect(refuse(home, join(ROOT, 'bin', 'frontdesk.js'))).toContain('unknown command of');
    expect(refuse(home, other)).toContain('unheard command of');
  }
  expect(readdirSync(compiledFolder(home)).length).toBe(2);
});

it('compiled code is not kept of files that were not built together, as while a package is being replaced', () => {
  const home = createHome();
  const half = otherBuild(home, false);
  expect(refuse(home, half)).toContain('unheard command of');
  expect(existsSync(compiledFolder(home))).toBe(false);
  expect(refuse(home, join(ROOT, 'bin', 'frontdesk.js'))).toContain('unknown command of');
  expect(refuse(home, join(ROOT, 'bin', 'frontdesk.js'))).toContain('unknown command of');
});

it.each([
  ['there is no home', { HOME: undefined }],
  ['the home is not there', { HOME: '/proc/self/absent' }],
  ['it is switched off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
])('a call works if compiled code cannot be kept: %s', async (_, env) => {
  const home = createHome();
  for (let start = 0; start < 2; start += 1) expect(readOf(await call(home, CALL, env))).toEqual(AS_ALWAYS);
  expect(keptFiles(home)).toEqual([]);
  expect((await doctorOn(home, env)).message).toMatch(/every start compiles the program again$/);
});

it('a call works if a file is in the place of the folder of compiled code', async () => {
  const home = createHome();
  writeFileSync(join(home.path, '.cache'), 'mine');
  for (let start = 0; start < 2; start += 1) expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect(readFileSync(join(home.path, '.cache'), 'utf8')).toBe('mine');
});

it.skipIf(process.platform === 'win32')('compiled code is not run from a folder that others can write to', async () => {
  const { home, files } = await usedHome();
  const before = versions(files);
  chmodSync(compiledFolder(home), 0o777);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  const { status, message } = await doctorOn(home);
  expect({ status, message }).toEqual({
    status: 'warning',
    message: `${compiledFolder(home)} is not used, as it is not yours alone: every start compiles the program again`,
  });
  expect(versions(files)).toEqual(before);
});

it.skipIf(process.platform === 'win32')('compiled code in a file that others can write to is not run', async () => {
  const { home, files } = await usedHome();
  for (const path of files) chmodSync(path, 0o666);
  expect((await doctorOn(home)).message).toMatch(/^damaged files in /);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect(files.map((path) => lstatSync(path).mode & 0o777).filter((mode) => mode !== 0o600)).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('compiled code that another brought', () => {
  const shell = (script: string, cwd: string) => spawnSync('sh', ['-ec', script], { cwd, encoding: 'utf8' });

  /** Puts a script of its own into the place of compiled code, as V8 takes it: of the same length. */
  function plant(folder: string): void {
    const source = readFileSync(join(ROOT, 'dist', 'chunks', 'base.cjs'), 'latin1');
    const code = `(function (exports, require) { require('node:fs').writeFileSync(process.env.HOME + '/owned', '') })`;
    const data = new Script(code.padEnd(source.length), { filename: 'base.cjs' }).createCachedData();
    const head = Buffer.alloc(16, 'fdcode 1', 'latin1');
    head.writeUInt32LE(data.length, 8);
    writeFileSync(join(folder, 'base.cjs'), Buffer.concat([head, data, head, data]), { mode: 0o600 });
  }

  /** A repository with the folders of a user, whose compiled code is hostile and would run under his own key. */
  async function hostileRepository(): Promise<Home> {
    const home = createHome();
    const folders = { XDG_CACHE_HOME: join(home.path, '.cache'), XDG_CONFIG_HOME: join(home.path, '.config') };
    expect(readOf(await call(home, CALL, folders))).toEqual(AS_ALWAYS);
    const [folder = ''] = readdirSync(compiledFolder(home));
    plant(join(compiledFolder(home), folder));
    await call(home, CALL, folders);
    expect(existsSync(join(home.path, 'owned'))).toBe(true);
    const made = shell(
      'rm owned && git init -q && git add .cache .config && git -c user.name=x -c user.email=x@x commit -qm x',
      home.path,
    );
    expect(made.stderr).toBe('');
    return home;
  }

  it.each(['022', '077'])('T20 compiled code that came with a checkout under umask %s is not run', async (umask) => {
    const from = await hostileRepository();
    for (const brings of [['XDG_CACHE_HOME'], ['XDG_CACHE_HOME', 'XDG_CONFIG_HOME']]) {
      const home = createHome();
      expect(shell(`umask ${umask}; git clone -q "$PWD/." ${join(home.path, 'checkout')}`, from.path).stderr).toBe('');
      const at = {
        XDG_CACHE_HOME: join(home.path, 'checkout/.cache'),
        XDG_CONFIG_HOME: join(home.path, 'checkout/.config'),
      };
      const env = Object.fromEntries(Object.entries(at).filter(([name]) => brings.includes(name)));
      for (let start = 0; start < 2; start += 1) expect(readOf(await call(home, CALL, env))).toEqual(AS_ALWAYS);
      expect(existsSync(join(home.path, 'owned')), brings.join()).toBe(false);
    }
  });

  it('compiled code is not run by a link, below a folder of others, or with another mode, and doctor says where', async () => {
    const { home, files } = await usedHome();
    const [folder = ''] = readdirSync(compiledFolder(home));
    const places = [
      ['', 'chmod 777 .', 'chmod 700 .'],
      ['.cache', 'chmod 777 .cache', 'chmod 700 .cache'],
      [
        '.cache/frontdesk',
        'mv .cache/frontdesk x; ln -s "$PWD/x" .cache/frontdesk',
        'rm .cache/frontdesk; mv x .cache/frontdesk',
      ],
      [
        '.cache/frontdesk/compiled',
        `chmod 755 .cache/frontdesk/compiled/${folder}`,
        `chmod 700 .cache/frontdesk/compiled/${folder}`,
      ],
      [
        '.config/frontdesk/compile-key',
        'chmod 644 .config/frontdesk/compile-key',
        'chmod 600 .config/frontdesk/compile-key',
      ],
    ] as const;
    const before = digests(files);
    for (const [where, open, close] of places) {
      expect(shell(open, home.path).stderr).toBe('');
      expect(readOf(await call(home))).toEqual(AS_ALWAYS);
      const { message, fix } = await doctorOn(home);
      expect(message).toBe(
        `${join(home.path, where)} is not used, as it is not yours alone: every start compiles the program again`,
      );
      expect(fix).toBe(
        where.includes('/')
          ? `rm -r ${join(home.path, where)}`
          : 'set XDG_CACHE_HOME to a folder that only you can write to',
      );
      expect(shell(close, home.path).stderr).toBe('');
      expect(digests(files)).toEqual(before);
    }
  });

  it('compiled code is neither used nor made if CI is set, and its key is printed nowhere', async () => {
    const { home, files } = await usedHome();
    for (const path of files) writeFileSync(path, 'x', { mode: 0o600 });
    expect(readOf(await call(home, CALL, { CI: 'true' }))).toEqual(AS_ALWAYS);
    expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(files.map(() => 'x'));
    expect((await doctorOn(home, { CI: 'true' })).message).toBe(
      'off, as CI is set: every start compiles the program again',
    );
    const key = readFileSync(join(home.path, '.config/frontdesk/compile-key'), 'utf8');
    const { stdout } = await call(home, ['doctor', '--json']);
    expect(stdout).toContain(compiledFolder(home));
    expect(stdout).not.toContain(key);
  });
});

function addFolders(home: Home, count: number, ageDays: number): void {
  const then = Date.now() / 1000 - ageDays * 86_400;
  for (let n = 0; n < count; n += 1) {
    const folder = join(compiledFolder(home), `other-${ageDays}-${n}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    utimesSync(folder, then, then);
  }
  chmodSync(compiledFolder(home), 0o700);
}
const countOf = (home: Home, age: number) =>
  readdirSync(compiledFolder(home)).filter((name) => name.startsWith(`other-${age}-`)).length;

it('the compiled code of other builds is removed after a month', async () => {
  const home = createHome();
  addFolders(home, 3, 31);
  addFolders(home, 2, 29);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect([countOf(home, 31), countOf(home, 29), readdirSync(compiledFolder(home)).length]).toEqual([0, 2, 3]);
});

it('of twelve folders of compiled code the oldest gives way to a new one', async () => {
  const home = createHome();
  addFolders(home, 1, 9);
  addFolders(home, 11, 2);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect([countOf(home, 9), countOf(home, 2), readdirSync(compiledFolder(home)).length]).toEqual([0, 11, 12]);
});

it('twelve folders of compiled code stay if one was written today, so options that change at every start write once a day', async () => {
  const home = createHome();
  addFolders(home, 11, 9);
  addFolders(home, 1, 0);
  expect(readOf(await call(home))).toEqual(AS_ALWAYS);
  expect([countOf(home, 9), countOf(home, 0), readdirSync(compiledFolder(home)).length]).toEqual([11, 1, 12]);
});

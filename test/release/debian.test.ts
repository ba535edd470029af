import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const releases = inject('releases');
const folder = releases?.first ?? '';
const manifest = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8');
// The version of the checkout, which npm wrote down.
const { version } = JSON.parse(manifest) as { version: string };

const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';

/** A system of its own, so that nothing is installed on this one. */
const system = mkdtempSync(join(tmpdir(), 'frontdesk-debian-'));
const home = join(system, 'home', 'operator');
afterAll(() => rmSync(system, { recursive: true, force: true }));

const command = join(system, 'usr/bin/frontdesk');
const share = join(system, 'usr/share');

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const result = spawnSync(file, args, {
    encoding: 'utf8',
    // dpkg wants the programs of the superuser, who need not be who runs this.
    env: {
      PATH: `${join(system, 'usr/bin')}:${process.env['PATH']}:/usr/sbin:/sbin`,
      HOME: home,
      LC_ALL: 'C.UTF-8',
      ...env,
    },
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
}

const isHere = (file: string) => spawnSync('sh', ['-c', `command -v ${file}`]).status === 0;

/** What this system has is not known to the other one, so dependencies are left to the test of the executable. */
function dpkg(...args: string[]) {
  const forced = '--force-depends --force-not-root --force-bad-path --log=/dev/null'.split(' ');
  return run('dpkg', [...forced, `--root=${system}`, ...args]);
}

function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(system.length));
}

describe.skipIf(releases === undefined || !isHere('dpkg'))('the Debian package (skipped without dpkg)', () => {
  const file = () => join(folder, readdirSync(folder).find((name) => name.endsWith('.deb')) ?? 'none');

  beforeAll(() => {
    for (const path of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'home/operator']) {
      mkdirSync(join(system, path), { recursive: true });
    }
    writeFileSync(join(system, 'var/lib/dpkg/status'), '');
    const { code, stderr } = dpkg('--install', file());
    if (code !== 0) throw new Error(stderr);
  });

  it('the Debian package installs a command that works', () => {
    expect(run(command, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(run(command, ['card', 'get', '-p', 'sandbox', CARD, '--json']).stdout).toContain(`"cardId": "${CARD}"`);
  });

  it('doctor names the command of the Debian package', () => {
    const { stdout } = run(command, ['doctor', '--json', '--query', 'checks[0].message']);
    expect(stdout).toBe(`"frontdesk ${version} on linux, from ${command}"\n`);
  });

  it('the Debian package names the libraries that the executable is linked to', () => {
    const { stdout } = run('dpkg-deb', ['--field', file(), 'Depends']);
    const needed = run('ldd', [command]).stdout.matchAll(/^\s(\S+)\.so/gm);
    const brings: Readonly<Record<string, string>> = {
      libatomic: 'libatomic1',
      libgcc_s: 'libgcc-s1',
      'libstdc++': 'libstdc++6',
    };
    // The others are parts of libc6.
    const packages = [...needed].map(([, name = '']) => brings[name] ?? 'libc6');
    expect(
      stdout
        .trim()
        .split(', ')
        .map((text) => text.split(' ')[0])
        .sort(),
    ).toEqual([...new Set(packages)].sort());
  });

  it.skipIf(!isHere('man'))('the Debian package has the manual page (skipped without man)', () => {
    const { code, stdout } = run('man', ['-M', join(share, 'man'), 'frontdesk'], { MANPAGER: 'cat', MANWIDTH: '100' });
    expect(code).toBe(0);
    expect(stdout).toContain('frontdesk - gift cards and calendars from the command line');
  });

  it.skipIf(!existsSync('/usr/share/bash-completion/bash_completion'))(
    'the Debian package completes in bash (skipped without bash-completion)',
    () => {
      const script =
        'source /usr/share/bash-completion/bash_completion; _completion_loader frontdesk; COMP_WORDS=(frontdesk card b); COMP_CWORD=2; COMP_LINE="frontdesk card b"; COMP_POINT=16; _frontdesk frontdesk b card; echo $COMPREPLY';
      expect(run('bash', ['-c', script], { XDG_DATA_DIRS: share }).stdout.trim()).toBe('block');
    },
  );

  it.skipIf(!isHere('zsh'))('the Debian package completes in zsh (skipped without zsh)', () => {
    const script =
      'fpath=($0/zsh/vendor-completions $fpath); autoload -U compinit; compinit -u -D; autoload +X _frontdesk; echo $_comps[frontdesk] $functions_source[_frontdesk]';
    const { stdout } = run('zsh', ['-f', '-c', script, share]);
    expect(stdout.trim()).toBe(`_frontdesk ${share}/zsh/vendor-completions/_frontdesk`);
  });

  it.skipIf(!isHere('fish'))('the Debian package completes in fish (skipped without fish)', () => {
    const { stdout } = run('fish', ['-c', 'complete -C "frontdesk card bl"'], { XDG_DATA_DIRS: share });
    expect(stdout.split('\t')[0]).toBe('block');
  });

  it.skipIf(!isHere('lintian'))('the Debian package has no error that lintian knows (skipped without)', async () => {
    // It takes its time, so the runner is not kept waiting for it. A finding ends it with 2, which rejects.
    const lintian = promisify(execFile)('lintian', ['--fail-on', 'error', '--allow-root', file()]);
    expect((await lintian).stdout.split('\n').filter((line) => /^[EW]:/.test(line))).toEqual([]);
  });

  it('removing the Debian package leaves nothing but the files of the user', () => {
    writeFileSync(join(home, 'mine.csv'), 'cardId\n');
    const before = filesBelow(home);
    expect(dpkg('--remove', 'frontdesk')).toMatchObject({ code: 0, stderr: '' });
    expect([...filesBelow(join(system, 'home'))].sort()).toEqual([...before].sort());
    expect(existsSync(join(system, 'usr'))).toBe(false);
    expect(dpkg('--list', 'frontdesk').stdout).not.toContain('ii  frontdesk');
  });
});

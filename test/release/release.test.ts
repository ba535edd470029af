import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { WINDOWS_EXECUTABLE } from '../support/make-releases.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const releases = inject('releases');
const { first, second, copy } = releases ?? { first: '', second: '', copy: '' };
// The version of the checkout, which npm wrote down.
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const executable = `frontdesk-${version}-linux-${process.arch}`;
const debian = `frontdesk_${version}_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`;

const scratch = mkdtempSync(join(tmpdir(), 'frontdesk-released-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (name: string, folder = first) => readFileSync(join(folder, name), 'utf8');

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** Runs a snippet with the parts of the build in it, and answers what it printed as JSON. */
function evaluate(code: string): unknown {
  const args = ['--input-type=module', '-e', code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

describe.skipIf(releases === undefined)('a release (skipped without Linux and Node 26)', () => {
  it('a release has the files to hand out, and no others', () => {
    expect(readdirSync(first).sort()).toEqual(
      [
        'Containerfile',
        'RELEASE-NOTES.md',
        'SHA256SUMS',
        'THIRD-PARTY-NOTICES.md',
        executable,
        `frontdesk-${version}-windows-x64.exe`,
        `frontdesk-${version}.tgz`,
        'frontdesk.cdx.json',
        'frontdesk.frontdesk.installer.yaml',
        'frontdesk.frontdesk.locale.en-US.yaml',
        'frontdesk.frontdesk.yaml',
        'frontdesk.json',
        'frontdesk.rb',
        debian,
      ].sort(),
    );
  });

  it('a release has the same bytes when it is made again, elsewhere and under another umask, time zone and language', () => {
    expect(read('SHA256SUMS', second)).toBe(read('SHA256SUMS'));
    const differing = readdirSync(first).filter(
      (name) => !readFileSync(join(first, name)).equals(readFileSync(join(second, name))),
    );
    expect(differing).toEqual([]);
    expect(statSync(join(first, executable)).mtimeMs).toBe(1_767_225_600_000);
  });

  it('a release has no path of the machine that made it', () => {
    const opened = [
      readFileSync(join(first, executable)),
      gunzipSync(readFileSync(join(first, `frontdesk-${version}.tgz`))),
      ...['frontdesk.cdx.json', 'THIRD-PARTY-NOTICES.md', 'Containerfile'].map((name) => Buffer.from(read(name))),
    ];
    const paths = [root, dirname(copy), join(homedir(), '.npm')];
    expect(paths.filter((path) => opened.some((content) => content.includes(path)))).toEqual([]);
  });

  it('SHA256SUMS of a release names the sum of every other file, as sha256sum reads it', () => {
    const lines = readdirSync(first)
      .filter((name) => name !== 'SHA256SUMS')
      .sort()
      .map((name) => `${sha256(readFileSync(join(first, name)))}  ${name}\n`);
    expect(read('SHA256SUMS')).toBe(lines.join(''));
    expect(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first }).status).toBe(0);
  });

  it('the notes of a release are the section of its version in the changelog', () => {
    const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    const notes = read('RELEASE-NOTES.md').trim();
    expect(changes).toContain(notes);
    expect(changes.slice(0, changes.indexOf(notes)).trim().split('\n').at(-1)).toMatch(`## ${version}`);
    expect(notes).not.toMatch(/^## /m);
  });

  it('a release has an executable that works, and says where it is', () => {
    const env = { PATH: process.env['PATH'], HOME: scratch };
    const call = (...args: string[]) => spawnSync(join(first, executable), args, { encoding: 'utf8', env });
    expect(call('--version').stdout).toBe(`${version}\n`);
    expect(call('doctor', '--query', 'checks[0].message', '--json').stdout).toBe(
      `"frontdesk ${version} on linux, from ${join(first, executable)}"\n`,
    );
  });
});

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly [{ readonly license?: { readonly id: string }; readonly expression?: string }];
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: { readonly components: readonly Component[] } };
  readonly components: readonly Component[];
}

describe.skipIf(releases === undefined)('the bill of materials of a release', () => {
  // The document that the test is about, in the members that CycloneDX demands.
  const bom = () => JSON.parse(read('frontdesk.cdx.json')) as Sbom;

  function named(notices: string): readonly string[] {
    const headings = notices.matchAll(/^## (\S+) (\S+) \((.+)\)$/gm);
    return [...headings].map(([, name, version, license]) => `${name} ${version} ${license}`);
  }

  it('the bill of materials names the packages of the notices, and so those of the npm package and of the executable', () => {
    const listed = bom().components.map(
      ({ name, version, licenses: [first] }) => `${name} ${version} ${first.license?.id ?? first.expression}`,
    );
    expect(listed).toContainEqual(expect.stringMatching(/^undici 7\.\S+ MIT$/));
    expect(listed).toEqual(named(read('THIRD-PARTY-NOTICES.md')));
    const inPackage = named(readFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES.md'), 'utf8'));
    expect(inPackage.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.length - inPackage.length).toBeLessThanOrEqual(1);
  });

  it('the bill of materials has the sums that npm checked', () => {
    // The lock is npm's; only this member is read.
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly integrity?: string }>>;
    };
    const undici = bom().components.find(({ name }) => name === 'undici');
    const sum = Buffer.from(undici?.hashes[0]?.content ?? '', 'hex').toString('base64');
    expect(lock.packages['node_modules/undici']?.integrity).toBe(`sha512-${sum}`);
    expect(undici?.purl).toBe(`pkg:npm/undici@${undici?.version}`);
  });

  it('the bill of materials is CycloneDX, with the time of the commit and the Node of the executable', () => {
    const { bomFormat, specVersion, serialNumber, metadata } = bom();
    expect({ bomFormat, specVersion, time: metadata.timestamp }).toEqual({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      time: '2026-01-01T00:00:00.000Z',
    });
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(metadata.component.components).toMatchObject([{ name: 'node', version: expect.stringMatching(/^26\./) }]);
    expect(read('THIRD-PARTY-NOTICES.md')).toContain('Copyright Node.js contributors');
  });
});

describe.skipIf(releases === undefined)('the manifests of a release', () => {
  const base = `https://git.example/o/frontdesk/releases/download/v${version}`;

  it('the manifest for Homebrew installs the npm package', () => {
    const sum = sha256(readFileSync(join(first, `frontdesk-${version}.tgz`)));
    expect(read('frontdesk.rb')).toContain(`  url "${base}/frontdesk-${version}.tgz"\n  sha256 "${sum}"\n`);
    expect(read('frontdesk.rb')).toContain('desc "Operator\'s command line for a gift-card and calendar service"\n');
  });

  it('the manifests for Scoop and winget install the executable for Windows', () => {
    const url = `${base}/frontdesk-${version}-windows-x64.exe`;
    expect(JSON.parse(read('frontdesk.json'))).toMatchObject({
      version,
      architecture: { '64bit': { url: `${url}#/frontdesk.exe`, hash: sha256(WINDOWS_EXECUTABLE) } },
      bin: 'frontdesk.exe',
    });
    expect(read('frontdesk.frontdesk.installer.yaml')).toContain(
      `    InstallerUrl: ${url}\n    InstallerSha256: ${sha256(WINDOWS_EXECUTABLE)}\n`,
    );
  });

  it('the manifests have no placeholder of their template', () => {
    const unfilled = readdirSync(first).filter(
      (name) => /\.(?:rb|json|yaml)$|file$/.test(name) && /\{\{/.test(read(name)),
    );
    expect(unfilled).toEqual([]);
  });
});

describe('the parts of a release', () => {
  it('a manifest whose executable is missing is named and not written', () => {
    const answer = evaluate(`
      import { manifests } from './build/release/manifests.mjs';
      const facts = { version: '1.2.3', summary: 's', homepage: 'h', license: 'MIT' };
      const { complete, incomplete } = manifests(facts, new Map([['package', { url: 'u', sha256: 'f' }]]));
      console.log(JSON.stringify([complete.map(({ name }) => name), incomplete]));
    `);
    expect(answer).toEqual([
      ['frontdesk.rb'],
      [
        { name: 'frontdesk.json', missing: 'windows-x64' },
        { name: 'frontdesk.frontdesk.installer.yaml', missing: 'windows-x64' },
      ],
    ]);
  });

  it('the notes of a release are cut out of the changelog, and an unknown version is refused', () => {
    const changelog = JSON.stringify(
      '# Changes\n\n## 1.2.30\n\n- Later\n\n## 1.2.3 (2026-01-01)\n\n- One\n\n## 1.2.2\n\n- Old\n',
    );
    const cut = (version: string) =>
      evaluate(`
        import { releaseNotes } from './build/release/notes.mjs';
        console.log(JSON.stringify(releaseNotes(${changelog}, '${version}')));
      `);
    expect([cut('1.2.3'), cut('1.2.30')]).toEqual(['- One\n', '- Later\n']);
    expect(cut('1.2')).toContain('CHANGELOG.md says nothing of 1.2');
  });
});

it('doctor says where the npm package is that it runs from', () => {
  const place = join(scratch, 'node_modules', 'frontdesk');
  mkdirSync(place, { recursive: true });
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(root, name), join(place, name), { recursive: true });
  const program = join(place, 'bin', 'frontdesk.js');
  const args = [program, 'doctor', '--json', '--query', 'checks[0].message'];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8', env: { HOME: scratch } }).stdout).toBe(
    `"frontdesk ${version} on ${process.platform}, from ${program}"\n`,
  );
});

// Makes everything that a release hands out into release/, from what lies here and without a network (only Node for the
// executable is fetched, once, where .cache/ does not have it yet). The same commit makes the same bytes: times are that
// of the commit, orders are fixed, and no path of this machine gets in.
//
//   npm run release -- [--into <folder>] [--with <folder>] [--repository <url>]
//   npm run release -- --platform win32 [--into <folder>]
//
// --with: a folder with executables that were made on other platforms, to be handed out too. --repository: where the
// project is hosted; the manifests of package managers point to its releases. --platform: makes the executable for Windows
// alone, into release-win32/, for those who have no such machine; a release has the one that was made there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root, version } from './bundle.mjs';
import { packagesOf } from './notices.mjs';
import { deb, debName } from './release/deb.mjs';
import { manifests } from './release/manifests.mjs';
import { releaseNotes } from './release/notes.mjs';
import { sbom } from './release/sbom.mjs';

const PLATFORMS = { linux: 'linux', darwin: 'macos', win32: 'windows' };
const EXECUTABLE = new RegExp(`^frontdesk-${version.replaceAll('.', '\\.')}-(?:linux|macos|windows)-\\w+(?:\\.exe)?$`);
/** Nobody can own this name, so nothing is ever fetched from it (RFC 6761). */
const NOWHERE = 'https://frontdesk.invalid';

const { values } = parseArgs({
  options: {
    into: { type: 'string' },
    with: { type: 'string' },
    repository: { type: 'string' },
    platform: { type: 'string', default: process.platform },
  },
});
const { platform } = values;
const isForeign = platform !== process.platform;
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const folder = resolve(values.into ?? `${root}release${isForeign ? `-${platform}` : ''}`);
/** What build-exe.mjs makes. */
const exe = `${root}.cache/exe${isForeign ? `-${platform}` : ''}`;
const made = `${folder}.${process.pid}`;

/** Runs a program in the checkout and answers its stdout. */
function run(file, args) {
  const shell = process.platform === 'win32' && file === 'npm';
  const { status, error, stdout } = spawnSync(file, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}\n${stdout}`);
  return stdout.trim();
}

/** Seconds since 1970: SOURCE_DATE_EPOCH as other builds take it, else the time of the commit. */
function releaseTime() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && !/^\d+$/.test(given)) throw new Error(`SOURCE_DATE_EPOCH is no number: ${given}`);
  if (given !== undefined) return Number(given);
  if (run('git', ['status', '--porcelain']) !== '') console.log('note: the checkout has changes that no commit has');
  return Number(run('git', ['log', '-1', '--format=%ct']));
}

function executableName() {
  const end = platform === 'win32' ? '.exe' : '';
  return `frontdesk-${version}-${PLATFORMS[platform]}-${isForeign ? 'x64' : process.arch}${end}`;
}

/** The notices of the executable: of what is bundled, and of Node itself, whose license asks for it. */
function executableNotices(node) {
  const bundled = readFileSync(`${exe}/THIRD-PARTY-NOTICES.md`, 'utf8');
  const text = node.license
    .replaceAll('\r\n', '\n')
    .trim()
    .replaceAll(/^(?=.)/gm, '    ');
  return `${bundled}\n# Node.js ${node.version}\n\nThe executables contain it.\n\n${text}\n`;
}

/** The Node that the executable is made of, and the license that lies beside it. */
function embeddedNode() {
  const path = process.env.FRONTDESK_EXE_NODE ?? `${root}.cache/node-26/node_modules/node/bin/node`;
  const file = existsSync(path) ? path : `${path}.exe`;
  // As npm lays it out, or as Node's own archives do.
  const packages = resolve(file, '../../node_modules');
  const names = existsSync(packages) ? readdirSync(packages) : [];
  const folders = [...names.map((name) => `${packages}/${name}`), resolve(file, '../..'), resolve(file, '..')];
  const license = folders.map((folder) => `${folder}/LICENSE`).find((path) => existsSync(path));
  if (license === undefined) throw new Error(`the license of Node does not lie beside ${file}`);
  return { version: run(file, ['--version']).slice(1), license: readFileSync(license, 'utf8') };
}

function write(name, content) {
  writeFileSync(`${made}/${name}`, content);
}

function sha256(name) {
  return createHash('sha256')
    .update(readFileSync(`${made}/${name}`))
    .digest('hex');
}

function npmPack(args) {
  const answer = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', ...args]));
  // npm 11 answers an object by name, earlier ones an array; both hold one entry.
  return Object.values(answer)[0];
}

/** The package, of files that everybody may read: npm would keep the modes that the umask gave them here. */
function pack() {
  const stage = `${made}/package`;
  for (const { path } of npmPack(['--dry-run']).files) {
    mkdirSync(dirname(`${stage}/${path}`), { recursive: true });
    copyFileSync(`${root}${path}`, `${stage}/${path}`);
    chmodSync(`${stage}/${path}`, path.startsWith('bin/') && path.endsWith('.js') ? 0o755 : 0o644);
  }
  const { filename } = npmPack([stage, '--pack-destination', made]);
  rmSync(stage, { recursive: true });
  return filename;
}

function copyExecutables() {
  const own = executableName();
  copyFileSync(`${exe}/frontdesk${own.endsWith('.exe') ? '.exe' : ''}`, `${made}/${own}`);
  const others = values.with === undefined ? [] : readdirSync(values.with, { recursive: true });
  for (const path of others.filter((path) => EXECUTABLE.test(basename(path)) && basename(path) !== own)) {
    copyFileSync(resolve(values.with, path), `${made}/${basename(path)}`);
  }
  const names = readdirSync(made).filter((name) => EXECUTABLE.test(name));
  for (const name of names) chmodSync(`${made}/${name}`, 0o755);
  return names;
}

function writeLinuxFiles(facts, executable) {
  const content = readFileSync(`${made}/${executable}`);
  write(debName(facts), deb({ ...facts, executable: content }));
  const template = readFileSync(`${root}build/release/Containerfile.template`, 'utf8');
  write('Containerfile', template.replaceAll('{{version}}', version).replaceAll('{{executable}}', executable));
}

function writeManifests(repository, executables, tarball) {
  const base = `${repository ?? NOWHERE}/releases/download/v${version}`;
  const asset = (name) => ({ url: `${base}/${name}`, sha256: sha256(name) });
  const assets = new Map([['package', asset(tarball)]]);
  for (const name of executables) {
    assets.set(name.slice(`frontdesk-${version}-`.length).replace(/\.exe$/, ''), asset(name));
  }
  // Package managers want it without an article.
  const summary = manifest.description.replace(/^The (\w)/, (_, letter) => letter.toUpperCase());
  const facts = { version, summary, license: manifest.license, homepage: repository ?? NOWHERE };
  const { complete, incomplete } = manifests(facts, assets);
  for (const { name, text } of complete) write(name, text);
  for (const { name, missing } of incomplete) {
    console.log(`note: ${name} is not written: it names the SHA-256 of the executable for ${missing} (see --with)`);
  }
  if (repository === undefined) console.log(`note: without --repository the manifests point to ${NOWHERE}`);
}

/** Sums of all files, and the time of the commit on each. */
function seal(time) {
  const names = readdirSync(made).sort();
  write('SHA256SUMS', names.map((name) => `${sha256(name)}  ${name}\n`).join(''));
  for (const name of [...names, 'SHA256SUMS']) {
    utimesSync(`${made}/${name}`, time, time);
    const size = (statSync(`${made}/${name}`).size / 1024).toFixed(1).padStart(9);
    console.log(`${size} KiB  ${name}`);
  }
}

/** The executable for another system, with its notices. */
function makeExecutable() {
  const said = run(process.execPath, [`${root}build/build-exe.mjs`, '--platform', platform]);
  console.log(said.split('\n').at(-1));
  copyExecutables();
  write('THIRD-PARTY-NOTICES.md', executableNotices(embeddedNode()));
  seal(releaseTime());
}

function makeRelease() {
  const time = releaseTime();
  const notes = releaseNotes(readFileSync(`${root}CHANGELOG.md`, 'utf8'), version);
  run(process.execPath, [`${root}build/build.mjs`]);
  run(process.execPath, [`${root}build/build-exe.mjs`]);
  const node = embeddedNode();
  const notices = executableNotices(node);
  const repository = values.repository ?? manifest.repository?.url.replace(/^git\+|\.git$/g, '');
  const tarball = pack();
  const executables = copyExecutables();
  write('THIRD-PARTY-NOTICES.md', notices);
  // The executable is one file, in which the bundler leaves out less than in the package.
  const packages = packagesOf(notices);
  write('frontdesk.cdx.json', sbom({ version, time, license: manifest.license, nodeVersion: node.version, packages }));
  if (process.platform === 'linux') {
    writeLinuxFiles(
      { version, architecture: process.arch, time, notes, notices, homepage: manifest.homepage },
      executableName(),
    );
  }
  writeManifests(repository, executables, tarball);
  write('RELEASE-NOTES.md', notes);
  seal(time);
}

rmSync(made, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
try {
  if (isForeign) makeExecutable();
  else makeRelease();
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
} finally {
  rmSync(made, { recursive: true, force: true });
}

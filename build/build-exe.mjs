// Builds the standalone executable: Node 26, the program and its compiled code in one file. For this platform, or, with
// `--platform win32`, for Windows from any other one.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { parseArgs } from 'node:util';
import { root, version } from './bundle.mjs';
import { copyForWine, endWine, hasWine, inWine, prepareWine, runInWine, windowsNode } from './wine.mjs';
import './build.mjs';

const { platform } = parseArgs({ options: { platform: { type: 'string', default: process.platform } } }).values;
const isForeign = platform !== process.platform;
if (isForeign && platform !== 'win32')
  throw new Error(`--platform takes win32 or ${process.platform}, not ${platform}`);
const callOutcome = (system) => (system === 'win32' ? '.exe' : '');
/** The Node that builds it; the one inside is of the very same version. */
const node =
  process.env.FRONTDESK_EXE_NODE ?? `${root}.cache/node-26/node_modules/node/bin/node${callOutcome(process.platform)}`;
const folder = `${root}.cache/exe${isForeign ? `-${platform}` : ''}`;
const output = `${folder}/frontdesk${callOutcome(platform)}`;
const COMPILE = `${root}build/compile-chunks.cjs`;

function run(file, args) {
  const { status, error } = spawnSync(file, args, { stdio: 'inherit', cwd: folder });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`);
}

/** Fetches node.exe of the version of the Node that builds. */
function embeddedNode() {
  if (!isForeign) return node;
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return windowsNode(stdout.trim().slice(1));
}

/** Compiles the chunks by node.exe under Wine; false: there is no Wine, or that node.exe does not run under it. */
function compileInWine(embedded, from, to) {
  const copy = `${folder}/node-wine.exe`;
  if (!hasWine()) return false;
  prepareWine();
  try {
    return copyForWine(embedded, copy) && runInWine(copy, ['--predictable', ...[COMPILE, from, to].map(inWine)]);
  } finally {
    endWine();
    rmSync(copy, { force: true });
  }
}

/** Puts the compiled code of each chunk into its folder; false: there is none. */
function compile(embedded) {
  rmSync(`${folder}/compiled`, { recursive: true, force: true });
  mkdirSync(`${folder}/compiled`);
  const paths = [`${root}dist/chunks`, `${folder}/compiled`];
  if (isForeign) return compileInWine(embedded, ...paths);
  run(node, ['--predictable', COMPILE, ...paths]);
  return true;
}

/** What the executable holds: name -> file, relative to its folder, because these paths are kept in it. */
function collectAssets(isCompiled) {
  const assets = {};
  for (const part of ['chunks', 'help']) {
    for (const name of readdirSync(`${root}dist/${part}`).sort())
      assets[`${part}/${name}`] = `../../dist/${part}/${name}`;
  }
  const compiled = isCompiled ? readdirSync(`${folder}/compiled`).sort() : [];
  for (const name of compiled) assets[`compiled/${name}`] = `compiled/${name}`;
  return assets;
}

// Everything runs in this folder, also what fetches a Node.
mkdirSync(folder, { recursive: true });
if (!existsSync(node)) run(process.execPath, [`${root}build/fetch-nodes.mjs`, '26']);
const embedded = embeddedNode();
const isCompiled = compile(embedded);
const entry = readFileSync(`${root}build/exe-entry.cjs`, 'utf8');
writeFileSync(
  `${folder}/entry.cjs`,
  entry.replaceAll('FRONTDESK_VERSION', JSON.stringify(version)).replaceAll('FRONTDESK_COMPILED', String(isCompiled)),
);
copyFileSync(`${root}dist/THIRD-PARTY-NOTICES.md`, `${folder}/THIRD-PARTY-NOTICES.md`);
writeFileSync(
  `${folder}/sea.json`,
  JSON.stringify({
    // Relative, because these paths are kept in the executable.
    main: 'entry.cjs',
    executable: embedded,
    output,
    disableExperimentalSEAWarning: true,
    // A snapshot starts slower, and cannot hold undici's parser.
    useSnapshot: false,
    // That of the entry is made by the Node that builds, which another system would not take.
    useCodeCache: !isForeign,
    execArgvExtension: 'none',
    assets: collectAssets(isCompiled),
  }),
);
run(node, ['--predictable', '--build-sea', 'sea.json']);
if (platform === 'darwin') run('codesign', ['--sign', '-', output]);
const start = isCompiled
  ? ''
  : '; without compiled code, because node.exe of this version ran nowhere: it starts slower';
console.log(`${output}: ${(statSync(output).size / 1024 / 1024).toFixed(1)} MiB${start}`);

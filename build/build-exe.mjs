// Builds the standalone executable for this platform: Node 26, the program and its compiled code in one file.
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
import { root, version } from './bundle.mjs';
import './build.mjs';

const windows = process.platform === 'win32';
const node =
  process.env.FRONTDESK_EXE_NODE ?? `${root}.cache/node-26/node_modules/node/bin/node${windows ? '.exe' : ''}`;
const folder = `${root}.cache/exe`;
const output = `${folder}/frontdesk${windows ? '.exe' : ''}`;
function run(file, args) {
  const { status, error } = spawnSync(file, args, { stdio: 'inherit', cwd: folder });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`);
}

/**
 * Compiles every file of the program with every function in it, by the very Node that will run it: another one would
 * not take the result. It is made under an option that V8 does not ask for when it takes it, so that the same program
 * always gives the same compiled code, and without the option that it would ask for.
 */
const COMPILE = `const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
  const { setFlagsFromString } = require('node:v8');
  const { Script } = require('node:vm');
  const [from, to] = process.argv.slice(1);
  for (const name of readdirSync(from)) {
    setFlagsFromString('--no-lazy');
    const script = new Script(readFileSync(from + '/' + name, 'latin1'), { filename: 'chunks/' + name });
    setFlagsFromString('--lazy');
    writeFileSync(to + '/' + name, script.createCachedData());
  }`;

/** What lies in the executable: name -> file, relative to its folder, because these paths are kept in it. */
function collectAssets() {
  const assets = {};
  for (const part of ['chunks', 'help']) {
    for (const name of readdirSync(`${root}dist/${part}`).sort())
      assets[`${part}/${name}`] = `../../dist/${part}/${name}`;
  }
  rmSync(`${folder}/compiled`, { recursive: true, force: true });
  mkdirSync(`${folder}/compiled`);
  run(node, ['--predictable', '-e', COMPILE, `${root}dist/chunks`, `${folder}/compiled`]);
  for (const name of readdirSync(`${folder}/compiled`).sort()) assets[`compiled/${name}`] = `compiled/${name}`;
  return assets;
}

// Everything runs in this folder, also what fetches a Node.
mkdirSync(folder, { recursive: true });
if (!existsSync(node)) run(process.execPath, [`${root}build/fetch-nodes.mjs`, '26']);
const entry = readFileSync(`${root}build/exe-entry.cjs`, 'utf8');
writeFileSync(`${folder}/entry.cjs`, entry.replaceAll('FRONTDESK_VERSION', JSON.stringify(version)));
copyFileSync(`${root}dist/THIRD-PARTY-NOTICES.md`, `${folder}/THIRD-PARTY-NOTICES.md`);
writeFileSync(
  `${folder}/sea.json`,
  JSON.stringify({
    // Relative, because these paths are kept in the executable.
    main: 'entry.cjs',
    executable: node,
    output,
    disableExperimentalSEAWarning: true,
    // A snapshot starts slower, and cannot hold undici's parser.
    useSnapshot: false,
    useCodeCache: true,
    execArgvExtension: 'none',
    assets: collectAssets(),
  }),
);
run(node, ['--predictable', '--build-sea', 'sea.json']);
if (process.platform === 'darwin') run('codesign', ['--sign', '-', output]);
console.log(`${output}: ${(statSync(output).size / 1024 / 1024).toFixed(1)} MiB`);

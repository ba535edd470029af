// Builds the standalone executable for this platform: Node 26, the program and its compiled code in one file.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { bundle, root, version } from './bundle.mjs';

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

if (!existsSync(node)) run(process.execPath, [`${root}build/fetch-nodes.mjs`, '26']);
mkdirSync(folder, { recursive: true });
const notices = await bundle(`${root}src/main.ts`, { file: `${folder}/program.cjs`, codeSplitting: false });
writeFileSync(`${folder}/THIRD-PARTY-NOTICES.md`, notices);

// Compiled by the very Node that will run it: another one would not take the result.
const wrapped = `(function (exports, require, module, __filename, __dirname) {${readFileSync(`${folder}/program.cjs`, 'utf8')}\n})`;
writeFileSync(`${folder}/program.js`, wrapped);
run(node, [
  // So that the same program always gives the same compiled code; it is taken by a Node that runs without the flag.
  '--predictable',
  '-e',
  `const { readFileSync, writeFileSync } = require('node:fs');
  const script = new (require('node:vm').Script)(readFileSync('program.js', 'utf8'), { filename: 'frontdesk.cjs' });
  const program = { exports: {} };
  script.runInThisContext()(program.exports, require, program, process.execPath, '');
  writeFileSync('compiled', script.createCachedData());`,
]);

const entry = readFileSync(`${root}build/exe-entry.cjs`, 'utf8').replaceAll(
  'FRONTDESK_VERSION',
  JSON.stringify(version),
);
writeFileSync(`${folder}/entry.cjs`, entry);
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
    assets: { program: 'program.js', compiled: 'compiled' },
  }),
);
run(node, ['--predictable', '--build-sea', 'sea.json']);
if (process.platform === 'darwin') run('codesign', ['--sign', '-', output]);
console.log(`${output}: ${(statSync(output).size / 1024 / 1024).toFixed(1)} MiB`);

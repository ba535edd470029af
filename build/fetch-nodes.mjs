// Fetches the other versions of Node that are supported into .cache/, for `npm run test:nodes` and the benchmarks.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { root } from './bundle.mjs';

const wanted = process.argv.slice(2);

for (const major of wanted.length > 0 ? wanted : ['22', '24', '26']) {
  const folder = `${root}.cache/node-${major}`;
  if (existsSync(`${folder}/node_modules/node/bin`)) continue;
  mkdirSync(folder, { recursive: true });
  // The package `node` of npm holds Node's own builds; its script copies the one for this platform into place.
  const args = [
    'install',
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
    `node@${major}`,
  ];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) {
    console.error(`Node ${major} could not be fetched; what needs it is skipped`);
  }
}

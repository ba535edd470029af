// The versions of Node on this machine: the one that runs, and those that build/fetch-nodes.mjs fetched.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './measure.mjs';

/** Code compiled by each Node, as a build with it makes it. */
function compile(path) {
  const text = `import('${join(root, 'build/compiled.mjs')}').then((made) => made.compileChunks('${join(root, 'dist')}'))`;
  execFileSync(path, ['-e', text], { stdio: 'inherit' });
}

export function availableNodes() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return ['20', '22', '24', '26'].flatMap((major) => {
    const path = process.versions.node.startsWith(`${major}.`)
      ? process.execPath
      : join(root, `.cache/node-${major}/node_modules/node/bin/${name}`);
    if (!existsSync(path)) return [];
    if (path !== process.execPath) compile(path);
    return [{ major, path }];
  });
}

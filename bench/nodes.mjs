// The versions of Node on this machine: the one that runs, and those that build/fetch-nodes.mjs fetched.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './measure.mjs';

export function availableNodes() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  return ['20', '22', '24', '26'].flatMap((major) => {
    const path = process.versions.node.startsWith(`${major}.`)
      ? process.execPath
      : join(root, `.cache/node-${major}/node_modules/node/bin/${name}`);
    return existsSync(path) ? [{ major, path }] : [];
  });
}

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface NodeVersion {
  readonly major: string;
  /** Its executable; undefined: it is not on this machine (`node build/fetch-nodes.mjs` fetches it). */
  readonly path: string | undefined;
}

function findNode(major: string): NodeVersion {
  if (process.versions.node.startsWith(`${major}.`)) return { major, path: process.execPath };
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = fileURLToPath(new URL(`../../.cache/node-${major}/node_modules/node/bin/${name}`, import.meta.url));
  return { major, path: existsSync(path) ? path : undefined };
}

export const NODES: readonly NodeVersion[] = ['20', '22', '24', '26'].map(findNode);

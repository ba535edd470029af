// `npm run generate` writes every committed file that follows from the declarations; with `--check` it writes
// nothing and exits 1 if one of them is not current.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REGISTRY } from '../src/registry.ts';
import { artifacts } from './artifacts.ts';
import { layerPicture } from './layers.ts';
import { MESSAGES_PATH, messagesPage } from './messages.ts';
import { readPages } from './pages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(`${root}${path}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const manifest: { version: string } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
const isCheck = process.argv.includes('--check');
const stale: string[] = [];
const pages = [
  ...(await artifacts(REGISTRY, manifest.version, readPages(root), layerPicture())),
  { path: MESSAGES_PATH, text: messagesPage(root) },
];
for (const { path, text } of pages) {
  if ((await readIfThere(path)) === text) continue;
  stale.push(path);
  if (isCheck) continue;
  await mkdir(dirname(`${root}${path}`), { recursive: true });
  await writeFile(`${root}${path}`, text);
}
if (isCheck && stale.length > 0) {
  for (const path of stale) console.error(`${path}: not current`);
  console.error('run `npm run generate` and commit what it writes');
  process.exitCode = 1;
} else {
  for (const path of stale) console.log(`${path}: written`);
}

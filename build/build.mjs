// Builds the program that users run: CommonJS chunks in dist/, one per command, heavy packages in chunks of their own.
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';

const root = new URL('..', import.meta.url).pathname;
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

rmSync(`${root}dist`, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${root}src/main.ts` },
  platform: 'node',
  cwd: root,
  transform: { define: { FRONTDESK_VERSION: JSON.stringify(version) } },
});
await bundle.write({
  dir: `${root}dist`,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  minify: true,
});
await bundle.close();

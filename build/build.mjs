// Builds the program that users run: CommonJS chunks in dist/, one per command, heavy packages in chunks of their own.
import { renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';
import { writeHelp } from './help.mjs';
import { slim } from './slim.mjs';

const root = new URL('..', import.meta.url).pathname;
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

// Built aside and moved into place, so that a program that runs meanwhile never finds half of it.
const made = `${root}.dist-${process.pid}`;
const bundle = await rolldown({
  input: { main: `${root}src/main.ts` },
  platform: 'node',
  cwd: root,
  plugins: [slim()],
  transform: { define: { FRONTDESK_VERSION: JSON.stringify(version) } },
});
await bundle.write({
  dir: made,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  minify: true,
});
await bundle.close();
writeHelp(made);

const replaced = `${made}-replaced`;
try {
  renameSync(`${root}dist`, replaced);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
renameSync(made, `${root}dist`);
rmSync(replaced, { recursive: true, force: true });

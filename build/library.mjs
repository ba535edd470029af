// Builds what `import 'frontdesk'` loads: CommonJS for both module systems, so that a program which uses both has one
// client, and types that need no other package.
import { readFileSync, writeFileSync } from 'node:fs';
import { bundle, root } from './bundle.mjs';

const MODULE = `import library from './index.cjs';

export const { createClient } = library;
`;

const CREATE_CLIENT = `
/**
 * A client of the service. Nothing is sent, read or asked for before the first call. Throws a TypeError that names
 * what of the options cannot be used.
 */
export declare function createClient(options: ClientOptions): Client;
`;

/** Writes the library into `folder`; answers the notices that what it contains asks for. */
export async function writeLibrary(folder) {
  const notices = await bundle(
    { index: `${root}src/library/index.ts` },
    { dir: folder, entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    { isLibrary: true },
  );
  writeFileSync(`${folder}/index.mjs`, MODULE);
  // The file holds declarations alone, so it is a file of types as it stands.
  const types = readFileSync(`${root}src/library/types.ts`, 'utf8') + CREATE_CLIENT;
  for (const extension of ['cts', 'mts']) writeFileSync(`${folder}/index.d.${extension}`, types);
  return notices;
}

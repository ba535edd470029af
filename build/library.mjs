// Builds what `import 'frontdesk'` and `require('frontdesk')` load, and types that need no other package.
import { readFileSync, writeFileSync } from 'node:fs';
import { bundle, root } from './bundle.mjs';

const CREATE_CLIENT = `
/**
 * A client of the service. Nothing is sent, read or asked for before the first call. Throws a TypeError that names
 * what of the options cannot be used.
 */
export declare function createClient(options: ClientOptions): Client;
`;

const ES_MODULE = `import library from './index.cjs';

export const { createClient } = library;
`;

/** Writes the library into `folder`; answers the notices that what it contains asks for. */
export async function writeLibrary(folder) {
  const notices = await bundle(
    { index: `${root}src/library/index.ts` },
    { format: 'cjs', file: `${folder}/index.cjs`, codeSplitting: false },
    { isLibrary: true },
  );
  // One copy for both formats: the library asks Node for its modules when it runs, so that any bundler can take it in.
  writeFileSync(`${folder}/index.mjs`, ES_MODULE);
  // The file holds declarations alone, so it is a file of types as it stands.
  const types = readFileSync(`${root}src/library/types.ts`, 'utf8') + CREATE_CLIENT;
  for (const extension of ['cts', 'mts']) writeFileSync(`${folder}/index.d.${extension}`, types);
  return notices;
}

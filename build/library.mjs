// Builds what `import 'frontdesk'` and `require('frontdesk')` load, and types that need no other package.
import { readFileSync, writeFileSync } from 'node:fs';
import { bundle, root } from './bundle.mjs';

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
  const types = readFileSync(`${root}types/library.d.ts`, 'utf8');
  for (const extension of ['cts', 'mts']) writeFileSync(`${folder}/index.d.${extension}`, types);
  return notices;
}

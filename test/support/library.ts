/** The library as it is built: what `import 'frontdesk'` loads. */
const BUILT = new URL('../../dist/library/index.mjs', import.meta.url).href;

// The build makes it of exactly this module; a path that is not written out lets the types be checked before a build.
export const { createClient } = (await import(BUILT)) as typeof import('../../src/library/index.ts');

export const TOKEN = 'token-of-the-library-test';

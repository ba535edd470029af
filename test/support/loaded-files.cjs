// Preloaded by a test: writes the chunks and the heavy modules of Node that a process loaded, when it ends.
const { writeFileSync } = require('node:fs');

const HEAVY = ['assert', 'child_process', 'crypto', 'fs/promises', 'http', 'http2', 'perf_hooks', 'tls', 'v8'];

process.on('exit', () => {
  const chunks = Object.keys(require.cache)
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.includes('/dist/'))
    .map((path) => path.replace(/^.*\/dist\/(?:chunks\/)?/, ''));
  const builtins = HEAVY.filter((name) => process.moduleLoadList.includes(`NativeModule ${name}`));
  writeFileSync(process.env.LOADED_FILES_LIST, JSON.stringify({ chunks: chunks.sort(), builtins }));
});

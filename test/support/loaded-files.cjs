// Preloaded by a test: writes the chunks and the heavy modules of Node that a process loaded, when it ends.
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

const HEAVY = [
  'assert',
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'http2',
  'perf_hooks',
  'tls',
  'tty',
  'v8',
  'zlib',
];

const { Script } = vm;
const chunks = [];
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    const name = /[\\/]dist[\\/]chunks[\\/](.*)$/.exec(options?.filename ?? '')?.[1];
    if (name !== undefined) chunks.push(name);
  }
};

process.on('exit', () => {
  const builtins = HEAVY.filter((name) => process.moduleLoadList.includes(`NativeModule ${name}`));
  writeFileSync(process.env.LOADED_FILES_LIST, JSON.stringify({ chunks: chunks.sort(), builtins }));
});

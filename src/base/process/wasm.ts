const ON = ['--no-wasm-lazy-compilation', '--liftoff-only'];
/** The default options. `--liftoff-only` switches the last two off. */
const OFF = ['--wasm-lazy-compilation', '--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

/**
 * Runs work that compiles WebAssembly. On Node 20 all of it is compiled at once in the simplest way: by default V8
 * optimizes a function at its first call, which costs several times the whole start (later versions do better, and are
 * slower with this). The options are restored, because V8 accepts the program's compiled code only under those that it
 * was made with.
 */
export function withBaselineWasm<T>(work: () => T): T {
  if (!process.versions.node.startsWith('20.')) return work();
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ON) setFlagsFromString(flag);
  try {
    return work();
  } finally {
    for (const flag of OFF) setFlagsFromString(flag);
  }
}

const ON = ['--no-wasm-lazy-compilation', '--liftoff-only'];
/** What the options are unless given; `--liftoff-only` switches the last two off. */
const OFF = ['--wasm-lazy-compilation', '--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

/**
 * Runs work that compiles WebAssembly. On Node 20 all of it is compiled at once and in the simplest way: a function
 * that is compiled at its first call, as is usual, has V8 optimise it, which costs several times the whole start
 * (later versions do better, and are slower with this). The options are as before afterwards, because V8 takes the
 * compiled code of the program only under those that it was made under.
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

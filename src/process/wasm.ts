/**
 * Keeps V8 from optimising the WebAssembly of undici's parser, which on Node 20 costs twice the whole start
 * (later versions compile a function when it is first called, and are slower with this). To be called right
 * before it is loaded.
 */
export async function spareWasmCompiler(): Promise<void> {
  if (!process.versions.node.startsWith('20.')) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--liftoff-only');
}

import * as module from 'node:module';

/** What this process runs on, for `frontdesk doctor`. */
export interface RuntimeFacts {
  /** Without the v: `22.12.0`. */
  readonly nodeVersion: string;
  /** Where compiled code is kept between starts; undefined: this Node does not, or it is off. */
  readonly compileCacheDir: string | undefined;
}

export function runtimeFacts(): RuntimeFacts {
  // Not on Node 20, whose types are the ones in use.
  const getDir: unknown = Reflect.get(module, 'getCompileCacheDir');
  const dir: unknown = typeof getDir === 'function' ? getDir() : undefined;
  return { nodeVersion: process.versions.node, compileCacheDir: typeof dir === 'string' ? dir : undefined };
}

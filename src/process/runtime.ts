import { realpathSync } from 'node:fs';
import * as module from 'node:module';

/** What this process runs on, for `frontdesk doctor`. */
export interface RuntimeFacts {
  /** Without the v: `22.12.0`. */
  readonly nodeVersion: string;
  /** Where compiled code is kept between starts; undefined: this Node does not, or it is off. */
  readonly compileCacheDir: string | undefined;
  /** The file that was started, links followed; undefined: it is no longer there. */
  readonly program: string | undefined;
  /** Whether that file is the standalone executable, with Node inside. */
  readonly isExecutable: boolean;
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path);
  } catch {
    // Removed or replaced since it was started, by an update for example.
    return undefined;
  }
}

export function runtimeFacts(): RuntimeFacts {
  // Not on Node 20, whose types are the ones in use.
  const getDir: unknown = Reflect.get(module, 'getCompileCacheDir');
  const dir: unknown = typeof getDir === 'function' ? getDir() : undefined;
  // Looked up here because only `doctor` asks: an import would be loaded at each start of the executable.
  const isExecutable = process.getBuiltinModule('node:sea').isSea();
  return {
    nodeVersion: process.versions.node,
    compileCacheDir: typeof dir === 'string' ? dir : undefined,
    program: realPath(isExecutable ? process.execPath : process.argv[1]),
    isExecutable,
  };
}

import { realpathSync } from 'node:fs';

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path);
  } catch {
    // Removed or replaced since it was started, by an update for example.
    return undefined;
  }
}

/**
 * What this process runs on, for `frontdesk doctor`. `program` is the file that was started, links followed, or undefined
 * when it is no longer there; `isExecutable`: it is the standalone executable, with Node inside.
 */
export function runtimeFacts() {
  // Looked up here because only `doctor` asks: an import would be loaded at each start of the executable.
  const isExecutable = process.getBuiltinModule('node:sea').isSea();
  return {
    /** Without the v: `22.12.0`. */
    nodeVersion: process.versions.node,
    program: realPath(isExecutable ? process.execPath : process.argv[1]),
    isExecutable,
  };
}

import { realpathSync } from 'node:fs';

/** What this process runs on, for `frontdesk doctor`. */
export interface RuntimeFacts {
  /** Without the v: `22.12.0`. */
  readonly nodeVersion: string;
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
  // Looked up here because only `doctor` asks: an import would be loaded at each start of the executable.
  const isExecutable = process.getBuiltinModule('node:sea').isSea();
  return {
    nodeVersion: process.versions.node,
    program: realPath(isExecutable ? process.execPath : process.argv[1]),
    isExecutable,
  };
}

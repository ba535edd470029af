import type { Context } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { describeIoError } from '../base/files/io-failure.ts';
import { readWhole } from '../base/files/readable.ts';
import { FileStore } from './file-store.ts';
import { builtInSeed, parseSeed } from './seed.ts';
import { type SandboxServer, type SandboxServerOptions, startSandboxServer } from './server.ts';
import { memoryStore, type SandboxState } from './state.ts';

type SandboxPorts = Pick<Context, 'pid' | 'clock' | 'random'>;

/** The sandbox of `--profile sandbox`, on any free port; without `stateDir` in memory. USAGE for a damaged state. */
export async function openSandbox(stateDir: string | undefined, ports: SandboxPorts): Promise<SandboxServer> {
  const store = stateDir === undefined ? memoryStore(builtInSeed()) : new FileStore(stateDir, ports);
  return startSandboxServer({ store, port: 0, latencyMs: 0, faults: [] }, ports);
}

/** The options of `sandbox serve`. */
export interface ServeOptions extends Omit<SandboxServerOptions, 'store'> {
  /** Path of a seed file; undefined: the built-in seed. */
  readonly seedFile: string | undefined;
}

async function readSeedFile(path: string): Promise<SandboxState> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readWhole(path));
  } catch (error) {
    const problem = error instanceof TypeError ? 'it is not UTF-8' : describeIoError(error);
    const message = `could not read the seed file ${path}: ${problem}. Nothing was started.`;
    throw new Failure('USAGE', message, { cause: error });
  }
  return parseSeed(text, path);
}

/** Starts the sandbox of `sandbox serve`, in memory. USAGE for a bad seed file or port; then nothing listens. */
export async function runServe(options: ServeOptions, ports: SandboxPorts): Promise<SandboxServer> {
  const state = options.seedFile === undefined ? builtInSeed() : await readSeedFile(options.seedFile);
  return startSandboxServer({ ...options, store: memoryStore(state) }, ports);
}

import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { describeIoError } from '../files/io-failure.ts';
import { readWhole } from '../files/readable.ts';
import type { FaultRule } from './faults.ts';
import { FileStore } from './file-store.ts';
import { makeTokens } from './ids.ts';
import { builtInSeed, parseSeed } from './seed.ts';
import { type SandboxServer, startSandboxServer } from './server.ts';
import { memoryStore, type SandboxState, type SandboxStore } from './state.ts';

type SandboxPorts = Pick<Context, 'pid' | 'clock' | 'random'>;

function start(
  store: SandboxStore,
  { port, latencyMs, faults }: Pick<ServeOptions, 'port' | 'latencyMs' | 'faults'>,
  ports: SandboxPorts,
): Promise<SandboxServer> {
  const random = () => ports.random();
  const { clock } = ports;
  return startSandboxServer({ store, port, latencyMs, faults, random, clock, tokens: makeTokens(random) });
}

/**
 * The sandbox of `--profile sandbox`: in this process, on any free port, its state kept in `stateDir` between
 * commands (without such a folder: in memory). Raises USAGE when the kept state is damaged.
 */
export async function openSandbox(stateDir: string | undefined, ports: SandboxPorts): Promise<SandboxServer> {
  const store = stateDir === undefined ? memoryStore(builtInSeed()) : new FileStore(stateDir, ports);
  return start(store, { port: 0, latencyMs: 0, faults: [] }, ports);
}

/** What `sandbox serve` was asked for. */
export interface ServeOptions {
  readonly port: number;
  /** Path of a seed file; undefined: the built-in seed. */
  readonly seedFile: string | undefined;
  readonly latencyMs: number;
  readonly faults: readonly FaultRule[];
}

async function readSeedFile(path: string): Promise<SandboxState> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readWhole(path));
  } catch (error) {
    const problem = error instanceof TypeError ? 'it is not UTF-8' : describeIoError(error);
    throw new Failure('USAGE', `the seed file ${path} cannot be read: ${problem}; nothing was started`, {
      cause: error,
    });
  }
  return parseSeed(text, path);
}

/**
 * Starts the sandbox of `sandbox serve`, from a seed and in memory; it runs until it is closed. Raises USAGE
 * for a bad seed file or a port that cannot be had, and then nothing listens.
 */
export async function runServe(options: ServeOptions, ports: SandboxPorts): Promise<SandboxServer> {
  const state = options.seedFile === undefined ? builtInSeed() : await readSeedFile(options.seedFile);
  return start(memoryStore(state), options, ports);
}

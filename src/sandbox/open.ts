import { readFile } from 'node:fs/promises';
import type { ClockPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { describeIoError } from '../files/io-failure.ts';
import { parseFaults } from './faults.ts';
import { openFileStore } from './file-store.ts';
import { makeTokens } from './ids.ts';
import { builtInSeed, parseSeed } from './seed.ts';
import type { SandboxServer } from './server.ts';
import { startSandboxServer } from './server.ts';
import type { SandboxState } from './state.ts';
import { memoryStore } from './store.ts';

interface SandboxPorts {
  readonly pid: number;
  readonly clock: ClockPort;
  /** Uniform in [0, 1). */
  random(): number;
}

/**
 * The sandbox of `--profile sandbox`: in this process, on any free port, its state kept in `stateDir` between
 * commands (without such a folder: in memory). Raises USAGE when the kept state is damaged.
 */
export async function openSandbox(stateDir: string | undefined, ports: SandboxPorts): Promise<SandboxServer> {
  const { clock } = ports;
  const random = () => ports.random();
  return await startSandboxServer({
    store: stateDir === undefined ? memoryStore(builtInSeed()) : openFileStore(stateDir, ports),
    port: 0,
    latencyMs: 0,
    faults: [],
    random,
    clock,
    tokens: makeTokens(random),
  });
}

/** What `sandbox serve` was asked for. */
export interface ServeOptions {
  readonly port: number;
  /** Path of a seed file; undefined: the built-in seed. */
  readonly seedFile: string | undefined;
  readonly latencyMs: number;
  /** Each `--fault`, as typed. */
  readonly faults: readonly string[];
}

async function readSeedFile(path: string): Promise<SandboxState> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
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
 * for a bad fault, a bad seed file or a port that cannot be had, and then nothing listens.
 */
export async function runServe(options: ServeOptions, ports: SandboxPorts): Promise<SandboxServer> {
  const { clock } = ports;
  const random = () => ports.random();
  const faults = parseFaults(options.faults);
  const state = options.seedFile === undefined ? builtInSeed() : await readSeedFile(options.seedFile);
  const { port, latencyMs } = options;
  return await startSandboxServer({
    store: memoryStore(state),
    port,
    latencyMs,
    faults,
    random,
    clock,
    tokens: makeTokens(random),
  });
}

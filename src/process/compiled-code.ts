import type { Script } from 'node:vm';
import type { ChunkState, CompiledCodeFacts } from '../context.ts';

/** One file of the program, as `bin/frontdesk.js` loaded it. */
export interface LoadedChunk {
  readonly script: Script;
  readonly source: string;
  readonly state: ChunkState;
  /** How often V8 had refused the stored code when this was written. */
  readonly refusals: number;
  /** Size of the compiled code that was used. */
  readonly bytes: number;
}

/** The loaded files, and what is needed to store their compiled code for the next start. */
export interface CompiledCode extends CompiledCodeFacts {
  readonly dist: string;
  /** The place of this user's key; absent if nothing can be stored. */
  readonly keyPath?: string;
  /** Folder of this build, Node and options, whose name depends on the key. */
  readonly folder?: string;
  /** Checks again what is there. */
  look(): Pick<CompiledCode, 'above' | 'folder' | 'reason'> & { readonly usable: boolean };
  readonly chunks: ReadonlyMap<string, LoadedChunk>;
}

/** Other versions and options have their own folders, so V8 rarely refuses code. If it does, it always will. */
const MOST_REFUSALS = 3;

/** Would another start gain by what this one compiled? */
export function isWorthKeeping({ state, refusals }: LoadedChunk): boolean {
  return state === 'refused' ? refusals < MOST_REFUSALS : state !== 'used';
}

/** Did this start compile anything new? */
export function hasNewCode(code: CompiledCode): boolean {
  if (code.keyPath === undefined) return false;
  for (const chunk of code.chunks.values()) if (isWorthKeeping(chunk)) return true;
  return false;
}

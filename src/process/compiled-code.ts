import type { Script } from 'node:vm';
import type { ChunkState, CompiledCodeFacts } from '../context.ts';

/** One file of the program as `bin/frontdesk.js` loaded it. */
export interface LoadedChunk {
  readonly script: Script;
  readonly source: string;
  readonly state: ChunkState;
  /** How often V8 had refused what was kept, when this was written. */
  readonly refusals: number;
  /** Size of the compiled code that was used. */
  readonly bytes: number;
}

/** The files that were loaded, and what it takes to keep their compiled code for the next start. */
export interface CompiledCode extends CompiledCodeFacts {
  /** The folder `dist` of the package. */
  readonly dist: string;
  /** Where the key of this user is, or can be made: absent where nothing can be kept. */
  readonly keyPath?: string;
  /** Folder of this build, this Node and its options, whose name holds the key. */
  readonly folder?: string;
  /** Looks anew at what is there. */
  look(): Pick<CompiledCode, 'above' | 'folder' | 'reason'> & { readonly usable: boolean };
  readonly chunks: ReadonlyMap<string, LoadedChunk>;
}

/** Other versions and options have folders of their own, so V8 hardly refuses any; where it does, it always will. */
const MOST_REFUSALS = 3;

/** Whether another start would gain by what this one compiled. */
export function isWorthKeeping({ state, refusals }: LoadedChunk): boolean {
  return state === 'refused' ? refusals < MOST_REFUSALS : state !== 'used';
}

/** Whether this start compiled anything that the next one need not compile again. */
export function hasNewCode(code: CompiledCode): boolean {
  if (code.keyPath === undefined) return false;
  for (const chunk of code.chunks.values()) if (isWorthKeeping(chunk)) return true;
  return false;
}

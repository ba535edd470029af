import { bashCompletion } from './bash.ts';
import type { CommandTree } from './command-tree.ts';
import { fishCompletion } from './fish.ts';
import { powershellCompletion } from './powershell.ts';
import { zshCompletion } from './zsh.ts';

/** A shell that frontdesk writes completions for. */
export interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish' | 'powershell';
  /** Name of the committed file in `completions/`. */
  readonly file: string;
  write(tree: CommandTree): string;
}

export const SHELLS: readonly Shell[] = [
  { name: 'bash', file: 'frontdesk.bash', write: bashCompletion },
  { name: 'zsh', file: '_frontdesk', write: zshCompletion },
  { name: 'fish', file: 'frontdesk.fish', write: fishCompletion },
  { name: 'powershell', file: 'frontdesk.ps1', write: powershellCompletion },
];

import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { powershellCompletion } from './powershell.ts';
import { zshCompletion } from './zsh.ts';

/** The shells that frontdesk writes completions for; `file` is the committed one in `completions/`. */
export const SHELLS = {
  bash: { file: 'frontdesk.bash', write: bashCompletion },
  zsh: { file: '_frontdesk', write: zshCompletion },
  fish: { file: 'frontdesk.fish', write: fishCompletion },
  powershell: { file: 'frontdesk.ps1', write: powershellCompletion },
} as const;

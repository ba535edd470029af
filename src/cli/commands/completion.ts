import { jsonOf, object, oneOf, TEXT } from '../../base/json/shape.ts';
import { type LocalCommand, localCommand } from '../../command/command.ts';
import type { Registry } from '../../command/command-tree.ts';
import { bashCompletion } from '../describe/bash.ts';
import { loadTree } from '../describe/command-tree.ts';
import { completionNodes } from '../describe/completion-model.ts';
import { fishCompletion } from '../describe/fish.ts';
import { powershellCompletion } from '../describe/powershell.ts';
import { zshCompletion } from '../describe/zsh.ts';

/** The shells with completions. `file`: the one in `completions/`. */
export const SHELLS = {
  bash: { file: 'frontdesk.bash', write: bashCompletion },
  zsh: { file: '_frontdesk', write: zshCompletion },
  fish: { file: 'frontdesk.fish', write: fishCompletion },
  powershell: { file: 'frontdesk.ps1', write: powershellCompletion },
} as const;

// Object.keys returns string[]. The table is a constant, so these are all keys.
const SHELL_NAMES = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

const COMPLETION = object({ shell: oneOf(SHELL_NAMES), script: TEXT });

/** The command for a registry, which cannot be imported here because it holds this command. */
export function command(registry: Registry): LocalCommand {
  return localCommand({
    description: [
      'Completes commands, options, values and files. Tab runs frontdesk only for the names of profiles and runs.',
      'Make the folder first (mkdir -p), as in the examples. zsh reads a folder that ~/.zshrc names before compinit: fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit. In PowerShell, run this and start a new shell: frontdesk completion powershell >> $PROFILE',
    ].join('\n'),
    arguments: {
      shell: { kind: 'choice', choices: SHELL_NAMES, required: true, text: 'which shell', question: 'Which shell?' },
    },
    needsSettings: false,
    examples: {
      'Install for bash, after: mkdir -p ~/.local/share/bash-completion/completions':
        'completion bash > ~/.local/share/bash-completion/completions/frontdesk',
      'Install for zsh, after: mkdir -p ~/.zfunc': 'completion zsh > ~/.zfunc/_frontdesk',
      'Install for fish, after: mkdir -p ~/.config/fish/completions':
        'completion fish > ~/.config/fish/completions/frontdesk.fish',
      'Only for this bash': 'completion bash > /tmp/frontdesk.bash && source /tmp/frontdesk.bash',
    },
    output: () => COMPLETION,
    async run(session, { shell }) {
      const script = SHELLS[shell].write(completionNodes(await loadTree(registry)));
      await session.print({ kind: 'text', text: script, json: jsonOf(COMPLETION, { shell, script }) });
    },
  });
}

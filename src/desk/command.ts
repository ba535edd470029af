import { ANY } from '../base/json/shape.ts';
import { CARD_ARGUMENT } from '../cli/commands/card/columns.ts';
import { type LocalCommand, localCommand } from '../command/command.ts';
import type { Registry } from '../command/command-tree.ts';

/** The command for a registry, in which the desk finds the commands of its menu. */
export function command(registry: Registry): LocalCommand {
  return localCommand({
    maySend: true,
    description:
      'Serves card after card. It asks for a card ID, an order number or the beginning of an ID, shows the card, and offers a menu. Every change asks first, and ends as its command does. The line above the menu says how the last change ended. Ctrl-C goes one step back. On leaving it lists what was done. It needs a terminal, and exits with 8 while an outcome of this session is unknown.',
    usesProfile: true,
    isLasting: true,
    arguments: { cardId: { ...CARD_ARGUMENT, kind: 'cardId', required: false } },
    options: {
      idle: {
        kind: 'duration',
        min: 1,
        default: '15m',
        text: 'exit after this time without a key (500ms, 30s, 2m or 1h; at most 7d); default: 15m',
      },
      report: { kind: 'path', value: 'file', text: 'also write the list of changes to this new file (.csv or .md)' },
    },
    exitCodes: [8],
    examples: {
      'Open the desk': 'desk -p live',
      'Start with a card': 'desk 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 -p live',
      'Keep the list of the shift': 'desk -p live --report shift.csv',
      'Try it with the sandbox': 'desk -p sandbox',
    },
    output: () => ANY,
    async run(session, values) {
      const { openDesk } = await import('./open-desk.ts');
      return openDesk(session, values, registry);
    },
  });
}

import { localCommand } from '../command/command.ts';
import { ANY } from '../json/shape.ts';

export const command = localCommand({
  maySend: true,
  description:
    'Serves card after card: asks for an id, shows the card, then a menu to look again, activate, block, reissue, wait for a status, or see its history. A write asks and ends as its command does. Ctrl-C goes one step back, and leaves at the id. It needs a terminal, and ends with 8 while an outcome is still unknown.',
  usesProfile: true,
  isLasting: true,
  options: {
    idle: {
      kind: 'duration',
      min: 1,
      default: '15m',
      text: 'leave after so long without a key (500ms, 30s, 2m or 1h); default 15m',
    },
  },
  exitCodes: [0, 1, 2, 4, 8, 16],
  examples: {
    'Open the desk': 'desk -p live',
    'Try it with the sandbox': 'desk -p sandbox',
  },
  output: () => ANY,
  async run(session, { idle }) {
    const { openDesk } = await import('./open-desk.ts');
    return openDesk(session, idle.ms);
  },
});

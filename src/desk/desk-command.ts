import { untypedCommand } from '../commands/command.ts';
import { usageFailure } from '../failure.ts';
import { DURATION_FORMS, parseDuration } from '../input/duration.ts';
import { ANY } from '../json/shape.ts';
import { lastValue } from '../options/raw-input.ts';

const DEFAULT_IDLE = '15m';

export const deskCommand = untypedCommand({
  description:
    'Serves card after card: asks for an id, shows the card, then a menu to look again, activate, block, reissue, wait for a status, or see its history. A write asks and ends as its command does. Ctrl-C goes one step back, and leaves at the id. It needs a terminal, and ends with 8 while an outcome is still unknown.',
  usesProfile: true,
  isLasting: true,
  options: [
    {
      long: 'idle',
      value: 'duration',
      text: `leave after so long without a key (${DURATION_FORMS}); default ${DEFAULT_IDLE}`,
    },
  ],
  exitCodes: [0, 1, 2, 8, 16, 130],
  examples: {
    'Open the desk': 'desk -p live',
    'Try it without a service': 'desk -p sandbox',
  },
  output: () => ANY,
  async run(session, input) {
    const text = lastValue(input, 'idle') ?? DEFAULT_IDLE;
    const idleMs = parseDuration(text);
    if (idleMs === undefined || idleMs === 0) {
      throw usageFailure([{ where: '--idle', problem: `must be a duration such as ${DURATION_FORMS}, not "${text}"` }]);
    }
    const { openDesk } = await import('./open-desk.ts');
    return openDesk(session, idleMs);
  },
});

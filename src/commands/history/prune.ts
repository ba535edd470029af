import { confirmLoss } from '../../ask/missing.ts';
import { localCommand } from '../../command/command.ts';
import { lockPorts } from '../../files/lock-ports.ts';
import { INTEGER, jsonOf, object } from '../../json/shape.ts';
import { YES } from '../../options/common.ts';
import { plural } from '../../output/text.ts';

const PRUNED = object({ removed: INTEGER });

export const command = localCommand({
  description:
    'Keeps changes whose outcome is still unknown. Asks first. Outside a terminal, it needs --yes. To delete the rows of runs, use `frontdesk runs remove --older-than 90d`.',
  options: {
    olderThan: {
      kind: 'age',
      required: true,
      text: 'delete entries older than this (90d)',
      question: 'Delete what is older than (30m, 24h, 90d)',
    },
    yes: YES,
  },
  examples: {
    'Keep three months': 'history prune --older-than 90d',
    'Keep a week, without a question': 'history prune --older-than 7d --yes',
  },
  output: () => PRUNED,
  async run(session, { olderThan, yes }) {
    await confirmLoss(session, yes, `Delete all single changes older than ${olderThan.text} from the history?`);
    const { pruneHistory } = await import('../../history/prune.ts');
    const removed = await pruneHistory({ stateDir: session.stateDir(), ...lockPorts(session) }, olderThan.ms);
    const text = `${plural(removed, 'entry', 'entries')} deleted.`;
    await session.print({ kind: 'text', text, json: jsonOf(PRUNED, { removed }) });
  },
});

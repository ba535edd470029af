import { INTEGER, jsonOf, object } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { YES } from '../../../input/options/common.ts';
import { plural } from '../../../screen/text.ts';
import { confirmLoss } from '../../../writes/ask/missing.ts';

const PRUNED = object({ removed: INTEGER });

export const command = localCommand({
  description:
    'Keeps changes whose outcome is still unknown. Asks first. Outside a terminal, it needs --yes. To delete the rows of runs, use `frontdesk runs remove --older-than 90d`.',
  options: {
    olderThan: {
      kind: 'age',
      required: true,
      text: 'delete entries older than this (90d)',
      question: 'Delete what is older than, such as 90d',
    },
    yes: YES,
  },
  examples: {
    'Keep three months': 'history prune --older-than 90d',
    'Keep a week, without a question': 'history prune --older-than 7d --yes',
  },
  output: () => PRUNED,
  async run(session, { olderThan, yes }) {
    const { clock, pid } = session.context;
    // What grows old while the question stands was not in it.
    const beforeMs = clock.now() - olderThan.ms;
    await confirmLoss(session, yes, `Delete all single changes older than ${olderThan.text} from the history?`);
    const { pruneLedger } = await import('../../../records/ledger.ts');
    const removed = await pruneLedger({ stateDir: session.stateDir(), pid }, beforeMs);
    const deleted = `${plural(removed, 'entry', 'entries')} deleted`;
    session.done.push(deleted);
    await session.print({ kind: 'text', text: `${deleted}.`, json: jsonOf(PRUNED, { removed }) });
  },
});

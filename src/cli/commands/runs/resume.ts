import { ANY, list } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { unsent } from '../../../command/faults.ts';
import { BULK, YES } from '../../../input/options/common.ts';
import { LAST, RUN, runNameOf } from './run-name.ts';

export const command = localCommand({
  maySend: true,
  description:
    'Rows that are done are not sent again. If a request may have been sent, the outcome of its row is unknown. frontdesk leaves such rows alone unless you choose: --reconcile checks their cards, --resend-unknown sends them again after asking. The run keeps its options.',
  arguments: RUN,
  options: {
    last: LAST,
    reconcile: { excludes: { 'resend-unknown': '' }, text: 'resolve unknown outcomes by checking the cards' },
    resendUnknown: { text: 'send rows with an unknown outcome again; asks first' },
    yes: YES,
    concurrency: { ...BULK.concurrency, text: 'send this many requests at the same time' },
    rate: { ...BULK.rate, text: 'send at most this many requests per second or minute' },
    maxFailures: { ...BULK.maxFailures, text: 'stop after this many more failed rows' },
    failed: { ...BULK.failed, text: 'write the rows that did not succeed to this file' },
  },
  exitCodes: [5, 7, 8, 15],
  examples: {
    'Resume the newest run': 'runs resume --last',
    'Check the cards of unknown outcomes': 'runs resume --last --reconcile',
  },
  output: async () => list((await import('../../../records/row-result.ts')).rowOutput(ANY)),
  async run(session, values) {
    const { resume } = await import('../../../runs/resume.ts');
    return resume(session, values, await unsent(runNameOf(session, values)));
  },
});

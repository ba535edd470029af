import { localCommand } from '../../command/command.ts';
import { ANY, list } from '../../json/shape.ts';
import { MANY, YES } from '../../options/common.ts';
import { LAST, RUN, runNameOf } from './run-name.ts';

export const command = localCommand({
  description:
    'Goes on with a run that stopped or was killed. Done rows are not repeated; rows whose request may have left are unknown and stay untouched unless --reconcile (cards: read and compare) or --resend-unknown (asks: they may have been applied). The run keeps its own options.',
  arguments: RUN,
  options: {
    last: LAST,
    reconcile: { excludes: { 'resend-unknown': '' }, text: 'settle unknown rows by reading their cards' },
    resendUnknown: { text: 'send unknown rows again; asks first' },
    yes: YES,
    concurrency: { ...MANY.concurrency, text: 'requests at a time' },
    rate: { ...MANY.rate, text: 'requests that leave in any one second, at most' },
    maxFailures: { ...MANY.maxFailures, text: 'stop at that many failed rows; earlier ones do not count' },
    failed: { ...MANY.failed, text: 'write the rows that did not succeed there' },
  },
  exitCodes: [0, 1, 2, 4, 5, 7, 8, 15, 16, 141],
  examples: {
    'Go on with the last run': 'runs resume --last',
    'Find out what became of unknown rows': 'runs resume --last --reconcile',
  },
  output: async () => list((await import('../../run/row-result.ts')).rowOutput(ANY)),
  async run(session, given) {
    const { resume } = await import('../../bulk/resume.ts');
    return resume(session, given, await runNameOf(session, given));
  },
});

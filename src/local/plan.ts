import { localCommand } from '../commands/command.ts';
import type { RawInput } from '../input/raw-input.ts';
import type { Session } from '../session.ts';
import { missingText } from './missing.ts';

const FILE_ARGUMENT = { name: 'file', text: 'the plan', required: true } as const;

async function fileOf(session: Session, input: RawInput): Promise<string> {
  return input.words[0] ?? missingText(session, '<file>', 'Which plan?');
}

export const planShowCommand = localCommand({
  path: ['plan', 'show'],
  description:
    'Shows what a plan would send, and what became of it on this machine: new, expired, running, stopped or finished. It sends nothing and works for an expired plan too. Off a terminal it prints the rows; with --json the whole plan as one document.',
  arguments: [FILE_ARGUMENT],
  examples: [
    { text: 'Look before you approve or apply', line: 'plan show stolen.plan' },
    { text: 'The rows for a spreadsheet', line: 'plan show stolen.plan -o csv' },
    { text: 'What became of it, for a script', line: 'plan show stolen.plan --json --query plan.state' },
  ],
  async run(session, input) {
    const { showPlan } = await import('../engine/many/show-plan.ts');
    return showPlan(session, await fileOf(session, input));
  },
});

export const planApplyCommand = localCommand({
  path: ['plan', 'apply'],
  description:
    'Sends exactly the rows of a plan, once. Each card is read again right before its write, and one that changed since it was planned is left alone; a change between that read and the write cannot be seen. It is a run that the plan names: applied again it goes on where it stopped, or prints the results. It asks on a terminal; elsewhere it needs --yes.',
  arguments: [FILE_ARGUMENT],
  options: [
    { long: 'dry-run', short: 'n', text: 'print the requests instead of sending them' },
    { long: 'yes', short: 'y', text: 'do not ask' },
    { long: 'concurrency', short: 'j', value: 'n', text: 'requests at a time; the default is 8' },
    { long: 'rate', value: 'n', text: 'requests that leave in any one second, at most: 5 or 5/s' },
    { long: 'max-failures', value: 'n|n%', text: 'stop at that many failed rows (of all rows, when in percent)' },
    { long: 'failed', value: 'file', isFile: true, text: 'write the rows that did not succeed there, CSV or NDJSON' },
  ],
  usesProfile: true,
  exitCodes: [0, 1, 2, 4, 5, 7, 8, 15, 16, 17, 129, 130, 143],
  examples: [
    { text: 'Apply a plan that somebody looked at', line: 'plan apply stolen.plan' },
    { text: 'In a job: a second start goes on with the first', line: 'plan apply stolen.plan --yes --json' },
  ],
  async run(session, input) {
    const { applyPlan } = await import('../engine/many/apply-plan.ts');
    return applyPlan(session, input, await fileOf(session, input));
  },
});

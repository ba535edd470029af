import { untypedCommand } from '../commands/command.ts';
import { Failure, usageFailure } from '../failure.ts';
import { ANY, anyOf, list } from '../json/shape.ts';
import { hasOption, lastValue, type RawInput } from '../options/raw-input.ts';
import { openUnder } from '../output/column.ts';
import { APPROVAL_COLUMNS, rowColumns } from '../plan/plan-columns.ts';
import type { Session } from '../session.ts';
import type { ResolvedProfile } from '../settings/resolve.ts';
import { missingText } from './missing.ts';

const FILE_ARGUMENT = { name: 'file', text: 'the plan', required: true } as const;

async function fileOf(session: Session, input: RawInput): Promise<string> {
  const path = input.words[0] ?? (await missingText(session, '<file>', 'Which plan?'));
  if (path === '-') throw usageFailure([{ where: '<file>', problem: 'must be a file: a plan is read more than once' }]);
  return path;
}

/** A plan can be looked at without any profile; one that is named must be there. */
function profileOf(session: Session, input: RawInput): ResolvedProfile | undefined {
  try {
    return session.profile;
  } catch (error) {
    if (!(error instanceof Failure) || hasOption(input, 'profile')) throw error;
    return undefined;
  }
}

export const planShowCommand = untypedCommand({
  columns: rowColumns(true),
  isOpenColumn: openUnder('body', 'before', 'about'),
  description:
    'Shows what a plan would send, and what became of it on this machine: new, expired, running, unsettled, stopped or finished. It sends nothing and works for an expired plan too. Off a terminal it prints the rows, and what is above them as notices; with --json the whole plan as one document.',
  arguments: [FILE_ARGUMENT],
  examples: {
    'Look before you approve or apply': 'plan show stolen.plan',
    'The rows for a spreadsheet': 'plan show stolen.plan -o csv',
    'What became of it, for a script': 'plan show stolen.plan --json --query plan.state',
  },
  output: async () => (await import('../plan/plan-file.ts')).PLAN_OUTPUT,
  async run(session, input) {
    const { showPlan } = await import('../engine/run/show-plan.ts');
    return showPlan(session, await fileOf(session, input), profileOf(session, input));
  },
});

export const planApproveCommand = untypedCommand({
  columns: APPROVAL_COLUMNS,
  description:
    'Signs the bytes of a plan with an SSH key, after showing it, into <file>.<name>.sig beside it. A profile with --approvers and --approvals demands that many signatures, of different people and keys, before many rows are written. It stops mistakes, and not somebody who holds the token and curl. Off a terminal it needs --yes.',
  arguments: [FILE_ARGUMENT],
  options: [
    { long: 'key', value: 'file', kind: 'path', text: 'private key, or the public key of one that an agent holds' },
    { long: 'as', value: 'name', text: 'your name in the allowed-signers file: A-Z a-z 0-9 . _ @ + -' },
    { long: 'yes', short: 'y', text: 'do not ask' },
  ],
  examples: {
    'Approve what you looked at': 'plan approve stolen.plan --key ~/.ssh/id_ed25519 --as ann@example.com',
    'With a key that an agent holds': 'plan approve stolen.plan --key ~/.ssh/id_ed25519.pub --as ann',
  },
  output: async () => (await import('../engine/run/approve-plan.ts')).APPROVED_OUTPUT,
  async run(session, input) {
    const { approvePlan } = await import('../engine/run/approve-plan.ts');
    const path = await fileOf(session, input);
    const key = lastValue(input, 'key') ?? (await missingText(session, '--key', 'Which key? (a file)'));
    const as = lastValue(input, 'as') ?? (await missingText(session, '--as', 'Your name in the allowed-signers file'));
    return approvePlan(session, { path, key, as, profile: profileOf(session, input) });
  },
});

export const planApplyCommand = untypedCommand({
  description:
    'Sends exactly the rows of a plan. Each card is read again right before its write, and one that changed since it was planned is left alone; a change between that read and the write cannot be seen. It is a run that the plan names: applied again it goes on where it stopped, or prints the results. Once is true for each state folder: another machine, or one on which the run was removed, does not know of it and would send the plan again. It asks on a terminal; elsewhere it needs --yes.',
  arguments: [FILE_ARGUMENT],
  options: [
    { long: 'dry-run', short: 'n', text: 'print the requests instead of sending them' },
    { long: 'yes', short: 'y', text: 'do not ask' },
    { long: 'concurrency', short: 'j', value: 'n', text: 'requests at a time; the default is 8' },
    { long: 'rate', value: 'n', text: 'requests that leave in any one second, at most: 5 or 5/s' },
    { long: 'max-failures', value: 'n|n%', text: 'stop at that many failed rows (of all rows, when in percent)' },
    { long: 'failed', value: 'file', kind: 'path', text: 'write the rows that did not succeed there, CSV or NDJSON' },
  ],
  usesProfile: true,
  exitCodes: [0, 1, 2, 4, 5, 7, 8, 15, 16, 17, 129, 130, 143],
  examples: {
    'Apply a plan that was looked at': 'plan apply stolen.plan',
    'In a job: a second start goes on with the first': 'plan apply stolen.plan --yes --json',
  },
  output: async () => {
    const { rowOutput } = await import('../run/row-result.ts');
    const { DRY_RUN_OUTPUT } = await import('../http/request.ts');
    return anyOf(list(rowOutput(ANY)), DRY_RUN_OUTPUT);
  },
  async run(session, input) {
    const { applyPlan } = await import('../engine/run/apply-plan.ts');
    return applyPlan(session, input, await fileOf(session, input));
  },
});

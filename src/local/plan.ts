import { localCommand } from '../command/command.ts';
import { collect } from '../command/faults.ts';
import { DRY_RUN_OUTPUT } from '../http/request.ts';
import { ANY, anyOf, list } from '../json/shape.ts';
import { SPECIAL } from '../options/call-options.ts';
import { MANY, WRITE, YES } from '../options/common.ts';
import { openUnder } from '../output/column.ts';
import { APPROVAL_COLUMNS, rowColumns } from '../plan/plan-columns.ts';
import type { Session } from '../session.ts';
import type { ResolvedProfile } from '../settings/resolve.ts';

const FILE = {
  kind: 'path',
  notStdin: 'a file: a plan is read more than once',
  required: true,
  text: 'the plan',
  question: 'Which plan?',
} as const;

/** A plan can be looked at without any profile; one that is named must be there. */
async function profileOf(session: Session): Promise<ResolvedProfile | undefined> {
  return session.common.profile === undefined ? collect([], () => session.profile) : session.profile;
}

export const planShowCommand = localCommand({
  columns: rowColumns(true),
  isOpenColumn: openUnder('body', 'before', 'about'),
  description:
    'Shows what a plan would send, and what became of it on this machine: new, expired, running, unsettled, stopped or finished. It sends nothing and works for an expired plan too. Off a terminal it prints the rows, and what is above them as notices; with --json the whole plan as one document.',
  arguments: { file: FILE },
  options: {
    as: { kind: 'choice', choices: ['markdown'], text: 'print it as Markdown, for a pull request or a ticket' },
  },
  examples: {
    'Look before you approve or apply': 'plan show stolen.plan',
    'For a pull request': 'plan show stolen.plan --as markdown',
    'The rows for a spreadsheet': 'plan show stolen.plan -o csv',
    'What became of it, for a script': 'plan show stolen.plan --json --query plan.state',
  },
  output: async () => {
    const { PLAN_OUTPUT, PLAN_DOCUMENT } = await import('../plan/plan-file.ts');
    return anyOf(PLAN_OUTPUT, PLAN_DOCUMENT);
  },
  async run(session, { file, as }) {
    const { showPlan } = await import('../bulk/show-plan.ts');
    return showPlan(session, file, await profileOf(session), as);
  },
});

export const planApproveCommand = localCommand({
  columns: APPROVAL_COLUMNS,
  exitCodes: [0, 1, 2, 4, 5, 16],
  description:
    'Signs the bytes of a plan with an SSH key, after showing it, into <file>.<name>.sig beside it. A profile with --approvers and --approvals demands that many signatures, of different people and keys, before many rows are written. It stops mistakes; it does not stop a person who has the token and curl. Off a terminal it needs --yes.',
  arguments: { file: FILE },
  options: {
    key: {
      kind: 'path',
      required: true,
      text: 'private key, or the public key of one that an agent holds',
      question: 'Which key? (a file)',
    },
    as: {
      kind: 'text',
      value: 'name',
      required: true,
      text: 'your name in the allowed-signers file: A-Z a-z 0-9 . _ @ + -',
      question: 'Your name in the allowed-signers file',
    },
    yes: YES,
  },
  examples: {
    'Approve what you looked at': 'plan approve stolen.plan --key ~/.ssh/id_ed25519 --as ann@example.com',
    'With a key that an agent holds': 'plan approve stolen.plan --key ~/.ssh/id_ed25519.pub --as ann',
  },
  output: async () => (await import('../bulk/approve-plan.ts')).APPROVED_OUTPUT,
  async run(session, { file, key, as }) {
    const { approvePlan } = await import('../bulk/approve-plan.ts');
    return approvePlan(session, { path: file, key, as, profile: await profileOf(session) });
  },
});

export const planApplyCommand = localCommand({
  description:
    'Sends exactly the rows of a plan. Each card is read again right before its write, and one that changed since it was planned is left alone; a change between that read and the write cannot be seen. It is a run that the plan names: applied again it goes on where it stopped, or prints the results. That holds for each state folder: another machine, or one on which the run was removed, does not know of it and would send the plan again. It asks on a terminal; elsewhere it needs --yes.',
  arguments: { file: FILE },
  options: {
    dryRun: WRITE.dryRun,
    yes: YES,
    concurrency: MANY.concurrency,
    rate: MANY.rate,
    maxFailures: MANY.maxFailures,
    again: SPECIAL.again,
    failed: { ...MANY.failed, text: 'write the rows that did not succeed there, CSV or NDJSON' },
  },
  usesProfile: true,
  exitCodes: [0, 1, 2, 4, 5, 7, 8, 15, 16, 17, 129, 130, 143],
  examples: {
    'Apply a plan that was looked at': 'plan apply stolen.plan',
    'In a job: a second start goes on with the first': 'plan apply stolen.plan --yes --json',
  },
  output: async () => anyOf(list((await import('../run/row-result.ts')).rowOutput(ANY)), DRY_RUN_OUTPUT),
  async run(session, given) {
    const { applyPlan } = await import('../bulk/apply-plan.ts');
    return applyPlan(session, given, given.file);
  },
});

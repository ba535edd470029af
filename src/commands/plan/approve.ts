import { lstat, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readPlan, reviewOf, writePlanView } from '../../bulk/plan-review.ts';
import { requirePerson } from '../../call/write-guards.ts';
import { localCommand } from '../../command/command.ts';
import { Failure, note, usageFailure, warning } from '../../failure.ts';
import { putInNewPlace, withTemporaryFolder } from '../../files/atomic.ts';
import { ignoreErrors, ioFailure, succeeds } from '../../files/io-failure.ts';
import { temporaryName } from '../../files/process-identity.ts';
import { removeCommand } from '../../files/shell-quote.ts';
import { quoteValue } from '../../input/values.ts';
import { jsonOf, nullable, object, TEXT } from '../../json/shape.ts';
import { YES } from '../../options/common.ts';
import { isJson } from '../../output/options.ts';
import {
  approversProblem,
  checkApprovals,
  findSshKeygen,
  isApproverName,
  keyProblem,
  type SshKeygen,
  sameKey,
  signatureKey,
  signaturePath,
  signPlan,
  type Uncounted,
} from '../../plan/approvals.ts';
import { APPROVAL_COLUMNS } from '../../plan/plan-columns.ts';
import type { CheckedPlan } from '../../plan/read-plan.ts';
import type { Ports, Session } from '../../session.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';
import { FILE, profileOf } from './plan-argument.ts';

/** Who signs what with which key. */
interface Approving {
  readonly path: string;
  readonly key: string;
  readonly as: string;
  readonly profile: ResolvedProfile | undefined;
}

function notSigned(key: string, problem: string): Failure {
  return new Failure('USAGE', `--key: ${quoteValue(key)} did not sign the plan: ${problem}. Nothing was signed.`);
}

function refuseUncounted(uncounted: Uncounted | undefined): void {
  if (uncounted === undefined) return;
  const { text, fix } = uncounted;
  throw new Failure('FORBIDDEN', `${text}. The approval was not kept`, { hints: fix === undefined ? [] : [fix] });
}

function alreadyThere(file: string): Failure {
  const message = `the approval ${quoteValue(file)} is there already, and is never replaced. Nothing was signed.`;
  return new Failure('USAGE', message, { hints: [`to approve anew, remove it first: ${removeCommand([file])}`] });
}

async function confirm(session: Session, { path, as, profile }: Approving, plan: CheckedPlan): Promise<void> {
  const { context, output, common, prompt } = session;
  const name = `plan ${plan.header.plan}`;
  const hint = 'add --yes to approve it without a prompt';
  if (!common.yes) requirePerson(session, `approve ${name}`, hint);
  const view = await reviewOf(session, profile, path, plan);
  const isWanted = context.stderr.isTerminal || !isJson(output.format);
  if (isWanted && !(common.yes && common.quiet)) await writePlanView(session, context.stderr, path, view);
  if (view.state === 'expired') {
    await session.notify(warning('EXPIRED', 'this plan has expired and cannot be applied any more'));
  }
  if (common.yes || (await prompt.confirm(`Approve ${name} as ${as}?`))) return;
  throw new Failure('CANCELLED', `did not approve ${name}: not confirmed. Nothing was signed.`);
}

/** Writes the signature beside the plan, whole or not at all, and never over another. */
async function keepSignature(file: string, text: string, pid: number): Promise<void> {
  const temporary = join(dirname(file), temporaryName(pid));
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o644, flush: true });
    if (!(await putInNewPlace(temporary, file))) throw alreadyThere(file);
  } catch (error) {
    throw ioFailure(`cannot write the approval ${file}`, error, 'nothing was signed');
  } finally {
    await ignoreErrors(rm(temporary, { force: true }));
  }
}

/** The output of `plan approve`. `key`: the fingerprint. */
const APPROVED_OUTPUT = object({ plan: TEXT, as: TEXT, key: nullable(TEXT), file: TEXT });

/** Makes the signature in the temporary folder of the copy. Refused unless it would count for the current profile. */
async function sign(session: Ports, tool: SshKeygen, approving: Approving, copy: string): Promise<string> {
  const { path, key, as, profile } = approving;
  const signed = await signPlan(tool, copy, key, session.prompt.available);
  if ('problem' in signed) throw notSigned(key, signed.problem);
  await writeFile(signaturePath(copy, as), signed.signature, { flag: 'wx', mode: 0o600 });
  if (profile?.approvers !== undefined) {
    const { approvals, uncounted } = await checkApprovals(tool, { path: copy, copy }, profile.approvers, [as]);
    refuseUncounted(uncounted[0]);
    const beside = await checkApprovals(tool, { path, copy }, profile.approvers);
    const twin = beside.approvals.find((other) => other.key === approvals[0]?.key);
    refuseUncounted(twin && sameKey(as, twin.as));
  }
  return signed.signature;
}

export const command = localCommand({
  columns: APPROVAL_COLUMNS,
  exitCodes: [5],
  description:
    'Shows the plan, then signs it with an SSH key. The signature is a new file <file>.<name>.sig beside it. A profile with --approvers and --approvals requires that many signatures, of different people and keys, for bulk changes. This stops mistakes. It does not stop somebody who has the token and another program. Outside a terminal, it needs --yes.',
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
    'Approve a plan that you reviewed': 'plan approve stolen.plan --key ~/.ssh/id_ed25519 --as ann@example.com',
    'With a key that an agent holds': 'plan approve stolen.plan --key ~/.ssh/id_ed25519.pub --as ann',
  },
  output: () => APPROVED_OUTPUT,
  async run(session, { file: path, key, as }) {
    const { context, common, prompt } = session;
    const approving = { path, key, as, profile: await profileOf(session) };
    const { profile } = approving;
    if (!isApproverName(as)) {
      const problem = `must be 1 to 128 of A-Z a-z 0-9 . _ @ + -, not ${quoteValue(as)}`;
      throw usageFailure([{ where: '--as', problem }]);
    }
    const file = signaturePath(path, as);
    if (await succeeds(lstat(file))) throw alreadyThere(file);
    await withTemporaryFolder(async (folder) => {
      const copy = join(folder, basename(path));
      // Exactly the bytes that were shown are signed.
      const plan = await readPlan(session, path, { copyTo: copy });
      const tool = await findSshKeygen(context.env, context.platform);
      // What can be checked of a key without a passphrase, before the user reads the whole plan.
      const problem = await keyProblem(key);
      if (problem !== undefined) throw notSigned(key, problem);
      refuseUncounted(approversProblem(profile?.approvers));
      // Without a question, a refusal need not wait until the whole plan is shown.
      const early = common.yes && !prompt.available ? await sign(session, tool, approving, copy) : undefined;
      await confirm(session, approving, plan);
      const signature = early ?? (await sign(session, tool, approving, copy));
      await keepSignature(file, signature, context.pid);
      const fingerprint = await signatureKey(tool, { path: copy, copy }, as);
      const resource = jsonOf(APPROVED_OUTPUT, { plan: plan.header.plan, as, key: fingerprint ?? null, file });
      await session.print({ kind: 'resource', resource, columns: APPROVAL_COLUMNS });
      if (profile?.approvers === undefined) {
        const message = 'the approval was not compared with any approvers: the current profile names none';
        await session.notify(note('NOT_COMPARED', message));
      }
    }, session.dropAtSignal);
  },
});

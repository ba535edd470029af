import { localCommand } from '../command/command.ts';
import { type Check, DOCTOR_OUTPUT } from '../doctor/check.ts';
import { caFileOf } from '../engine/session/open-session.ts';
import { FAILURES } from '../failure.ts';
import { fromPlain } from '../json/plain.ts';
import { jsonOf } from '../json/shape.ts';
import type { Column } from '../output/column.ts';
import { breakLine } from '../output/line-break.ts';
import { plural, safeText } from '../output/safe-text.ts';
import type { Session } from '../session.ts';

const COLUMNS: readonly Column[] = [
  { name: 'status', header: 'STATUS' },
  { name: 'name', header: 'CHECK' },
  { name: 'message', header: 'FOUND' },
  { name: 'fix', header: 'FIX' },
];

const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/** An aligned list for a person: messages are whole, because a cell that is cut would hide what is wrong. */
async function listText(checks: readonly Check[], summary: string, { output, context }: Session): Promise<string> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: output.colour ? 1 : 0 });
  const width = Math.max(...checks.map(({ name }) => name.length));
  const columns = context.stdout.columns ?? 80;
  const indent = ' '.repeat(width + 11);
  const lines = checks.flatMap(({ status, name, message, fix }) => {
    const [first = '', ...others] = breakLine(`${indent}${safeText(message)}`, columns);
    return [
      `${chalk[COLOURS[status]](status.padEnd(7))}  ${name.padEnd(width)}  ${first.slice(indent.length)}`,
      ...others,
      ...(fix === undefined ? [] : breakLine(`${indent}fix: ${safeText(fix)}`, columns)),
    ];
  });
  return [...lines, '', summary].join('\n');
}

async function printChecks(session: Session, checks: readonly Check[]): Promise<number> {
  const problems = checks.filter(({ status }) => status === 'problem').length;
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  const document = jsonOf(DOCTOR_OUTPUT, { checks, problems, warnings });
  const { columns, sortBy } = session.output;
  if (session.isForPeople && (columns ?? sortBy) === undefined) {
    const text = await listText(checks, `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`, session);
    await session.print({ kind: 'text', text, json: document });
    return problems;
  }
  await session.print({ kind: 'list', document, rows: checks.map(fromPlain), columns: COLUMNS });
  return problems;
}

export const command = localCommand({
  columns: COLUMNS,
  description:
    'Looks at this machine, its settings, credentials, folders and environment, and at the profile in use, and says what is wrong and how to fix it. It works with settings that are damaged, changes nothing but a folder of its own, which it makes in the state folder and removes, shows no token and runs no token command. It sends nothing unless --connect is given, and ends with 0 whatever it finds, with --strict with 15 when it found a problem.',
  needsSettings: false,
  options: {
    connect: {
      text: 'send each base URL one GET of an id that cannot exist, with the stored token: tells whether it answers, takes the token, and has the same time',
    },
    strict: { text: 'end with exit code 15 when a problem is found' },
  },
  examples: {
    'See what may be wrong': 'doctor',
    'See whether the service of a profile can be reached': 'doctor -p live --connect',
    'In a job: fail when something is wrong': 'doctor --strict',
    'Only what needs attention': `doctor --json --query "checks[?status!='ok']"`,
  },
  output: () => DOCTOR_OUTPUT,
  exitCodes: [0, 1, 2, 15, 16, 141],
  async run(session, { connect, strict }) {
    const caFile = caFileOf(session);
    const { checkMachine } = await import('../doctor/machine.ts');
    const { checkFolders } = await import('../doctor/folders.ts');
    const { checkService } = await import('../doctor/profile.ts');
    const checks = [
      ...(await checkMachine(session, caFile)),
      ...(await checkFolders(session)),
      ...(await checkService(session, { connect, caFile })),
    ];
    const problems = await printChecks(session, checks);
    return strict && problems > 0 ? FAILURES.PARTIAL.exitCode : 0;
  },
});

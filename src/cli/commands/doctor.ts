import { FAILURES } from '../../base/failure.ts';
import { jsonOf } from '../../base/json/shape.ts';
import { fromPlain } from '../../base/json/value.ts';
import { localCommand } from '../../command/command.ts';
import type { Session } from '../../command/session.ts';
import { plainColumns } from '../../screen/column.ts';
import { breakLine, plural, safeText } from '../../screen/text.ts';
import { maskPlain } from '../../service/http/mask.ts';
import { type Check, DOCTOR_OUTPUT } from '../doctor/check.ts';
import { caFileOf } from '../open-session.ts';

const COLUMNS = plainColumns({ status: 'STATUS', name: 'CHECK', message: 'FOUND', fix: 'FIX' });

const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

const BESIDE_COLUMNS = 60;

async function listText(checks: readonly Check[], summary: string, { output, context }: Session): Promise<string> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: output.colour ? 1 : 0 });
  const width = Math.max(...checks.map(({ name }) => name.length));
  const columns = context.stdout.columns ?? 80;
  // Beside a name on few columns, a message would be a column of words.
  const isBeside = columns >= BESIDE_COLUMNS;
  const indent = ' '.repeat(isBeside ? width + 11 : 4);
  const lines = checks.flatMap(({ status, name, message, fix }) => {
    const found = breakLine(`${indent}${safeText(message)}`, columns);
    const [first = '', ...others] = isBeside ? found : ['', ...found];
    return [
      `${chalk[COLOURS[status]](status.padEnd(7))}  ${name.padEnd(width)}  ${first.slice(indent.length)}`.trimEnd(),
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
  if (session.isForPeople() && (columns ?? sortBy) === undefined) {
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
    'Checks settings, credentials, folders, environment variables and the current profile. Says what is wrong and how to fix it. Works even if the settings file is damaged. Sends nothing unless you add --connect. Never shows a token or runs a token command. To test the state folder, it creates a folder there and deletes it. Exits with 0, even if it finds problems; with --strict, with 15.',
  needsSettings: false,
  options: {
    connect: { text: 'test each base URL, the stored token and the clock with one GET of an ID that cannot exist' },
    strict: { text: 'exit with 15 if a problem is found' },
  },
  examples: {
    'Check everything': 'doctor',
    'Check whether the service of a profile responds': 'doctor -p live --connect',
    'In a job: fail if there is a problem': 'doctor --strict',
    'Only what needs attention': `doctor --json --query "checks[?status!='ok']"`,
  },
  output: () => DOCTOR_OUTPUT,
  exitCodes: [15],
  async run(session, { connect, strict }) {
    const caFile = caFileOf(session);
    const { checkMachine } = await import('../doctor/machine.ts');
    const { checkFolders } = await import('../doctor/folders.ts');
    const { checkService } = await import('../doctor/profile.ts');
    const { maskArguments } = await import('../mask-arguments.ts');
    const mask = maskArguments(session.context.argv, session.context.env);
    const checks = [
      ...(await checkMachine(session, caFile)),
      ...(await checkFolders(session)),
      ...(await checkService(session, connect, caFile)),
    ];
    const problems = await printChecks(session, maskPlain(checks, mask));
    return strict && problems > 0 ? FAILURES.PARTIAL.exitCode : 0;
  },
});

import { createHash } from 'node:crypto';
import type { Operation } from '../api/operation.ts';
import { checkGiven, nameOfFlag, readExpectations, readGivenFields } from '../call/read-call.ts';
import { reasonProblems, takesReason } from '../call/write-guards.ts';
import type { CallCommand, CallGiven } from '../command/command.ts';
import type { Fault } from '../failure.ts';
import { hashedBy, type InputFile, openInput } from '../input/input-file.ts';
import { readChangedFrom } from '../input/records/changed-from.ts';
import type { GoodRow } from '../input/records/interpret.ts';
import { quoteValue } from '../input/values.ts';
import { textAt } from '../json/value.ts';
import type { CallOptions } from '../options/call-options.ts';
import { windowsNameProblem } from '../options/windows-name.ts';
import type { Row } from '../rows/row.ts';
import { isRunName } from '../run/stored/run-folder.ts';
import type { Profiled, Session } from '../session.ts';

/** What was asked for, checked as far as the command line allows. */
export type BulkCall = Awaited<ReturnType<typeof readBulkCall>>;

/** IDs of the command line as an input: one JSON object per line, so that no character of an ID has a meaning. */
function inputOfWords(words: readonly string[], idParam: string): InputFile {
  const text = words.map((word) => `${JSON.stringify({ [idParam]: word })}\n`).join('');
  return {
    name: 'the ids given',
    bytes: async function* () {
      yield Buffer.from(text, 'utf8');
    },
    close: async () => undefined,
  };
}

/** The older file, read once: an index of its rows, and its digest. */
async function loadChangedFrom(session: Session, operation: Operation, path: string, sheet: string | undefined) {
  const { stdin, collectGarbage } = session.context;
  const file = await openInput(path, stdin, '--changed-from');
  const hash = createHash('sha256');
  const options = { operation, path, csvRaw: session.output.csvRaw, sheet, collectGarbage };
  const index = await readChangedFrom({ ...file, bytes: () => hashedBy(file.bytes(), hash) }, options);
  return { index, sha256: hash.digest('hex') };
}

function optionFaults(command: CallCommand, { options, typed }: CallGiven): readonly Fault[] {
  const faults: Fault[] = [];
  const { run } = options;
  if (run !== undefined) {
    const form = `must be 1 to 64 of A-Z a-z 0-9 . _ -, not dots alone, not ${quoteValue(run)}`;
    // Commands that name the run, as in a hint, would take it for an option.
    const dash = `must not begin with "-", which \`runs resume ${run}\` takes for an option`;
    const problem = !isRunName(run) ? form : run.startsWith('-') ? dash : windowsNameProblem(run);
    if (problem !== undefined) faults.push({ where: '--run', problem });
  }
  const files = { '--changed-from': options.changedFrom, '--description-file': options['descriptionFile'] };
  for (const [where, path] of Object.entries(files)) {
    const isSecond = path === '-' && options.from === '-';
    if (isSecond) faults.push({ where: `${where} and --from`, problem: 'cannot both read stdin' });
  }
  if (command.writes && options.plan === undefined && typed.has('no-history')) {
    faults.push({ where: '--no-history', problem: 'a run needs its record' });
  }
  return faults;
}

/** Reads everything that the command line says of a run. */
export async function readBulkCall(session: Session, command: CallCommand, typed: CallGiven) {
  const { options } = typed;
  const given = await readGivenFields(session, command, typed);
  const faults: Fault[] = [...optionFaults(command, typed), ...given.faults];
  const { operation } = given;
  const path = options.from;
  const expectations = readExpectations(typed, path !== undefined, faults);
  const how = { nameOf: nameOfFlag(command), source: 'flag', partial: true } as const;
  const checked = checkGiven(operation.body, given.fields, how);
  const asked = checkGiven(operation.query, given.fields, how);
  faults.push(...checked.faults, ...asked.faults);
  const isFaulty = ({ field, long }: CallCommand['options'][number]) =>
    field !== undefined && given.faults.some(({ where }) => where.includes(`--${long}`));
  const { sheet, shard, emptyCells = 'keep', ignoreColumns = [] } = options;
  const changedFrom =
    options.changedFrom === undefined || faults.length > 0
      ? undefined
      : await loadChangedFrom(session, operation, options.changedFrom, sheet);
  return {
    options,
    query: Object.fromEntries(Object.entries(asked.values).map(([name, value]) => [name, String(value)])),
    faults,
    /** The values of options are valid: what a row lacks is its own fault. */
    fieldsAreSound: checked.faults.length === 0 && !command.options.some(isFaulty),
    open: async () =>
      path === undefined
        ? inputOfWords(typed.words, command.idParam ?? 'id')
        : openInput(path, session.context.stdin, '--from'),
    reading: {
      operation,
      defaults: checked.values,
      expectations,
      emptyCells,
      csvRaw: session.output.csvRaw,
      sheet,
      shard,
      ignoreColumns,
      changedFrom: changedFrom?.index,
      changedFromSha256: changedFrom?.sha256,
      resendUnknown: options.resendUnknown === true,
      checkRows: await rowChecks(session, operation, options),
      path: path ?? '',
      format: path === undefined ? 'ndjson' : options.fromFormat,
      isArguments: path === undefined,
      nowMs: session.context.clock.now(),
    },
  };
}

/** Rules for rows besides their schema. In a plan, an open write is a fault of its row. */
async function rowChecks(session: Session, operation: Operation, { plan, again }: CallOptions) {
  const reasons = reasonCheck(session, operation);
  if (plan === undefined || again === true) return reasons;
  const open = await (await import('./open-rows.ts')).openCheck(session, operation);
  if (reasons === undefined || open === undefined) return reasons ?? open;
  return async (good: readonly GoodRow[]) => {
    const found = await open(good);
    return (await reasons(good)).map((problem, index) => problem ?? found[index]);
  };
}

/** Checks the rows' `reason` against the profile's `requireReason`. */
export function reasonCheck(session: Profiled, operation: Operation) {
  const { profile } = session;
  if (profile.requireReason === undefined || !takesReason(operation)) return undefined;
  return async (good: readonly { readonly row: Row }[]) => {
    const problems = await reasonProblems(
      profile,
      good.map(({ row }) => textAt(row.body, 'reason')),
    );
    return problems.map((problem) => (problem === undefined ? undefined : { field: 'reason', problem }));
  };
}

import { createHash } from 'node:crypto';
import type { Fault } from '../base/failure.ts';
import type { CallCommand, CallValues } from '../command/command.ts';
import type { Session } from '../command/session.ts';
import { flagOf, textsOf } from '../input/fields.ts';
import { hashedBy, type InputFile, openInput } from '../input/input-file.ts';
import type { CallOptions } from '../input/options/call-options.ts';
import { windowsNameProblem } from '../input/options/windows-name.ts';
import { readChangedFrom } from '../input/records/changed-from.ts';
import { ColumnRoles } from '../input/records/columns.ts';
import type { InputOptions } from '../input/records/findings.ts';
import type { GoodRow } from '../input/records/interpret.ts';
import { columnsIn, readShape, readTemplate, type Shape } from '../input/records/shape.ts';
import type { TextPart } from '../input/rows/row.ts';
import { quoteValue } from '../input/values.ts';
import { isRunName } from '../records/stored/run-folder.ts';
import type { Operation } from '../service/api/operation.ts';
import { checkOwnFields, nameOfFlag, readExpectations, readFields, readSkips } from '../writes/read-call.ts';
import { openCheck } from './open-rows.ts';
import { reasonCheck } from './run-input.ts';

/** What was asked for, checked as far as the command line allows. */
export type BulkCall = Awaited<ReturnType<typeof readBulkCall>>;

/** IDs of the command line as an input: one JSON object per line, so that no character of an ID has a meaning. */
function inputOfWords(words: readonly string[], idParam: string): InputFile {
  const text = words.map((word) => `${JSON.stringify({ [idParam]: word })}\n`).join('');
  return {
    name: 'the given IDs',
    bytes: async function* () {
      yield Buffer.from(text, 'utf8');
    },
    close: async () => undefined,
  };
}

/** The older file, read once: an index of its rows, and its digest. */
async function loadChangedFrom(
  session: Session,
  operation: Operation,
  path: string,
  how: Pick<InputOptions, 'sheet' | 'shape'>,
) {
  const { stdin } = session.context;
  const file = await openInput(path, stdin, '--changed-from');
  const hash = createHash('sha256');
  const options = { operation, path, csvRaw: session.output.csvRaw, ...how };
  const index = await readChangedFrom({ ...file, bytes: () => hashedBy(file.bytes(), hash) }, options);
  return { index, sha256: hash.digest('hex') };
}

type Templates = Readonly<Record<string, readonly TextPart[]>>;
type Fields = ReadonlyMap<string, string | null>;

/** The texts of fields' options that have cells of the row in them; undefined: none. A file's text is sent as it is. */
function readTemplates(fields: Fields, { options }: CallValues, faults: Fault[]): Templates | undefined {
  const found: Record<string, readonly TextPart[]> = {};
  for (const [name, text] of fields) {
    const isOfFile = name === 'description' && options['descriptionFile'] !== undefined;
    const parts = text === null || isOfFile ? undefined : readTemplate(text);
    if (parts === undefined) continue;
    if ('problem' in parts) faults.push({ where: `--${flagOf(name)}`, problem: parts.problem });
    else found[name] = parts;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** A text that names the column of its own field would never be sent: a cell there is sent in its place. */
function ownColumnFaults(templates: Templates, { map }: Shape, ignored: readonly string[]): readonly Fault[] {
  return Object.entries(templates).flatMap(([name, parts]) => {
    const isOwn = (column: string) => (map.get(column) ?? column) === name && !ignored.includes(column);
    return columnsIn(parts)
      .filter(isOwn)
      .map((column) => {
        const other = column === name ? `add --ignore-columns ${name}` : 'leave out --map';
        const problem = `a row sends its cell of {${column}} as ${name}, not this text: leave out --${flagOf(name)}, or to send the text, ${other}`;
        return { where: `--${flagOf(name)}`, problem };
      });
  });
}

/** The fields whose text is the same for all rows. */
function withoutTemplates(fields: Fields, templates: Templates = {}): Fields {
  return new Map([...fields].filter(([name]) => !(name in templates)));
}

function optionFaults(command: CallCommand, { options, typed }: CallValues): readonly Fault[] {
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
export async function readBulkCall(session: Session, command: CallCommand, typed: CallValues) {
  const { options } = typed;
  const input = await readFields(session, command, typed);
  const faults: Fault[] = [...optionFaults(command, typed), ...input.faults];
  const { operation } = input;
  const path = options.from;
  const expectations = readExpectations(typed, path !== undefined, faults);
  const skipIf = readSkips(typed, faults);
  const how = { nameOf: nameOfFlag(command), source: 'flag', partial: true } as const;
  const templates = path === undefined ? undefined : readTemplates(input.fields, typed, faults);
  const shape = readShape(options, Object.values(templates ?? {}).flatMap(columnsIn), faults);
  faults.push(...ownColumnFaults(templates ?? {}, shape, options.ignoreColumns ?? []));
  if (options.shard !== undefined && (shape.where.length > 0 || options.rows !== undefined)) {
    faults.push({ where: '--shard', problem: 'cannot be given with --where or --rows' });
  }
  const roles = new ColumnRoles(operation, options.ignoreColumns, shape);
  const expected = [...expectations, ...skipIf].map(({ field }) => field);
  const mapFaults = roles.mapProblems(expected).map((problem) => ({ where: '--map', problem }));
  faults.push(...mapFaults);
  const checked = checkOwnFields(operation.body, withoutTemplates(input.fields, templates), how);
  const asked = checkOwnFields(operation.query, input.fields, how);
  faults.push(...checked.faults, ...asked.faults);
  const isFaulty = ({ field, long }: CallCommand['options'][number]) =>
    field !== undefined && input.faults.some(({ where }) => where.includes(`--${long}`));
  const { sheet, shard, emptyCells = 'keep', ignoreColumns = [] } = options;
  const changedFrom =
    options.changedFrom === undefined || faults.length > 0
      ? undefined
      : await loadChangedFrom(session, operation, options.changedFrom, { sheet, shape });
  return {
    options,
    query: textsOf(asked.values),
    faults,
    /** The values of options are valid: what a row lacks is its own fault. */
    fieldsAreSound: mapFaults.length === 0 && checked.faults.length === 0 && !command.options.some(isFaulty),
    open: async () =>
      path === undefined
        ? inputOfWords(typed.words, command.idParam ?? 'id')
        : openInput(path, session.context.stdin, '--from'),
    reading: {
      operation,
      defaults:
        templates === undefined
          ? checked.values
          : { ...checked.values, ...Object.fromEntries([...input.fields].filter(([name]) => name in templates)) },
      templates,
      shape,
      expectations,
      skipIf,
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
async function rowChecks(session: Session, operation: Operation, options: CallOptions) {
  const reasons = reasonCheck(session, operation);
  const open = await openCheck(session, operation, options);
  if (reasons === undefined || open === undefined) return reasons ?? open;
  return async (good: readonly GoodRow[]) => {
    const found = await open(good);
    return (await reasons(good)).map((problem, index) => problem ?? found[index]);
  };
}

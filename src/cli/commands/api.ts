import * as z from 'zod/mini';
import { collect, Failure, type Fault, usageFailure } from '../../base/failure.ts';
import { unexpandedProblem } from '../../base/files/paths.ts';
import { parseJson } from '../../base/json/parse.ts';
import { printJson } from '../../base/json/print.ts';
import { ANY } from '../../base/json/shape.ts';
import { JsonSyntaxError } from '../../base/json/syntax-error.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json/value.ts';
import { ANSWERED, localCommand } from '../../command/command.ts';
import { joinFailures, unsent } from '../../command/faults.ts';
import type { Formatted, Ports, Session } from '../../command/session.ts';
import { describeFields } from '../../input/fields.ts';
import type { ArgumentValues, OptionValues } from '../../input/options/option.ts';
import { readTextFile } from '../../input/text-file.ts';
import { commandWords } from '../../screen/people-text.ts';
import { safeText, shortenText } from '../../screen/text.ts';
import { type Effect, type Family, familyWords, type Operation } from '../../service/api/operation.ts';
import { resource } from '../../service/api/resource.ts';
import type { Answer } from '../../service/http/call.ts';
import { NO_RESOURCE } from '../../service/http/response.ts';
import { askFamily, FAMILY, missingText } from '../../writes/ask/missing.ts';
import type { Facts } from '../../writes/attempt.ts';
import { commandLine } from '../../writes/command-line.ts';
import { printDryRun } from '../../writes/dry-run.ts';
import type { SingleCall } from '../../writes/read-call.ts';
import { callService, requireAnswer } from '../../writes/resource.ts';
import { guardWrite, notConfirmed, requirePerson, whereText } from '../../writes/write-guards.ts';
import { familyOfPath, operationAt, pathPart, pathProblem, readAt } from './api-path.ts';

/** Far above any body of the API, and small enough for memory. */
const MAX_DATA_BYTES = 16 * 1024 * 1024;

const ARGUMENTS = {
  method: {
    kind: 'choice',
    choices: ['GET', 'POST'],
    required: true,
    text: 'method of the request',
    question: 'Which method?',
  },
  path: { text: 'path and query below the base URL: /v1/cards/…', required: true, isOwnQuestion: true },
} as const;

const OPTIONS = {
  family: { ...FAMILY, text: 'choose the API if the path does not say it' },
  data: {
    kind: 'text',
    value: 'json|@file|@-',
    isFileAfterAt: true,
    text: 'send this body with a POST: JSON, or a file with JSON (@- is stdin)',
  },
  include: { text: 'print status and headers before the body; not with json, ndjson or csv' },
} as const;

type ApiValues = ArgumentValues<typeof ARGUMENTS> & OptionValues<typeof OPTIONS>;

async function readData(session: Ports, data: string): Promise<JsonValue> {
  const isFile = data.startsWith('@');
  const problem = isFile ? unexpandedProblem(data.slice(1)) : undefined;
  if (problem !== undefined) throw usageFailure([{ where: '--data', problem }]);
  const text = isFile ? await readTextFile(data.slice(1), session.context.stdin, '--data', MAX_DATA_BYTES) : data;
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const hints = isFile ? [] : ['quote the JSON for the shell, or give a file: --data @body.json'];
    throw usageFailure([{ where: '--data', problem: error.message }], hints);
  }
}

/** A body is printed as JSON. */
function formatProblem({ output: { format, columns, sortBy } }: Formatted): Fault | undefined {
  if (format === 'csv' || format === 'xlsx')
    return { where: '-o', problem: `a body is printed as JSON, not as ${format}` };
  if (columns === undefined && sortBy === undefined) return undefined;
  return {
    where: columns === undefined ? '--sort-by' : '--columns',
    problem: 'needs a table, and a body is printed as JSON',
  };
}

/** `--include` prints text, which cannot be part of a format for programs. */
function includeProblem({ output }: Formatted): string | undefined {
  if (output.format !== 'table')
    return `prints headers as text before the body, which ${output.format} output excludes`;
  const shaped = output.query ?? output.columns ?? output.sortBy;
  return shaped === undefined ? undefined : 'excludes --query, --columns and --sort-by';
}

/** The command of an operation, with what of a body its options can say. */
function commandFor({ operation, params }: NonNullable<ReturnType<typeof operationAt>>, data: JsonValue | undefined) {
  const fields = new Set(operation.body === null ? [] : describeFields(operation.body).map(({ name }) => name));
  const members = isJsonObject(data) ? [...data] : [];
  const isSayable = members.every(([name, value]) => fields.has(name) && !isJsonObject(value) && !isJsonArray(value));
  const line = commandLine({ operation, params, query: {}, body: isSayable ? new Map(members) : undefined });
  return isSayable ? `use its command: ${line}` : `use its command, whose options \`--help\` lists: ${line}`;
}

/** USAGE for a POST to a path that a command has, which knows what the service may do with it. */
async function refusalOfKnown(session: Session, { method, path, data }: Partial<ApiValues>) {
  const known = method !== 'POST' || path === undefined || pathProblem(path) ? undefined : operationAt(path);
  if (known === undefined) return undefined;
  // A body that cannot be read is no part of the command.
  const body = data === undefined ? undefined : await readData(session, data).catch(() => undefined);
  const problem = `is the path of \`frontdesk ${commandWords(known.operation.command)}\``;
  return usageFailure([{ where: '<path>', problem }], [commandFor(known, body)]);
}

/** What is wrong with `--family`. `isRequired`: if the path does not tell. */
function familyFault({ path, family }: Partial<ApiValues>, isRequired: boolean): Fault | undefined {
  const ofPath = path === undefined ? undefined : familyOfPath(path);
  if (family !== undefined && ofPath !== undefined && family !== ofPath) {
    return { where: '--family', problem: `says ${family}, but the path belongs to ${ofPath}` };
  }
  if (!isRequired || path === undefined || (family ?? ofPath) !== undefined) return undefined;
  return { where: '--family', problem: 'is required, because the path does not tell: cards or calendar' };
}

/** USAGE for a wrong raw call, besides its single values. Reads the body only if the call is refused anyway. */
async function checkApi(values: Partial<ApiValues>, session: Session): Promise<void> {
  const { method, path, data, include } = values;
  const known = await refusalOfKnown(session, values);
  const faults: Fault[] = [];
  const hints: string[] = [];
  const bad = path === undefined ? undefined : pathProblem(path);
  if (bad !== undefined) faults.push({ where: '<path>', problem: bad.problem });
  if (bad?.hint !== undefined) hints.push(bad.hint);
  if (path === undefined && !session.prompt.available) {
    faults.push({ where: '<path>', problem: 'is required, as in /v1/cards/…' });
  }
  const ofFamily = familyFault(values, known === undefined && bad === undefined && !session.prompt.available);
  if (ofFamily !== undefined) faults.push(ofFamily);
  if (data !== undefined && method === 'GET') faults.push({ where: '--data', problem: 'a GET has no body' });
  const format = formatProblem(session);
  if (format !== undefined) faults.push(format);
  const problem = include === true ? includeProblem(session) : undefined;
  if (problem !== undefined) faults.push({ where: '--include', problem });
  const failures = known === undefined ? [] : [known];
  if (faults.length > 0) failures.push(usageFailure(faults, hints));
  if (failures.length === 0) return;
  if (known === undefined && data !== undefined && method !== 'GET') {
    await collect(failures, () => readData(session, data));
  }
  throw joinFailures(failures);
}

/** A longer body is cut in the question. */
const SHOWN_BODY_CHARACTERS = 400;

/** Nothing is known of a POST elsewhere, so it is sent once and cannot be checked. */
const UNKNOWN_WRITE: Effect = {
  kind: 'write',
  done: 'Sent',
  noun: 'request',
  confirm: true,
  cardCheck: 'none',
  unavailable: 'once',
  unknownHint: 'before you run it again, check at the service whether it was applied',
};

/** An operation outside the table gets the most careful rules for retries, card checks and secrets. */
function unknownOperation(method: ApiValues['method'], path: string, family: Family): Omit<Operation, 'command'> {
  return {
    name: 'api',
    family,
    method,
    path,
    verbPhrase: `${method} ${path}`,
    verb: 'send',
    object: 'request',
    effect: method === 'GET' ? { kind: 'read' } : UNKNOWN_WRITE,
    params: z.looseObject({}),
    query: null,
    body: null,
    response: resource({}),
    echoes: null,
  };
}

/** Reads a checked raw call. Asks in a terminal for what is missing. */
async function readApi(session: Session, values: ApiValues): Promise<SingleCall> {
  const { method, data } = values;
  const body = data === undefined ? undefined : await readData(session, data);
  const problemOf = (text: string) => pathProblem(text)?.problem;
  const target =
    values.path ?? (await missingText(session, '<path>', 'Path, such as /v1/calendars/cal_harbour_tours', problemOf));
  const asked = async () => askFamily(session, 'What does the path belong to?');
  const family = values.family ?? familyOfPath(target) ?? (await asked());
  if (values.path === undefined) await checkApi({ ...values, path: target, family }, session);
  // The query may hold what does not belong into a record.
  const path = pathPart(target);
  const row = method === 'GET' ? readAt(path) : undefined;
  const known = row?.operation ?? unknownOperation(method, path, family);
  return {
    call: { operation: { ...known, command: 'api' }, params: row?.params ?? {}, query: {}, body, target },
    id: method === 'GET' ? path : `POST ${path}`,
    expects: [],
    warnings: [],
  };
}

async function runApi(session: Session, values: ApiValues): Promise<void> {
  const single = await readApi(session, values);
  try {
    await (values.method === 'POST' ? unsent(write(session, single, values.include)) : read(session, single, values));
  } catch (error) {
    throw error instanceof Failure ? error.with({ id: single.id }) : error;
  }
}

async function read(session: Session, { call }: SingleCall, { include }: ApiValues): Promise<void> {
  if (session.common.dryRun) return printDryRun(session, [call]);
  const result = await callService(session, call, { keepsLongError: true });
  await printAnswer(session, include, await requireAnswer(session, result));
}

async function write(session: Session, single: SingleCall, include: boolean): Promise<void> {
  guardWrite(session, single.call.operation, { kind: 'one', reason: undefined });
  if (session.common.dryRun) return printDryRun(session, [single.call]);
  const isAsked = !session.common.yes;
  if (isAsked) requirePerson(session, `send ${single.id}`);
  const { attemptOne, printApplied, requireEnd } = await import('../../writes/write-call.ts');
  const { singlePorts } = await import('../../writes/deliver.ts');
  const attempted = await attemptOne<Failure>(session, single, {
    ...singlePorts(session),
    // Nothing is known of it, nor whether it is the same again.
    open: undefined,
    decide: isAsked ? { seesCard: false, ask: (facts) => confirm(session, facts) } : undefined,
  });
  const { answer } = await requireEnd(session, attempted);
  // The subject of messages is the path.
  await printApplied(session, { ...single, id: undefined }, answer, () => printAnswer(session, include, answer));
}

/** Shows what will be sent, and asks. */
async function confirm(session: Session, { write }: Facts) {
  const { stderr } = session.context;
  const { operation, target = '', body: sent } = write.call;
  const service = await session.service(operation.family);
  const body = sent === undefined ? 'no body' : shortenText(printJson(sent), SHOWN_BODY_CHARACTERS);
  await stderr.write(`  POST ${safeText(target)}\n  ${safeText(body)}\n`);
  const { confirmSending } = await import('../../writes/confirm.ts');
  const question = `Send it to the ${familyWords(operation.family)}${whereText(session, service)}?`;
  return (await confirmSending(session, question)) ? { yes: write } : { no: notConfirmed(`send ${write.id}`) };
}

/** Prints any response as JSON; without a body nothing but what `--include` adds. */
async function printAnswer(session: Session, include: boolean, answer: Answer): Promise<void> {
  const { resource: json, callOutcome, headers } = answer;
  if (json === NO_RESOURCE && !include) return;
  const lines = [`HTTP/1.1 ${callOutcome.httpStatus}`, ...headers.map(([name, value]) => `${name}: ${value}`), ''];
  const head = include ? lines.map((line) => `${safeText(line)}\n`).join('') : '';
  const body = json === NO_RESOURCE ? '' : printJson(json, { indent: 2 });
  await session.print({ kind: 'text', text: `${head}${body}`, json });
}

export const command = localCommand({
  description:
    'Uses the credential, retries and rules of every other command. The path (/v1/cards… or /v1/calendars, /v1/events, /v1/subscribers…) or --family says which API is meant. The path is sent as typed: percent-encode what needs it. URLs and dot segments are refused. A POST to a path that has a command is refused with that command. Elsewhere it is a change of which nothing is known: it asks in a terminal, needs --yes elsewhere, is sent once, and is in the history. The response is printed as indented JSON.',
  usesProfile: true,
  writes: true,
  arguments: ARGUMENTS,
  options: OPTIONS,
  exitCodes: [...ANSWERED, 8, 10],
  examples: {
    'Read a card as the service sends it': 'api GET /v1/cards/0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'See the headers too': "api GET '/v1/calendars/cal_harbour_tours/subscribers?limit=2' --include",
  },
  output: () => ANY,
  check: checkApi,
  run: runApi,
});

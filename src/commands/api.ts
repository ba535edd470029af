import * as z from 'zod/mini';
import { type Effect, type Family, familyWords, isOnceOnly, type Operation, sensitiveOf } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { resource } from '../api/resource.ts';
import { askFamily, FAMILY, missingText } from '../ask/missing.ts';
import { type CardBefore, describeBefore, readCardBefore } from '../call/confirm.ts';
import { printDryRun } from '../call/dry-run.ts';
import { openBefore, refuseOpen, sayOpen } from '../call/open-guard.ts';
import type { SingleCall } from '../call/read-call.ts';
import { callService, takeAnswer } from '../call/resource.ts';
import { refuseNullDevice } from '../call/secret-answer.ts';
import { guardWrite, notConfirmed, requirePerson, whereText } from '../call/write-guards.ts';
import { ANSWERED, localCommand } from '../command/command.ts';
import { joinFailures } from '../command/faults.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import type { Answer } from '../http/call.ts';
import { readTextFile } from '../input/text-file.ts';
import { parseJson } from '../json/parse.ts';
import { printJson } from '../json/print.ts';
import { ANY } from '../json/shape.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import { type JsonValue, textAt } from '../json/value.ts';
import { SPECIAL } from '../options/call-options.ts';
import type { GivenArguments, GivenOptions } from '../options/option.ts';
import { collect } from '../output/collect.ts';
import { isJson } from '../output/options.ts';
import { safeText, shortenText } from '../output/text.ts';
import type { Formatted, Ports, Service, Session } from '../session.ts';
import { familyOfPath, guardsOf, matchRow, pathPart, pathProblem } from './api-path.ts';

/** Far above any body of the API, and small enough for memory. */
const MAX_DATA_BYTES = 16 * 1024 * 1024;

const ARGUMENTS = {
  method: {
    kind: 'choice',
    choices: ['GET', 'POST'],
    required: true,
    text: 'method of the request',
    question: 'Method',
  },
  path: { text: 'path and query below the base URL: /v1/cards/…', required: true, isOwnQuestion: true },
} as const;

const OPTIONS = {
  family: { ...FAMILY, text: 'choose the API if the path does not say it' },
  data: {
    kind: 'text',
    value: 'json|@file|@-',
    text: 'send this body with a POST: JSON, or a file with JSON (@- is stdin)',
  },
  again: {
    ...SPECIAL.again,
    text: 'send a reissue, provisioning or event even if the history shows it as sent or open',
  },
  include: { text: 'print status and headers before the body; not with json, ndjson or csv' },
} as const;

type ApiGiven = GivenArguments<typeof ARGUMENTS> & GivenOptions<typeof OPTIONS>;

/** The given body. USAGE if it cannot be read. */
async function readData(session: Ports, given: string): Promise<JsonValue> {
  const isFile = given.startsWith('@');
  const text = isFile ? await readTextFile(given.slice(1), session.context.stdin, '--data', MAX_DATA_BYTES) : given;
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const hints = isFile ? [] : ['quote the JSON for the shell, or give a file: --data @body.json'];
    throw usageFailure([{ where: '--data', problem: error.message }], hints);
  }
}

/** `--include` prints text, which cannot be part of a format for programs. */
function includeProblem({ output }: Formatted): string | undefined {
  if (output.format !== 'table')
    return `prints headers as text before the body, which ${output.format} output excludes`;
  const shaped = output.query ?? output.columns ?? output.sortBy;
  return shaped === undefined ? undefined : 'excludes --query, --columns and --sort-by';
}

function againFaults({ method, path, again }: Partial<ApiGiven>): readonly Fault[] {
  const row = path === undefined || method === undefined ? undefined : matchRow(method, pathPart(path));
  const mayRepeat = row === undefined ? method !== 'GET' : isOnceOnly(row.operation);
  if (again !== true || mayRepeat) return [];
  return [{ where: '--again', problem: 'belongs to a reissue, a provisioning or an event' }];
}

/** USAGE for a wrong raw call, besides its single values. Reads the body only if the call is refused anyway. */
async function checkApi(given: Partial<ApiGiven>, session: Session): Promise<void> {
  const { method, path, family, data, include } = given;
  const faults: Fault[] = [];
  const hints: string[] = [];
  const bad = path === undefined ? undefined : pathProblem(path);
  if (bad !== undefined) faults.push({ where: '<path>', problem: bad.problem });
  if (bad?.hint !== undefined) hints.push(bad.hint);
  if (path === undefined && !session.prompt.available) {
    faults.push({ where: '<path>', problem: 'is required, as in /v1/cards/…' });
  }
  const ofPath = path === undefined ? undefined : familyOfPath(path);
  if (family !== undefined && ofPath !== undefined && family !== ofPath) {
    faults.push({ where: '--family', problem: `says ${family}, but the path belongs to ${ofPath}` });
  }
  const isUntold = path !== undefined && bad === undefined && (family ?? ofPath) === undefined;
  if (isUntold && !session.prompt.available) {
    faults.push({ where: '--family', problem: 'is required, because the path does not tell: cards or calendar' });
  }
  if (data !== undefined && method === 'GET') faults.push({ where: '--data', problem: 'a GET has no body' });
  faults.push(...againFaults(given));
  const problem = include === true ? includeProblem(session) : undefined;
  if (problem !== undefined) faults.push({ where: '--include', problem });
  if (faults.length === 0) return;
  const failures = [usageFailure(faults, hints)];
  if (data !== undefined && method !== 'GET') await collect(failures, () => readData(session, data));
  throw joinFailures(failures);
}

/** A longer body is cut in the question. */
const SHOWN_BODY_CHARACTERS = 400;

/** Where an answer that is given once is safe. */
const KEEP_HINT = 'to keep it in a file, use the command for it with --out';

/** One-time secrets of any operation, for a path that only looks like one. */
const SECRETS = [...new Set(ALL_OPERATIONS.flatMap(sensitiveOf))];

/** Nothing is known of a POST elsewhere, so it is never sent twice and cannot be checked. */
function unknownWrite(family: Family, path: string): Effect {
  return {
    kind: 'write',
    done: 'Sent',
    confirm: true,
    readBack: 'none',
    unavailable: 'never',
    isOnceOnly: true,
    unknownHint: 'check at the service whether it was applied before repeating it',
    sensitive: guardsOf(family, path).mayAnswerSecrets ? SECRETS : [],
  };
}

/** An operation outside the table gets the most careful rules for retries, card checks and secrets. */
function unknownOperation(method: ApiGiven['method'], path: string, family: Family): Omit<Operation, 'command'> {
  return {
    name: 'api',
    family,
    method,
    path,
    verbPhrase: `${method} ${path}`,
    verb: 'send',
    object: 'request',
    effect: method === 'GET' ? { kind: 'read' } : unknownWrite(family, path),
    params: z.looseObject({}),
    query: null,
    body: null,
    response: resource({}),
    echoes: null,
  };
}

/** Reads a checked raw call. Asks in a terminal for what is missing. */
async function readApi(session: Session, given: ApiGiven): Promise<SingleCall> {
  const { method, data } = given;
  const body = data === undefined ? undefined : await readData(session, data);
  const problemOf = (text: string) => pathProblem(text)?.problem;
  const target = given.path ?? (await missingText(session, '<path>', 'Path, as in /v1/cards/…', problemOf));
  const asked = async () => askFamily(session, 'What does the path belong to?');
  const family = given.family ?? familyOfPath(target) ?? (await asked());
  if (given.path === undefined) await checkApi({ ...given, path: target, family }, session);
  // The query may hold what does not belong into a record.
  const path = pathPart(target);
  const row = matchRow(method, path);
  const known = row?.operation ?? unknownOperation(method, path, family);
  return {
    call: { operation: { ...known, command: 'api' }, params: row?.params ?? {}, query: {}, body, target },
    id: path,
    reason: textAt(body, 'reason'),
    expectations: [],
    warnings: [],
  };
}

type Print = (answer: Answer) => Promise<void>;

async function runApi(session: Session, given: ApiGiven): Promise<void> {
  const single = await readApi(session, given);
  const { call, id = '', reason } = single;
  const writes = given.method === 'POST';
  const print: Print = (answer) => printAnswer(session, given.include, answer);
  try {
    if (writes) {
      const { needsReason } = guardsOf(call.operation.family, id);
      guardWrite(session, call.operation, { kind: 'raw', reason, needsReason });
    }
    if (session.common.dryRun) await printDryRun(session, [call]);
    else if (writes) await write(session, single, print, given.again);
    else await print(await takeAnswer(session, await callService(session, call, { keepsLongError: true })));
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    throw (writes ? error.asUnsent() : error).with({ id });
  }
}

async function write(session: Session, given: SingleCall, print: Print, isAgain: boolean): Promise<void> {
  const { call, id: path } = given;
  let single = given;
  const isSecret = sensitiveOf(call.operation).length > 0;
  if (isSecret) {
    const { format, query } = session.output;
    const needs = isJson(format)
      ? 'all of it has to be printed, so --query is excluded'
      : '-o json or ndjson prints it';
    if (!isJson(format) || query !== undefined) {
      const problem = `could not send POST ${path}: its answer is given once and secret: ${needs}`;
      throw Failure.unsent('USAGE', problem, { hints: [KEEP_HINT] });
    }
    refuseNullDevice(session, given, KEEP_HINT);
  }
  if (!session.common.yes) requirePerson(session, `send POST ${path}`);
  const before = await openBefore(session, call);
  if (session.common.yes) refuseOpen(before, call, isAgain);
  const service = await session.service(call.operation.family);
  const { printApplied, recordedCall, stillAsShown, writeSecret } = await import('../call/write-call.ts');
  if (!session.common.yes) {
    await sayOpen(session, before);
    const card = await confirm(session, service, single);
    if (card !== undefined) single = await stillAsShown(session, service, single, card);
  }
  if (isSecret) return writeSecret(session, service, single, undefined, print);
  const result = await takeAnswer(session, await recordedCall(session, service, single));
  // The subject of messages is the path. An operation of the table needs its ID beside it.
  const named = { ...single, id: call.params['cardId'] ?? call.params['id'] };
  await printApplied(session, named, result, () => print(result));
}

/** Shows what will be sent, with the card, and asks. Returns the card. Anything but yes ends the call with 130. */
async function confirm(
  session: Session,
  service: Service,
  { call, id: path = '' }: SingleCall,
): Promise<CardBefore | undefined> {
  const { stderr } = session.context;
  const { operation, target = path } = call;
  const card = call.params['cardId'] === undefined ? undefined : await readCardBefore(session, call, false);
  if (card !== undefined) await stderr.write(await describeBefore(session, card));
  const body = call.body === undefined ? 'no body' : shortenText(printJson(call.body), SHOWN_BODY_CHARACTERS);
  await stderr.write(`  POST ${safeText(target)}\n  ${safeText(body)}\n`);
  const question = `Send it to the ${familyWords(operation.family)}${whereText(session, service)}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(`send POST ${path}`);
  return card;
}

/** Prints any response: as sent in JSON formats, indented for people, and as a table only with `--columns`. */
async function printAnswer(session: Session, include: boolean, answer: Answer): Promise<void> {
  const { format, columns, sortBy } = session.output;
  const { resource: json, callOutcome, headers } = answer;
  if (format === 'csv' || (format === 'table' && (columns ?? sortBy) !== undefined)) {
    const { queryResult } = await import('../output/query-result.ts');
    return session.print(queryResult(json));
  }
  const lines = [`HTTP/1.1 ${callOutcome.httpStatus}`, ...headers.map(([name, value]) => `${name}: ${value}`), ''];
  const head = include ? lines.map((line) => `${safeText(line)}\n`).join('') : '';
  await session.print({ kind: 'text', text: `${head}${printJson(json, { indent: 2 })}`, json });
}

export const command = localCommand({
  description:
    'Uses the credential, retries and rules of every other command. The path (/v1/cards… or /v1/calendars, /v1/events, /v1/subscribers…) or --family says which API is meant. The path is sent as typed: percent-encode what needs it. URLs and dot segments are refused. A POST is a change: it asks in a terminal, needs --yes elsewhere, obeys the limits of the profile, and is in the history. The response is printed as indented JSON, unless -o or --columns says otherwise. Table and CSV output hide one-time secrets.',
  usesProfile: true,
  writes: true,
  arguments: ARGUMENTS,
  options: OPTIONS,
  exitCodes: [...ANSWERED, 8, 10, 17],
  examples: {
    'Read a card as the service sends it': 'api GET /v1/cards/0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'See the headers too': "api GET '/v1/calendars/cal_harbour_tours/subscribers?limit=2' --include",
    'Send a body from a file, in a script': 'api POST /v1/events --data @event.json --yes --json',
  },
  output: () => ANY,
  check: checkApi,
  run: runApi,
});

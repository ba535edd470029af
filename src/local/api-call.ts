import * as z from 'zod/mini';
import { type Effect, type Family, familyWords, type Operation, sensitiveOf } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { resource } from '../api/resource.ts';
import { describeBefore, readCardBefore } from '../engine/call/confirm.ts';
import { printDryRun } from '../engine/call/dry-run.ts';
import type { SingleCall } from '../engine/call/read-call.ts';
import { callService, takeAnswer } from '../engine/call/resource.ts';
import { guardWrite, notConfirmed, requirePerson, whereText } from '../engine/call/write-guards.ts';
import { collect, joinFailures } from '../engine/faults.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import type { Answer } from '../http/call.ts';
import { readTextFile } from '../input/text-file.ts';
import { parseJson } from '../json/parse.ts';
import { printJson } from '../json/print.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import { type JsonValue, textAt } from '../json/value.ts';
import { isJson } from '../output/options.ts';
import { safeText, shortenText } from '../output/safe-text.ts';
import type { Service, Session } from '../session.ts';
import { familyOfPath, guardsOf, matchRow, pathPart, pathProblem } from './api-path.ts';
import { askFamily, missingText } from './missing.ts';

/** Far above any body of the API, and small enough to be held whole. */
const MAX_DATA_BYTES = 16 * 1024 * 1024;

interface ApiGiven {
  readonly method: 'GET' | 'POST';
  readonly path?: string | undefined;
  readonly family?: Family | undefined;
  readonly data?: string | undefined;
  readonly include: boolean;
}

/** A raw call as typed, checked: it may be sent. */
interface ApiInput {
  readonly method: 'GET' | 'POST';
  /** Path and query, exactly as typed. */
  readonly target: string;
  /** Without the query, which may hold what does not belong into a record. */
  readonly path: string;
  readonly family: Family;
  readonly body: JsonValue | undefined;
  readonly include: boolean;
}

/** The body as given. USAGE for one that cannot be read. */
async function readData(session: Session, given: string): Promise<JsonValue> {
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

/** What `--include` prints is text, so it cannot be part of a format that programs parse. */
function includeProblem({ output }: Session): string | undefined {
  if (output.format !== 'table')
    return `prints headers as text before the body, which ${output.format} output excludes`;
  const shaped = output.query ?? output.columns ?? output.sortBy;
  return shaped === undefined ? undefined : 'excludes --query, --columns and --sort-by';
}

/** Raises USAGE for what is wrong with a raw call besides its single values. The body is read only where it is refused anyway. */
export async function checkApi(given: Partial<ApiGiven>, session: Session): Promise<void> {
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
  const problem = include === true ? includeProblem(session) : undefined;
  if (problem !== undefined) faults.push({ where: '--include', problem });
  if (faults.length === 0) return;
  const failures = [usageFailure(faults, hints)];
  if (data !== undefined && method !== 'GET') await collect(failures, () => readData(session, data));
  throw joinFailures(failures);
}

/** Reads a raw call that `checkApi` has nothing against; asks on a terminal for what is missing. */
async function readApiInput(session: Session, given: ApiGiven): Promise<ApiInput> {
  const { method, path, data, include } = given;
  const body = data === undefined ? undefined : await readData(session, data);
  const problemOf = (text: string) => pathProblem(text)?.problem;
  const target = path ?? (await missingText(session, '<path>', 'Path, as in /v1/cards/…', problemOf));
  const asked = async () => askFamily(session, 'What does the path belong to?');
  const family = given.family ?? familyOfPath(target) ?? (await asked());
  if (path === undefined) await checkApi({ ...given, path: target, family }, session);
  return { method, target, path: pathPart(target), family, body, include };
}

/** Longer bodies are cut in the question. */
const SHOWN_BODY_CHARACTERS = 400;

/** One-time secrets of any operation, for a path that only looks like that of one. */
const SECRETS = [...new Set(ALL_OPERATIONS.flatMap(sensitiveOf))];

/** Nothing is known of what a POST elsewhere does, so it is never sent twice and cannot be checked. */
function unknownWrite({ family, target }: ApiInput): Effect {
  return {
    kind: 'write',
    done: 'Sent',
    confirm: true,
    readBack: 'none',
    unavailable: 'never',
    unknownHint: 'check at the service whether it was applied before repeating it',
    sensitive: guardsOf(family, target).mayAnswerSecrets ? SECRETS : [],
  };
}

/**
 * The raw call as the pipeline knows calls: a path of the table brings its row's rules for retries, read-backs
 * and secrets along; any other gets the most careful ones.
 */
function makeCall(input: ApiInput): SingleCall {
  const { method, target, path, family, body } = input;
  const row = matchRow(method, target);
  const operation: Operation = {
    ...(row?.operation ?? {
      name: 'api',
      path,
      attempt: `${method} ${path}`,
      effect: method === 'GET' ? { kind: 'read' } : unknownWrite(input),
      params: z.looseObject({}),
      query: null,
      body: null,
      response: resource({}),
      echoes: null,
    }),
    command: 'api',
    family,
    method,
  };
  return {
    call: { operation, params: row?.params ?? {}, query: {}, body, target },
    id: path,
    reason: textAt(body, 'reason'),
    expectations: [],
    warnings: [],
  };
}

/** Runs `frontdesk api`. */
export async function runApi(session: Session, given: ApiGiven): Promise<void> {
  const api = await readApiInput(session, given);
  const single = makeCall(api);
  const isWrite = api.method === 'POST';
  try {
    if (isWrite) {
      const { needsReason } = guardsOf(api.family, api.target);
      guardWrite(session, single.call.operation, { kind: 'raw', reason: single.reason, needsReason });
    }
    if (session.common.dryRun) await printDryRun(session, [single.call]);
    else if (isWrite) await write(session, api, single);
    else await read(session, api, single);
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'INTERNAL') throw error;
    throw (isWrite ? error.asUnsent() : error).with({ id: api.path });
  }
}

async function read(session: Session, api: ApiInput, { call }: SingleCall): Promise<void> {
  const answer = await takeAnswer(session, await callService(session, call));
  await printAnswer(session, api, answer, answer.resource);
}

async function write(session: Session, api: ApiInput, single: SingleCall): Promise<void> {
  if (sensitiveOf(single.call.operation).length > 0 && !isJson(session.output.format)) {
    throw Failure.unsent(
      'USAGE',
      `POST ${api.path}: its answer is given once and secret: -o json or ndjson prints it`,
      { hints: ['the command for it keeps it with --out'] },
    );
  }
  if (!session.common.yes) requirePerson(session, `POST ${api.path}`);
  const service = await session.service(api.family);
  if (!session.common.yes) await confirm(session, service, api, single);
  const { printApplied, recordedCall, writeSecret } = await import('../engine/call/write-call.ts');
  const { operation } = single.call;
  if (sensitiveOf(operation).length > 0) {
    return writeSecret(session, service, single, undefined, (answer) =>
      printAnswer(session, api, answer, answer.resource),
    );
  }
  const result = await takeAnswer(session, await recordedCall(session, service, single));
  // Messages have a path from the operation already; a row of the table wants its id beside it.
  const named = { ...single, id: single.call.params['cardId'] ?? single.call.params['id'] };
  await printApplied(session, named, result, () => printAnswer(session, api, result, result.resource));
}

/** Shows what will be sent, for a card also what it will hit, and asks. Anything but yes ends the call with 130. */
async function confirm(session: Session, service: Service, api: ApiInput, single: SingleCall): Promise<void> {
  const { stderr } = session.context;
  if (single.call.params['cardId'] !== undefined) {
    await stderr.write(await describeBefore(session, await readCardBefore(session, single.call, false)));
  }
  const body = api.body === undefined ? 'no body' : shortenText(printJson(api.body), SHOWN_BODY_CHARACTERS);
  await stderr.write(`  POST ${safeText(api.target)}\n  ${safeText(body)}\n`);
  const question = `Send it to the ${familyWords(api.family)}${whereText(session, service)}?`;
  if (!(await session.prompt.confirm(question))) throw notConfirmed(`POST ${api.path}`);
}

/**
 * Prints an answer of any shape: as it was sent in the JSON formats, as indented JSON for people, whose table
 * would have unknown columns, and as a table only where columns were asked for.
 */
async function printAnswer(session: Session, api: ApiInput, answer: Answer, shown: JsonValue): Promise<void> {
  const { format, columns, sortBy } = session.output;
  const isTabular = format === 'csv' || (format === 'table' && (columns ?? sortBy) !== undefined);
  if (isTabular) {
    const { queryResult } = await import('../output/query-result.ts');
    await session.print(queryResult(shown));
    return;
  }
  const head = api.include ? `${headText(answer)}\n` : '';
  await session.print({ kind: 'text', text: `${head}${printJson(shown, { indent: 2 })}`, json: shown });
}

/** `HTTP/1.1 200` and the headers, one a line. */
function headText({ ending, headers }: Answer): string {
  const lines = [`HTTP/1.1 ${ending.httpStatus}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return lines.map((line) => `${safeText(line)}\n`).join('');
}

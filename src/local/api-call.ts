import * as z from 'zod/mini';
import { type Effect, familyWords, type Operation, sensitiveOf } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { resource } from '../api/resource.ts';
import { describeBefore, readCardBefore } from '../engine/call/confirm.ts';
import { printDryRun } from '../engine/call/dry-run.ts';
import type { SingleCall } from '../engine/call/read-call.ts';
import { callService, takeAnswer } from '../engine/call/resource.ts';
import { guardWrite, notConfirmed, requirePerson, whereText } from '../engine/call/write-guards.ts';
import { Failure } from '../failure.ts';
import type { Answer } from '../http/call.ts';
import { printJson } from '../json/print.ts';
import { type JsonValue, textAt } from '../json/value.ts';
import { isJson } from '../output/options.ts';
import { safeText, shortenText } from '../output/safe-text.ts';
import type { Service, Session } from '../session.ts';
import { type ApiGiven, type ApiInput, readApiInput } from './api-input.ts';
import { guardsOf, matchRow } from './api-path.ts';

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

/** Path without its query, which may hold what does not belong into a record. */
function pathOf({ target }: ApiInput): string {
  return target.split('?', 1)[0] ?? target;
}

/**
 * The raw call as the pipeline knows calls: a path of the table brings its row's rules for retries, read-backs
 * and secrets along; any other gets the most careful ones.
 */
function makeCall(input: ApiInput): SingleCall {
  const { method, target, family, body } = input;
  const row = matchRow(method, target);
  const operation: Operation = {
    ...(row?.operation ?? {
      name: 'api',
      path: pathOf(input),
      attempt: `${method} ${pathOf(input)}`,
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
    id: pathOf(input),
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
    throw (isWrite ? error.asUnsent() : error).with({ id: pathOf(api) });
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
      `POST ${pathOf(api)}: its answer is given once and secret: -o json or ndjson prints it`,
      { hints: ['the command for it keeps it with --out'] },
    );
  }
  if (!session.common.yes) requirePerson(session, `POST ${pathOf(api)}`);
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
  if (!(await session.prompt.confirm(question))) throw notConfirmed(`POST ${pathOf(api)}`);
}

/**
 * Prints an answer of any shape: as it was sent in the JSON formats, as indented JSON for people, whose table
 * would have unknown columns, and as a table only where columns were asked for.
 */
async function printAnswer(session: Session, api: ApiInput, answer: Answer, shown: JsonValue): Promise<void> {
  const { format, columns, sortBy } = session.output;
  const isTabular = format === 'csv' || (format === 'table' && (columns ?? sortBy) !== undefined);
  if (isTabular) {
    const { queryResult } = await import('../output/render.ts');
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

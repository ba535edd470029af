import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { GRACE_MS } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { isPlainWord, outside } from '../base/json/outside-text.ts';
import { printJson } from '../base/json/print.ts';
import { getPath, isJsonObject, type JsonValue } from '../base/json/value.ts';
import type { Session } from '../command/session.ts';
import { namedProfile } from '../profile/resolve.ts';
import { cellText } from '../screen/column.ts';
import { plural, safeText, shortenText } from '../screen/text.ts';
import { emptiedBy } from '../service/api/operation.ts';
import { subjectOf } from '../service/http/facts.ts';
import { asShown, type Facts } from '../writes/attempt.ts';
import { commandLine } from '../writes/command-line.ts';
import { consequencesOf } from '../writes/confirm.ts';
import { deliver, singlePorts } from '../writes/deliver.ts';
import type { Interrupt } from '../writes/interrupt.ts';
import type { CardReading } from '../writes/judge.ts';
import { openLines } from '../writes/open-guard.ts';
import type { SingleCall } from '../writes/read-call.ts';
import { attemptOne } from '../writes/write-call.ts';
import { guardWrite } from '../writes/write-guards.ts';
import { readCall } from './arguments.ts';
import type { Asker } from './asker.ts';
import { answered, failed } from './results.ts';
import type { ReadRequest, WriteTool } from './tool.ts';

export interface WriteRequest extends ReadRequest {
  readonly ctx: ServerContext;
  /** Aborted: the client is gone or cancelled the call; begin nothing new. `abort` is for a call in progress. */
  readonly stopping: AbortSignal;
}

const STATE = ['status', 'currentBalance', 'initialBalance', 'clientReference', 'expiryDate', 'updatedAt'];

/** A card's texts may be made to look like a question, so each name and value is quoted, short, on one line. */
const MOST_OF_A_VALUE = 200;
const MOST_MEMBERS = 20;
const MOST_OF_A_QUESTION = 8000;

/** In quotes, as JSON escapes it: a line end is not a typed `\\n`. */
const quoted = (text: string) => safeText(JSON.stringify(text));

/** A name from outside: a word as it is, anything else in quotes. */
function nameOf(name: string): string {
  const text = shortenText(name, MOST_OF_A_VALUE);
  return isPlainWord(text) && !text.includes('.') ? text : quoted(text);
}

/** The values in a member, at any depth, each with its dotted path. */
function valuesIn(path: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (!isJsonObject(value)) return [[path, value]];
  return [...value].flatMap(([name, member]) => valuesIn(`${path}.${nameOf(name)}`, member));
}

/** `card metadata.store: "Lisbon"`. */
function lineOf([path, value]: readonly [string, JsonValue]): string {
  return `card ${path}: ${quoted(shortenText(cellText(value), MOST_OF_A_VALUE))}`;
}

/** A line for each member of the card that tells its state, or why it cannot be shown. */
function stateLines(card: CardReading | undefined): readonly string[] {
  if (card === undefined) return [];
  if ('failure' in card)
    return [`The card could not be read: ${shortenText(safeText(card.failure.problem), MOST_OF_A_VALUE)}`];
  return STATE.flatMap((name) => {
    const value = getPath(card.card, name);
    return value === undefined ? [] : [lineOf([name, value])];
  });
}

/** As many members of the metadata as keep the question readable. The others are counted. */
function metadataLines(card: CardReading | undefined, room: number): readonly string[] {
  const metadata = card !== undefined && 'card' in card ? getPath(card.card, 'metadata') : undefined;
  const values = metadata === undefined ? [] : valuesIn('metadata', metadata);
  const lines = values.slice(0, MOST_MEMBERS).map(lineOf);
  let left = room;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  const shown = end < 0 ? lines : lines.slice(0, end);
  const hidden = values.length - shown.length;
  return hidden === 0 ? shown : [...shown, `card metadata: ${plural(hidden, 'more member')}`];
}

/** The user confirms only what is shown whole, and clients show no more than this well. */
const MOST_CHARACTERS = 2000;

/** Why the call cannot be shown whole; undefined if it can. */
function unshowable({ call, id }: SingleCall): string | undefined {
  const fields: readonly (readonly [string, JsonValue])[] = isJsonObject(call.body) ? [...call.body] : [];
  for (const [name, value] of [['id', id ?? ''] as const, ...fields]) {
    const length = typeof value === 'string' ? [...value].length : 0;
    if (length <= MOST_CHARACTERS) continue;
    return `no person was asked, because ${name} has ${length} characters, and a question shows at most ${MOST_CHARACTERS}`;
  }
  return undefined;
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? quoted(value) : printJson(value);
}

/** The line that counts members of the metadata. */
const COUNT_ROOM = 100;

/**
 * The question: what is emptied, profile, host, operation, ID, fields, what is open, the card as it is now, and what cannot be undone.
 * Undefined if it would be too long.
 */
async function questionText(session: Session, single: SingleCall, { reading: card, open }: Facts) {
  const { call, id } = single;
  const service = await session.service(call.operation.family);
  const fields = isJsonObject(call.body) ? [...call.body] : [];
  const emptied = emptiedBy(call.operation, call.body);
  const asked = [
    // An assistant fills in "" for what it does not know.
    ...(emptied.length === 0 ? [] : [`This empties ${emptied.join(', ')}.`]),
    `${safeText(subjectOf(call))}?`,
    `profile: ${session.selectedProfile().name}`,
    `host: ${service.host}`,
    `operation: ${call.operation.command}`,
    ...(id === undefined ? [] : [`id: ${outside(safeText(id))}`]),
    ...(fields.length === 0 ? ['fields: none'] : fields.map(([name, value]) => `field ${name}: ${shown(value)}`)),
    ...openLines(open),
    ...single.warnings.map(({ message }) => `warning: ${safeText(message)}`),
    ...stateLines(card),
  ];
  const last = [
    ...consequencesOf(call.operation, card, open).map(({ text }) => text),
    'An assistant asks for this. Check it against what you were asked to do.',
  ];
  const room = MOST_OF_A_QUESTION - [...asked, ...last].join('\n').length - COUNT_ROOM;
  return room < 0 ? undefined : [...asked, ...metadataLines(card, room), ...last].join('\n');
}

/** The result of a call without a yes: nothing was sent, and the user can run the command. */
function unconfirmed(session: Session, single: SingleCall, why: string): CallToolResult {
  const details = { outcome: 'not_sent' } as const;
  const failure = Failure.unsent('CANCELLED', `did not ${subjectOf(single.call)}: ${why}`, { details });
  return failed(failure, session.output.mask, [
    `a person can run: ${commandLine(single.call, namedProfile(session.selectedProfile()))}`,
  ]);
}

/** Runs a tool that writes: the user confirms it through the client, and it goes the way of every change. */
export async function runWriteTool(
  session: Session,
  asker: Asker,
  { name, operation }: WriteTool,
  request: WriteRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { args, ctx, stopping } = request;
  const single = readCall(operation, args);
  const guard = async () => {
    await session.renewProfile();
    guardWrite(session, operation, { kind: 'one', reason: single.reason });
  };
  await guard();
  const reply = asker.answerIn(ctx, { tool: name, args });
  const refusal =
    reply === undefined ? (asker.inability(ctx) ?? unshowable(single)) : 'refusal' in reply ? reply.refusal : undefined;
  if (refusal !== undefined) return unconfirmed(session, single, refusal);
  const decide = {
    seesCard: operation.family === 'cards',
    ask: (facts: Facts) => ask(session, asker, single, facts, { name, ...request }),
  };
  const shown = reply !== undefined && 'shown' in reply ? reply.shown : undefined;
  if (reply !== undefined && (await isCancelled(session, stopping))) return unconfirmed(session, single, CANCELLED);
  const attempted = await attemptOne<CallToolResult | InputRequiredResult>(
    session,
    { ...single, ...shown },
    {
      ...singlePorts(session),
      decide: reply === undefined ? decide : undefined,
      async send(write) {
        // The yes may have come days after the question.
        await guard();
        return deliver(session, write, { open: () => interruptOf(session, request) });
      },
    },
  );
  if (attempted.kind === 'no') return attempted.no;
  if (attempted.kind === 'skipped') throw new Error('not asked for');
  return answered(attempted.result, request.warnings);
}

const CANCELLED = 'the call was cancelled';

/** A cancellation that came with the answer counts first. */
async function isCancelled({ context }: Session, stopping: AbortSignal): Promise<boolean> {
  await context.clock.sleep(0);
  return stopping.aborted;
}

/** Asks the user through the client. Where the answer comes with a later call, the result says so. */
async function ask(
  session: Session,
  asker: Asker,
  single: SingleCall,
  facts: Facts,
  { name, ctx, args, stopping }: WriteRequest & { readonly name: string },
) {
  const no = (why: string) => ({ no: unconfirmed(session, single, why) });
  const message = await questionText(session, single, facts);
  if (message === undefined) {
    return no(`no person was asked, because the question would have more than ${MOST_OF_A_QUESTION} characters`);
  }
  const about = single.id === undefined ? '' : ` ${outside(safeText(single.id))}`;
  const title = `Yes: ${single.call.operation.verbPhrase}${about}`;
  const { shown, named, seen, since } = asShown(facts.write, facts);
  const question = { subject: { tool: name, args }, message, title, shown: { shown, named, seen, since } };
  const asked = await asker.ask(ctx, question, stopping);
  if ('refusal' in asked) return no(asked.refusal);
  if (!('shown' in asked)) return { no: inputRequired(asked) };
  return (await isCancelled(session, stopping)) ? no(CANCELLED) : { yes: facts.write };
}

/** What ends a change: the client is gone or cancels it. */
function interruptOf({ context: { clock } }: Session, { stopping, abort: gone }: WriteRequest): Interrupt {
  const released = new AbortController();
  const abort = new AbortController();
  const end = () => void clock.sleep(GRACE_MS, released.signal).then(() => abort.abort());
  // The signals last as long as the server.
  const whileOpen = { signal: released.signal };
  if (stopping.aborted) end();
  else stopping.addEventListener('abort', end, whileOpen);
  gone.addEventListener('abort', () => abort.abort(), whileOpen);
  return { stopping, abort: abort.signal, release: () => released.abort() };
}

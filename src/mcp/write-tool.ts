import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type CardBefore, consequencesOf, readCardBefore, whyUnread } from '../call/confirm.ts';
import { openBefore, openLines } from '../call/open-guard.ts';
import type { SingleCall } from '../call/read-call.ts';
import { recordedCall, stillAsShown } from '../call/write-call.ts';
import { guardWrite } from '../call/write-guards.ts';
import { GRACE_MS } from '../context.ts';
import { Failure } from '../failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { subjectOf } from '../http/facts.ts';
import { flagOf } from '../input/fields.ts';
import { printJson } from '../json/print.ts';
import { getPath, isJsonObject, type JsonValue } from '../json/value.ts';
import { cellText } from '../output/column.ts';
import { plural, safeText, shortenText } from '../output/text.ts';
import type { Service, Session } from '../session.ts';
import type { Asker } from './asker.ts';
import { answered, failed } from './results.ts';
import { type ReadRequest, readCall, type WriteTool } from './tool.ts';

export interface WriteRequest extends ReadRequest {
  readonly ctx: ServerContext;
  /** Aborted: the client is gone or cancelled the call; begin nothing new. `abort` is for a call in progress. */
  readonly stopping: AbortSignal;
}

const STATE = ['status', 'currentBalance', 'initialBalance', 'clientReference', 'expiryDate', 'updatedAt'];

/** A card's texts may be made to look like a question, so each value is quoted, short, on one line. */
const MOST_OF_A_VALUE = 200;
const MOST_MEMBERS = 20;
const MOST_OF_A_QUESTION = 8000;

/** The values in a member, at any depth, each with its dotted path. */
function valuesIn(path: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (!isJsonObject(value)) return [[path, value]];
  return [...value].flatMap(([name, member]) => valuesIn(`${path}.${name}`, member));
}

/** `card metadata.store: "Lisbon"`. */
function lineOf([path, value]: readonly [string, JsonValue]): string {
  const short = (text: string) => shortenText(safeText(text), MOST_OF_A_VALUE);
  return `card ${short(path)}: ${JSON.stringify(short(cellText(value)))}`;
}

/** A line for each member of the card that tells its state, or why it cannot be shown. */
function stateLines(card: CardBefore | undefined): readonly string[] {
  if (card === undefined) return [];
  if ('failure' in card)
    return [`The card could not be read: ${shortenText(whyUnread(card.failure), MOST_OF_A_VALUE)}`];
  return STATE.flatMap((name) => {
    const value = getPath(card.card, name);
    return value === undefined ? [] : [lineOf([name, value])];
  });
}

/** As many members of the metadata as keep the question readable. The others are counted. */
function metadataLines(card: CardBefore | undefined, room: number): readonly string[] {
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
  return typeof value === 'string' ? `"${safeText(value)}"` : printJson(value);
}

/** The line that counts members of the metadata. */
const COUNT_ROOM = 100;

/**
 * The question: profile, host, operation, ID, fields, what is open, the card as it is now, and what cannot be undone.
 * Undefined if it would be too long.
 */
async function question(session: Session, service: Service, single: SingleCall, card: CardBefore | undefined) {
  const { call, id } = single;
  const fields = isJsonObject(call.body) ? [...call.body] : [];
  const asked = [
    `${safeText(subjectOf(call))}?`,
    `profile: ${session.profile.name}`,
    `host: ${service.host}`,
    `operation: ${call.operation.command}`,
    ...(id === undefined ? [] : [`id: ${safeText(id)}`]),
    ...(fields.length === 0 ? ['fields: none'] : fields.map(([name, value]) => `field ${name}: ${shown(value)}`)),
    ...openLines(await openBefore(session, call)),
    ...single.warnings.map(({ message }) => `warning: ${safeText(message)}`),
    ...stateLines(card),
  ];
  const last = [
    ...consequencesOf(call.operation, card),
    'An assistant asks for this. Check it against what you were asked to do.',
  ];
  const room = MOST_OF_A_QUESTION - [...asked, ...last].join('\n').length - COUNT_ROOM;
  return room < 0 ? undefined : [...asked, ...metadataLines(card, room), ...last].join('\n');
}

function option(name: string, value: JsonValue): string {
  const flag = flagOf(name);
  if (value === null) return `--no-${flag}`;
  return `--${flag} ${shellQuote(String(value))}`;
}

/** The command for the same call, for the user to run. It asks where the command asks. */
function personCommand({ call, id }: SingleCall, profileFlag: string): string {
  const words = ['frontdesk', ...call.operation.command.split('.')];
  // An ID that looks like an option must follow `--`.
  const isOptionLike = id?.startsWith('-') === true;
  if (id !== undefined && !isOptionLike) words.push(shellQuote(id));
  if (isJsonObject(call.body)) words.push(...[...call.body].map(([name, value]) => option(name, value)));
  if (profileFlag !== '') words.push(profileFlag);
  if (id !== undefined && isOptionLike) words.push('--', shellQuote(id));
  return words.join(' ');
}

/** The result of a call without a yes: nothing was sent, and the user can run the command. */
function unconfirmed(session: Session, single: SingleCall, why: string): CallToolResult {
  const profileFlag = session.profile.namedBy === undefined ? '' : `-p ${session.profile.name}`;
  const details = { outcome: 'not_sent' } as const;
  const failure = Failure.unsent('CANCELLED', `did not ${subjectOf(single.call)}: ${why}`, { details });
  return failed(failure, session.output.mask, [`a person can run: ${personCommand(single, profileFlag)}`]);
}

/** The cards that open questions showed, by the nonce of the question, because the answer may come with a later call. */
const shownCards = new WeakMap<Asker, Map<string, CardBefore>>();
/** Further unanswered questions are forgotten. */
const MOST_SHOWN = 1000;

function rememberShown(asker: Asker, nonce: string, card: CardBefore | undefined): void {
  if (card === undefined) return;
  const cards = shownCards.get(asker) ?? new Map<string, CardBefore>();
  if (cards.size >= MOST_SHOWN) cards.clear();
  shownCards.set(asker, cards.set(nonce, card));
}

function takeShown(asker: Asker, nonce: string): CardBefore | undefined {
  const card = shownCards.get(asker)?.get(nonce);
  shownCards.get(asker)?.delete(nonce);
  return card;
}

/** Runs a tool that writes: the user confirms it through the client, and it goes the way of the single command. */
export async function runWriteTool(
  session: Session,
  asker: Asker,
  { name, operation }: WriteTool,
  request: WriteRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { args, ctx } = request;
  const single = readCall(operation, args);
  guardWrite(session, operation, { kind: 'one', reason: single.reason });
  const subject = { tool: name, args };
  const given = asker.answerIn(ctx, subject);
  let card: CardBefore | undefined;
  if (given === undefined) {
    const inability = asker.inability(ctx) ?? unshowable(single);
    if (inability !== undefined) return unconfirmed(session, single, inability);
    const service = await session.service(operation.family);
    if (operation.family === 'cards') card = await readCardBefore(session, single.call, false);
    const message = await question(session, service, single, card);
    if (message === undefined) {
      const why = `no person was asked, because the question would have more than ${MOST_OF_A_QUESTION} characters`;
      return unconfirmed(session, single, why);
    }
    const title = `Yes: ${operation.verbPhrase} ${single.id ?? ''}`.trimEnd();
    const asked = await asker.ask(ctx, { subject, message, title }, request.stopping);
    if ('requestState' in asked) {
      rememberShown(asker, asked.requestState ?? '', card);
      return inputRequired(asked);
    }
    if ('refusal' in asked) return unconfirmed(session, single, asked.refusal);
  } else if ('refusal' in given) return unconfirmed(session, single, given.refusal);
  else card = takeShown(asker, ctx.mcpReq.requestState<string>() ?? '');
  return send(session, single, card ?? { failure: new Failure('BAD_REPLY', 'no card was shown', {}) }, request);
}

async function send(session: Session, single: SingleCall, shown: CardBefore, request: WriteRequest) {
  const { clock } = session.context;
  // A cancellation that came with the answer counts first.
  await clock.sleep(0);
  if (request.stopping.aborted) return unconfirmed(session, single, 'the call was cancelled');
  const service = await session.service(single.call.operation.family);
  const checked = await stillAsShown(session, service, single, shown);
  const released = new AbortController();
  const result = await recordedCall(session, service, {
    ...checked,
    open: () => {
      const abort = new AbortController();
      const end = () => void clock.sleep(GRACE_MS, released.signal).then(() => abort.abort());
      // The signals last as long as the server.
      const whileOpen = { signal: released.signal };
      if (request.stopping.aborted) end();
      else request.stopping.addEventListener('abort', end, whileOpen);
      request.abort.addEventListener('abort', () => abort.abort(), whileOpen);
      return { stopping: request.stopping, abort: abort.signal, release: () => released.abort() };
    },
  });
  if (result.kind === 'failed') throw result.failure;
  return answered(result, request.warnings);
}

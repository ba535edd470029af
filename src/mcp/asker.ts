import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY as CAPABILITIES,
  type InputRequiredSpec,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ClockPort } from '../base/context.ts';
import type { Write } from '../writes/judge.ts';
import { clientId, isRecord } from './connection.ts';

/** The member of the form that the user ticks. */
const BOX = 'confirm';

/** What a question showed, which must still be so when the answer comes. */
export type Shown = Pick<Write, 'shown' | 'named' | 'seen' | 'since'>;

/** What is asked: an answer counts for exactly its subject. */
interface Question {
  readonly subject: Subject;
  readonly shown: Shown;
}

export interface Confirmation extends Question {
  readonly message: string;
  /** The text beside the box. */
  readonly title: string;
}

/** `shown`: by the question of an earlier call. */
export type Answered = { readonly shown: Shown | undefined } | { readonly refusal: string };

const CANNOT_ASK = 'no person was asked, because this client cannot ask a person (it declares no elicitation)';

/** Only an `accept` with the box ticked is a yes. */
function readAnswer(answer: unknown, shown?: Shown): Answered {
  if (!isRecord(answer)) return { refusal: 'no answer of a person came' };
  const { action, content } = answer;
  if (action === 'decline') return { refusal: 'the person said no' };
  if (action === 'cancel') return { refusal: 'the person closed the question without an answer' };
  if (action !== 'accept') return { refusal: 'could not read the answer' };
  return isRecord(content) && content[BOX] === true ? { shown } : { refusal: 'the box was not ticked' };
}

function form({ message, title }: Confirmation) {
  const properties = { [BOX]: { type: 'boolean' as const, title, default: false } };
  return { mode: 'form' as const, message, requestedSchema: { type: 'object' as const, properties, required: [BOX] } };
}

/** Asks the user through the client, in the way of either protocol generation. Any failure is a no. */
export type Asker = ReturnType<typeof openAsker>;

export function openAsker(server: Server, clock: ClockPort, confirmations: PendingConfirmations) {
  return {
    inability(ctx: ServerContext): string | undefined {
      const { envelope } = ctx.mcpReq;
      // The envelope is what the request says of its client.
      const declared: Readonly<Record<string, unknown>> | undefined = envelope;
      const capabilities = declared === undefined ? server.getClientCapabilities() : declared[CAPABILITIES];
      const elicitation = isRecord(capabilities) ? capabilities['elicitation'] : undefined;
      if (!isRecord(elicitation)) return CANNOT_ASK;
      // Before there were two kinds, an empty object meant forms.
      return 'form' in elicitation || !('url' in elicitation) ? undefined : CANNOT_ASK;
    },

    /** The answer in a call (protocol 2026-07-28); undefined: none, so the user must be asked. */
    answerIn(ctx: ServerContext, subject: Subject): Answered | undefined {
      const { inputResponses, droppedInputResponseKeys } = ctx.mcpReq;
      const state = ctx.mcpReq.requestState<string>();
      if (state === undefined && inputResponses === undefined && droppedInputResponseKeys === undefined)
        return undefined;
      const closed = confirmations.close(state, subject);
      return typeof closed === 'string' ? { refusal: closed } : readAnswer(inputResponses?.[BOX], closed);
    },

    /** Asks. Returns the request that a client of 2026 carries to the user, or the answer through one of 2025. */
    async ask(
      ctx: ServerContext,
      confirmation: Confirmation,
      cancelled: AbortSignal,
    ): Promise<InputRequiredSpec | Answered> {
      if (ctx.mcpReq.envelope !== undefined) {
        const requestState = confirmations.ask(confirmation, clientId(ctx.mcpReq.id));
        return { inputRequests: { [BOX]: inputRequired.elicit(form(confirmation)) }, requestState };
      }
      const late = new AbortController();
      const done = new AbortController();
      void clock.sleep(QUESTION_MS, done.signal).then(() => late.abort());
      try {
        // The protocol layer's own limit is never reached first.
        const options = { signal: AbortSignal.any([cancelled, late.signal]), timeout: 2 * QUESTION_MS };
        const request = { method: 'elicitation/create', params: form(confirmation) } as const;
        return readAnswer(await ctx.mcpReq.send(request, options));
      } catch {
        if (cancelled.aborted) return { refusal: 'the call was cancelled' };
        const why = late.signal.aborted ? 'no answer came within 5 minutes' : 'the client could not ask the person';
        return { refusal: why };
      } finally {
        done.abort();
      }
    },
  };
}

/** How long the user may take to answer. */
export const QUESTION_MS = 5 * 60_000;

/** More than a user can have open. The oldest is dropped. */
const MAX_OPEN = 100;

/** What a question is about: an answer counts for exactly this. */
export interface Subject {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A key for a call: equal for equal arguments in any order. */
function keyOf({ tool, args }: Subject): string {
  const sorted = Object.entries(args).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([tool, sorted]);
}

/** Questions that a client carries to the user (protocol 2026-07-28), each with a nonce for one answer. */
export class PendingConfirmations {
  readonly #clock: ClockPort;
  /** By nonce. `requestId`: the call that asked. */
  readonly #open = new Map<string, { key: string; shown: Shown; deadlineMs: number; requestId: string | number }>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Returns the nonce that the answer must have. */
  ask({ subject, shown }: Question, requestId: string | number): string {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    const nonce = randomBytes(24).toString('base64url');
    const deadlineMs = this.#clock.monotonic() + QUESTION_MS;
    this.#open.set(nonce, { key: keyOf(subject), shown, deadlineMs, requestId });
    return nonce;
  }

  /** Closes the question. Returns what it showed, or what is wrong with an answer under this nonce. */
  close(nonce: string | undefined, subject: Subject): Shown | string {
    const question = this.#open.get(nonce ?? '');
    if (question === undefined) return 'the answer belongs to no open question';
    this.#open.delete(nonce ?? '');
    if (question.key !== keyOf(subject)) return 'the answer belongs to other arguments';
    return this.#clock.monotonic() > question.deadlineMs ? 'the answer came too late' : question.shown;
  }

  /** The call that asked was cancelled, so its question is void. */
  drop(requestId: string | number): void {
    for (const [nonce, question] of this.#open) if (question.requestId === requestId) this.#open.delete(nonce);
  }
}

import { isWrite, type Operation } from '../api/operation.ts';
import { TerminalKeys } from '../ask/terminal-keys.ts';
import type { PromptPort, Verdict } from '../context.ts';
import type { Failure, FailureCode, Outcome } from '../failure.ts';
import { cardIdProblem, readCardId } from '../input/card-id.ts';
import { textAt } from '../json/value.ts';
import type { Service, Session } from '../session.ts';

/** What to choose next, by what failed. */
export const NEXT: Partial<Record<FailureCode, readonly string[]>> = {
  AUTH: ['Log in in another window, then choose Look again: this sitting goes on'],
  NOT_FOUND: ['check the id, and choose Another card'],
  UNREACHABLE: ['choose Look again in a minute'],
  BAD_REPLY: ['choose Look again in a minute'],
  BUSY: ['choose Look again later'],
  TIMEOUT: ['choose Wait for a status to go on waiting'],
  OUTCOME_UNKNOWN: ['choose Look again to see whether it was done'],
};

/** A card id as a question takes it: one that stands in a text is shown first, and taken by Enter. */
export function judgeId(text: string, otherwise: string | undefined): Verdict {
  const read = readCardId(text);
  if (read.kind === 'id') return true;
  if (read.kind === 'holds') return { instead: read.id, why: 'Enter takes this card' };
  return (read.kind === 'none' ? otherwise : undefined) ?? cardIdProblem(text) ?? true;
}

/** How a write ended, and what it made. `undefined` outcome: it was not begun, or given up at a question. */
export interface Ended {
  outcome: Outcome | undefined;
  made?: string;
  failure?: Failure;
}

/** Waits for the service: Esc and Ctrl-C go one step back, other keys are thrown away. */
export async function waitingAtDesk<Value>(
  { context }: Pick<Session, 'context'>,
  act: (abort: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const abort = new AbortController();
  const back = () => abort.abort('SIGINT');
  const release = context.signals.onSignal((signal) => abort.abort(signal));
  const keys = new TerminalKeys(context.terminal(), false);
  const ignore = () => undefined;
  try {
    // What was typed before counts no more, Esc while a write was under way neither; Ctrl-C does.
    await keys.drain();
    if (keys.wasCancelled) back();
    keys.listen({ keys: ignore, paste: ignore, escape: back, ctrlC: back, end: ignore });
    return await act(abort.signal);
  } finally {
    keys.close();
    release();
  }
}

/** The session as a command sees it: its questions are the desk's, and what it prints is shown by the next look. */
export function sessionOfWrite(
  session: Session,
  prompt: PromptPort,
  { command, effect }: Operation,
  ended: Ended,
): Session {
  const print: Session['print'] = async (result) => {
    if (effect.kind !== 'write' || effect.resultId !== 'cardId' || result.kind !== 'resource') return;
    const made = textAt(result.resource, 'cardId');
    if (made !== undefined) ended.made = made;
  };
  const service: Session['service'] = async (family) => {
    const known = await session.service(family);
    const call: Service['client']['call'] = (input, options) =>
      isWrite(input.operation)
        ? known.client.call(input, options)
        : waitingAtDesk(session, (abort) => known.client.call(input, { ...options, abort }));
    return { ...known, client: { call } };
  };
  return session.with({ operation: command, prompt, print, service, isAtDesk: true });
}

import { Failure, type Notice } from '../base/failure.ts';
import { type RowResult, type RunRow, sentResult } from '../records/row-outcome.ts';
import { NO_OUTCOME, outcomeOfFailure, referenceAt, statusAt } from '../service/call-outcome.ts';
import type { CallResult } from '../service/http/call.ts';
import type { NotSent } from '../writes/attempt.ts';
import { type Held, heldFailure, isForNow, type Write } from '../writes/judge.ts';

/** How a row ended: the end of its call, or why it was not sent. */
export type RowReply = CallResult | (NotSent & { readonly earlier?: readonly Notice[] });

/** The result of a row that was sent, should have been, or was held back. `command`: dotted path. */
export function resultOf<R extends RunRow>(
  row: R,
  reply: RowReply,
  about: { readonly command: string; readonly isWrite: boolean; readonly mayHaveLeft: boolean },
): RowResult<R> {
  if (reply.kind === 'held') return heldResult(row, about.command, reply);
  if (reply.kind !== 'skipped') return sentResult(row, reply, about);
  const { card } = reply;
  const seen = { observedStatus: statusAt(card), clientReference: referenceAt(card) };
  const callOutcome = { ...NO_OUTCOME, ...seen, outcome: 'skipped' } as const;
  return { row, callOutcome, resource: card, failure: undefined, source: 'sent' };
}

function heldResult<R extends RunRow>(
  row: R,
  command: string,
  { write, held, earlier = [] }: { readonly write: Write; readonly held: Held; readonly earlier?: readonly Notice[] },
): RowResult<R> {
  const isRead = held.why === 'unread';
  const { problem, attempted, after, cause, details, hints, exitCode, ...single } = heldFailure(write, held);
  // The service is there: such a row does not count as one that could not be sent.
  const code = held.why === 'records' ? 'PRECONDITION' : single.code;
  const about = { ...details, operation: command, row: row.row, id: row.id, attempts: 0 };
  // That it may be sent again is decided for a whole run.
  const more = isRead ? { hints, exitCode } : { hints: held.why === 'repeats' ? hints.slice(0, 1) : [] };
  const failure = new Failure(code, problem, { attempted, after, cause, details: about, ...more }).beside(earlier);
  const known = (isRead ? held.callOutcome : undefined) ?? outcomeOfFailure(failure, { message: problem });
  // Times and attempts are those of the read, which is no attempt of the row.
  const times = { attempts: 0, sentAtMs: undefined, durationMs: undefined };
  const isPassing = isForNow(held);
  const same = held.why === 'repeats' ? (isPassing ? 'unknown' : 'applied') : undefined;
  const callOutcome = { ...known, ...times, code, outcome: 'not_sent', notices: earlier, same } as const;
  const readStatus = 'card' in held ? statusAt(held.card) : undefined;
  return { row, callOutcome, resource: undefined, failure, source: 'sent', isForNow: isPassing, readStatus };
}

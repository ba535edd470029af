import type { Decision, Reply } from './state.ts';

/** An error answer in family A's shape. `details` is left out when there is none. */
export function refusalReply(
  status: number,
  errorCode: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Reply {
  return { status, body: JSON.stringify({ errorCode, message, details }) };
}

/** A refusal by the rules of the service: nothing changes. */
export function refuse(
  status: number,
  errorCode: string,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): Decision {
  return { reply: refusalReply(status, errorCode, message, details), changes: [] };
}

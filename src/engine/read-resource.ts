import type { CallInput, CallResult } from '../http/call.ts';
import type { JsonValue } from '../json/value.ts';
import type { Session } from '../session.ts';

/** One read; its notices are reported, its failure thrown. */
export async function readResource(session: Session, call: CallInput): Promise<JsonValue> {
  const service = await session.service(call.operation.family);
  const result: CallResult = await service.client.call(call, { policy: session.policy, listener: session.listener });
  if (result.kind === 'failed') throw result.failure;
  for (const notice of result.ending.notices) await session.notify(notice);
  return result.resource;
}

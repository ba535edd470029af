import type { CallToolResult } from '@modelcontextprotocol/server';
import { DEFAULT_LIST_LIMIT } from '../api/subscriber.ts';
import { isFullList } from '../engine/call/list-call.ts';
import { warning } from '../failure.ts';
import type { CallResult } from '../http/call.ts';
import type { Session } from '../session.ts';
import { answered } from './results.ts';
import type { ReadRequest } from './tool.ts';
import { readCall } from './tool-arguments.ts';

async function readOperation(session: Session, request: ReadRequest): Promise<CallToolResult> {
  const { tool, args, stop, warnings } = request;
  if (tool.operation === undefined) throw new Error(`${tool.name} calls no operation`);
  const { call, warnings: suspicious } = readCall(tool.operation, tool, args);
  warnings.push(...suspicious);
  const service = await session.service(call.operation.family);
  const result: CallResult = await service.client.call(call, {
    policy: session.policy,
    listener: session.listener,
    stop,
  });
  if (result.kind === 'failed') throw result.failure;
  if (call.operation.query !== null) {
    const limit = Number(call.query['limit'] ?? DEFAULT_LIST_LIMIT);
    const message = `there may be more than ${limit}, and there is no way to page through them`;
    if (isFullList(result.resource, limit)) warnings.push(warning('MAY_BE_INCOMPLETE', message));
  }
  return answered(result, warnings);
}

/** Runs a tool that changes nothing. */
export function runReadTool(session: Session, request: ReadRequest): Promise<CallToolResult> {
  return request.tool.run?.(session, request) ?? readOperation(session, request);
}

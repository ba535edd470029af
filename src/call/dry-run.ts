import { note } from '../failure.ts';
import type { CallInput } from '../http/call.ts';
import { DRY_RUN_OUTPUT, describeRequest, type RequestDescription } from '../http/request.ts';
import { printJson } from '../json/print.ts';
import { jsonOf } from '../json/shape.ts';
import type { Printer, Session } from '../session.ts';
import { readBaseUrl } from '../wire/base-url.ts';

/** A request for people. */
export function requestText(request: RequestDescription): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${request.method} ${request.url}`, ...headers];
  return request.body === null ? head.join('\n') : `${head.join('\n')}\n\n${printJson(request.body, { indent: 2 })}`;
}

/** What a call would send. Asks for no credential and opens no connection. */
export function describeCall(session: Session, call: CallInput): RequestDescription {
  return describeRequest(call, readBaseUrl(session.baseUrl(call.operation.family)), session.context.version);
}

/** Says that `--expect` was not compared. */
export async function noteUncompared(session: Printer, expectations: readonly unknown[]): Promise<void> {
  if (expectations.length === 0) return;
  await session.notify(note('NOT_COMPARED', '--expect was not compared, because a dry run reads no card'));
}

/** `--dry-run`: prints the requests instead of sending them. */
export async function printDryRun(session: Session, calls: readonly CallInput[]): Promise<void> {
  const requests = calls.map((call) => describeCall(session, call));
  const json = jsonOf(DRY_RUN_OUTPUT, { dryRun: true, requests });
  await session.print({ kind: 'text', text: requests.map(requestText).join('\n\n'), json });
}

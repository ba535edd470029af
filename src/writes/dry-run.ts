import { note } from '../base/failure.ts';
import { printJson } from '../base/json/print.ts';
import { jsonOf } from '../base/json/shape.ts';
import { fromPlain } from '../base/json/value.ts';
import type { Printer, Session } from '../command/session.ts';
import { printLongDocument } from '../screen/long-document.ts';
import type { CallInput } from '../service/http/call.ts';
import { DRY_RUN_OUTPUT, describeRequest, type RequestDescription } from '../service/http/request.ts';
import { readBaseUrl } from '../service/wire/base-url.ts';

function requestText(request: RequestDescription): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${request.method} ${request.url}`, ...headers];
  return request.body === null ? head.join('\n') : `${head.join('\n')}\n\n${printJson(request.body, { indent: 2 })}`;
}

/** Says that `--expect` and `--skip-if` were not compared. */
export async function noteUncompared(
  session: Printer,
  { expects, skipIf = [] }: { readonly expects: readonly unknown[]; readonly skipIf?: readonly unknown[] | undefined },
): Promise<void> {
  const named = [...(expects.length > 0 ? ['--expect'] : []), ...(skipIf.length > 0 ? ['--skip-if'] : [])];
  if (named.length === 0) return;
  const were = named.length === 1 ? 'was' : 'were';
  await session.notify(
    note('NOT_COMPARED', `${named.join(' and ')} ${were} not compared, because a dry run reads no card`),
  );
}

/** `--dry-run`: prints the requests as they come; where one value is asked for (--query, ndjson), all together. */
export async function printDryRun(session: Session, calls: Iterable<CallInput> | AsyncIterable<CallInput>) {
  const { output } = session;
  const { stdout } = session.context;
  const requests = async function* () {
    for await (const call of calls)
      yield describeRequest(call, readBaseUrl(session.baseUrl(call.operation.family)), session.context.version);
  };
  if (output.query !== undefined || output.format === 'ndjson') {
    const all: RequestDescription[] = [];
    for await (const request of requests()) all.push(request);
    return session.print({ kind: 'text', text: '', json: jsonOf(DRY_RUN_OUTPUT, { dryRun: true, requests: all }) });
  }
  if (output.format === 'json') {
    const items = async function* () {
      for await (const request of requests()) yield fromPlain(request);
    };
    return printLongDocument(stdout, new Map([['dryRun', true]]), 'requests', items());
  }
  let separator = '';
  for await (const request of requests()) {
    await stdout.write(`${separator}${requestText(request)}\n`);
    separator = '\n';
  }
}

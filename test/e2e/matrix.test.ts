import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/service/api/operations.ts';
import type { CallPolicy } from '../../src/service/http/call.ts';
import { createHttpClient } from '../../src/service/http/ongoing-call.ts';
import { parseBaseUrl } from '../../src/service/wire/base-url.ts';
import { createTransport } from '../../src/service/wire/transport.ts';
import {
  build,
  type End,
  EVENTS,
  type EventName,
  endOf,
  isTrueOf,
  limitsAt,
  type Meeting,
  requestsAt,
  TWINS,
} from '../support/matrix.ts';
import { sampleInput, WRITES } from '../support/sample-calls.ts';
import { type CallName, meet } from './faults/fault-run.ts';

/**
 * Every write of the service against every event of the retry table (docs/reference/outcomes.md; goals G4 and G5): how
 * the call ends, and how often the service was asked. The service's own count is the judge.
 */

/** Nobody waits between attempts, and their budget never ends. */
const clock = { now: () => Date.now(), monotonic: () => 0, sleep: () => Promise.resolve() };
const POLICY: Omit<CallPolicy, 'timeoutMs'> = { retries: 2, retryMaxTimeMs: 60_000 };

async function play(meeting: Meeting): Promise<{ end: End; applied: number }> {
  const { write: name, event } = meeting;
  const stage = await build(meeting);
  const { timeoutMs, connectTimeoutMs } = limitsAt(event);
  const parsed = parseBaseUrl(stage.url);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const transport = createTransport({ baseUrl: parsed.baseUrl, clock, connectTimeoutMs });
  const client = createHttpClient({
    baseUrl: parsed.baseUrl,
    credential: { token: async () => 'token-of-the-matrix', renew: async () => undefined },
    clock,
    random: () => 0,
    version: '1.2.3',
    profile: 'demo',
    namedProfile: undefined,
    stoppedBy: () => undefined,
    transport,
  });
  const result = await client.call(sampleInput(name, OPERATIONS[name]), { policy: { ...POLICY, timeoutMs } });
  await transport.close();
  const exit = result.kind === 'answered' ? 0 : result.failure.exitCode;
  const outcome = result.callOutcome.outcome ?? undefined;
  const requests = requestsAt(stage);
  const applied = stage.server?.applications() ?? 0;
  await stage.close();
  return { end: `${exit} ${outcome} ${requests}`, applied };
}

describe.concurrent.each(WRITES)('%s', (write) => {
  it.each(TWINS)('a change meets: %s', async (_, twin) => {
    const meeting = { write, ...twin };
    const { end, applied } = await play(meeting);
    expect(end).toBe(endOf(meeting));
    expect(isTrueOf(end, meeting, applied)).toBe(true);
  });
});

const rows: readonly (readonly [CallName, EventName, string])[] = [
  ['activate', 'connection refused', '7 not_sent -'],
  ['block', 'untrusted certificate', '7 not_sent 0 POST 0 GET'],
  ['provisionB', '429 with Retry-After', '11 rejected 3 POST 0 GET'],
  ['event', '408', '8 unknown 1 POST 0 GET'],
  ['calendar', '503 with Retry-After', '8 unknown 2 POST 0 GET'],
  ['subscriber', '500', '8 unknown 1 POST 0 GET'],
  ['reissue', 'reset after the request', '8 unknown 1 POST 2 GET'],
  ['provisionA', '200 with a cut body', '8 unknown 1 POST 0 GET'],
  ['event', '200 without a body', '8 unknown 1 POST 0 GET'],
  ['block', 'no HTTP', '8 unknown 1 POST 2 GET'],
  ['activate', '409', '6 rejected 1 POST 0 GET'],
  ['calendar', '401', '4 rejected 1 POST 0 GET'],
  ['subscriber', '403', '5 rejected 1 POST 0 GET'],
];
it.concurrent.each(rows)('the built program: %s meets: %s', async (call, eventName, expected) => {
  const stage = await build({ write: 'cardBlock', event: EVENTS[eventName], isDone: false });
  const result = await meet(stage.url, call, { retries: 2, budgetMs: 60_000 });
  const requests = requestsAt(stage);
  await stage.close();
  expect(`${result.end} ${requests}`).toBe(expected);
});

import { describe, expect, it } from 'vitest';
import { openClient } from '../../../src/library/client.ts';
import { checkOptions } from '../../../src/library/options.ts';
import type { Client, WriteResult } from '../../../src/library/types.ts';
import {
  build,
  type End,
  endOf,
  isTrueOf,
  limitsAt,
  type Meeting,
  requestsAt,
  someTwins,
} from '../../support/matrix.ts';
import { type OperationName, SAMPLE_CALLS, sampleId, WRITES } from '../../support/sample-calls.ts';

/** Writes of the library against the events of the retry table: they end as the commands do (`test/e2e/matrix.test.ts`). */

/** Nobody waits between attempts, and the budget never ends. */
const clock = { now: () => Date.now(), monotonic: () => 0, sleep: () => Promise.resolve() };

type Method = (...given: readonly unknown[]) => Promise<WriteResult<unknown>>;

/** Calls the method of an operation, as its type has it (`test/unit/library/types.test.ts`). */
function callMethod(client: Client, name: OperationName): Promise<WriteResult<unknown>> {
  const { method, fields, choice } = SAMPLE_CALLS[name];
  const id = sampleId(name);
  // Found by its name. A method that is missing fails the test.
  const found = method
    .split('.')
    .reduce<unknown>((object, member) => (object as Record<string, unknown>)[member], client);
  const all = { ...choice, ...fields };
  return (found as Method)(...(id === undefined ? [] : [id]), ...(Object.keys(all).length === 0 ? [] : [all]));
}

async function play(meeting: Meeting): Promise<{ end: End; applied: number }> {
  const { write: name, event } = meeting;
  const stage = await build(meeting);
  const service = { url: stage.url, token: 'token-of-the-matrix' };
  // The library has one limit for both.
  const { timeoutMs, connectTimeoutMs } = limitsAt(event);
  const options = checkOptions(
    { cards: service, calendar: service, timeoutMs: Math.min(timeoutMs, connectTimeoutMs) },
    {},
  );
  const client = openClient(options, { clock, random: () => 0, version: '1.2.3' });
  const result = await callMethod(client, name);
  await client.close();
  const exitCode = 'error' in result ? result.error.exitCode : 0;
  const end = `${exitCode} ${result.outcome} ${requestsAt(stage)}`;
  const applied = stage.server?.applications() ?? 0;
  await stage.close();
  return { end, applied };
}

describe.concurrent.each(WRITES)('%s', (write) => {
  it.each(someTwins(write, WRITES))('the library meets: %s', async (_, twin) => {
    const meeting = { write, ...twin };
    const { end, applied } = await play(meeting);
    expect(end).toBe(endOf(meeting));
    expect(isTrueOf(end, meeting, applied)).toBe(true);
  });
});

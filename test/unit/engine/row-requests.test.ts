import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { makeRowSender } from '../../../src/engine/many/row-requests.ts';
import type { FailureCode } from '../../../src/failure.ts';
import type { CallInput, CallPolicy, CallResult } from '../../../src/http/call.ts';
import type { Row } from '../../../src/input/records/interpret.ts';
import type { RowSlot } from '../../../src/run/run-task.ts';
import type { Service } from '../../../src/session.ts';
import { answered, failed } from '../run/fakes.ts';

/** A row of a plan, and the requests that it makes when its card is read with this end. */
async function sendPlanned(read: CallResult, before = new Map([['status', 'ACTIVE']])) {
  const calls: string[] = [];
  const client = {
    call: async ({ operation }: CallInput) => {
      calls.push(operation.command);
      return operation === OPERATIONS.cardGet ? read : answered();
    },
  };
  // A sender asks these for nothing else.
  const [service, policy, slot] = [{ client } as unknown as Service, {} as CallPolicy, {} as RowSlot];
  const row = { row: 1, id: 'card-1', params: {}, body: undefined, drift: 'checked', before, expects: [] };
  const result = await makeRowSender(service, OPERATIONS.cardBlock, policy)(row as unknown as Row, slot);
  return { calls, result };
}

describe('a planned row whose card is read first', () => {
  it('is sent when the card is as it was planned', async () => {
    const { calls, result } = await sendPlanned(answered(new Map([['status', 'ACTIVE']])));
    expect([calls, result.kind]).toEqual([['card.get', 'card.block'], 'answered']);
  });

  it('is held back when the card has changed', async () => {
    const { calls, result } = await sendPlanned(answered(new Map([['status', 'BLOCKED']])));
    expect(calls).toEqual(['card.get']);
    expect(result).toMatchObject({ ending: { outcome: 'not_sent' }, failure: { code: 'PRECONDITION' } });
  });

  it.each<[FailureCode, FailureCode]>([
    ['UNREACHABLE', 'UNREACHABLE'],
    ['AUTH', 'AUTH'],
    ['CANCELLED', 'CANCELLED'],
    ['LOCAL_IO', 'LOCAL_IO'],
    ['NOT_FOUND', 'PRECONDITION'],
    ['BAD_REPLY', 'PRECONDITION'],
  ])('is not sent when reading the card ends with %s, and ends with %s', async (read, code) => {
    const { calls, result } = await sendPlanned(failed(read));
    expect(calls).toEqual(['card.get']);
    expect(result).toMatchObject({ ending: { outcome: 'not_sent' }, failure: { code } });
  });
});

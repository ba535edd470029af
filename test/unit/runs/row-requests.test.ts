import { expect, it } from 'vitest';
import { Failure, note } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import type { JsonObject } from '../../../src/base/json/value.ts';
import type { Ports } from '../../../src/command/session.ts';
import type { Row } from '../../../src/input/rows/row.ts';
import { RowCall } from '../../../src/runs/row-call.ts';
import { resultOf } from '../../../src/runs/row-reply.ts';
import {
  callOf,
  makeReconciler,
  makeRowReader,
  makeRowSender,
  printDryRunRows,
  runColumns,
} from '../../../src/runs/row-requests.ts';
import type { RowSlot } from '../../../src/runs/run-task.ts';
import { outcomeWords } from '../../../src/screen/people-text.ts';
import type { Operation } from '../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import type { CallInput, CallOptions, CallPolicy, CallResult } from '../../../src/service/http/call.ts';
import { NOTHING } from '../../../src/writes/open-guard.ts';
import { openBench } from '../../support/session-bench.ts';
import { answered, ended, FakeClock, failed } from './fakes.ts';

const POLICY: CallPolicy = { timeoutMs: 1, retries: 2, retryMaxTimeMs: 3 };
const [STOPPING, ABORT] = [new AbortController().signal, new AbortController().signal];
// Only who has which pacer is looked at.
const SLOT = { pacer: 'of the row', stopping: STOPPING, abort: ABORT } as unknown as RowSlot;

const object = (text: string) => parseJson(text) as JsonObject;

function rowOf(more: Partial<Row> = {}): Row {
  // What a sender reads of a row.
  const sent = { params: { cardId: 'card-1' }, body: object('{"reason":"x"}') };
  return { row: 1, id: 'card-1', ...sent, expects: [], ...more } as Row;
}

/** A write that ended without an answer. */
const BY = { profile: 'demo', user: 'a', host: 'cards.example.com', run: undefined };
const ABOUT = { entry: 'e1', time: '2026-05-01T12:00:00.000Z', operation: 'card.reissue' };
const OPEN = { ...ABOUT, ...BY, callOutcome: ended({ outcome: 'unknown' }) };

/** A service whose cards read as `read`; what it was called with. */
function serviceOf(read: CallResult, sent = answered() as CallResult) {
  const calls: [string, CallOptions][] = [];
  const inputs: CallInput[] = [];
  const client = {
    call: async (input: CallInput, options: CallOptions) => {
      calls.push([input.operation.command, options]);
      inputs.push(input);
      return input.operation === OPERATIONS.cardGet ? read : sent;
    },
  };
  // A sender asks a service for nothing else.
  const session = { service: async () => ({ client }), policy: POLICY, listener: {} };
  return { service: session as unknown as Ports, calls, inputs, names: () => calls.map(([name]) => name) };
}

const senderOf =
  (service: Ports, operation: Operation, known?: Parameters<typeof makeRowSender>[3]) =>
  async (row: Row, slot: RowSlot) => {
    const reply = await makeRowSender(service, operation, POLICY, known)(row, slot);
    return resultOf(row, reply, { command: operation.command, isWrite: true, mayHaveLeft: false });
  };

/** How a row of a block ends when its card reads so. */
async function send(row: Row, read: CallResult) {
  const used = serviceOf(read);
  const result = await senderOf(used.service, OPERATIONS.cardBlock)(row, SLOT);
  return { ...used, result };
}

const ACTIVE = { drift: 'checked', before: object('{"status":"ACTIVE"}') } as const;
const cardAs = (text: string) => answered(object(text));

it('a row is sent as it is, at the pace of its run', async () => {
  const { calls, inputs, result } = await send(rowOf(), answered());
  const more = { stopping: STOPPING, abort: ABORT, mayRepeat: expect.any(Function) };
  expect(calls).toEqual([['card.block', { policy: POLICY, pacer: SLOT.pacer, ...more }]]);
  expect(inputs).toEqual([callOf(OPERATIONS.cardBlock, rowOf())]);
  const body = object('{"reason":"x"}');
  expect(inputs[0]).toEqual({ operation: OPERATIONS.cardBlock, params: { cardId: 'card-1' }, query: {}, body });
  expect(result.failure).toBeUndefined();
});

it('a row has its card read first, at the same pace, where it expects something of it', async () => {
  const row = rowOf({ expects: [{ field: 'status', value: 'ACTIVE' }] });
  const { calls, inputs } = await send(row, cardAs('{"status":"ACTIVE"}'));
  expect(calls.map(([name]) => name)).toEqual(['card.get', 'card.block']);
  expect(calls[1]?.[1]).toMatchObject({ pacer: SLOT.pacer });
  expect(calls[0]?.[1]).toEqual({ policy: POLICY, listener: {}, pacer: SLOT.pacer, stopping: STOPPING, abort: ABORT });
  expect(inputs[0]).toEqual({ operation: OPERATIONS.cardGet, params: row.params, query: {}, body: undefined });
});

it('a row that expects something else is held back, and says what', async () => {
  const row = rowOf({ expects: [{ field: 'status', value: 'ACTIVE' }] });
  const { names, result } = await send(row, cardAs('{"status":"BLOCKED"}'));
  expect(names()).toEqual(['card.get']);
  expect(result).toMatchObject({
    callOutcome: { outcome: 'not_sent', code: 'PRECONDITION', sentAtMs: undefined, durationMs: undefined },
    failure: { code: 'PRECONDITION', exitCode: 17, details: { outcome: 'not_sent' } },
  });
  expect(result.failure?.message).toMatch(/^could not block card card-1: .*status.*BLOCKED/);
});

async function reconciled(operation: Operation, read: CallResult) {
  const used = serviceOf(read);
  return { result: await makeReconciler(used.service, operation, POLICY)?.(rowOf(), SLOT), names: used.names() };
}

it.each([
  [OPERATIONS.cardBlock, 'BLOCKED', 'answered'],
  [OPERATIONS.cardActivate, 'ACTIVE', 'answered'],
  [OPERATIONS.cardBlock, 'ACTIVE', 'failed'],
  [OPERATIONS.cardReissue, 'REISSUED', 'failed'],
] as const)('a row of unknown outcome of %o is resolved by status %s: %s', async (operation, status, kind) => {
  const { result, names } = await reconciled(operation, cardAs(`{"status":"${status}"}`));
  expect([result?.kind, names]).toEqual([kind, ['card.get']]);
});

it('a row of unknown outcome that is not resolved stays unknown, with what its card shows', async () => {
  const { result } = await reconciled(OPERATIONS.cardReissue, cardAs('{"status":"REISSUED"}'));
  const details = { outcome: 'unknown', observed: new Map([['status', 'REISSUED']]) };
  const message = 'reissue card card-1: the card reads REISSUED';
  expect(result).toMatchObject({ failure: { code: 'OUTCOME_UNKNOWN', message, details } });
  const odd = await reconciled(OPERATIONS.cardBlock, answered(['BLOCKED']));
  expect(odd.result).toMatchObject({ failure: { details: { observed: new Map([['status', null]]) } } });
});

it('a row of unknown outcome whose card cannot be read ends as the reading did', async () => {
  const { result } = await reconciled(OPERATIONS.cardBlock, failed('NOT_FOUND'));
  expect(result).toMatchObject({ failure: { code: 'NOT_FOUND' } });
});

const { calendarUpdate, eventCreate, cardProvisionWalletA, cardGet } = OPERATIONS;

it.each([calendarUpdate, eventCreate, cardProvisionWalletA, cardGet])('no card check resolves a %o', (operation) => {
  expect(makeReconciler(serviceOf(answered()).service, operation, POLICY)).toBeUndefined();
});

it.each([
  [OPERATIONS.cardReissue, undefined],
  [OPERATIONS.cardBlock, true],
  [OPERATIONS.cardGet, true],
])('the columns of a run of %o show the id of what is new where there is one: %s', (operation, wide) => {
  expect(runColumns(operation)).toEqual([
    { name: 'row', header: 'ROW', align: 'right' },
    { name: 'id', header: 'ID', keep: true },
    { name: 'outcome', header: 'OUTCOME', tone: 'outcome', people: outcomeWords },
    { name: 'httpStatus', header: 'STATUS', align: 'right', spare: true },
    { name: 'attempts', header: 'ATTEMPTS', align: 'right', wide: true },
    { name: 'resultId', header: 'RESULT ID', keep: true, below: 'labelled', ...(wide === undefined ? {} : { wide }) },
    { name: 'error.code', header: 'ERROR', wide: true },
    { name: 'error.message', header: 'MESSAGE', below: 'plain' },
  ]);
});

it('the place of a run is the address of its service, or the sandbox', () => {
  expect(openBench().session.placeOf('cards')).toBe('https://api.example.com');
  expect(openBench({ profile: { isSandbox: true } }).session.placeOf('cards')).toBe('sandbox');
});

const REPEATS = 'the same card reissue of 1 May 2026, 12:00 UTC is open (entry e1), and this would make a second one';

it.each([
  [{ repeated: [OPEN] }, REPEATS],
  [{ unread: new Failure('LOCAL_IO', 'no records') }, 'no records'],
])('a row that the records hold back is sent later: %o', async (known, why) => {
  const used = serviceOf(answered());
  const open = async () => ({ ...NOTHING, ...known });
  const result = await senderOf(used.service, OPERATIONS.cardReissue, { open })(rowOf(), SLOT);
  expect(used.names()).toEqual([]);
  const message = `could not reissue card card-1: ${why}. Nothing was sent.`;
  expect(result).toMatchObject({ isForNow: true, failure: { code: 'PRECONDITION', message } });
});

const EARLIER = note('OPEN', 'e1 is open');
const OWN = note('OWN', 'of the answer');
const answeredOf = { ...answered(), callOutcome: ended({ outcome: 'applied', notices: [OWN] }) };

it.each<[string, Operation, CallResult, unknown[]]>([
  ['no more by a block that was done', OPERATIONS.cardBlock, answeredOf, [OWN]],
  ['by a block that was not done', OPERATIONS.cardBlock, failed('UNREACHABLE'), [EARLIER]],
  ['by another reissue', OPERATIONS.cardReissue, answeredOf, [OWN, EARLIER]],
])('what is open of a card is named %s', async (_what, operation, sent, notices) => {
  const { service } = serviceOf(answered(), sent);
  const send = (known = {}) => makeRowSender(service, operation, POLICY, known)(rowOf(), SLOT);
  expect(await send({ stillOpen: () => [EARLIER] })).toMatchObject({ callOutcome: { notices } });
  expect(await send()).toBe(sent);
});

it.each([
  [{ repeated: [OPEN] }, []],
  [{ unread: new Failure('LOCAL_IO', 'no records') }, [EARLIER]],
])('what is open of a card is named once by a row that is held back: %o', async (known, earlier) => {
  const ports = { open: async () => ({ ...NOTHING, ...known }), stillOpen: () => [EARLIER] };
  const { service } = serviceOf(answered());
  const reply = await makeRowSender(service, OPERATIONS.cardReissue, POLICY, ports)(rowOf(), SLOT);
  expect(reply).toMatchObject({ kind: 'held', earlier });
});

it('a row whose name is taken meanwhile is not sent', async () => {
  const held = { why: 'repeats', repeated: [OPEN] } as never;
  const slot: RowSlot = { ...SLOT };
  const client = { call: async () => ((await slot.mayLeave?.()) === true ? answered() : failed('CANCELLED')) };
  const service = { service: async () => ({ client }) } as unknown as Ports;
  const send = makeRowSender(service, OPERATIONS.cardReissue, POLICY, { claim: async () => held });
  expect(await send(rowOf(), slot)).toMatchObject({ kind: 'held', held });
});

const HANGS = () => new Promise<never>(() => undefined);

it.each(['open', 'claim'])(
  'a row that waits for what is known of others (%s) ends when its run stops',
  async (port) => {
    const stopping = new AbortController();
    const slot: RowSlot = { ...SLOT, stopping: stopping.signal };
    const client = { call: async () => slot.mayLeave?.() };
    const service = { service: async () => ({ client }) } as unknown as Ports;
    const sending = makeRowSender(service, OPERATIONS.cardReissue, POLICY, { [port]: HANGS })(rowOf(), slot);
    setImmediate(() => stopping.abort());
    await expect(sending).rejects.toMatchObject({ code: 'CANCELLED' });
  },
);

it.each([
  [999, 1],
  [1001, 2],
])('a row whose intent took %d ms to record is asked %d times whether it may leave', async (tookMs, times) => {
  const clock = new FakeClock();
  const journal = { intent: () => clock.sleep(tookMs) };
  // What a row on its way asks of its run.
  const ports = {
    task: { clock, journal, isWrite: true },
    control: { stopping: STOPPING },
    limiter: { admit: async () => true, giveBack: () => undefined },
  };
  const call = new RowCall(rowOf(), 0, 'send', ports as never);
  const asked: number[] = [];
  call.mayLeave = async () => asked.push(1) < 2;
  expect([await call.admit('send'), asked.length]).toEqual([times === 1, times]);
});

it('a row that is read is read once, at the pace of its run', async () => {
  const { service, calls } = serviceOf(answered());
  expect(await makeRowReader(service, OPERATIONS.cardGet, POLICY)(rowOf(), SLOT)).toEqual(answered());
  expect(calls).toEqual([['card.get', { policy: POLICY, pacer: SLOT.pacer, stopping: STOPPING, abort: ABORT }]]);
});

it('a planned balance that is another one now is reported with the row, which is sent', async () => {
  const told: string[] = [];
  const used = serviceOf(cardAs('{"status":"ACTIVE","clientReference":"order-1","currentBalance":5}'));
  const onOtherBalance = async (text: string) => void told.push(text);
  const sender = senderOf(used.service, OPERATIONS.cardBlock, { onOtherBalance });
  const about = object('{"clientReference":"order-1","currentBalance":10.10}');
  expect((await sender(rowOf({ ...ACTIVE, about }), SLOT)).callOutcome.clientReference).toBe('order-1');
  expect(told).toEqual(['row 1: the balance of card card-1 is 5, was 10.10 when planned']);
  expect(used.names()).toEqual(['card.get', 'card.block']);
});

it('a row whose card a question showed has the card read first, and is held back when its status is another one', async () => {
  const used = serviceOf(cardAs('{"status":"REISSUED"}'));
  const sender = senderOf(used.service, OPERATIONS.cardBlock, { shown: new Map([[1, 'ACTIVE']]) });
  expect(await sender(rowOf(), SLOT)).toMatchObject({ failure: { message: expect.stringContaining('is REISSUED') } });
  await sender(rowOf({ row: 2 }), SLOT);
  expect(used.names()).toEqual(['card.get', 'card.block']);
});

/** What a dry run of rows prints, in the pieces in which it does. */
async function dryRun(format: 'table' | 'json' | 'ndjson', rows: readonly Row[], query?: string): Promise<string[]> {
  const pieces: string[] = [];
  const { session } = openBench({ output: { format, query }, write: async (text) => void pieces.push(String(text)) });
  await printDryRunRows(session, OPERATIONS.cardBlock, batchesOf(rows));
  return pieces;
}

async function* batchesOf(rows: readonly Row[]) {
  yield rows;
}

const headers = expect.objectContaining({ Authorization: 'Bearer ***' });
const URL = 'https://api.example.com/v1/cards/card-1/block';
const REQUEST = { method: 'POST', url: URL, headers, body: { reason: 'x' } };

it.each([0, 1, 2])('a dry run of %i rows is one document as JSON, in the layout of any other', async (count) => {
  const text = (await dryRun('json', Array(count).fill(rowOf()))).join('');
  expect(JSON.parse(text)).toEqual({ dryRun: true, requests: Array(count).fill(REQUEST) });
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

it('a dry run of long rows is printed in pieces', async () => {
  const row = rowOf({ body: object(`{"reason":"${'x'.repeat(40_000)}"}`) });
  const pieces = await dryRun('json', [row, row, row, row]);
  expect(pieces).toHaveLength(3);
  expect(JSON.parse(pieces.join('')).requests).toHaveLength(4);
});

it('a dry run of rows is one line as NDJSON, and text with a blank line between two requests', async () => {
  const [line = '', ...more] = (await dryRun('ndjson', [rowOf(), rowOf()])).join('').trimEnd().split('\n');
  expect([JSON.parse(line), more]).toEqual([{ dryRun: true, requests: [REQUEST, REQUEST] }, []]);
  const [one] = await dryRun('table', [rowOf()]);
  expect(one).toContain('POST https://api.example.com/v1/cards/card-1/block\n');
  expect(await dryRun('table', [rowOf(), rowOf()])).toEqual([one, `\n${one}`]);
  expect((await dryRun('json', [rowOf(), rowOf()], 'length(requests)')).join('')).toBe('2\n');
});

it.each<[string, Operation, boolean, RegExp]>([
  ['cards', OPERATIONS.cardBlock, false, /^ROW {2}CARD {4}REASON\n {2}1 {2}card-1 {2}x\n {2}2 {2}card-1 {2}x\n$/],
  ['what is no card', calendarUpdate, false, /^row 1 card-1 {2}reason: x\nrow 2 card-1 {2}reason: x\n$/],
  ['requests with -v', OPERATIONS.cardBlock, true, /^POST https/],
])('a dry run of rows on a terminal shows %s', async (_what, operation, verbose, text) => {
  const pieces: string[] = [];
  const common = { verbose };
  const { session } = openBench({ isTerminal: true, common, write: async (piece) => void pieces.push(String(piece)) });
  const two = async function* () {
    yield [rowOf()];
    yield [rowOf({ row: 2 })];
  };
  await printDryRunRows(session, operation, two());
  expect(pieces.join('')).toMatch(text);
});

it.each<[string, string, string]>([
  ['is met', '{"status":"BLOCKED","clientReference":"order-1"}', 'skipped'],
  ['is not met', '{"status":"ACTIVE"}', 'sent'],
])('a row whose --skip-if %s has its card read first, and is %s', async (_what, card, how) => {
  const row = rowOf({ skipIf: [{ field: 'status', values: ['REISSUED', 'BLOCKED'] }] });
  const { names, result } = await send(row, cardAs(card));
  expect(names()).toEqual(how === 'skipped' ? ['card.get'] : ['card.get', 'card.block']);
  if (how === 'sent') return;
  const callOutcome = ended({ outcome: 'skipped', observedStatus: 'BLOCKED', clientReference: 'order-1' });
  expect(result).toEqual({ row, callOutcome, resource: object(card), failure: undefined, source: 'sent' });
});

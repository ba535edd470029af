import { getEventListeners } from 'node:events';
import {
  CLIENT_CAPABILITIES_META_KEY as CAPABILITIES,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { openAsker, PendingConfirmations, QUESTION_MS } from '../../../src/mcp/asker.ts';
import { FakeClock } from '../runs/fakes.ts';

const SUBJECT = { tool: 'card_block', args: { cardId: 'c-1', reason: 'lost' } };
const SHOWN = { shown: 'ACTIVE', named: ['a'] };
const QUESTION = { subject: SUBJECT, shown: SHOWN };
const CONFIRMATION = { ...QUESTION, message: 'Block?', title: 'Yes: block' };
const YES = { action: 'accept', content: { confirm: true } };
const CANNOT = 'no person was asked, because this client cannot ask a person (it declares no elicitation)';

type Request = Partial<ServerContext['mcpReq']>;

/** An asker whose client declared these capabilities at the start. */
function stage(declared?: object) {
  const clock = new FakeClock();
  const confirmations = new PendingConfirmations(clock);
  // An asker asks a server for nothing else.
  const server = { getClientCapabilities: () => declared } as unknown as Server;
  const sent: unknown[][] = [];
  /** A call with this in its request; `state` is what it carries back. */
  const call = (request: object = {}, state?: string): ServerContext => {
    const send = async (...parts: unknown[]) => {
      sent.push(parts);
      return YES;
    };
    return { mcpReq: { id: 'c1 7', requestState: () => state, send, ...request } } as unknown as ServerContext;
  };
  return { asker: openAsker(server, clock, confirmations), confirmations, clock, sent, call };
}

it.each<[object | undefined, boolean]>([
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{ elicitation: true }, false],
  [{ elicitation: null }, false],
  [{ elicitation: [] }, false],
  [{}, false],
  [[], false],
  [undefined, false],
])('a client that declares %j can ask: %s', (declared, canAsk) => {
  const expected = canAsk ? undefined : CANNOT;
  const { asker, call } = stage(declared);
  expect(asker.inability(call())).toBe(expected);
  // What the request itself says counts, and not what the client said before.
  const other = stage(canAsk ? {} : { elicitation: {} });
  expect(other.asker.inability(other.call({ envelope: { [CAPABILITIES]: declared } }))).toBe(expected);
});

const answerTo = (response: unknown) => {
  const { asker, confirmations, call } = stage();
  const state = confirmations.ask(QUESTION, 7);
  return asker.answerIn(call({ inputResponses: { confirm: response } as Request['inputResponses'] }, state), SUBJECT);
};

it.each<[unknown, string | undefined]>([
  [YES, undefined],
  [{ action: 'accept', content: { confirm: false } }, 'the box was not ticked'],
  [{ action: 'accept', content: { confirm: 'true' } }, 'the box was not ticked'],
  [{ action: 'accept', content: [true] }, 'the box was not ticked'],
  [{ action: 'accept' }, 'the box was not ticked'],
  [{ action: 'decline', content: { confirm: true } }, 'the person said no'],
  [{ action: 'cancel' }, 'the person closed the question without an answer'],
  [{ action: 'ACCEPT', content: { confirm: true } }, 'could not read the answer'],
  [{}, 'could not read the answer'],
  [[YES], 'no answer of a person came'],
  [null, 'no answer of a person came'],
  [true, 'no answer of a person came'],
  [undefined, 'no answer of a person came'],
])('an answer that a call brings along: %j is %j', (response, refusal) => {
  expect(answerTo(response)).toEqual(refusal === undefined ? { shown: SHOWN } : { refusal });
});

const BROUGHT = { inputResponses: { confirm: YES } };

it.each<[string, object, string?]>([
  ['without a state', BROUGHT],
  ['with one that is made up', BROUGHT, 'made up'],
  ['of none, with one that is made up', {}, 'made up'],
  ['that was dropped', { droppedInputResponseKeys: ['confirm'] }],
])('A1 an answer that a call brings along that was not asked for is none: one %s', (_what, request, state) => {
  const { asker, call } = stage();
  expect(asker.answerIn(call(request, state), SUBJECT)).toEqual({ refusal: 'the answer belongs to no open question' });
});

it('an answer that a call brings along that belongs to other arguments is none, and uses the question up', () => {
  const { asker, confirmations, call } = stage();
  const state = confirmations.ask(QUESTION, 7);
  const other = { tool: 'card_block', args: { cardId: 'c-2' } };
  expect(asker.answerIn(call(BROUGHT, state), other)).toEqual({ refusal: 'the answer belongs to other arguments' });
  expect(asker.answerIn(call(BROUGHT, state), SUBJECT)).toHaveProperty('refusal');
});

it('a call without an answer is to be asked first, and without one that brings back a question it is a no', () => {
  const { asker, confirmations, call } = stage();
  expect(asker.answerIn(call(), SUBJECT)).toBeUndefined();
  const state = confirmations.ask(QUESTION, 7);
  expect(asker.answerIn(call({}, state), SUBJECT)).toEqual({ refusal: 'no answer of a person came' });
});

const confirm = { type: 'boolean', title: 'Yes: block', default: false };
const requestedSchema = { type: 'object', properties: { confirm }, required: ['confirm'] };
const FORM = { mode: 'form', message: 'Block?', requestedSchema };

it('a question to a client of 2026 goes back with the call, and is void when that call is cancelled', async () => {
  const { asker, confirmations, call, sent } = stage();
  const { signal } = new AbortController();
  const asked = await asker.ask(call({ envelope: {} } as Request), CONFIRMATION, signal);
  expect(asked).toMatchObject({ inputRequests: { confirm: { params: FORM } }, requestState: expect.any(String) });
  expect(sent).toEqual([]);
  confirmations.drop(7);
  const state = 'requestState' in asked ? asked.requestState : undefined;
  expect(confirmations.close(String(state), SUBJECT)).toBe('the answer belongs to no open question');
});

it('a question to a client of 2025 is asked at once, with more time than the answer may take', async () => {
  const { asker, call, sent, clock } = stage();
  const { signal } = new AbortController();
  expect(await asker.ask(call(), CONFIRMATION, signal)).toEqual({ shown: undefined });
  const how = { signal: expect.any(AbortSignal), timeout: 600_000 };
  expect(sent).toEqual([[{ method: 'elicitation/create', params: FORM }, how]]);
  await clock.sleep(1);
  expect([clock.ms, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
});

/** How a question ends whose client answers only once it hears that the question is over. */
async function unanswered(onAsked: () => void, cancelled: AbortSignal) {
  const { asker, call, clock } = stage();
  const send = (_request: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => {
      if (signal.aborted) reject(new Error('over'));
      signal.addEventListener('abort', () => reject(new Error('over')));
      onAsked();
    });
  return { given: await asker.ask(call({ send } as unknown as Request), CONFIRMATION, cancelled), ms: clock.ms };
}

it('A2 a question is over after five minutes', async () => {
  const given = { refusal: 'no answer came within 5 minutes' };
  expect(await unanswered(() => undefined, new AbortController().signal)).toEqual({ given, ms: 300_000 });
});

it.each(['before', 'meanwhile'])('a question is over when its call is cancelled %s', async (when) => {
  const cancelled = new AbortController();
  if (when === 'before') cancelled.abort();
  const given = { refusal: 'the call was cancelled' };
  expect(await unanswered(() => cancelled.abort(), cancelled.signal)).toEqual({ given, ms: 0 });
});

it('a question that the client cannot put is a no', async () => {
  const { asker, call } = stage();
  const send = () => Promise.reject(new Error('no such method'));
  expect(await asker.ask(call({ send } as Request), CONFIRMATION, new AbortController().signal)).toEqual({
    refusal: 'the client could not ask the person',
  });
});

it('a question is good for one answer to exactly its arguments, in whatever order they come', () => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const nonce = confirmations.ask(QUESTION, 1);
  const turned = { tool: 'card_block', args: { reason: 'lost', cardId: 'c-1' } };
  expect(confirmations.close(nonce, turned)).toBe(SHOWN);
  expect(confirmations.close(nonce, turned)).toBe('the answer belongs to no open question');
});

it('a question is good for five minutes', () => {
  const clock = new FakeClock();
  const confirmations = new PendingConfirmations(clock);
  const [first, second] = [confirmations.ask(QUESTION, 1), confirmations.ask(QUESTION, 2)];
  clock.ms = 300_000;
  expect(confirmations.close(first, SUBJECT)).toBe(SHOWN);
  clock.ms = 300_001;
  expect([confirmations.close(second, SUBJECT), QUESTION_MS]).toEqual(['the answer came too late', 300_000]);
});

it.each([
  ['a tool', { ...SUBJECT, tool: 'card_reissue' }],
  ['a value', { ...SUBJECT, args: { cardId: 'c-1', reason: 'stolen' } }],
  ['a field more', { ...SUBJECT, args: { ...SUBJECT.args, other: 1 } }],
  ['a field less', { ...SUBJECT, args: { cardId: 'c-1' } }],
  ['a type', { ...SUBJECT, args: { cardId: 'c-1', reason: ['lost'] } }],
])('a question is used up by an answer that differs in %s', (_, other) => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const nonce = confirmations.ask(QUESTION, 1);
  expect(confirmations.close(nonce, other)).toBe('the answer belongs to other arguments');
  expect(confirmations.close(nonce, SUBJECT)).toBe('the answer belongs to no open question');
});

it('a question has a name that is new each time', () => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const names = Array.from({ length: 100 }, () => confirmations.ask(QUESTION, 1));
  expect([new Set(names).size, names.every((name) => /^[\w-]{32}$/.test(name))]).toEqual([100, true]);
});

it('a question gives way when a hundred are open, and is void when its call is cancelled', () => {
  const confirmations = new PendingConfirmations(new FakeClock());
  const names = Array.from({ length: 101 }, (_, index) => confirmations.ask(QUESTION, index));
  expect(confirmations.close(names[0], SUBJECT)).toBe('the answer belongs to no open question');
  confirmations.drop(50);
  expect(confirmations.close(names[50], SUBJECT)).toBe('the answer belongs to no open question');
  expect(confirmations.close(names[51], SUBJECT)).toBe(SHOWN);
});

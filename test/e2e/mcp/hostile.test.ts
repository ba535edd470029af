import { expect, it, vi } from 'vitest';
import { call, envelope, type Message, modernCall, RawClient, YES } from '../../support/mcp-process.ts';
import { type Handler, startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

// A client that lies about what a person said. The service counts what was sent.

const OTHER_ID = '7c0e1111-2222-3333-4444-000000000009';
const BLOCK = { cardId: CARD_ID, reason: 'lost' };

const service: Handler = ({ method, url }) => ({
  body: cardText(method === 'POST' ? 'BLOCKED' : 'ACTIVE', url.split('/')[3] ?? ''),
});

async function start(handler: Handler = service) {
  const server = await startRecordingServer(handler);
  const client = new RawClient(['--allow-writes'], { env: server.env });
  return { client, posts: () => server.lines.filter((line) => line.startsWith('POST')), server };
}

/** A client of 2025 whose block stands at its question, and a yes to that. */
async function asking(id: string | number = 1) {
  const all = await start();
  await all.client.initialize();
  all.client.send(call(id, 'card_block', BLOCK));
  const question = await all.client.question();
  return { ...all, question: question.id, yes: { jsonrpc: '2.0', id: question.id, result: YES } };
}

const cancelled = (requestId: number, more: object = {}) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, ...more },
});

/** An error of the tool that says that nothing was sent, why, and what a person can run. */
function expectRefused(message: Message, why: string): void {
  const text = message.result?.content?.[0]?.text ?? JSON.stringify(message);
  expect(text).toContain(`${why}. Nothing was sent.`);
  expect(text).toContain(`a person can run: frontdesk card `);
  expect(message.result).toMatchObject({
    isError: true,
    structuredContent: { outcome: 'not_sent', exitCode: 130, code: 'CANCELLED' },
  });
}

it('a client of 2026 that asks and brings a yes is served once', async () => {
  const { client, posts } = await start();
  client.send(modernCall(1, 'card_block', BLOCK));
  const { result } = await client.answerTo(1);
  expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { confirm: expect.any(Object) } });
  expect(posts()).toEqual([]);
  const { requestState } = result ?? {};
  client.send(modernCall(2, 'card_block', BLOCK, { requestState, inputResponses: { confirm: YES } }));
  expect((await client.answerTo(2)).result?.structuredContent).toMatchObject({ outcome: 'applied', exitCode: 0 });
  expect(posts()).toEqual([`POST /v1/cards/${CARD_ID}/block`]);
  // The same answer again.
  client.send(modernCall(3, 'card_block', BLOCK, { requestState, inputResponses: { confirm: YES } }));
  expectRefused(await client.answerTo(3), 'the answer belongs to no open question');
  expect(posts()).toHaveLength(1);
});

it('a client of 2026 that cancels the call voids its question, and a yes with a cancellation sends nothing', async () => {
  const { client, posts } = await start();
  const cancel = (requestId: number) => cancelled(requestId, { _meta: envelope() });
  client.send(modernCall(1, 'card_block', BLOCK));
  const first = (await client.answerTo(1)).result?.requestState;
  client.send(cancel(1), modernCall(2, 'card_block', BLOCK, { requestState: first, inputResponses: { confirm: YES } }));
  expectRefused(await client.answerTo(2), 'the answer belongs to no open question');
  client.send(modernCall(3, 'card_block', BLOCK));
  const second = (await client.answerTo(3)).result?.requestState;
  const retry = modernCall(4, 'card_block', BLOCK, { requestState: second, inputResponses: { confirm: YES } });
  client.send(retry, cancel(4), modernCall(5, 'history_list', {}));
  await client.answerTo(5);
  expect([(await client.end()).code, posts()]).toEqual([0, []]);
});

it('a client of 2025 that answers before it is asked, under IDs that it guesses, sends nothing', async () => {
  const { client, posts } = await start();
  await client.initialize();
  const guesses = [0, 1, 2, '0', '1'].map((id) => ({ jsonrpc: '2.0', id, result: YES }));
  client.send(...guesses, call(1, 'card_block', BLOCK), ...guesses);
  const { id } = await client.question();
  client.send(...guesses);
  client.send({ jsonrpc: '2.0', id, result: { action: 'decline' } }, { jsonrpc: '2.0', id, result: YES });
  expectRefused(await client.answerTo(1), 'the person said no');
  expect(posts()).toEqual([]);
});

it('a client of 2025 that answers yes twice is served once', async () => {
  const { client, posts, yes } = await asking();
  client.send(yes, yes);
  expect((await client.answerTo(1)).result?.structuredContent).toMatchObject({ outcome: 'applied' });
  client.send(yes, call(2, 'card_block', BLOCK));
  client.send(yes, { jsonrpc: '2.0', id: (await client.question()).id, result: { action: 'cancel' } });
  expectRefused(await client.answerTo(2), 'the person closed the question without an answer');
  expect(posts()).toHaveLength(1);
});

it('a client of 2025 that uses a request ID twice and cancels it sends nothing, whatever it answers then', async () => {
  const { client, posts, yes: first } = await asking();
  client.send(call(1, 'card_block', { ...BLOCK, cardId: OTHER_ID }));
  const second = { ...first, id: (await client.question()).id };
  client.send(cancelled(1), first, second);
  // The id once more, after it was cancelled.
  client.send(call(1, 'card_reissue', BLOCK));
  client.send(cancelled(1), { ...first, id: (await client.question()).id }, first, second, call(2, 'history_list', {}));
  // All that was said before is done, and the cancelled call has no response.
  await client.answerTo(2);
  expect([(await client.end()).code, posts()]).toEqual([0, []]);
  expect(client.messages().filter((message) => message.id === 1)).toEqual([]);
});

it('a client of 2025 that uses a request ID twice gets a response to each, and one yes sends one change', async () => {
  const { client, posts, yes } = await asking('a');
  client.send(call('a', 'card_get', { cardId: OTHER_ID }));
  expect((await client.answerTo('a')).result?.structuredContent).toMatchObject({ exitCode: 0, httpStatus: 200 });
  client.send(yes);
  expect((await client.answerTo('a')).result?.structuredContent).toMatchObject({ outcome: 'applied' });
  expect(posts()).toEqual([`POST /v1/cards/${CARD_ID}/block`]);
});

it('a client of 2025 that leaves during a question sends nothing', async () => {
  const { client, posts } = await asking();
  expect([(await client.end()).code, posts()]).toEqual([0, []]);
});

it('a client of 2025 that sends too many calls at once has to wait, and nothing piles up', async () => {
  const { client, posts } = await start((request) => (request.method === 'POST' ? 'hang' : service(request, 0)));
  await client.initialize();
  client.send(...Array.from({ length: 40 }, (_, index) => call(index + 1, 'card_block', BLOCK)));
  const refused = await client.next((message) => message.result?.isError === true);
  expect(refused.result?.content?.[0]?.text).toContain('32 calls are under way already. Nothing was sent.');
  expect(refused.result?.structuredContent).toMatchObject({ code: 'BUSY', exitCode: 11, outcome: 'not_sent' });
  expect(posts()).toEqual([]);
  for (const _ of Array(11)) client.send({ jsonrpc: '2.0', id: (await client.question()).id, result: YES });
  await vi.waitFor(() => expect(posts()).toHaveLength(11), 20_000);
  expect(client.running.output().stderr).not.toContain('MaxListeners');
});

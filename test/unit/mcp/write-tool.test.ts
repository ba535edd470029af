import { getEventListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { warning } from '../../../src/base/failure.ts';
import type { Asker } from '../../../src/mcp/asker.ts';
import { WRITE_TOOLS } from '../../../src/mcp/tools.ts';
import { runWriteTool, type WriteRequest } from '../../../src/mcp/write-tool.ts';
import { readHistory } from '../../../src/records/read.ts';
import type { CallOptions } from '../../../src/service/http/call.ts';
import { failureOf, openBench } from '../../support/session-bench.ts';
import { answered } from '../runs/fakes.ts';
import { answer, CARD_ID, card } from '../service/http/fakes.ts';

type Facts = Parameters<typeof openBench>[0];
type Confirmation = Parameters<Asker['ask']>[1];

/** What stands for the request of the client. */
const CTX = { mcpReq: {} } as unknown as ServerContext;
const YES = { shown: undefined };
const GET = `GET /v1/cards/${CARD_ID}`;
const BLOCK = `POST /v1/cards/${CARD_ID}/block {"reason":"lost"}`;
const LOST = { cardId: CARD_ID, reason: 'lost' };

const toolOf = (name: string) => WRITE_TOOLS.find((tool) => tool.name === name) ?? expect.fail(`no tool ${name}`);

/** A person who says yes, unless the test says otherwise; what was asked is noted. */
function stage(facts: Facts = {}, says: Partial<Asker> = {}) {
  // As the environment has it: no settings are stored.
  const bench = openBench({ operation: 'mcp', ...facts, profile: { stored: false, ...facts.profile } });
  const asked: Confirmation[] = [];
  const stopping = new AbortController();
  const abort = new AbortController();
  const asker: Asker = {
    inability: () => undefined,
    answerIn: () => undefined,
    ...says,
    ask: async (ctx, confirmation, cancelled) => {
      asked.push(confirmation);
      expect([ctx, cancelled]).toEqual([CTX, stopping.signal]);
      return says.ask?.(ctx, confirmation, cancelled) ?? YES;
    },
  };
  const call = (name: string, args: WriteRequest['args'], session = bench.session) =>
    runWriteTool(session, asker, toolOf(name), {
      args,
      ctx: CTX,
      warnings: [warning('SLOW', 'the disk is slow')],
      stopping: stopping.signal,
      abort: abort.signal,
    });
  return { ...bench, asked, stopping, abort, call };
}

async function questionOf(of: Parameters<typeof card>[1], args: WriteRequest['args'] = LOST, status = 'ACTIVE') {
  const all = stage({ respond: () => answer(200, card(status, of)) });
  await all.call('card_block', args);
  return messageOf(all) ?? [];
}

const messageOf = ({ asked }: { readonly asked: readonly Confirmation[] }) => asked[0]?.message.split('\n');
const refusing = (refusal: string): Partial<Asker> => ({ ask: async () => ({ refusal }) });
const textsOf = (result: object) =>
  'content' in result ? (result.content as { text: string }[]).map(({ text }) => text) : [];
const LAST = 'An assistant asks for this. Check it against what you were asked to do.';

it('the question shows where the write goes, the card as it is and the fields', async () => {
  const metadata = { store: 'Lisbon', tags: ['a', 'b'] };
  const all = stage({ respond: () => answer(200, card('ACTIVE', { currentBalance: 12.5, metadata })) });
  await all.call('card_block', LOST);
  expect(messageOf(all)).toEqual([
    ...[`block card ${CARD_ID}?`, 'profile: demo', 'host: api.example.com', 'operation: card.block'],
    ...[`id: ${CARD_ID}`, 'field reason: "lost"', 'card status: "ACTIVE"', 'card currentBalance: "12.5"'],
    ...['card initialBalance: "10"', 'card clientReference: "r-1"', 'card expiryDate: "2027-01-01T00:00:00Z"'],
    ...['card updatedAt: "2025-01-02T00:00:00Z"', 'card metadata.store: "Lisbon"'],
    ...['card metadata.tags: "[\\"a\\",\\"b\\"]"', 'A block cannot be undone.', LAST],
  ]);
  const subject = { tool: 'card_block', args: LOST };
  expect(all.asked[0]).toMatchObject({ subject, title: `Yes: block card ${CARD_ID}` });
});

it('the question has no line and no invisible character that the service or the assistant put there', async () => {
  const forged = { clientReference: 'r\nid: other', metadata: { 'a\nid: b': 'c\nid: d\u202e' } };
  const lines = await questionOf(forged, { cardId: CARD_ID, reason: 'lost\nid: other\u202e' });
  expect([lines.filter((line) => line.startsWith('id: ')), lines.length]).toEqual([[`id: ${CARD_ID}`], 14]);
  expect(lines.join('\n')).not.toContain('\u202e');
});

it.each([
  ['a line end', { 'a\nid: b': 'x\ny' }, 'card metadata."a\\nid: b": "x\\ny"'],
  ['a typed \\n', { 'a\\nid: b': 'x\\ny' }, 'card metadata."a\\\\nid: b": "x\\\\ny"'],
  ['a separator of lines', { 'a\u2028id: b': 'x' }, 'card metadata."a<U+2028>id: b": "x"'],
  ['the words of another member', { 'store: "Lisbon" status': 'x' }, 'card metadata."store: \\"Lisbon\\" status": "x"'],
  ['blanks', { 'store now BLOCKED': 'x' }, 'card metadata."store now BLOCKED": "x"'],
  ['a dot', { 'store.city': 'x' }, 'card metadata."store.city": "x"'],
  ['nothing', { '': 'x' }, 'card metadata."": "x"'],
  ['a colon, below another', { store: { 'c:': 'x' } }, 'card metadata.store."c:": "x"'],
  ['more than is shown', { ['n'.repeat(203)]: 'x' }, `card metadata."${'n'.repeat(200)}… (+3)": "x"`],
])('the question quotes the name of a member that holds %s', async (_what, metadata, line) => {
  const lines = await questionOf({ metadata }, { cardId: CARD_ID });
  expect(lines.filter((each) => each.startsWith('card metadata'))).toEqual([line]);
});

it('the question of an event has no id, and shows each field', async () => {
  const all = stage();
  const times = { start: '2026-06-01', end: '2026-06-02' };
  await all.call('event_create', { name: 'Fair\nid: x', calendar: 'cal_1', ...times, active: true, url: null });
  expect(messageOf(all)).toEqual([
    ...['create event "Fair\\nid: x" (start 2026-06-01, calendar cal_1)?', 'profile: demo'],
    ...['host: api.example.com', 'operation: calendar.event.create', 'field name: "Fair\\nid: x"'],
    ...['field calendar: "cal_1"', 'field start: "2026-06-01"', 'field end: "2026-06-02"', 'field active: true'],
    ...['field url: null', LAST],
  ]);
  expect([all.asked[0]?.title, all.sent.length]).toEqual(['Yes: create event', 1]);
});

it('the question says first what an update empties, and its schema what leaving out means', async () => {
  const all = stage({ respond: () => answer(200, { id: 'sub_1' }) });
  await all.call('subscriber_update', { subscriberId: 'sub_1', email: '', first_name: 'Ada', last_name: '' });
  expect(messageOf(all)?.slice(0, 2)).toEqual(['This empties email, last_name.', 'update subscriber sub_1?']);
  const { properties } = toolOf('calendar_update').inputSchema as {
    readonly properties: Readonly<Record<string, { readonly description: string }>>;
  };
  const said = Object.entries(properties).filter(([, { description }]) =>
    description.endsWith('; "" empties it; leaving it out changes nothing'),
  );
  expect(said.map(([name]) => name)).toEqual(['name', 'description', 'image', 'url']);
});

it('the question shows an id as safe text, and warns of what is suspicious in it', async () => {
  const all = stage({ respond: () => answer(200, { id: 'cal\u200b ' }) });
  await all.call('calendar_update', { calendarId: 'cal\u200b ', name: 'Spring' });
  const lines = messageOf(all) ?? [];
  expect(lines.join('\n')).not.toContain('\u200b');
  expect(lines.filter((line) => line.startsWith('warning: the id '))).toHaveLength(2);
  expect(lines).not.toContain('fields: none');
});

it('the question without a field says so', async () => {
  const all = stage();
  await all.call('card_activate', { cardId: CARD_ID });
  expect([messageOf(all)?.[5], messageOf(all)?.at(-1)]).toEqual(['fields: none', LAST]);
});

it('the question says why the card cannot be shown', async () => {
  const all = stage({ respond: (line) => (line === GET ? answer(422, { message: 'a\nid: b' }) : undefined) });
  await all.call('card_block', LOST);
  const lines = messageOf(all) ?? [];
  expect(lines).toHaveLength(9);
  expect(lines[6]).toMatch(/^The card could not be read: (?!could not)/);
});

it('a card full of text is cut to short lines and few members, and never fills the question', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, 'x'.repeat(5000)]));
  const lines = await questionOf({ metadata });
  expect(lines.join('\n').length).toBeLessThan(8000);
  expect(lines[5]).toBe('field reason: "lost"');
  expect(lines).toContain('card metadata: 40 more members');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(260);
});

it('the question counts every value of the metadata that it does not show, at any depth', async () => {
  const store = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}`, 'x']));
  const question = await questionOf({ metadata: { store, owner: { name: 'Ann' } } });
  const lines = question.filter((line) => line.startsWith('card metadata'));
  expect([lines[0], lines.length]).toEqual(['card metadata.store.s0: "x"', 21]);
  expect(lines.at(-1)).toBe('card metadata: 11 more members');
});

it('a card whose members have no room in the question has each member counted that is not shown', async () => {
  const long = 'x'.repeat(300);
  const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`m${index}${long}`, long]));
  const lines = await questionOf({ metadata }, { cardId: CARD_ID, reason: 'r'.repeat(1990) });
  const shown = lines.filter((line) => line.startsWith('card metadata.')).length;
  expect(shown).toBeGreaterThan(5);
  expect(lines.slice(-3)).toEqual([`card metadata: ${30 - shown} more members`, 'A block cannot be undone.', LAST]);
  expect(lines.join('\n').length).toBeLessThan(8000);
});

it('a card that is in that state already has a question that says so', async () => {
  const already = 'The card is BLOCKED already. A yes sends a second block.';
  expect((await questionOf({}, LOST, 'BLOCKED')).slice(-3)).toEqual([already, 'A block cannot be undone.', LAST]);
});

it('without a yes nothing is sent where the escapes of a value make the question too long', async () => {
  const all = stage();
  const refused = await all.call('card_block', { cardId: CARD_ID, reason: '\u202e'.repeat(1900) });
  expect([all.sent, all.asked]).toEqual([[GET], []]);
  expect(textsOf(refused)[0]).toMatch(
    /: no person was asked, because the question would have more than 8000 characters\. Nothing was sent\.\na person can run: frontdesk card block /,
  );
});

it('a yes to a card that changed meanwhile sends nothing, and the history has it', async () => {
  const statuses = ['ACTIVE', 'REISSUED'];
  const respond = (line: string) => (line === GET ? answer(200, card(statuses.shift() ?? 'none')) : undefined);
  const all = stage({ respond });
  expect(await failureOf(all.call('card_block', LOST))).toMatchObject({ code: 'PRECONDITION' });
  expect(all.sent).toEqual([GET, GET]);
  const { entries } = await readHistory(all.session.stateDir(), { limit: 9 });
  const callOutcome = { outcome: 'not_sent', code: 'PRECONDITION' };
  expect(entries).toMatchObject([{ operation: 'card.block', callOutcome }]);
});

it('a yes sends the write once, keeps its record, and gives its answer with the warnings', async () => {
  const all = stage();
  const result = await all.call('card_block', LOST);
  expect(all.sent).toEqual([GET, GET, BLOCK]);
  expect(result).toMatchObject({ structuredContent: { outcome: 'applied', exitCode: 0, httpStatus: 200 } });
  expect(textsOf(result)[1]).toBe('warning: the disk is slow');
  expect((await readHistory(all.session.stateDir(), { limit: 9 })).entries).toMatchObject([
    { operation: 'card.block', id: CARD_ID, reason: 'lost', callOutcome: { outcome: 'applied' } },
  ]);
});

it('a yes that a call brings along is looked for with its arguments, and not asked for again', async () => {
  const subjects: unknown[] = [];
  const answerIn: Asker['answerIn'] = (ctx, subject) => (subjects.push(ctx, subject) > 0 ? YES : undefined);
  const all = stage({}, { answerIn, inability: () => 'it cannot' });
  await all.call('card_block', LOST);
  expect([all.sent, all.asked, subjects]).toEqual([[BLOCK], [], [CTX, { tool: 'card_block', args: LOST }]]);
});

it('a yes is compared with the card that its own question showed, where two equal questions are open', async () => {
  let status = 'ACTIVE';
  const answers: ((given: typeof YES) => void)[] = [];
  const reissue = `POST /v1/cards/${CARD_ID}/reissue {}`;
  const respond = (line: string) => {
    if (line === GET) return answer(200, card(status));
    status = 'REISSUED';
    return answer(200, card('ACTIVE', { cardId: CARD_ID.replace('0', '1') }));
  };
  const all = stage({ respond }, { ask: () => new Promise((resolve) => answers.push(resolve)) });
  const calls = [all.call('card_reissue', { cardId: CARD_ID }), all.call('card_reissue', { cardId: CARD_ID })];
  await expect.poll(() => answers.length).toBe(2);
  // Either of the two may have been asked first.
  answers[0]?.(YES);
  await Promise.race(calls);
  answers[1]?.(YES);
  const ends = await Promise.allSettled(calls);
  expect(ends.filter(({ status: how }) => how === 'fulfilled')).toHaveLength(1);
  expect(ends.find(({ status: how }) => how === 'rejected')).toMatchObject({ reason: { code: 'PRECONDITION' } });
  expect(all.sent.filter((line) => line === reissue)).toHaveLength(1);
});

/** Stores settings, as another process may do it while a server of assistants runs. */
function store({ folder }: { readonly folder: string }, profiles: object): void {
  mkdirSync(join(folder, 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'config/settings.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
}

const URLS = { cardsUrl: 'https://api.example.com', calendarUrl: 'https://api.example.com' };

it.each([
  [{ demo: { ...URLS, readOnly: true } }, 'FORBIDDEN'],
  [{ demo: { ...URLS, requireReason: 'T-[0-9]+' } }, 'USAGE'],
  [{ demo: { ...URLS, cardsUrl: 'https://other.example.com' } }, 'USAGE'],
  [{ demo: { ...URLS, calendarUrl: 'https://other.example.com' } }, 'USAGE'],
  [{ other: URLS }, 'USAGE'],
])('a profile that is made %j while a server runs is heard, by a call and by a yes', async (profiles, code) => {
  const facts = { profile: { stored: true } };
  const change = async () => {
    store(all, profiles);
    return YES;
  };
  const all = stage(facts, { ask: change });
  const changes = () => all.sent.filter((line) => line !== GET);
  store(all, { demo: URLS });
  expect(await failureOf(all.call('card_block', LOST))).toMatchObject({ code });
  expect([changes(), all.asked.length]).toEqual([[], 1]);
  expect(await failureOf(all.call('card_block', LOST))).toMatchObject({ code });
  expect([changes(), all.asked.length, all.names('state')]).toEqual([[], 1, []]);
});

it('a yes to a write that fails throws its failure', async () => {
  const all = stage({ respond: (line) => (line === GET ? undefined : answer(422)) });
  expect(await failureOf(all.call('card_block', LOST))).toMatchObject({ code: 'REJECTED' });
});

const NO = { outcome: 'not_sent', code: 'CANCELLED', exitCode: 130 };
const person = (command: string) => `a person can run: ${command}`;

it.each([
  ['an update without a field', {}, 'nothing to change'],
  ['half a surrogate pair', { name: 'A\ud800B', description: '💳' }, 'name: has half of a surrogate pair: a'],
  ['a text that lost a character', { name: 'caf\ufffd' }, 'name: a character of it is lost, because it is not UTF-8'],
])('%s is refused, and nobody is asked', async (_what, fields, said) => {
  const all = stage({});
  expect((await failureOf(all.call('calendar_update', { calendarId: 'cal_1', ...fields }))).message).toContain(said);
  expect([all.sent, all.asked]).toEqual([[], []]);
});

it('an ID with a lost character is refused, and what looks unintended in a field stands in the question', async () => {
  const all = stage();
  expect(await failureOf(all.call('calendar_update', { calendarId: 'c\ufffd', name: 'x' }))).toMatchObject({
    code: 'USAGE',
    faults: [{ where: 'calendarId', problem: 'a character of it is lost, because it is not UTF-8' }],
  });
  await all.call('subscriber_update', { subscriberId: 's1', email: 'nobody' });
  expect(messageOf(all)).toContain('warning: email has no @, and is sent as given');
});

it('after a no nothing is sent, and the result has the command to run instead', async () => {
  const all = stage({}, refusing('the person said no'));
  const result = await all.call('card_block', { cardId: CARD_ID, reason: "Kari's" });
  expect(all.sent).toEqual([GET]);
  expect(result).toMatchObject({ isError: true, structuredContent: NO });
  expect(textsOf(result)).toEqual([
    `did not block card ${CARD_ID}: the person said no. Nothing was sent.\n` +
      person(`frontdesk card block ${CARD_ID} --reason 'Kari'\\''s'`),
  ]);
});

it('without a yes nothing is sent where the call brings a no along', async () => {
  const all = stage({}, { answerIn: () => ({ refusal: 'the box was not ticked' }) });
  const result = await all.call('card_activate', { cardId: CARD_ID });
  expect([all.sent, all.asked]).toEqual([[], []]);
  expect(textsOf(result)).toEqual([
    `did not activate card ${CARD_ID}: the box was not ticked. Nothing was sent.\n` +
      person(`frontdesk card activate ${CARD_ID}`),
  ]);
});

it('without a yes nothing is sent where the client cannot ask, and nothing is read', async () => {
  const all = stage({ profile: { namedBy: '--profile' as never } }, { inability: () => 'it cannot' });
  const result = await all.call('calendar_update', { calendarId: '-x y', name: 'a b', active: false });
  expect([all.sent, all.asked]).toEqual([[], []]);
  expect(textsOf(result)).toEqual([
    'did not update calendar "-x y": it cannot. Nothing was sent.\n' +
      person(`frontdesk calendar update --name 'a b' --active false -p demo -- '-x y'`),
  ]);
});

it('without a yes nothing is sent of what has no id yet, and a member that is to be empty', async () => {
  const all = stage({}, refusing('no'));
  const event = { calendar: 'cal_1', name: 'say "no"', start: '2026-06-01', url: null };
  expect(textsOf(await all.call('event_create', event))[0]?.split('\n')[1]).toBe(
    person(`frontdesk calendar event create --calendar cal_1 --name 'say "no"' --start 2026-06-01 --no-url`),
  );
  expect(messageOf(all)).toContain(String.raw`field name: "say \"no\""`);
});

it('without a yes nothing is sent and the tokens are taken out of what is said', async () => {
  const all = stage({ output: { mask: (text: string) => text.replaceAll('lost', '***') } }, refusing('no'));
  expect(textsOf(await all.call('card_block', LOST)).join('')).toMatch(/--reason \*\*\*$/);
});

it('without a yes nothing is sent while the question is with the client', async () => {
  const asked = { inputRequests: {}, requestState: 'q1' };
  const all = stage({}, { ask: async () => asked });
  expect(await all.call('card_block', LOST)).toMatchObject({ requestState: 'q1' });
  expect(all.sent).toEqual([GET]);
});

it('without a yes nothing is sent where the client takes the call back with its answer', async () => {
  const all = stage();
  all.stopping.abort();
  const result = await all.call('card_block', LOST);
  expect(all.sent).toEqual([GET]);
  expect(textsOf(result)[0]).toContain('the call was cancelled. Nothing was sent.');
  // One that comes right behind the answer is heard as well.
  const late = stage({}, { answerIn: () => YES });
  const calling = late.call('card_block', LOST);
  late.stopping.abort();
  expect(textsOf(await calling)[0]).toContain('the call was cancelled. Nothing was sent.');
  expect(late.sent).toEqual([]);
});

it('without a yes nothing is sent where writes are forbidden or a reason is missing, and no person is asked', async () => {
  const all = stage({ profile: { readOnly: true } });
  expect(await failureOf(all.call('card_block', LOST))).toMatchObject({ code: 'FORBIDDEN' });
  const strict = stage({ profile: { requireReason: 'OPS-' } });
  expect(await failureOf(strict.call('card_block', LOST))).toMatchObject({ code: 'USAGE' });
  expect([all.sent, all.asked, strict.sent, strict.asked]).toEqual([[], [], [], []]);
  await strict.call('card_block', { cardId: CARD_ID, reason: 'OPS-1' });
  expect(strict.sent).toHaveLength(3);
});

it('without a yes nothing is sent where a value is too long to be shown whole', async () => {
  const why = (name: string, count: number) =>
    `no person was asked, because ${name} has ${count} characters, and a question shows at most 2000`;
  const all = stage();
  const long = await all.call('calendar_update', { calendarId: 'c', name: 'a', description: 'é'.repeat(2001) });
  const longId = await all.call('calendar_update', { calendarId: 'i'.repeat(2002), name: 'a' });
  expect([all.sent, all.asked]).toEqual([[], []]);
  expect(textsOf(long)[0]).toContain(why('description', 2001));
  expect(textsOf(longId)[0]).toContain(why('id', 2002));
  await all.call('calendar_update', { calendarId: 'c', name: 'a', description: '💳'.repeat(2000) });
  expect(all.sent).toHaveLength(1);
});

/** A service that answers when the test says so; what the call was given to end it is handed out. */
function underWay(onService: (stopping: AbortController) => void = () => undefined) {
  const all = stage({}, { answerIn: () => YES });
  let hand: (how: CallOptions) => void;
  let end: () => void = () => expect.fail('nothing was sent');
  const given = new Promise<CallOptions>((resolve) => {
    hand = resolve;
  });
  const client = {
    call: (_: unknown, how: CallOptions) => {
      hand(how);
      return new Promise((resolve) => {
        end = () => resolve(answered());
      });
    },
  };
  const service = async () => {
    onService(all.stopping);
    return { ...(await all.session.service('cards')), client };
  };
  const calling = all.call('card_block', LOST, { ...all.session, service } as never);
  return { ...all, calling, given, end: () => end() };
}

it('a write under way hears that the client cancelled it, and has 5 seconds for its answer', async () => {
  const { calling, given, end, stopping, clock } = underWay();
  const { stopping: stopped, abort } = await given;
  expect([stopped, abort?.aborted]).toEqual([stopping.signal, false]);
  const over = new Promise((resolve) => abort?.addEventListener('abort', resolve));
  const before = clock.ms;
  stopping.abort();
  expect(abort?.aborted).toBe(false);
  await over;
  expect(clock.ms - before).toBe(5000);
  end();
  expect(await calling).toMatchObject({ structuredContent: { outcome: 'applied' } });
});

it('a write under way leaves no listener at the signals of the server, which live on', async () => {
  const { calling, given, end, stopping, abort } = underWay();
  await given;
  const listeners = () => [stopping.signal, abort.signal].map((signal) => getEventListeners(signal, 'abort').length);
  expect(listeners()).toEqual([1, 1]);
  end();
  await calling;
  expect(listeners()).toEqual([0, 0]);
});

it('a write under way that is cancelled right before it leaves has them as well', async () => {
  const { given, calling, end, clock } = underWay((stopping) => stopping.abort());
  const sleep = clock.sleep.bind(clock);
  // The beginning is on the disk long before the five seconds are over.
  clock.sleep = async (ms, signal) => {
    if (ms > 0) await given;
    return sleep(ms, signal);
  };
  const { abort } = await given;
  await new Promise((resolve) => abort?.addEventListener('abort', resolve));
  expect(clock.ms).toBe(5000);
  end();
  await calling;
});

it('a write under way that is answered in time waits no longer', async () => {
  const { calling, given, end, stopping, clock } = underWay();
  await given;
  const waits: (AbortSignal | undefined)[] = [];
  clock.sleep = (ms, signal) => {
    expect(ms).toBe(5000);
    waits.push(signal);
    return new Promise(() => undefined);
  };
  stopping.abort();
  end();
  await calling;
  expect(waits.map((signal) => signal?.aborted)).toEqual([true]);
});

it('a write under way is given up when the server ends', async () => {
  const { calling, given, end, abort } = underWay();
  const { abort: aborted } = await given;
  abort.abort();
  expect(aborted?.aborted).toBe(true);
  end();
  await calling;
});

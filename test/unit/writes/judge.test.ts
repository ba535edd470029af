import { expect, it } from 'vitest';
import { Failure, type FailureCode } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json/value.ts';
import { hintText } from '../../../src/base/next-step.ts';
import { SentElsewhere } from '../../../src/records/once.ts';
import type { OpenWrite } from '../../../src/records/open-files.ts';
import { failedCall } from '../../../src/records/row-outcome.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { type Attempted, type AttemptPorts, attempt } from '../../../src/writes/attempt.ts';
import {
  type CardReading,
  type Held,
  heldBy,
  heldFailure,
  isForNow,
  judge,
  judgeRecords,
  knownOf,
  needsCard,
  otherBalance,
  readingOf,
  skipText,
  type Write,
} from '../../../src/writes/judge.ts';
import { NOTHING, type OpenBefore } from '../../../src/writes/open-guard.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { answered } from '../runs/fakes.ts';

const card = (text: string) => parseJson(text) as JsonObject;
const block = (more: Partial<Write>): Write => ({
  call: { operation: OPERATIONS.cardBlock, params: { cardId: 'c' }, query: {}, body: undefined },
  id: 'c',
  expects: [],
  ...more,
});

const BLOCKED = { status: ['BLOCKED'] };
const BOTH = { status: ['BLOCKED'], currentBalance: ['0'] };

it.each<[string, string, Readonly<Record<string, string[]>>, string | undefined]>([
  ['one of its values', '{"status":"BLOCKED"}', { status: ['REISSUED', 'BLOCKED'] }, 'the card is BLOCKED already'],
  ['none of them', '{"status":"ACTIVE"}', BLOCKED, undefined],
  ['another case', '{"status":"Blocked"}', BLOCKED, undefined],
  ['an equal number', '{"currentBalance":0.00}', { currentBalance: ['0'] }, 'its currentBalance is 0 already'],
  ['null', '{"cancelledAt":null}', { cancelledAt: ['null'] }, 'its cancelledAt is null already'],
  ['an empty text, of a field that is null', '{"cancelledAt":null}', { cancelledAt: [''] }, undefined],
  ['an empty text, of a field that is absent', '{}', { 'metadata.done': [''] }, undefined],
  ['all', '{"status":"BLOCKED","currentBalance":0}', BOTH, 'the card is BLOCKED and its currentBalance is 0 already'],
  ['not all of several', '{"status":"BLOCKED","currentBalance":1}', BOTH, undefined],
])('a change is left out where --skip-if names %s', (_what, text, named, said) => {
  const write = block({ skipIf: Object.entries(named).map(([field, values]) => ({ field, values })) });
  expect(skipText(write, card(text))).toBe(said);
  expect(judge(write, { card: card(text) })).toEqual(said === undefined ? 'go' : { skipped: card(text) });
});

it('what is expected counts before --skip-if, which counts before the status that a question showed', () => {
  const skipIf = [{ field: 'status', values: ['BLOCKED'] }];
  const look = { card: card('{"status":"BLOCKED"}') };
  expect(judge(block({ expects: [{ field: 'status', value: 'ACTIVE' }], skipIf }), look)).toEqual({
    held: { why: 'expected', text: 'status is "BLOCKED", not "ACTIVE"', ...look },
  });
  expect(judge(block({ skipIf, shown: 'ACTIVE' }), look)).toEqual({ skipped: look.card });
});

const PLANNED = { before: card('{"status":"ACTIVE","updatedAt":"b"}'), about: card('{"clientReference":"r"}') };
const STATUS = { field: 'status', value: 'ACTIVE' };

it.each<[string, Partial<Write>, boolean]>([
  ['nothing is asked of its card', {}, false],
  ['something is expected', { expects: [STATUS] }, true],
  ['something is left out', { skipIf: [{ field: 'status', values: ['BLOCKED'] }] }, true],
  ['it was planned', { planned: { before: undefined, about: undefined } }, true],
  ['a question showed a status', { shown: 'ACTIVE' }, true],
  ['it is planned now', { mustRead: true }, true],
])('a change needs its card, or not, where %s', (_what, more, expected) => {
  expect(needsCard(block(more))).toBe(expected);
});

const NOT_READ = 'the card could not be read: x';
const NOT_COMPARED = 'the card cannot be compared with the plan: x';

// Whether a change is sent that needs no card, whether a resume tries it again, and what is said of one change, and of a
// planned one.
it.each<[FailureCode, 'go' | 'held', 'again' | 'never', string, FailureCode, string]>([
  ['AUTH', 'held', 'never', NOT_READ, 'AUTH', NOT_READ],
  ['CANCELLED', 'held', 'never', 'x', 'CANCELLED', 'x'],
  ['FORBIDDEN', 'held', 'never', NOT_READ, 'PRECONDITION', NOT_COMPARED],
  ['NOT_FOUND', 'held', 'never', 'x', 'PRECONDITION', NOT_COMPARED],
  ['PRECONDITION', 'go', 'never', 'x', 'PRECONDITION', NOT_COMPARED],
  ['REJECTED', 'go', 'never', NOT_READ, 'PRECONDITION', NOT_COMPARED],
  ['BUSY', 'go', 'again', NOT_READ, 'PRECONDITION', NOT_COMPARED],
  ['BAD_REPLY', 'go', 'again', NOT_READ, 'PRECONDITION', NOT_COMPARED],
  ['USAGE', 'go', 'never', NOT_READ, 'USAGE', NOT_READ],
  ['UNREACHABLE', 'go', 'never', NOT_READ, 'UNREACHABLE', NOT_READ],
  ['LOCAL_IO', 'go', 'never', NOT_READ, 'LOCAL_IO', NOT_READ],
  ['INTERNAL', 'go', 'never', NOT_READ, 'INTERNAL', NOT_READ],
])('a read that failed with %s holds a change, and why', (code, otherwise, later, said, plannedCode, saidOfPlan) => {
  const http = { status: 400 };
  const look = { failure: new Failure(code, 'x', { attempted: 'get card c', hints: ['look'], details: { http } }) };
  const held: Held = { why: 'unread', ...look };
  expect(judge(block({ expects: [STATUS] }), look)).toEqual({ held });
  expect([judge(block({}), look), isForNow(held)]).toEqual([otherwise === 'held' ? { held } : 'go', later === 'again']);
  const more = { after: 'unsent', hints: ['look'], details: { http, outcome: 'not_sent' } };
  const planned = { before: undefined, about: undefined };
  expect([block({}), block({ planned })].map((write) => heldFailure(write, held))).toMatchObject([
    { code, problem: said, ...more },
    { code: plannedCode, problem: saidOfPlan, ...more },
  ]);
});

const entry = (id: string, outcome = 'applied') => {
  return {
    entry: id,
    time: '2026-05-01T12:00:00.000Z',
    operation: 'card.block',
    profile: 'demo',
    callOutcome: { outcome },
  } as OpenWrite;
};
const repeats = (repeated: readonly OpenWrite[], same: readonly OpenWrite[] = []): Held => ({
  why: 'repeats',
  before: { ...NOTHING, repeated, same },
});
const noRecords = new Failure('LOCAL_IO', 'no space', { attempted: 'read the records', hints: ['make space'] });
const ANYWAY = 'add --again to send it anyway';
const RESOLVE = 'record what you found out with: frontdesk history resolve';

it.each<[string, Held, 'again' | 'never', FailureCode, readonly string[], Partial<Write>?]>([
  ['could not read the records: no space', { why: 'records', failure: noRecords }, 'again', 'LOCAL_IO', ['make space']],
  [
    'the same card block of 1 May 2026, 12:00 UTC is open (entry e2), and this would make a second one',
    repeats([entry('e1'), entry('e2')], [entry('s')]),
    'again',
    'PRECONDITION',
    [`${RESOLVE} e2 --as <applied|not_applied>`, ANYWAY],
  ],
  [
    'the same card block was sent at 1 May 2026, 12:00 UTC (entry s2), and this would make a second one',
    repeats([], [entry('s1'), entry('s2')]),
    'never',
    'PRECONDITION',
    ['see how it ended: frontdesk history show s2', ANYWAY],
  ],
  [
    'the same card block of 1 May 2026, 12:00 UTC is open (entry e). The question did not name it, and this would make a second one',
    heldBy(new SentElsewhere(entry('e'), true)),
    'again',
    'PRECONDITION',
    [`${RESOLVE} e --as <applied|not_applied>`, ANYWAY],
    { since: { ms: 1 } },
  ],
  [
    'the same card block was sent at 1 May 2026, 12:00 UTC (entry s), and this would make a second one',
    heldBy(new SentElsewhere(entry('s'), false)),
    'never',
    'PRECONDITION',
    ['see how it ended: frontdesk history show s', ANYWAY],
  ],
  [
    'the same card block was sent at 1 May 2026, 12:00 UTC (entry u), and this would make a second one',
    heldBy(new SentElsewhere(entry('u', 'unknown'), false)),
    'again',
    'PRECONDITION',
    ['see how it ended: frontdesk history show u', ANYWAY],
  ],
  ['x', { why: 'expected', text: 'x' }, 'never', 'PRECONDITION', ['check that this is the right card']],
  ['x', { why: 'shown', text: 'x' }, 'never', 'PRECONDITION', ['check the card, then decide again']],
  ['x', { why: 'planned', text: 'x' }, 'never', 'PRECONDITION', []],
  ['no credential', { why: 'unread', failure: new Failure('AUTH', 'no credential') }, 'never', 'AUTH', []],
])('a change is held back: %s', (why, held, later, code, hints, more = {}) => {
  const failure = heldFailure(block(more), held);
  expect(failure.message).toBe(`could not block card c: ${why}. Nothing was sent.`);
  expect(failure.hints.map(hintText)).toEqual(hints);
  expect(failure).toMatchObject({ code, details: { id: 'c', outcome: 'not_sent' } });
  expect(isForNow(held)).toBe(later === 'again');
});

it('a change without an id of its own is held back with the one of its read', () => {
  const failure = new Failure('BUSY', 'x', { details: { id: 'd' } });
  expect(heldFailure(block({ id: undefined }), { why: 'unread', failure }).details.id).toBe('d');
});

it.each<[string | undefined, string, string | undefined]>([
  ['{"currentBalance":10.00}', '{"currentBalance":10}', undefined],
  ['{"currentBalance":10.00}', '{"currentBalance":5.00}', '5.00, was 10.00 when planned'],
  ['{"currentBalance":10.00}', '{}', 'absent, was 10.00 when planned'],
  ['{}', '{"currentBalance":5.00}', '5.00, was absent when planned'],
  ['{"currentBalance":0}', '{"currentBalance":null}', 'null, was 0 when planned'],
  ['{}', '{}', undefined],
  [undefined, '{"currentBalance":5}', '5, was absent when planned'],
])('a balance of %s when planned and of %s now is reported', (about, now, said) => {
  const planned = { before: undefined, about: about === undefined ? undefined : card(about) };
  expect(otherBalance(block({ planned }), { card: card(now) })).toBe(said);
  expect(otherBalance(block({}), { card: card(now) })).toBeUndefined();
  expect(otherBalance(block({ planned }), undefined)).toBeUndefined();
  expect(otherBalance(block({ planned }), { failure: noRecords })).toBeUndefined();
});

it('what is known of a card is its status and time, and what names it, as its read had them', () => {
  const resource = card('{"status":"ACTIVE","x":1,"updatedAt":"u","clientReference":"r","currentBalance":1.50}');
  expect(knownOf(resource)).toEqual({
    before: card('{"status":"ACTIVE","updatedAt":"u"}'),
    about: card('{"clientReference":"r","currentBalance":1.50}'),
  });
  const [read, failed] = [answered(resource), failedCall(noRecords)];
  expect(readingOf(read)).toEqual({ card: resource, callOutcome: read.callOutcome });
  expect(readingOf(answered(null))).toMatchObject({ card: new Map() });
  expect(readingOf(failed)).toEqual({ failure: noRecords, callOutcome: failed.callOutcome });
});

const BARE = { before: undefined, about: undefined };
const BARELY = { planned: BARE };
const AS_PLANNED = { planned: PLANNED };
const DIGITS = { ...BARE, before: card('{"updatedAt":1.10}') };
const CHANGED = 'the card changed before you answered: its status was ACTIVE, and is';

it.each<[Partial<Write>, string, 'planned' | 'shown' | 'go', string?]>([
  [{}, '{"status":"BLOCKED"}', 'go'],
  [AS_PLANNED, '{"status":"ACTIVE","updatedAt":"b","clientReference":"r","currentBalance":1}', 'go'],
  [
    AS_PLANNED,
    '{"status":"X","updatedAt":"b","clientReference":"r"}',
    'planned',
    'status is X, was ACTIVE when planned',
  ],
  [
    AS_PLANNED,
    '{"status":"ACTIVE","updatedAt":7}',
    'planned',
    'updatedAt is 7, was b when planned; clientReference is absent, was r when planned',
  ],
  [BARELY, '{"status":"ACTIVE"}', 'planned', 'status is ACTIVE, was absent when planned'],
  [BARELY, '{"status":["A"]}', 'planned', `status is "['A']", was absent when planned`],
  [{ planned: DIGITS }, '{"updatedAt":1.1}', 'planned', 'updatedAt is 1.1, was 1.10 when planned'],
  [{ shown: 'ACTIVE' }, '{"status":"BLOCKED"}', 'shown', `${CHANGED} BLOCKED`],
  [{ shown: 'ACTIVE' }, '{}', 'shown', `${CHANGED} not there`],
  [{ shown: 'BLOCKED' }, '{"status":"BLOCKED"}', 'go'],
])('a change of which is known %o is judged by its card %s', (more, text, why, said) => {
  expect(judge(block(more), { card: card(text) })).toEqual(
    why === 'go' ? 'go' : { held: { why, text: said, card: card(text) } },
  );
});

it('a change whose card was not read is sent', () => expect(judge(block({}), undefined)).toBe('go'));

it('records hold a change that cannot be compared with them, or that they have and nobody was told of', () => {
  const [open, sent] = ['open', 'sent'].map((entry) => ({ entry }) as OpenWrite);
  const before = { ...NOTHING, repeated: [open], same: [sent] } as OpenBefore;
  const unread = new Failure('LOCAL_IO', 'x');
  expect(judgeRecords(block({}), NOTHING)).toBeUndefined();
  expect(judgeRecords(block({ isAgain: true }), { ...NOTHING, unread })).toEqual({ why: 'records', failure: unread });
  expect(judgeRecords(block({}), before)).toEqual({ why: 'repeats', before });
  expect(judgeRecords(block({ named: ['open'] }), before)).toEqual({
    why: 'repeats',
    before: { ...before, repeated: [] },
  });
  expect(judgeRecords(block({ named: ['open', 'sent'] }), before)).toBeUndefined();
  expect(judgeRecords(block({ isAgain: true }), before)).toBeUndefined();
});

const STATUSES = ['ACTIVE', 'BLOCKED', 'EXPIRED'];
const REFUSED: readonly FailureCode[] = ['AUTH', 'FORBIDDEN', 'NOT_FOUND', 'CANCELLED'];

/** One attempt in a random world, and what was done in it. */
async function play(seed: number) {
  const chance = new SeededRandom(seed);
  const random = () => chance.next();
  const maybe = (share = 0.5) => random() < share;
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const did: string[] = [];
  const looks: CardReading[] = [];
  const status = () => (maybe(0.7) ? 'ACTIVE' : pick(STATUSES));
  const wanted: Write = {
    call: { ...CALL, operation: pick([OPERATIONS.cardBlock, OPERATIONS.cardReissue]) },
    id: 'c',
    expects: maybe(0.3) ? [{ field: 'status', value: status() }] : [],
    skipIf: maybe(0.3) ? [{ field: 'status', values: [pick(STATUSES)] }] : [],
    planned: maybe(0.2) ? { before: new Map<string, JsonValue>([['status', status()]]), about: undefined } : undefined,
    shown: maybe(0.1) ? status() : undefined,
    isAgain: maybe(0.2),
  };
  const entry = { entry: 'e' } as OpenWrite;
  const open: OpenBefore = maybe(0.8)
    ? NOTHING
    : maybe(0.3)
      ? { ...NOTHING, unread: new Failure('LOCAL_IO', 'no records') }
      : { ...NOTHING, open: [entry], repeated: maybe() ? [entry] : [] };
  const yes = maybe(0.7);
  const isAsked = maybe();
  const seesCard = maybe(0.8);
  const ports: AttemptPorts<'no'> = {
    open: async () => {
      did.push('open');
      return open;
    },
    readCard: async () => {
      did.push('read');
      const look: CardReading = maybe(0.15)
        ? { failure: new Failure(pick([...REFUSED, 'BAD_REPLY', 'BUSY', 'UNREACHABLE']), 'x') }
        : { card: new Map([['status', status()]]) };
      looks.push(look);
      return look;
    },
    decide: isAsked
      ? {
          seesCard,
          ask: async ({ write }) => {
            did.push('ask');
            return yes ? { yes: { ...write, reason: 'r' } } : { no: 'no' };
          },
        }
      : undefined,
    withdraw: async () => void did.push('withdraw'),
    send: async () => {
      did.push('send');
      return answered();
    },
  };
  const end = await attempt(wanted, ports);
  return { wanted, open, looks, did, end, yes, isAsked, seesCard };
}

type Played = Awaited<ReturnType<typeof play>>;

/** What was sent was judged on the last read, and is what was shown. */
function checkSent({ wanted, looks, did, yes, isAsked }: Played) {
  expect(isAsked && !yes).toBe(false);
  const cards = looks.flatMap((look) => ('card' in look ? [look.card.get('status')] : []));
  if (needsCard(wanted)) expect(looks.at(-1)).toHaveProperty('card');
  for (const now of cards) {
    for (const { value } of wanted.expects) expect(now).toBe(value);
    for (const { values } of wanted.skipIf ?? []) expect(values).not.toContain(now);
    if (wanted.planned !== undefined) expect(now).toBe(wanted.planned.before?.get('status'));
    if (wanted.shown !== undefined && !isAsked) expect(now).toBe(wanted.shown);
  }
  const [first] = looks;
  if (!isAsked || first === undefined || !('card' in first)) return;
  expect(did.filter((each) => each === 'read')).toHaveLength(2);
  expect(new Set(cards).size).toBe(1);
}

it('whatever the world is like, what was judged and shown is what is sent', async () => {
  for (let seed = 1; seed <= 5_000; seed += 1) {
    const played = await play(seed);
    const { wanted, open, did, end, yes, isAsked } = played;
    // The records first, at most one read before a question and one after it, at most one send, last.
    expect(did.join(' '), `${seed}`).toMatch(/^open(?: read)?(?: ask(?: open(?: read)?)?)?(?: withdraw| send)?$/);
    expect(did.includes('send')).toBe(end.kind === 'ended');
    if (open.unread !== undefined || (open.repeated.length > 0 && !wanted.isAgain && !isAsked))
      expect(did.filter((each) => each !== 'withdraw')).toEqual(['open']);
    if (did.includes('ask') && !yes) expect(end.kind).toBe('no');
    if (end.kind === 'ended') checkSent(played);
    const wasDecided = (did.includes('ask') && yes) || wanted.shown !== undefined;
    expect(did.includes('withdraw'), `${seed}`).toBe(end.kind === 'held' && wasDecided);
    if (end.kind === 'skipped')
      expect(judge({ ...wanted, shown: undefined }, { card: end.card })).toHaveProperty('skipped');
  }
});

const CALL = { operation: OPERATIONS.cardBlock, params: { cardId: 'c' }, query: {}, body: undefined };
const read = (text: string): CardReading => ({ card: parseJson(text) as JsonObject });
const ACTIVE = read('{"status":"ACTIVE","clientReference":"r","currentBalance":5}');
const NO_RECORDS: Held = { why: 'records', failure: new Failure('LOCAL_IO', 'x') };
const [e1, e2] = ['e1', 'e2'].map((entry) => ({ entry }) as OpenWrite);
const REPEATED = { ...NOTHING, repeated: [e1], same: [e2], since: { ms: 7 } } as OpenBefore;
/** What a change knows of the card above. */
const seen = (when: string): Partial<Write> => ({
  seen: { status: 'ACTIVE', clientReference: 'r' },
  call: { ...CALL, before: { status: 'ACTIVE', when } },
});
const planned = {
  before: new Map([['status', 'ACTIVE']]),
  about: parseJson('{"clientReference":"r","currentBalance":10}') as JsonObject,
};

interface World {
  readonly open?: OpenBefore;
  readonly reading?: CardReading;
  readonly says?: 'yes' | 'no';
  readonly seesCard?: boolean;
  readonly held?: Held;
}

async function attemptIn({ open, reading = ACTIVE, says, seesCard = false, held }: World, wanted: Write) {
  const did: string[] = [];
  const ask = async ({ write }: { readonly write: Write }) => {
    did.push('ask');
    return says === 'yes' ? { yes: write } : { no: 'no' as const };
  };
  const ports: AttemptPorts<'no'> = {
    open: open && (async () => open),
    readCard: async () => {
      did.push('read');
      return reading;
    },
    decide: says && { seesCard, ask },
    send: async () => {
      did.push('send');
      return held === undefined ? answered() : { kind: 'held', held };
    },
  };
  const unheard = await attempt(wanted, ports);
  did.length = 0;
  const end = await attempt(wanted, {
    ...ports,
    withdraw: async (_, { why }) => void did.push(`withdraw: ${why}`),
    onOtherBalance: async (text) => void did.push(text),
  });
  expect(unheard).toEqual(end);
  return { did, end };
}

// What is known of the change at its end, besides what it began with.
const ENDED = { kind: 'ended' } as const;
const SKIPPED = { skipIf: [{ field: 'status', values: ['ACTIVE'] }] };
const BEFORE_SENT = seen('before it was sent');
const SHOWN = 'the card changed before you answered: its status was BLOCKED, and is ACTIVE';
const held = (held: Held) => ({ kind: 'held', held }) as const;
const OTHERWISE = held({ why: 'shown', text: SHOWN });

const BLOCKED_EXPECTED = { expects: [{ field: 'status', value: 'BLOCKED' }] };
const UNEXPECTED = held({ why: 'expected', text: 'status is "ACTIVE", not "BLOCKED"' });
const SAW = { says: 'yes', seesCard: true } as const;
const SAW_OPEN = { ...SAW, open: REPEATED };
const SAW_NONE = { ...SAW, reading: { failure: new Failure('BUSY', 'x') } };
const CONFIRMED = { ...seen('before you confirmed'), shown: 'ACTIVE', named: ['e1', 'e2'], since: { ms: 7 } };
const SURE = { says: 'yes', held: NO_RECORDS } as const;

it.each<[string, Partial<Write>, World, string[], Partial<Attempted<'no'>>, Partial<Write>?]>([
  ['needs no card', {}, {}, ['send'], ENDED, {}],
  ['is planned', { mustRead: true }, {}, ['read', 'send'], ENDED, BEFORE_SENT],
  ['has seen its card', { mustRead: true, seen: {} }, {}, ['read', 'send'], ENDED, {}],
  ['has a card without a status', { mustRead: true }, { reading: read('{}') }, ['read', 'send'], ENDED, { seen: {} }],
  ['is confirmed, card and open writes seen', {}, SAW_OPEN, ['read', 'ask', 'read', 'send'], ENDED, CONFIRMED],
  ['is confirmed, the card seen as unreadable', {}, SAW_NONE, ['read', 'ask', 'send'], ENDED, { named: [] }],
  ['is confirmed without its card', {}, { says: 'yes' }, ['ask', 'send'], ENDED, { named: [] }],
  ['is declined', {}, { says: 'no' }, ['ask'], { kind: 'no', no: 'no' }],
  ['is planned with another balance', { planned }, {}, ['read', '5, was 10 when planned', 'send'], ENDED, BEFORE_SENT],
  ['is open already', {}, { open: REPEATED }, [], held({ why: 'repeats', before: REPEATED }), {}],
  ['expects another status', BLOCKED_EXPECTED, {}, ['read'], UNEXPECTED, BEFORE_SENT],
  ['was seen otherwise', { shown: 'BLOCKED' }, {}, ['read', 'withdraw: shown'], OTHERWISE, BEFORE_SENT],
  ['is left out', SKIPPED, {}, ['read'], { kind: 'skipped', ...ACTIVE }, BEFORE_SENT],
  ['is held at the last moment', {}, { held: NO_RECORDS }, ['send'], held(NO_RECORDS), {}],
  ['is held then, but confirmed', {}, SURE, ['ask', 'send', 'withdraw: records'], held(NO_RECORDS), { named: [] }],
])('a change that %s', async (_what, more, world, steps, expected, known) => {
  const wanted = { call: CALL, id: 'c', expects: [], ...more };
  const { did, end } = await attemptIn(world, wanted);
  expect(did).toEqual(steps);
  expect(end).toMatchObject(expected);
  expect('write' in end ? end.write : undefined).toEqual(known && { ...wanted, ...known });
});

import { expect, it } from 'vitest';
import { Failure, type FailureCode } from '../../../src/base/failure.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json/value.ts';
import type { OpenWrite } from '../../../src/records/open-files.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { type Attempted, type AttemptPorts, attempt } from '../../../src/writes/attempt.ts';
import { type CardReading, type Held, judge, needsCard, type Write } from '../../../src/writes/judge.ts';
import { NOTHING, type OpenBefore } from '../../../src/writes/open-guard.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { answered } from '../runs/fakes.ts';

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

import { printJson } from '../base/json/print.ts';
import { isJsonArray, JsonNumber, type JsonObject, type JsonValue, textAt } from '../base/json/value.ts';
import { DEFAULT_LIST_LIMIT } from '../service/api/calendar.ts';
import { randomHex, randomUuid, type Sources } from './ids.ts';
import { accept, type ErrorCode, refuse } from './refusal.ts';
import type { Call, OperationKey, Rule } from './request.ts';
import { type Decision, keptText, type SandboxState } from './state.ts';

const EMPTY = new JsonNumber('0.00');

function withMembers(card: JsonObject, members: Readonly<Record<string, JsonValue>>): JsonObject {
  return new Map([...card, ...Object.entries(members)]);
}

function textOf(card: JsonObject, name: string): string {
  return textAt(card, name) ?? '';
}

function answerWith(card: JsonObject, ...changed: readonly JsonObject[]): Decision {
  const changes = changed.map((resource) => ({ kind: 'cards', id: textOf(resource, 'cardId'), resource }) as const);
  return accept(keptText(card), ...changes);
}

function change(card: JsonObject, members: Readonly<Record<string, JsonValue>>): Decision {
  const changed = withMembers(card, members);
  return answerWith(changed, changed);
}

function transaction(type: string, amount: JsonValue, sources: Sources): JsonObject {
  const transactionId = `txn_${randomHex(sources.random, 16)}`;
  return new Map(Object.entries({ transactionId, amount, type, createdAt: sources.now }));
}

function replacementOf(card: JsonObject, amount: JsonValue, sources: Sources): JsonObject {
  const isActive = card.get('status') !== 'WAITING_ACTIVATION';
  const kept = new Map(card);
  for (const name of ['activatedAt', 'cancellationAction']) kept.delete(name);
  return withMembers(kept, {
    cardId: randomUuid(sources.random),
    clientReference: `${textOf(card, 'clientReference')}-R`,
    status: isActive ? 'ACTIVE' : 'WAITING_ACTIVATION',
    initialBalance: amount,
    currentBalance: amount,
    createdAt: sources.now,
    updatedAt: sources.now,
    ...(isActive ? { activatedAt: sources.now } : {}),
    cancelledAt: null,
    cancellationAmount: null,
    transactions: [transaction('LOAD', amount, sources)],
  });
}

function reissue(card: JsonObject, sources: Sources): Decision {
  // The amount moves as written, without arithmetic.
  const amount = card.get('currentBalance') ?? card.get('initialBalance') ?? EMPTY;
  const replacement = replacementOf(card, amount, sources);
  const transactions = card.get('transactions');
  const original = withMembers(card, {
    status: 'REISSUED',
    currentBalance: EMPTY,
    updatedAt: sources.now,
    cancelledAt: sources.now,
    cancellationAmount: amount,
    cancellationAction: 'REISSUE',
    transactions: [...(isJsonArray(transactions) ? transactions : []), transaction('UNLOAD', amount, sources)],
  });
  return answerWith(replacement, original, replacement);
}

/** The response of a wallet: open and opaque members. */
function provision(open: Readonly<Record<string, string>>, ...members: readonly string[]) {
  return (card: JsonObject, sources: Sources): Decision => {
    // Looks like a provider's opaque data, and says, once decoded, that it is made up.
    const made = members.map((member) => {
      const text = `sandbox;${member};${textOf(card, 'cardId')};${randomHex(sources.random, 32)};`;
      return [member, Buffer.from(text.repeat(6)).toString('base64')];
    });
    return accept(JSON.stringify({ ...open, ...Object.fromEntries(made) }));
  };
}

/** The statuses in which a card takes an operation, and the refusal in others. */
interface Need {
  readonly statuses: readonly JsonValue[];
  readonly errorCode: ErrorCode;
  readonly attempt: string;
}

function onCard(rule: (card: JsonObject, sources: Sources) => Decision, need?: Need, choices?: Rule['choices']): Rule {
  return {
    ...(choices === undefined ? {} : { choices }),
    ...(need === undefined ? {} : { errorCode: need.errorCode }),
    decide(state, call, sources) {
      const id = call.params['cardId'] ?? '';
      const card = state.cards.get(id.toLowerCase());
      if (card === undefined) return refuse(404, 'CARD_NOT_FOUND', `there is no card ${id}`, { cardId: id });
      if (need === undefined || need.statuses.includes(card.get('status') ?? null)) return rule(card, sources);
      const status = textOf(card, 'status');
      return refuse(409, need.errorCode, `the card was not ${need.attempt}: its status is ${status}`, { status });
    },
  };
}

const TO_PROVISION: Need = { statuses: ['ACTIVE'], errorCode: 'CARD_NOT_ACTIVE', attempt: 'provisioned' };

/** Documented limit of texts of calendars and subscribers in a response. */
const RESPONSE_TEXT_LIMIT = 5000;

/** A calendar or subscriber in a response, with texts within that limit. */
function answeredText(kind: 'calendars' | 'subscribers', resource: JsonObject): string {
  const cut = (value: JsonValue) =>
    typeof value === 'string' && value.length > RESPONSE_TEXT_LIMIT
      ? Array.from(value).slice(0, RESPONSE_TEXT_LIMIT).join('')
      : value;
  const members = [...resource].filter(([name]) => kind === 'calendars' || name !== 'calendar');
  return printJson(new Map(members.map(([name, value]) => [name, cut(value)])));
}

function calendarMissing(id: string): Decision {
  return refuse(404, 'CALENDAR_NOT_FOUND', `there is no calendar ${id}`, { id });
}

/** Replaces the given fields. */
function update(kind: 'calendars' | 'subscribers', missing: (id: string) => Decision): Rule['decide'] {
  return (state, call, sources) => {
    const id = call.params['id'] ?? '';
    const old = state[kind].get(id);
    if (old === undefined) return missing(id);
    const resource = new Map<string, JsonValue>([...old, ...call.body, ['updated', sources.now]]);
    return accept(answeredText(kind, resource), { kind, id, resource });
  };
}

function listSubscribers(state: SandboxState, call: Call): Decision {
  const id = call.params['id'] ?? '';
  if (!state.calendars.has(id)) return calendarMissing(id);
  const wanted = call.query['active'] ?? true;
  const limit = call.query['limit'] ?? DEFAULT_LIST_LIMIT;
  const entries: string[] = [];
  for (const subscriber of state.subscribers.values()) {
    if (entries.length === limit) break;
    const isListed = subscriber.get('calendar') === id && (subscriber.get('active') !== false) === wanted;
    if (isListed) entries.push(answeredText('subscribers', subscriber));
  }
  const url = JSON.stringify(`/v1/calendars/${encodeURIComponent(id)}/subscribers`);
  return accept(`{"object":"list","data":[${entries.join(',')}],"url":${url}}`);
}

function createEvent(state: SandboxState, call: Call, sources: Sources): Decision {
  const calendar = call.body.get('calendar');
  if (typeof calendar !== 'string' || !state.calendars.has(calendar)) return calendarMissing(String(calendar));
  const id = `evt_${randomHex(sources.random, 20)}`;
  const { now } = sources;
  const resource = new Map<string, JsonValue>([
    ...Object.entries({ id, object: 'event', active: true, created: now, updated: now }),
    ...call.body,
  ]);
  return accept(keptText(resource), { kind: 'events', id, resource });
}

/** One rule for each row of the table of operations: a new row does not type-check without one. */
export const RULES: Readonly<Record<OperationKey, Rule>> = {
  cardGet: onCard((card) => answerWith(card)),
  cardActivate: onCard(
    (card, { now }) => change(card, { status: 'ACTIVE', updatedAt: now, activatedAt: now }),
    { statuses: ['WAITING_ACTIVATION'], errorCode: 'CARD_NOT_ACTIVATABLE', attempt: 'activated' },
    {
      'status after activate':
        'ACTIVE. Only a card that is WAITING_ACTIVATION can be activated; any other: 409 CARD_NOT_ACTIVATABLE.',
    },
  ),
  cardBlock: onCard(
    (card, { now }) => change(card, { status: 'BLOCKED', updatedAt: now }),
    { statuses: ['ACTIVE', 'WAITING_ACTIVATION'], errorCode: 'CARD_NOT_BLOCKABLE', attempt: 'blocked' },
    {
      'status after block':
        'BLOCKED. A card that is ACTIVE or WAITING_ACTIVATION can be blocked; any other: 409 CARD_NOT_BLOCKABLE.',
    },
  ),
  cardReissue: onCard(
    reissue,
    { statuses: ['ACTIVE', 'BLOCKED', 'WAITING_ACTIVATION'], errorCode: 'CARD_NOT_REISSUABLE', attempt: 'reissued' },
    {
      'status after reissue':
        'The original reads REISSUED. A card that is ACTIVE, BLOCKED or WAITING_ACTIVATION can be reissued; any other: 409 CARD_NOT_REISSUABLE.',
      'card returned by reissue':
        'The replacement: a new cardId, the clientReference with -R behind it, the same design, metadata and expiryDate; ACTIVE, or WAITING_ACTIVATION if the original was.',
      'balance at reissue':
        'It moves: the original shows currentBalance 0.00, cancellationAction REISSUE, cancellationAmount and an UNLOAD; the replacement starts with the amount as a LOAD.',
    },
  ),
  cardProvisionWalletA: onCard(provision({}, 'encryptedPaymentInstrument'), TO_PROVISION, {
    provisioning:
      'Only a card that is ACTIVE, else 409 CARD_NOT_ACTIVE. All three fields are optional. The answers are made-up text, new at each call; the card does not change.',
  }),
  cardProvisionWalletB: onCard(
    provision({ primaryAccountNumberPrefix: '999900' }, 'activationData', 'authenticationData'),
    TO_PROVISION,
  ),
  calendarUpdate: {
    decide: update('calendars', calendarMissing),
    choices: {
      'fields omitted in an update': 'They stay as they are. An update without any field changes only updated.',
    },
  },
  subscribersList: {
    decide: listSubscribers,
    choices: {
      'subscriber list':
        'In a fixed order; those without active count as active. There is no way past the first limit entries.',
    },
  },
  subscriberUpdate: {
    decide: update('subscribers', (id) => refuse(404, 'SUBSCRIBER_NOT_FOUND', `there is no subscriber ${id}`, { id })),
  },
  eventCreate: {
    decide: createEvent,
    choices: {
      'end of an event':
        'An event created without end has none. An end before the start is not refused. Times are kept as sent.',
      'calendar of an event':
        'The id of a calendar that exists, active or not, as a string; else 404 CALENDAR_NOT_FOUND.',
      events: 'The newest 100 are kept; no operation reads them.',
    },
  },
};

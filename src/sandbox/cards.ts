import { Card } from '../api/card.ts';
import { isJsonArray, JsonNumber, type JsonObject, type JsonValue, textAt } from '../json/value.ts';
import { randomHex, randomUuid, type Sources } from './ids.ts';
import { keptText } from './json-text.ts';
import { type ErrorCode, refuse } from './refusal.ts';
import type { Rule } from './request.ts';
import type { Change, Decision } from './state.ts';

const EMPTY = new JsonNumber('0.00');
const SPEC_ORDER = Object.keys(Card.properties);

/** The card with other values for some members, in the order of the spec, unknown members last. */
function withMembers(card: JsonObject, members: Readonly<Record<string, JsonValue>>): JsonObject {
  const merged = new Map([...card, ...Object.entries(members)]);
  const ordered = new Map<string, JsonValue>();
  for (const name of SPEC_ORDER) {
    const value = merged.get(name);
    if (value !== undefined) ordered.set(name, value);
  }
  for (const [name, value] of merged) ordered.set(name, value);
  return ordered;
}

function textOf(card: JsonObject, name: string): string {
  return textAt(card, name) ?? '';
}

function cardChange(card: JsonObject): Change {
  return { kind: 'card', id: textOf(card, 'cardId'), resource: card };
}

function answerWith(card: JsonObject, changes: readonly Change[]): Decision {
  return { reply: { status: 200, body: keptText(card) }, changes };
}

function refuseStatus(card: JsonObject, errorCode: ErrorCode, attempt: string): Decision {
  const status = textOf(card, 'status');
  return refuse(409, errorCode, `the card was not ${attempt}: its status is ${status}`, { status });
}

function activate(card: JsonObject, sources: Sources): Decision {
  if (card.get('status') !== 'WAITING_ACTIVATION') return refuseStatus(card, 'CARD_NOT_ACTIVATABLE', 'activated');
  const active = withMembers(card, { status: 'ACTIVE', updatedAt: sources.now, activatedAt: sources.now });
  return answerWith(active, [cardChange(active)]);
}

function block(card: JsonObject, sources: Sources): Decision {
  const status = card.get('status');
  if (status !== 'ACTIVE' && status !== 'WAITING_ACTIVATION') {
    return refuseStatus(card, 'CARD_NOT_BLOCKABLE', 'blocked');
  }
  const blocked = withMembers(card, { status: 'BLOCKED', updatedAt: sources.now });
  return answerWith(blocked, [cardChange(blocked)]);
}

function transaction(type: string, amount: JsonValue, sources: Sources): JsonObject {
  return new Map<string, JsonValue>([
    ['transactionId', `txn_${randomHex(sources.random, 16)}`],
    ['amount', amount],
    ['type', type],
    ['createdAt', sources.now],
  ]);
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

const REISSUABLE: readonly JsonValue[] = ['ACTIVE', 'BLOCKED', 'WAITING_ACTIVATION'];

function reissue(card: JsonObject, sources: Sources): Decision {
  if (!REISSUABLE.includes(card.get('status') ?? null)) return refuseStatus(card, 'CARD_NOT_REISSUABLE', 'reissued');
  // The amount moves as it is written: no arithmetic is ever done on it.
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
  return answerWith(replacement, [cardChange(original), cardChange(replacement)]);
}

/** Text that looks like a provider's opaque data and says, once decoded, that it is made up. */
function opaque(card: JsonObject, member: string, sources: Sources): string {
  const nonce = randomHex(sources.random, 32);
  return Buffer.from(`sandbox;${member};${textOf(card, 'cardId')};${nonce};`.repeat(6)).toString('base64');
}

function provisionWalletA(card: JsonObject, sources: Sources): Decision {
  if (card.get('status') !== 'ACTIVE') return refuseStatus(card, 'CARD_NOT_ACTIVE', 'provisioned');
  const body = { encryptedPaymentInstrument: opaque(card, 'encryptedPaymentInstrument', sources) };
  return { reply: { status: 200, body: JSON.stringify(body) }, changes: [] };
}

function provisionWalletB(card: JsonObject, sources: Sources): Decision {
  if (card.get('status') !== 'ACTIVE') return refuseStatus(card, 'CARD_NOT_ACTIVE', 'provisioned');
  const body = {
    primaryAccountNumberPrefix: '999900',
    activationData: opaque(card, 'activationData', sources),
    authenticationData: opaque(card, 'authenticationData', sources),
  };
  return { reply: { status: 200, body: JSON.stringify(body) }, changes: [] };
}

function onCard(rule: (card: JsonObject, sources: Sources) => Decision): Rule {
  return (state, call, sources) => {
    const id = call.params['cardId'] ?? '';
    const card = state.cards.get(id.toLowerCase());
    if (card === undefined) return refuse(404, 'CARD_NOT_FOUND', `there is no card ${id}`, { cardId: id });
    return rule(card, sources);
  };
}

/** The rules of the gift-card API. */
export const CARD_RULES = {
  cardGet: onCard((card) => answerWith(card, [])),
  cardActivate: onCard(activate),
  cardBlock: onCard(block),
  cardReissue: onCard(reissue),
  cardProvisionWalletA: onCard(provisionWalletA),
  cardProvisionWalletB: onCard(provisionWalletB),
};

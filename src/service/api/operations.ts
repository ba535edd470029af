import {
  Calendar,
  CalendarUpdate,
  Event,
  EventCreate,
  Subscriber,
  SubscriberList,
  SubscriberListQuery,
  SubscriberUpdate,
} from './calendar.ts';
import { Card, ProvisionBody, ReasonBody, WalletAResult, WalletBResult } from './card.ts';
import { cardIdField, resourceId, strictObject } from './field.ts';
import { isWrite, ONE_TIME_SECRETS, type Operation, sensitiveOf } from './operation.ts';
import type { Resource } from './resource.ts';

const cardParams = strictObject(() => ({ cardId: cardIdField }));
const calendarParams = strictObject(() => ({ id: resourceId('unique identifier of the calendar') }));
const subscriberParams = strictObject(() => ({ id: resourceId('unique identifier of the subscriber') }));

const UPDATE = {
  family: 'calendar',
  method: 'POST',
  verb: 'update',
  effect: {
    kind: 'write',
    done: 'Updated',
    noun: 'update',
    confirm: false,
    cardCheck: 'none',
    isUpdate: true,
    unavailable: 'retry-once',
    unknownHint: 'running this command again sends the same values. First check that nobody changed them since',
  },
  query: null,
  echoes: 'id',
} as const satisfies Partial<Operation>;

/** Also shows a card after a change. */
const CARD_GET = {
  name: 'card.get',
  command: 'card.get',
  family: 'cards',
  method: 'GET',
  path: '/v1/cards/{cardId}',
  verbPhrase: 'read card',
  verb: 'get',
  object: 'card',
  errors: { 401: 'unauthorized', 404: 'the card does not exist' },
  effect: { kind: 'read' },
  params: cardParams,
  query: null,
  body: null,
  response: Card,
  echoes: 'cardId',
} as const satisfies Operation;

const CARD_CHANGE = {
  family: 'cards',
  method: 'POST',
  object: 'card',
  shownBy: CARD_GET,
  params: cardParams,
  query: null,
} as const satisfies Partial<Operation>;

/** The effect of a change that a read of the card shows. */
const STATUS_CHANGE = {
  kind: 'write',
  unavailable: 'retry',
  unknownHint: 'check the card before you run this again',
} as const;

function provision(wallet: 'wallet_a' | 'wallet_b', response: Resource): Operation {
  return {
    ...CARD_CHANGE,
    name: `card.provision.${wallet}`,
    command: 'card.provision',
    path: `/v1/cards/{cardId}/provision/${wallet}`,
    verbPhrase: `get the ${wallet} data of card`,
    verb: 'provision',
    choice: { field: 'wallet', value: wallet },
    errors: 'three error responses are listed; their status codes: not documented',
    effect: {
      kind: 'write',
      done: 'Provisioned',
      noun: 'provisioning',
      confirm: false,
      cardCheck: 'none',
      unavailable: 'never',
      second: 'a second set of secrets',
      unknownHint:
        'ask the customer whether the card is in the wallet before you run this again: no command can check it',
      // Of any wallet.
      sensitive: ONE_TIME_SECRETS,
    },
    body: ProvisionBody,
    response,
    echoes: null,
  };
}

/**
 * THE TABLE: the operations of the spec, in the order of menus and lists. Options, help, requests, response checks,
 * retries, confirmation, sandbox, OpenAPI and completions are read from it. A new endpoint begins with a row here.
 */
export const OPERATIONS = {
  cardGet: CARD_GET,
  cardActivate: {
    ...CARD_CHANGE,
    name: 'card.activate',
    command: 'card.activate',
    path: '/v1/cards/{cardId}/activate',
    verbPhrase: 'activate card',
    verb: 'activate',
    suggestedAt: ['WAITING_ACTIVATION'],
    effect: {
      ...STATUS_CHANGE,
      done: 'Activated',
      noun: 'activation',
      confirm: false,
      cardCheck: { resolvedBy: 'ACTIVE' },
    },
    body: null,
    response: Card,
    echoes: 'cardId',
  },
  cardBlock: {
    ...CARD_CHANGE,
    name: 'card.block',
    command: 'card.block',
    path: '/v1/cards/{cardId}/block',
    verbPhrase: 'block card',
    verb: 'block',
    suggestedAt: ['WAITING_ACTIVATION', 'ACTIVE'],
    effect: { ...STATUS_CHANGE, done: 'Blocked', noun: 'block', confirm: true, cardCheck: { resolvedBy: 'BLOCKED' } },
    body: ReasonBody,
    response: Card,
    echoes: 'cardId',
  },
  cardReissue: {
    ...CARD_CHANGE,
    name: 'card.reissue',
    command: 'card.reissue',
    path: '/v1/cards/{cardId}/reissue',
    verbPhrase: 'reissue card',
    verb: 'reissue',
    suggestedAt: ['ACTIVE', 'BLOCKED', 'EXPIRED'],
    effect: {
      kind: 'write',
      done: 'Reissued',
      noun: 'reissue',
      confirm: true,
      // Two reissues may mean two live cards, and no read shows the ID of the replacement.
      cardCheck: { observes: 'REISSUED' },
      unavailable: 'never',
      unknownHint: 'check the card before you run this again: a second reissue may create a second live card',
      second: 'a second card with money on it',
      resultId: 'cardId',
    },
    body: ReasonBody,
    response: Card,
    // Whether the response is the original or the replacement is not documented, so any ID is accepted.
    echoes: null,
  },
  cardProvisionWalletA: provision('wallet_a', WalletAResult),
  cardProvisionWalletB: provision('wallet_b', WalletBResult),
  calendarUpdate: {
    ...UPDATE,
    // No command shows what it overwrites.
    effect: { ...UPDATE.effect, asksOnTerminal: true },
    name: 'calendar.update',
    command: 'calendar.update',
    path: '/v1/calendars/{id}',
    verbPhrase: 'update calendar',
    object: 'calendar',
    params: calendarParams,
    body: CalendarUpdate,
    response: Calendar,
  },
  subscribersList: {
    name: 'calendar.subscribers.list',
    command: 'calendar.subscribers.list',
    family: 'calendar',
    method: 'GET',
    path: '/v1/calendars/{id}/subscribers',
    verbPhrase: 'list the subscribers of calendar',
    verb: 'list',
    object: 'calendar',
    lists: 'subscriber',
    effect: { kind: 'read' },
    params: calendarParams,
    query: SubscriberListQuery,
    body: null,
    response: SubscriberList,
    echoes: null,
  },
  subscriberUpdate: {
    ...UPDATE,
    name: 'calendar.subscribers.update',
    command: 'calendar.subscribers.update',
    path: '/v1/subscribers/{id}',
    verbPhrase: 'update subscriber',
    object: 'subscriber',
    params: subscriberParams,
    body: SubscriberUpdate,
    response: Subscriber,
  },
  eventCreate: {
    name: 'calendar.event.create',
    command: 'calendar.event.create',
    family: 'calendar',
    method: 'POST',
    path: '/v1/events',
    verbPhrase: 'create event',
    verb: 'create',
    object: 'event',
    effect: {
      kind: 'write',
      done: 'Created',
      noun: 'creation',
      confirm: false,
      asksOnTerminal: true,
      cardCheck: 'none',
      unavailable: 'never',
      unknownHint:
        'look for the event in the calendar itself before you run this again: no command can find it, and a second request may create it twice',
      second: 'a second event',
      resultId: 'id',
    },
    params: strictObject(() => ({})),
    query: null,
    body: EventCreate,
    questions: {
      calendar: 'ID of the calendar that the event belongs to, such as cal_harbour_tours',
      name: 'Name of the event, as customers see it, such as Spring tasting',
      start: 'When the event starts, such as 2027-04-02T18:00',
    },
    response: Event,
    echoes: null,
  },
} as const satisfies Record<string, Operation>;

/** The table as a list, in its order. */
export const ALL_OPERATIONS: readonly Operation[] = Object.values(OPERATIONS);

/** The operation of a dotted command: the first of those among which an option chooses. */
export function operationNamed(command: string | undefined): Operation | undefined {
  return ALL_OPERATIONS.find((operation) => operation.command === command);
}

/** The operation of a recorded change, by the name of its call if that is known. */
export function operationOfWrite({
  call,
  operation,
}: {
  readonly call?: string | undefined;
  readonly operation: string;
}) {
  return ALL_OPERATIONS.find(({ name }) => name === call) ?? operationNamed(operation);
}

/** The changes of a card that a menu offers: those without secrets in the response. */
export const CARD_ACTIONS: readonly Operation[] = ALL_OPERATIONS.filter(
  (operation) => operation.family === 'cards' && isWrite(operation) && sensitiveOf(operation).length === 0,
);

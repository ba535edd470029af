import type * as z from 'zod/mini';
import { isJsonObject, type JsonValue } from '../../base/json/value.ts';
import type { Resource } from './resource.ts';

/** The two APIs of the service, in the order of help. */
export const FAMILIES = ['cards', 'calendar'] as const;
export type Family = (typeof FAMILIES)[number];

/** The name of a family for people. */
export function familyWords(family: Family): string {
  return family === 'cards' ? 'gift cards' : 'calendars';
}

/** What belongs to it: `the gift card token`. */
export function familyAdjective(family: Family): string {
  return family === 'cards' ? 'gift card' : 'calendar';
}

/**
 * What an ambiguous response to a change allows (docs/reference/outcomes.md). `resolvedBy`: the card status that
 * resolves it as done. `observes`: a status that shows such a change, but neither whose nor with which response.
 */
type CardCheck = { readonly resolvedBy: string } | { readonly observes: string } | 'none';

/**
 * 503 with Retry-After: wait, check the card and send again unless it is done; send again once; or never. `once`: not
 * after a refusal either.
 */
export type Unavailable = 'retry' | 'retry-once' | 'never' | 'once';

export type Effect =
  | { readonly kind: 'read' }
  | {
      readonly kind: 'write';
      /** Asks before each single call, not only before many rows: money or a card is at stake. */
      readonly confirm: boolean;
      /** No command undoes it: asks in a terminal, sends elsewhere. */
      readonly asksOnTerminal?: true;
      readonly cardCheck: CardCheck;
      readonly unavailable: Unavailable;
      /** It changes the given fields of something that exists, so it needs at least one. */
      readonly isUpdate?: true;
      /** The word for success: `Blocked`. */
      readonly done: string;
      /** What it is in a sentence: `activation`, or `block` for `A block cannot be undone`. */
      readonly noun: string;
      /** What to do if the outcome is unknown. Begins with a verb. */
      readonly unknownHint: string;
      /**
       * What a second one may make. Nothing in its response proves that it is not a late response to another request, so
       * it has its own connection.
       */
      readonly second?: string;
      /** Member of the response that no later read shows: kept as `resultId` in every record. */
      readonly resultId?: string;
      /** Members of the response that are one-time secrets: hidden from people, never recorded. */
      readonly sensitive?: readonly string[];
    };

/** One row of the table: all that the program needs to know about one operation of the spec. */
export interface Operation {
  /** Unique: `card.provision.wallet_a`. */
  readonly name: string;
  /** The command it belongs to, for errors and history: `card.provision`. */
  readonly command: string;
  readonly family: Family;
  readonly method: 'GET' | 'POST';
  /** As in the spec: `/v1/cards/{cardId}/block`. */
  readonly path: string;
  /** Verb and object for messages, before an ID: `block card`. */
  readonly verbPhrase: string;
  /** What the user does with it: `block`, for `Block card 7c0e…?`. */
  readonly verb: string;
  /** What it changes or makes: `card`. */
  readonly object: string;
  /** The read that shows its object; undefined: none. */
  readonly shownBy?: Operation;
  /** What its response lists: `subscriber`. */
  readonly lists?: string;
  /** The field whose value chooses it among the operations of its command. */
  readonly choice?: { readonly field: string; readonly value: string };
  /** Card statuses at which it is suggested. Which transitions the service allows is not documented. */
  readonly suggestedAt?: readonly string[];
  /** Documented error statuses and their meaning; a text if errors have no documented statuses. */
  readonly errors?: Readonly<Record<string, string>> | string;
  readonly effect: Effect;
  readonly params: z.ZodMiniObject;
  readonly query: z.ZodMiniObject | null;
  /** null: the request has no body at all. */
  readonly body: z.ZodMiniObject | null;
  /** How a terminal asks for each required field of the body. */
  readonly questions?: Readonly<Record<string, string>>;
  readonly response: Resource;
  /** Member of the response that must equal the ID in the path, in any case; null: none. */
  readonly echoes: 'cardId' | 'id' | null;
}

export function isWrite(operation: Operation): boolean {
  return operation.effect.kind === 'write';
}

/** Members of any response that are one-time secrets. */
export const ONE_TIME_SECRETS: readonly string[] = [
  'encryptedPaymentInstrument',
  'activationData',
  'authenticationData',
];

/** Members of its response that are one-time secrets. */
export function sensitiveOf({ effect }: Operation): readonly string[] {
  return effect.kind === 'write' ? (effect.sensitive ?? []) : [];
}

/** Does its response have members that the service gives once? */
export function givesSecrets(operation: Operation): boolean {
  return sensitiveOf(operation).length > 0;
}

/** Does the operation change fields of something that exists? */
export function isUpdate({ effect }: Operation): boolean {
  return effect.kind === 'write' && effect.isUpdate === true;
}

/** The fields that an update empties: `""` is a value, and often meant as "not known". */
export function emptiedBy(operation: Operation, body: JsonValue | undefined): readonly string[] {
  if (!isUpdate(operation) || !isJsonObject(body)) return [];
  return [...body].flatMap(([name, value]) => (value === '' ? [name] : []));
}

/** Is a second one never harmless? */
export function isOnceOnly({ effect }: Operation): boolean {
  return effect.kind === 'write' && effect.second !== undefined;
}

/** The card status by which a read resolves an unknown outcome; undefined: none, as for a reissue. */
export function resolvedBy({ effect }: Operation): string | undefined {
  const isResolving = effect.kind === 'write' && effect.cardCheck !== 'none' && 'resolvedBy' in effect.cardCheck;
  return isResolving ? effect.cardCheck.resolvedBy : undefined;
}

/** Does a card with this status show that the change was done? Never a reissue, and never without a status. */
export function isResolvedAt(operation: Operation, status: string | undefined): boolean {
  return status !== undefined && resolvedBy(operation) === status;
}

/** The path parameter with the ID; undefined: it makes something without an ID yet. */
export function idParamOf({ params }: Pick<Operation, 'params'>): string | undefined {
  return Object.keys(params.shape)[0];
}

/** The name of the ID beside others: `calendarId`. */
export function idNameOf({ object }: Operation): string {
  return `${object}Id`;
}

/** Verb and object: `block card`. */
export function actionOf({ verb, object }: Operation): string {
  return `${verb} ${object}`;
}

/** The name of an assistant's tool: `card_block`, `subscribers_list`. */
export function toolNameOf({ verb, object, lists }: Operation): string {
  return `${lists === undefined ? object : `${lists}s`}_${verb}`;
}

/** The noun for a sentence: `activation`. */
export function nounOf({ effect, verb }: Operation): string {
  return effect.kind === 'write' ? effect.noun : verb;
}

/** The card status that a change aims at; undefined: none. */
export function targetStatus({ effect }: Operation): string | undefined {
  if (effect.kind === 'read' || effect.cardCheck === 'none') return undefined;
  return 'resolvedBy' in effect.cardCheck ? effect.cardCheck.resolvedBy : effect.cardCheck.observes;
}

/** The value of each `{parameter}` of a pattern; undefined if the path does not match. */
export function matchPath(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const words = pattern.split('/');
  if (words.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    const segment = segments[index] ?? '';
    if (word.startsWith('{')) params[word.slice(1, -1)] = segment;
    else if (segment !== word) return undefined;
  }
  return params;
}

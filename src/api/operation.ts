import type * as z from 'zod/mini';
import type { Resource } from './resource.ts';

/** The two interfaces of the service, in the order of their help. */
export const FAMILIES = ['cards', 'calendar'] as const;
export type Family = (typeof FAMILIES)[number];

/** What a family is about, in words for people. */
export function familyWords(family: Family): string {
  return family === 'cards' ? 'gift cards' : 'calendars';
}

/** What belongs to it: `the gift card token`. */
export function familyAdjective(family: Family): string {
  return family === 'cards' ? 'gift card' : 'calendar';
}

/**
 * What a write's ambiguous answer allows (docs/reference/outcomes.md). `settledBy` names the card status that a
 * card check must show for the write to count as done; `observes` is read only to be reported: it shows that such a
 * write happened, but neither whose nor with which answer.
 */
type ReadBack = { readonly settledBy: string } | { readonly observes: string } | 'none';

/** 503 with Retry-After: wait, check the card, send again unless settled; send again once; or never (it may be done). */
export type Unavailable = 'retry' | 'retry-once' | 'never';

/** What an operation does at the service, and what follows from that. */
export type Effect =
  | { readonly kind: 'read' }
  | {
      readonly kind: 'write';
      /** Money or a card's life is at stake: ask before each single call, not only before many rows. */
      readonly confirm: boolean;
      /** No command takes it away again: ask on a terminal, and send it off one as it is. */
      readonly asksOnTerminal?: true;
      readonly readBack: ReadBack;
      readonly unavailable: Unavailable;
      /** It changes the given fields of what is there: without any it has nothing to do, and it can be undone. */
      readonly isUpdate?: true;
      /** The one word that says it was done: `Blocked`. */
      readonly done: string;
      /** What to do when the outcome is unknown, after the facts: begins with a verb. */
      readonly unknownHint: string;
      /**
       * A second one makes a second card, event or set of secrets, and nothing in its answer proves that it is not a late answer
       * to another request: it has a connection of its own.
       */
      readonly isOnceOnly?: true;
      /** Member of the answer that can be had nowhere else: kept as `resultId` in every record. */
      readonly resultId?: string;
      /** Members of the answer that are one-time secrets: hidden from people, never recorded. */
      readonly sensitive?: readonly string[];
    };

/** One row of the table: everything the rest of the program needs to know about one operation of the spec. */
export interface Operation {
  /** Unique: `card.provision.wallet_a`. */
  readonly name: string;
  /** The command it belongs to, as shown in errors and history: `card.provision`. */
  readonly command: string;
  readonly family: Family;
  readonly method: 'GET' | 'POST';
  /** As in the spec: `/v1/cards/{cardId}/block`. */
  readonly path: string;
  /** What it does, as verb and object for messages: `block card`, before an ID. */
  readonly verbPhrase: string;
  /** What a person does with it, as a command: `block`, for `Block card 7c0e…?`. */
  readonly verb: string;
  /** What that is done to, or what it makes: `card`. */
  readonly object: string;
  /** The read that shows it as it is now; undefined: none does. */
  readonly shownBy?: Operation;
  /** What its answer is a list of: `subscriber`. */
  readonly lists?: string;
  /** The field by whose value it is chosen among the operations of its command. */
  readonly choice?: { readonly field: string; readonly value: string };
  /** The method of the library, where it is not called as the command: `calendar.createEvent`. */
  readonly libraryMethod?: string;
  /** Statuses of a card at which a person may want it next. Which transitions the service allows: not shown. */
  readonly suggestedAt?: readonly string[];
  /** Error statuses that the spec shows, with what they mean; a text where it shows errors without their statuses. */
  readonly errors?: Readonly<Record<string, string>> | string;
  readonly effect: Effect;
  readonly params: z.ZodMiniObject;
  readonly query: z.ZodMiniObject | null;
  /** null: the request has no body at all. */
  readonly body: z.ZodMiniObject | null;
  readonly response: Resource;
  /** Member of the answer that must equal the path id (ids compare whatever their case), or null. */
  readonly echoes: 'cardId' | 'id' | null;
}

/** Does the operation change something at the service? */
export function isWrite(operation: Operation): boolean {
  return operation.effect.kind === 'write';
}

/** Members of its answer that are one-time secrets. */
export function sensitiveOf({ effect }: Operation): readonly string[] {
  return effect.kind === 'write' ? (effect.sensitive ?? []) : [];
}

/** An operation that changes some fields of what is there: without any field it has nothing to do. */
export function isUpdate({ effect }: Operation): boolean {
  return effect.kind === 'write' && effect.isUpdate === true;
}

/** A write of which a second one is never harmless. */
export function isOnceOnly({ effect }: Operation): boolean {
  return effect.kind === 'write' && effect.isOnceOnly === true;
}

/** The card status by which a read settles an unknown outcome; undefined: none does, as with a reissue. */
export function settledBy({ effect }: Operation): string | undefined {
  const isSettling = effect.kind === 'write' && effect.readBack !== 'none' && 'settledBy' in effect.readBack;
  return isSettling ? effect.readBack.settledBy : undefined;
}

/** The parameter of the path that holds the id; undefined: it makes something, which has none yet. */
export function idParamOf({ params }: Pick<Operation, 'params'>): string | undefined {
  return Object.keys(params.shape)[0];
}

/** What the id is called where it stands beside others: `calendarId`. */
export function idNameOf({ object }: Operation): string {
  return `${object}Id`;
}

/** What it does as a command to somebody: `block card`. */
export function actionOf({ verb, object }: Operation): string {
  return `${verb} ${object}`;
}

/** What an assistant's tool for it is called: `card_block`, `subscribers_list`. */
export function toolNameOf({ verb, object, lists }: Operation): string {
  return `${lists === undefined ? object : `${lists}s`}_${verb}`;
}

/** Nouns of verbs that are not their own noun, as `block` and `update` are. */
const NOUNS: Readonly<Record<string, string>> = {
  activate: 'activation',
  create: 'creation',
  provision: 'provisioning',
};

/** The noun of what it does, for a sentence: `activation`. */
export function nounOf({ verb }: Operation): string {
  return NOUNS[verb] ?? verb;
}

/** The card status that a write aims at; undefined where none shows that it happened. */
export function targetStatus({ effect }: Operation): string | undefined {
  if (effect.kind === 'read' || effect.readBack === 'none') return undefined;
  return 'settledBy' in effect.readBack ? effect.readBack.settledBy : effect.readBack.observes;
}

/** What stands in the place of each `{parameter}` of a pattern; undefined where the path is another one. */
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

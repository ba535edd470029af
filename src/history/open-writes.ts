import { type Family, idParamOf, isOnceOnly, isUpdate, isWrite, type Operation, settledBy } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { safeText } from '../output/text.ts';
import { hostOf } from './history-event.ts';
import type { OpenWrite, SentEvent } from './open-index-file.ts';

/** What a write is about: the id in its path, or what stands for the body of an event. */
export interface Subject {
  readonly id?: string | undefined;
  readonly digest?: string | undefined;
}

/** Was it sent to the same place? */
function isAtSame({ url, host, profile }: OpenWrite, place: string): boolean {
  if (url !== undefined) return url === place;
  // Version 0.1.0 kept the host alone.
  return place === 'sandbox' ? profile === 'sandbox' : host === hostOf(place);
}

function familyOf({ call, operation }: OpenWrite): Family | undefined {
  return ALL_OPERATIONS.find(({ command, name }) => name === call || command === operation)?.family;
}

/** The open writes of one family at one base URL (or `sandbox`), whatever the profile, by what they are about. */
export class OpenAt {
  readonly #family: Family;
  readonly #found = new Map<string, OpenWrite[]>();

  /** `open`: oldest first. */
  constructor(open: readonly OpenWrite[], family: Family, place: string) {
    this.#family = family;
    for (const each of open) {
      const key = each.digest ?? each.subject;
      if (key === undefined || familyOf(each) !== family || !isAtSame(each, place)) continue;
      const others = this.#found.get(key);
      if (others === undefined) this.#found.set(key, [each]);
      else others.push(each);
    }
  }

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /** Those to one card, calendar or subscriber, whatever they do, or of one event; oldest first. */
  to({ id, digest }: Subject): readonly OpenWrite[] {
    const key = digest ?? (this.#family === 'cards' ? id?.toLowerCase() : id);
    return (key === undefined ? undefined : this.#found.get(key)) ?? [];
  }

  /** Those of them that the same write would repeat, where a second one makes a second card, wallet entry or event. */
  repeatedBy(operation: Operation, subject: Subject): readonly OpenWrite[] {
    return isOnceOnly(operation) ? this.to(subject).filter(({ call }) => call === operation.name) : [];
  }
}

/** Is it a write without an id, so that its body tells whether it is the same? */
export function isEvent(operation: Operation): boolean {
  return isWrite(operation) && idParamOf(operation) === undefined;
}

/** Events with this body that this profile sent there in the last day, and that were not refused. */
export function sentBefore(
  sent: readonly SentEvent[],
  { digest, url, profile }: { readonly digest: string; readonly url: string; readonly profile: string },
): readonly SentEvent[] {
  return sent.filter((each) => each.digest === digest && each.url === url && each.profile === profile);
}

/** Those that a write takes the place of once it is done: activations and blocks, and updates of no other fields. */
export function supersededBy(
  open: readonly OpenWrite[],
  operation: Operation,
  fields: readonly string[],
): readonly OpenWrite[] {
  if (settledBy(operation) !== undefined) return open.filter(({ call }) => STATUS_WRITES.has(call ?? ''));
  if (!isUpdate(operation)) return [];
  return open.filter(
    (each) => each.call === operation.name && each.fields?.every((field) => fields.includes(field)) === true,
  );
}

const STATUS_WRITES = new Set(ALL_OPERATIONS.filter((row) => settledBy(row) !== undefined).map(({ name }) => name));

/** What is known of an open write besides that it was sent: `HTTP 500 was answered, the card read ACTIVE then`. */
export function whatIsKnown({ httpStatus, observedStatus }: OpenWrite): string {
  const answer = httpStatus === undefined ? 'no answer is recorded' : `HTTP ${httpStatus} was answered`;
  return observedStatus === undefined ? answer : `${answer}, the card read ${safeText(observedStatus)} then`;
}

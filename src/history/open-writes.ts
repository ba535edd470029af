import { type Operation, settledBy } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { hostOf } from './history-event.ts';
import type { OpenRecords } from './open-index.ts';
import type { OpenWrite, SentEvent } from './open-index-file.ts';

/** What a write is about to be sent to. */
export interface WriteTarget {
  readonly operation: Pick<Operation, 'name' | 'family'>;
  /** The id in its path. */
  readonly subject: string | undefined;
  /** Base URL of its family, or `sandbox`. */
  readonly url: string;
}

/** Was it sent to the same place? */
function isAtSame({ url, host, profile }: OpenWrite, place: string): boolean {
  if (url !== undefined) return url === place;
  // Version 0.1.0 kept the host alone.
  return place === 'sandbox' ? profile === 'sandbox' : host === hostOf(place);
}

/** The open writes to one card, calendar or subscriber, whatever they do. */
export function openTo(records: OpenRecords, { operation, subject, url }: WriteTarget): readonly OpenWrite[] {
  const wanted = operation.family === 'cards' ? subject?.toLowerCase() : subject;
  if (wanted === undefined) return [];
  const familyOf = (open: OpenWrite) =>
    ALL_OPERATIONS.find(({ command, name }) => name === open.call || command === open.operation)?.family;
  return records.open.filter(
    (open) => open.subject === wanted && familyOf(open) === operation.family && isAtSame(open, url),
  );
}

/** Writes of which a second one makes a second card, wallet entry or event: they are never sent again by accident. */
export function makesAnother({ effect }: Operation): boolean {
  return effect.kind === 'write' && effect.unavailable === 'never';
}

/** Events with this body that may have been made: of the last day by this profile, and open ones of any age. */
export function sameEvents(
  { open, sent }: OpenRecords,
  { digest, url, profile }: { readonly digest: string; readonly url: string; readonly profile: string },
): readonly (OpenWrite | SentEvent)[] {
  const found = new Map<string, OpenWrite | SentEvent>();
  for (const each of sent) {
    if (each.digest === digest && each.url === url && each.profile === profile) found.set(each.entry, each);
  }
  for (const each of open) if (each.digest === digest && each.url === url) found.set(each.entry, each);
  return [...found.values()];
}

/** Those of them that the same write would repeat. */
export function repeatedBy(records: OpenRecords, operation: Operation, target: WriteTarget): readonly OpenWrite[] {
  if (!makesAnother(operation)) return [];
  return openTo(records, target).filter(({ call }) => call === operation.name);
}

/** Those that a write takes the place of once it is done: activations and blocks, and updates of no other fields. */
export function supersededBy(
  open: readonly OpenWrite[],
  operation: Operation,
  fields: readonly string[],
): readonly OpenWrite[] {
  if (operation.effect.kind !== 'write' || makesAnother(operation)) return [];
  if (settledBy(operation) !== undefined) return open.filter(({ call }) => STATUS_WRITES.has(call ?? ''));
  return open.filter(
    (each) => each.call === operation.name && each.fields?.every((field) => fields.includes(field)) === true,
  );
}

const STATUS_WRITES = new Set(ALL_OPERATIONS.filter((row) => settledBy(row) !== undefined).map(({ name }) => name));

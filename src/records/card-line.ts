/** A card as it was seen: only this is remembered of it. */
export interface SeenCard {
  readonly cardId: string;
  readonly clientReference: string | undefined;
  /** Undefined: not known, so a known one stays. */
  readonly status: string | undefined;
  /** When that was, in ISO 8601: the status, if one is known. */
  readonly seenAt: string;
}

/**
 * A card as a line of the known cards. The ID and the reference stand first, in lower case, so that a search compares
 * bytes at a fixed place.
 */
export function lineOf({ cardId, clientReference, status, seenAt }: SeenCard): string {
  const line = {
    id: cardId.toLowerCase(),
    ref: clientReference?.toLowerCase() ?? null,
    cardId,
    clientReference: clientReference ?? null,
    seenAt,
    status: status ?? null,
  };
  return `${JSON.stringify(line)}\n`;
}

/** A card as it was seen: only this is remembered of it. */
export interface SeenCard {
  readonly cardId: string;
  readonly clientReference: string | undefined;
  /** Undefined: not known, so a known one stays. */
  readonly status: string | undefined;
  /** When that was, in ISO 8601: the status, if one is known. */
  readonly seenAt: string;
}

const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Each text by itself, most as they are: `JSON.stringify` of the whole line costs a run of reads more. */
function quoted(text: string | undefined): string {
  if (text === undefined) return 'null';
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** A reference as a search compares it: in any case, without the blanks at its ends. */
export function referenceKey(reference: string): string {
  return reference.trim().toLowerCase();
}

/**
 * A card as a line of the known cards. The ID and the reference stand first, as they are compared, so that a search
 * compares bytes at a fixed place; as they are written only where that differs. `cardId` needs no escape.
 */
export function lineOf({ cardId, clientReference, status, seenAt }: SeenCard): string {
  const [id, ref] = [cardId.toLowerCase(), clientReference && referenceKey(clientReference)];
  const [ownId, ownRef] = [
    id === cardId ? '' : `,"cardId":"${cardId}"`,
    ref === clientReference ? '' : `,"clientReference":${quoted(clientReference)}`,
  ];
  return `{"id":"${id}","ref":${quoted(ref)}${ownId}${ownRef},"seenAt":"${seenAt}","status":${quoted(status)}}\n`;
}

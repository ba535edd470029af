export const CARD_ID = '7c0e1111-2222-3333-4444-555566667777';

/** A card of the spec as the text of an answer, with amounts that a JavaScript number would change. */
export function cardText(status: string, cardId = CARD_ID): string {
  return `{"cardId":"${cardId}","clientReference":"order-1","status":"${status}","initialBalance":50.00,"currentBalance":10.10,"expiryDate":"2031-01-01T00:00:00Z","design":"classic","metadata":{"store":"Bergen"},"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-02T00:00:00Z"}`;
}

import * as z from 'zod/mini';
import { looseObject, noted, strictObject, text } from './field.ts';

/** Card status values of the spec. Replies may carry others; they are shown as they are. */
export const CARD_STATUSES = ['WAITING_ACTIVATION', 'ACTIVE', 'CANCELLED', 'BLOCKED', 'REISSUED', 'EXPIRED'] as const;

/** Spec, Transaction. */
export const Transaction = looseObject(() => ({
  transactionId: noted(z.string(), { description: 'unique identifier' }),
  amount: noted(z.number(), { description: 'amount of the transaction; currency not shown' }),
  type: noted(z.string(), { description: 'LOAD, UNLOAD or PURCHASE', examples: ['LOAD', 'UNLOAD', 'PURCHASE'] }),
  createdAt: noted(z.string(), { description: 'time the transaction was recorded', format: 'date-time' }),
}));

/** Spec, Card. Read leniently: unknown members and new enum values are kept. */
export const Card = looseObject(() => ({
  cardId: noted(z.string(), { description: 'unique identifier of the card', format: 'uuid' }),
  clientReference: noted(z.string(), { description: 'identifier provided by the client to prevent duplication' }),
  status: noted(z.string(), { description: CARD_STATUSES.join(', '), examples: [...CARD_STATUSES] }),
  initialBalance: noted(z.number(), { description: 'starting balance; currency not shown' }),
  currentBalance: noted(z.optional(z.number()), { description: 'current available balance' }),
  expiryDate: noted(z.string(), { description: 'when the card expires', format: 'date-time' }),
  design: noted(z.string(), { description: 'design or template selected' }),
  metadata: noted(z.record(z.string(), z.unknown()), { description: 'custom data' }),
  createdAt: noted(z.string(), { description: 'creation time', format: 'date-time' }),
  updatedAt: noted(z.string(), { description: 'last update time', format: 'date-time' }),
  activatedAt: noted(z.nullish(z.string()), { description: 'activation time, if applicable', format: 'date-time' }),
  cancelledAt: noted(z.nullish(z.string()), {
    description: 'cancellation time; null if not cancelled',
    format: 'date-time',
  }),
  cancellationAmount: noted(z.nullish(z.number()), {
    description: 'amount unloaded at cancellation; null if not cancelled',
  }),
  cancellationAction: noted(z.nullish(z.string()), {
    description: 'action that led to cancellation: EXPIRY, CANCELLATION or REISSUE',
    examples: ['EXPIRY', 'CANCELLATION', 'REISSUE'],
  }),
  transactions: noted(z.optional(z.array(Transaction)), { description: 'transactions associated with the card' }),
}));

/** Body of block and reissue. Whether `reason` is required, and its allowed values: not shown. */
export const ReasonBody = strictObject(() => ({
  reason: z.optional(text('why, as the service stores it')),
}));

/** Body of both provisioning operations. Which fields are required, and their allowed values: not shown. */
export const ProvisionBody = strictObject(() => ({
  clientDeviceID: z.optional(text("identifier of the customer's device")),
  clientWalletProvider: z.optional(text('wallet provider as the client names it')),
  clientWalletAccountID: z.optional(text("identifier of the customer's wallet account")),
}));

export const WalletAResult = looseObject(() => ({
  encryptedPaymentInstrument: noted(z.string(), {
    description: 'encrypted payment instrument data returned by the wallet provider',
  }),
}));

export const WalletBResult = looseObject(() => ({
  primaryAccountNumberPrefix: z.string(),
  activationData: z.string(),
  authenticationData: z.string(),
}));

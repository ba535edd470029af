import * as z from 'zod';
import { text } from './field.ts';

/** Card status values of the spec. Replies may carry others; they are shown as they are. */
export const CARD_STATUSES = ['WAITING_ACTIVATION', 'ACTIVE', 'CANCELLED', 'BLOCKED', 'REISSUED', 'EXPIRED'] as const;

/** Spec, Transaction (family A). */
export const Transaction = z.looseObject({
  transactionId: z.string().meta({ description: 'unique identifier' }),
  amount: z.number().meta({ description: 'amount of the transaction; currency not shown' }),
  type: z.string().meta({ description: 'LOAD, UNLOAD or PURCHASE', examples: ['LOAD', 'UNLOAD', 'PURCHASE'] }),
  createdAt: z.string().meta({ description: 'time the transaction was recorded', format: 'date-time' }),
});

/** Spec, Card (family A). Read leniently: unknown members and new enum values are kept. */
export const Card = z.looseObject({
  cardId: z.string().meta({ description: 'unique identifier of the card', format: 'uuid' }),
  clientReference: z.string().meta({ description: 'identifier provided by the client to prevent duplication' }),
  status: z.string().meta({ description: CARD_STATUSES.join(', '), examples: [...CARD_STATUSES] }),
  initialBalance: z.number().meta({ description: 'starting balance; currency not shown' }),
  currentBalance: z.number().optional().meta({ description: 'current available balance' }),
  expiryDate: z.string().meta({ description: 'when the card expires', format: 'date-time' }),
  design: z.string().meta({ description: 'design or template selected' }),
  metadata: z.record(z.string(), z.unknown()).meta({ description: 'custom data' }),
  createdAt: z.string().meta({ description: 'creation time', format: 'date-time' }),
  updatedAt: z.string().meta({ description: 'last update time', format: 'date-time' }),
  activatedAt: z.string().nullish().meta({ description: 'activation time, if applicable', format: 'date-time' }),
  cancelledAt: z
    .string()
    .nullish()
    .meta({ description: 'cancellation time; null if not cancelled', format: 'date-time' }),
  cancellationAmount: z
    .number()
    .nullish()
    .meta({ description: 'amount unloaded at cancellation; null if not cancelled' }),
  cancellationAction: z
    .string()
    .nullish()
    .meta({
      description: 'action that led to cancellation: EXPIRY, CANCELLATION or REISSUE',
      examples: ['EXPIRY', 'CANCELLATION', 'REISSUE'],
    }),
  transactions: z.array(Transaction).optional().meta({ description: 'transactions associated with the card' }),
});

/** Body of block and reissue. Whether `reason` is required, and its allowed values: not shown. */
export const ReasonBody = z.strictObject({
  reason: text('why, as the service stores it').optional(),
});

/** Body of both provisioning operations. Which fields are required, and their allowed values: not shown. */
export const ProvisionBody = z.strictObject({
  clientDeviceID: text("identifier of the customer's device").optional(),
  clientWalletProvider: text('wallet provider as the client names it').optional(),
  clientWalletAccountID: text("identifier of the customer's wallet account").optional(),
});

export const WalletAResult = z.looseObject({
  encryptedPaymentInstrument: z
    .string()
    .meta({ description: 'encrypted payment instrument data returned by the wallet provider' }),
});

export const WalletBResult = z.looseObject({
  primaryAccountNumberPrefix: z.string(),
  activationData: z.string(),
  authenticationData: z.string(),
});

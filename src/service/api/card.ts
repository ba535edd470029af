import * as z from 'zod/mini';
import { list, NUMBER, nullable, TEXT } from '../../base/json/shape.ts';
import { strictObject, text } from './field.ts';
import { CUSTOM_DATA, described, resource } from './resource.ts';

/** Documented statuses. Others are shown as they are. */
export const CARD_STATUSES = ['WAITING_ACTIVATION', 'ACTIVE', 'CANCELLED', 'BLOCKED', 'REISSUED', 'EXPIRED'] as const;

export const Transaction = resource(
  {
    transactionId: described(TEXT, 'unique identifier'),
    amount: described(NUMBER, 'amount of the transaction; the currency is not documented'),
    type: described(TEXT, 'LOAD, UNLOAD or PURCHASE', { examples: ['LOAD', 'UNLOAD', 'PURCHASE'] }),
    createdAt: described(TEXT, 'time the transaction was recorded', { format: 'date-time' }),
  },
  ['transactionId', 'amount', 'type', 'createdAt'],
);

/** Unknown members and new enum values are kept. */
export const Card = resource(
  {
    cardId: described(TEXT, 'unique identifier of the card', { format: 'uuid' }),
    clientReference: described(TEXT, 'identifier provided by the client to prevent duplication'),
    status: described(TEXT, CARD_STATUSES.join(', '), { examples: [...CARD_STATUSES] }),
    initialBalance: described(NUMBER, 'starting balance; the currency is not documented'),
    currentBalance: described(NUMBER, 'current available balance'),
    expiryDate: described(TEXT, 'when the card expires', { format: 'date-time' }),
    design: described(TEXT, 'design or template selected'),
    metadata: described(CUSTOM_DATA, 'custom data'),
    createdAt: described(TEXT, 'creation time', { format: 'date-time' }),
    updatedAt: described(TEXT, 'last update time', { format: 'date-time' }),
    activatedAt: described(nullable(TEXT), 'activation time, if applicable', { format: 'date-time' }),
    cancelledAt: described(nullable(TEXT), 'cancellation time; null if not cancelled', { format: 'date-time' }),
    cancellationAmount: described(nullable(NUMBER), 'amount unloaded at cancellation; null if not cancelled'),
    cancellationAction: described(nullable(TEXT), 'action that led to cancellation: EXPIRY, CANCELLATION or REISSUE', {
      examples: ['EXPIRY', 'CANCELLATION', 'REISSUE'],
    }),
    transactions: described(list(Transaction), 'transactions associated with the card'),
  },
  [
    'cardId',
    'clientReference',
    'status',
    'initialBalance',
    'expiryDate',
    'design',
    'metadata',
    'createdAt',
    'updatedAt',
  ],
);

/** Body of a change that takes no more than a reason. Whether `reason` is required, and its allowed values, are not documented. */
export const ReasonBody = strictObject(() => ({ reason: z.optional(text('why, as the service stores it')) }));

/** Body of both provisioning operations. Required fields and allowed values are not documented. */
export const ProvisionBody = strictObject(() => ({
  clientDeviceID: z.optional(text("identifier of the customer's device")),
  clientWalletProvider: z.optional(text('wallet provider as the client names it')),
  clientWalletAccountID: z.optional(text("identifier of the customer's wallet account")),
}));

export const WalletAResult = resource(
  {
    encryptedPaymentInstrument: described(TEXT, 'encrypted payment instrument data returned by the wallet provider'),
  },
  ['encryptedPaymentInstrument'],
);

export const WalletBResult = resource(
  { primaryAccountNumberPrefix: TEXT, activationData: TEXT, authenticationData: TEXT },
  ['primaryAccountNumberPrefix', 'activationData', 'authenticationData'],
);

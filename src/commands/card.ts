import { OPERATIONS } from '../api/operations.ts';
import { callCommand } from '../command/command.ts';
import { SPECIAL } from '../options/call-options.ts';
import type { Column } from '../output/column.ts';

/** Columns of a card. Wide ones are left out of tables unless asked for with --columns; csv has all. */
export const CARD_COLUMNS: readonly Column[] = [
  { name: 'cardId', header: 'CARD ID', keep: true },
  { name: 'status', header: 'STATUS', tone: 'status' },
  { name: 'currentBalance', header: 'BALANCE', align: 'right' },
  { name: 'initialBalance', header: 'INITIAL', align: 'right' },
  { name: 'expiryDate', header: 'EXPIRES' },
  { name: 'clientReference', header: 'CLIENT REFERENCE' },
  { name: 'design', header: 'DESIGN' },
  { name: 'createdAt', header: 'CREATED', wide: true },
  { name: 'updatedAt', header: 'UPDATED', wide: true },
  { name: 'activatedAt', header: 'ACTIVATED', wide: true },
  { name: 'cancelledAt', header: 'CANCELLED', wide: true },
  { name: 'cancellationAmount', header: 'CANCELLATION AMOUNT', align: 'right', wide: true },
  { name: 'cancellationAction', header: 'CANCELLATION ACTION', wide: true },
  { name: 'metadata', header: 'METADATA', wide: true },
  { name: 'transactions', header: 'TRANSACTIONS', wide: true },
];

export const CARD_ARGUMENT = {
  name: 'cardId',
  question: 'Id of the card',
  text: 'id of the card, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
} as const;

const ANY_CARDS = { columns: CARD_COLUMNS, argument: { ...CARD_ARGUMENT, variadic: true }, many: true } as const;
const WRITE = { ...ANY_CARDS, expect: true } as const;

// Each is made when it is used: its options follow from schemas that take a while to make.

export const cardGet = () =>
  callCommand({
    ...ANY_CARDS,
    description:
      'Reads one card, or several. One id gives one card; several ids or --from give a list in the order asked for, and exit 15 when some could not be read.',
    operation: OPERATIONS.cardGet,
    examples: {
      'Show a card': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
      'Take the status for a script': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status',
      'Read many cards as CSV with a metadata column':
        'card get --from ids.txt -o csv --columns cardId,status,metadata.store',
    },
  });

export const cardActivate = () =>
  callCommand({
    ...WRITE,
    description:
      'Activates one card, or many. When no readable answer comes, the card is read back: status ACTIVE counts as done, anything else is exit 8. Which status an activation leads to is not documented.',
    operation: OPERATIONS.cardActivate,
    examples: {
      'Activate a card': 'card activate 4fbeb052-7396-41ce-8085-9263bed4f505',
      'Only if it is the card of order 10005':
        'card activate 4fbeb052-7396-41ce-8085-9263bed4f505 --expect clientReference=order-10005',
      'See what would be sent for a whole file': 'card activate --from cards.csv --dry-run',
    },
  });

export const cardBlock = () =>
  callCommand({
    ...WRITE,
    description:
      'Blocks one card, or many. On a terminal it shows the card as it is now and asks; elsewhere it needs --yes. There is no way back from a block. When no readable answer comes, the card is read back: status BLOCKED counts as done, anything else is exit 8.',
    operation: OPERATIONS.cardBlock,
    examples: {
      'Block a lost card': 'card block 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --reason "lost, ticket 4711"',
      'Only if it is the card of order 10001':
        'card block 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --expect clientReference=order-10001 --yes',
      'Block every card of a spreadsheet, checking each row against the card':
        'card block --from stolen.csv --expect clientReference --yes',
    },
  });

export const cardReissue = () =>
  callCommand({
    ...WRITE,
    description:
      'Reissues one card, or many. On a terminal it shows the card as it is now and asks; elsewhere it needs --yes. Whether the answer is the original or its replacement is not documented, so the id in the answer is kept in the history. A reissue without an answer is never repeated: two may mean two live cards.',
    operation: OPERATIONS.cardReissue,
    options: { again: SPECIAL.again },
    examples: {
      'Reissue a damaged card': 'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --reason "damaged, ticket 4711"',
      'Take the id of the answer for a script':
        'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --yes --json --query cardId',
    },
  });

export const cardProvision = () =>
  callCommand({
    description:
      "Asks the service for the data that puts a card into a customer's wallet. The result is secret and comes once: tables and csv hide it, --out writes it to a new file that only you can read, and neither history nor --verbose ever holds it. It cannot be read back, so a call without an answer is exit 8.",
    operation: {
      option: 'wallet',
      rows: { wallet_a: OPERATIONS.cardProvisionWalletA, wallet_b: OPERATIONS.cardProvisionWalletB },
    },
    columns: [
      { name: 'encryptedPaymentInstrument', header: 'ENCRYPTED PAYMENT INSTRUMENT' },
      { name: 'primaryAccountNumberPrefix', header: 'PRIMARY ACCOUNT NUMBER PREFIX' },
      { name: 'activationData', header: 'ACTIVATION DATA' },
      { name: 'authenticationData', header: 'AUTHENTICATION DATA' },
    ],
    argument: CARD_ARGUMENT,
    options: {
      wallet: {
        kind: 'choice',
        value: 'wallet',
        choices: ['wallet_a', 'wallet_b'],
        required: true,
        text: 'which wallet provider',
      },
      out: SPECIAL.out,
      showSensitive: SPECIAL.showSensitive,
      again: SPECIAL.again,
    },
    examples: {
      'Keep the result in a file':
        'card provision 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --wallet wallet_a --client-device-id device-7 --out result.json',
      'Pipe it to another program': 'card provision 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --wallet wallet_b --json',
    },
  });

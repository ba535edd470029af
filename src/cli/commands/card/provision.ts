import { callCommand } from '../../../command/command.ts';
import { SPECIAL } from '../../../input/options/call-options.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import { CARD_ARGUMENT } from './columns.ts';

export const command = callCommand({
  description:
    'The data is secret, and the service returns it only once. To keep it, use --out: it creates a file that only you can read. Table and CSV output hide the data. The history and --verbose never contain it. If no response comes, the outcome is unknown (exit 8), because no command can check it.',
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
      question: 'Which wallet provider?',
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

import { CARD_STATUSES, Card } from '../api/card.ts';
import { CARD_ARGUMENT, CARD_COLUMNS } from '../commands/card.ts';
import { localCommand } from '../commands/command.ts';
import { openUnder } from '../output/column.ts';

export const cardWaitCommand = localCommand({
  description:
    'Reads a card again and again until its status is one of those wanted, then prints it as `card get` does. When the time is up without that, exit 124 names the last status seen. 401, 403, 404 and any other refusal end it at once; a service that stops answering is waited for, and a Retry-After is obeyed.',
  usesProfile: true,
  columns: CARD_COLUMNS,
  isOpenColumn: openUnder('metadata', 'transactions'),
  arguments: { cardId: { ...CARD_ARGUMENT, kind: 'cardId', required: true } },
  options: {
    status: {
      kind: 'choices',
      value: 'STATUS[,STATUS]',
      required: true,
      question: 'Which status is waited for?',
      choices: CARD_STATUSES,
      text: 'one or several, with commas between them',
    },
    timeout: {
      kind: 'duration',
      min: 1,
      default: '60s',
      text: 'limit of the whole wait: 500ms, 30s, 2m, 1h; the default is 60s',
    },
    interval: { kind: 'duration', min: 1, default: '2s', text: 'time between two reads; the default is 2s' },
  },
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 11, 16, 124, 130],
  examples: {
    'Wait until a card is active': 'card wait 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --status ACTIVE',
    'Look every ten seconds, for five minutes':
      'card wait 72e1e385-a6c9-44f1-b3b8-c596e1072808 --status BLOCKED,REISSUED --timeout 5m --interval 10s',
  },
  output: async () => Card,
  async run(session, given) {
    const { runWait } = await import('./card-wait.ts');
    await runWait(session, given);
  },
});

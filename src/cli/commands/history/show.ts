import { Failure } from '../../../base/failure.ts';
import { localCommand } from '../../../command/command.ts';
import { quoteValue, readCardId } from '../../../input/values.ts';
import {
  CLOSED_COLUMNS,
  factsOf,
  HISTORY_COLUMNS,
  READ_COLUMNS,
  SHOWN_OUTPUT,
  shownJson,
} from '../../../records/entry-table.ts';
import { showHistory } from '../../../records/read.ts';
import { chooseEntry } from './entry.ts';

export const command = localCommand({
  columns: [...HISTORY_COLUMNS, ...CLOSED_COLUMNS, ...READ_COLUMNS],
  description:
    'Give the name from the ENTRY column, or any part that no other entry shares. If the outcome was resolved later, shows both the first outcome and what the card showed.',
  arguments: { entry: { text: 'name of the entry', required: true, isOwnQuestion: true } },
  examples: {
    'Show an entry': 'history show 20270402T180000000-4d2-9f3a1c',
    'Print its request ID, for the service desk':
      'history show 20270402T180000000-4d2-9f3a1c --json --query requestId --raw',
  },
  output: () => SHOWN_OUTPUT,
  async run(session, values) {
    const name = values.entry ?? (await chooseEntry(session));
    const card = readCardId(name);
    if (card.kind === 'id' || card.kind === 'holds') {
      throw new Failure('USAGE', `${quoteValue(name)} is a card ID, not the name of an entry`, {
        hints: [{ do: 'list the changes of the card', about: card.id, profile: session.common.profile }],
      });
    }
    const entry = await showHistory(session.stateDir(), name);
    const columns = [
      ...HISTORY_COLUMNS,
      ...(entry.supersededBy === undefined && entry.resolved === undefined ? [] : CLOSED_COLUMNS),
      ...(entry.read === undefined ? [] : READ_COLUMNS),
    ];
    await session.print({ kind: 'resource', resource: shownJson(entry), columns, facts: factsOf });
  },
});

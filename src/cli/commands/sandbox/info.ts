import { jsonOf } from '../../../base/json/shape.ts';
import { fromPlain, type JsonValue } from '../../../base/json/value.ts';
import { hintText } from '../../../base/next-step.ts';
import { localCommand } from '../../../command/command.ts';
import { SANDBOX } from '../../../profile/settings.ts';
import { FileStore } from '../../../sandbox/file-store.ts';
import { INFO_OUTPUT, sandboxInfo } from '../../../sandbox/info.ts';
import { cellText, plainColumns } from '../../../screen/column.ts';
import { safeText } from '../../../screen/text.ts';

function line(...cells: readonly JsonValue[]): string {
  return `  ${cells.map((cell) => safeText(cellText(cell))).join('  ')}`;
}

type Info = ReturnType<typeof sandboxInfo>;

/** Most subscribers of a calendar that are named. The rest is counted, so that the cards stay on the screen. */
const NAMED_SUBSCRIBERS = 3;

function calendarLine(calendarId: string, subscribers: Info['subscribers']): string {
  const own = subscribers.filter(({ calendar }) => calendar === calendarId);
  const named = own.slice(0, NAMED_SUBSCRIBERS).map(({ id }) => safeText(id));
  const more = own.length - named.length;
  return `${line(calendarId)}  ${named.join(' ')}${more > 0 ? ` and ${more} more` : ''}`.trimEnd();
}

function infoText({ cards, calendars, subscribers }: Info): string {
  return [
    'Cards',
    ...cards.map(({ cardId, status }) => line(cardId, status)),
    'Calendars and their subscribers',
    ...calendars.map(({ id }) => calendarLine(id, subscribers)),
    '',
    ...cards
      .slice(0, 1)
      .map(({ cardId: about }) => hintText({ do: 'show it', words: 'Try', about: cellText(about), profile: SANDBOX })),
    hintText({ do: 'list the rules that the sandbox chose', words: 'Rules that the sandbox chose' }),
  ].join('\n');
}

const COLUMNS = plainColumns({ kind: 'KIND', id: 'ID', status: 'STATUS', calendar: 'CALENDAR' });
const CHOICES = plainColumns({ topic: 'TOPIC', choice: 'CHOICE' });

/** One row for each thing, for csv and for chosen columns. */
function rowsOf({ cards, calendars, subscribers }: Info): readonly JsonValue[] {
  return [
    ...cards.map(({ cardId, status }) => fromPlain({ kind: 'card', id: cardId, status })),
    ...calendars.map(({ id }) => fromPlain({ kind: 'calendar', id })),
    ...subscribers.map(({ id, calendar }) => fromPlain({ kind: 'subscriber', id, calendar })),
  ];
}

export const command = localCommand({
  columns: [...COLUMNS, ...CHOICES],
  description:
    'Shows the IDs and statuses of `--profile sandbox` as they are now. --choices lists the rules that the sandbox chose where the service documents none: a real service may behave differently.',
  options: { choices: { text: 'list the rules that the sandbox chose instead' } },
  examples: {
    'List what you can try': 'sandbox info',
    'Print the ID of the first active card': `sandbox info --json --query "cards[?status=='ACTIVE'].cardId | [0]" --raw`,
  },
  output: () => INFO_OUTPUT,
  async run(session, { choices }) {
    const store = new FileStore(session.stateDir(), session.context);
    const info = sandboxInfo(store.read());
    const document = jsonOf(INFO_OUTPUT, info);
    const { format, columns, sortBy } = session.output;
    if (format === 'csv' || (columns ?? sortBy) !== undefined) {
      const rows = choices ? info.choices.map(fromPlain) : rowsOf(info);
      return session.print({ kind: 'list', document, rows, columns: choices ? CHOICES : COLUMNS });
    }
    const chosen = info.choices.map(({ topic, choice }) => line(topic, choice));
    const text = choices
      ? ['Where the service documents no rule, the sandbox chose:', ...chosen].join('\n')
      : infoText(info);
    return session.print({ kind: 'text', text, json: document, isProse: true });
  },
});

import { localCommand } from '../../command/command.ts';
import { jsonOf } from '../../json/shape.ts';
import type { JsonValue } from '../../json/value.ts';
import { cellText } from '../../output/column.ts';
import { safeText } from '../../output/text.ts';
import { FileStore } from '../../sandbox/file-store.ts';
import { INFO_OUTPUT, sandboxInfo } from '../../sandbox/info.ts';

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
    ...cards.slice(0, 1).map(({ cardId }) => `Try: frontdesk -p sandbox card get ${cardId}`),
    'What it chose where the service documents no rule: frontdesk sandbox info --choices',
  ].join('\n');
}

export const command = localCommand({
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
    const chosen = info.choices.map(({ topic, choice }) => line(topic, choice));
    const text = choices
      ? ['Where the service documents no rule, the sandbox chose:', ...chosen].join('\n')
      : infoText(info);
    await session.print({ kind: 'text', text, json: jsonOf(INFO_OUTPUT, info), isProse: true });
  },
});

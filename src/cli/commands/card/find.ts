import { type Notice, note, usageFailure } from '../../../base/failure.ts';
import { requireOwnState } from '../../../base/files/own-state.ts';
import { anyOf, BOOLEAN, INTEGER, jsonOf, list, nullable, object, TEXT } from '../../../base/json/shape.ts';
import { hintText } from '../../../base/next-step.ts';
import { localCommand } from '../../../command/command.ts';
import type { Session } from '../../../command/session.ts';
import { WORKBOOK } from '../../../input/options/call-options.ts';
import { YES } from '../../../input/options/common.ts';
import { nearlyIdProblem, quoteValue } from '../../../input/values.ts';
import { namedProfile } from '../../../profile/resolve.ts';
import { findCards, forgetCards } from '../../../records/known-cards.ts';
import { ledgerFolder } from '../../../records/ledger.ts';
import { openFolder, runsFolder } from '../../../records/stored/open-folder.ts';
import type { Column } from '../../../screen/column.ts';
import { peopleTime } from '../../../screen/people-text.ts';
import { plural, safeText } from '../../../screen/text.ts';
import { maskPlain } from '../../../service/http/mask.ts';
import { confirmLoss, missingText } from '../../../writes/ask/missing.ts';
import type { ImportOptions } from './import-cards.ts';

const COLUMNS: readonly Column[] = [
  { name: 'cardId', header: 'CARD ID', keep: true },
  { name: 'clientReference', header: 'CLIENT REFERENCE', keep: true, below: 'labelled' },
  { name: 'status', header: 'STATUS', tone: 'status' },
  { name: 'seenAt', header: 'SEEN', below: 'labelled', people: peopleTime },
];

const FOUND = object({ cardId: TEXT, clientReference: nullable(TEXT), status: nullable(TEXT), seenAt: TEXT });
const FORGOTTEN = object({ forgotten: BOOLEAN });
const IMPORTED = object({ imported: INTEGER });

export const command = localCommand({
  usesProfile: true,
  columns: COLUMNS,
  description:
    'Finds cards that this machine has read, changed or imported at the base URL of the profile: by the client reference, else by its beginning (3 characters or more) or the beginning of an ID (8 or more). Sends nothing, so a status may be old: SEEN says of when it is.',
  arguments: { text: { text: 'client reference (order number) or card ID, or its beginning', required: false } },
  options: {
    import: {
      kind: 'path',
      value: 'file',
      text: 'remember the cards of this file (- is stdin): rows with cardId and clientReference',
      excludes: { '<text>': '', forget: '' },
    },
    fromFormat: {
      kind: 'choice',
      value: 'format',
      choices: ['csv', 'xlsx', 'ndjson', 'json'],
      needs: 'import',
      text: 'read --import in this format; default: by extension or content',
    },
    sheet: { kind: 'text', value: 'name', needs: 'import', text: 'read this sheet of an .xlsx file' },
    map: {
      kind: 'text',
      value: 'column=field',
      repeatable: true,
      needs: 'import',
      text: 'read this column as the field: "Order=clientReference"',
    },
    forget: { text: 'forget all remembered cards of this base URL (asks first)', excludes: { '<text>': '' } },
    out: WORKBOOK.out,
    yes: YES,
  },
  examples: {
    'Find the card of an order': 'card find order-10001',
    'Take its ID for a script': 'card find order-10001 --json --query "[].cardId" --raw',
    'Import an export of orders': 'card find --import orders.csv --map "Order=clientReference" -p live',
    'Forget the cards of a profile': 'card find --forget -p live --yes',
  },
  output: () => anyOf(list(FOUND), FORGOTTEN, IMPORTED),
  async run(session, { text: input, forget, yes, import: path, fromFormat: format, sheet, map }) {
    if (forget) return forgetAll(session, yes);
    if (path !== undefined) return importFile(session, path, { format, sheet, map });
    const question = 'Order number, or the beginning of a card ID, such as order-10001';
    const text = input ?? (await missingText(session, '<text>', question, () => undefined));
    if (text.trim() === '') throw usageFailure([{ where: '<text>', problem: 'is required' }]);
    const { rows, notes, failure } = findRemembered(session, text);
    await session.print({ kind: 'list', rows, columns: COLUMNS, whenEmpty: 'No card was found.' });
    const { maskArguments } = await import('../../mask-arguments.ts');
    const mask = maskArguments(session.context.argv);
    for (const each of notes) await session.notify(maskPlain(each, mask));
    if (failure !== undefined) throw failure;
  },
});

async function importFile(session: Session, path: string, options: ImportOptions): Promise<void> {
  if (!session.keepsHistory) {
    const problem = 'FRONTDESK_NO_HISTORY is set, so no card is remembered';
    throw usageFailure([{ where: '--import', problem }], ['unset FRONTDESK_NO_HISTORY']);
  }
  const { importCards } = await import('./import-cards.ts');
  const imported = await importCards(session, placeOf(session), path, options);
  session.done.push(`the cards of ${plural(imported, 'row')} are remembered`);
  const text = `The cards of ${plural(imported, 'row')} are remembered.`;
  await session.print({ kind: 'text', text, json: jsonOf(IMPORTED, { imported }) });
}

/** The remembered cards that a text finds, what to say of them, and what could not be read. */
export function findRemembered(session: Session, text: string) {
  const place = placeOf(session);
  const { cards, count, since, failure } = findCards(place, text);
  const rows = cards.map(({ cardId, clientReference = null, status = null, seenAt }) =>
    jsonOf(FOUND, { cardId, clientReference, status, seenAt }),
  );
  const notes: Notice[] = [];
  if (count > cards.length) {
    const more = `${plural(count - cards.length, 'more card')} found. Type more of the reference to see fewer`;
    notes.push(note('MORE_CARDS', more));
  }
  if (count === 0) {
    const begin = since === undefined ? 'remembers no cards yet' : `remembers cards since ${peopleTime(since)}`;
    const step = hintText({ do: 'import an export of orders', profile: namedProfile(session.selectedProfile()) });
    const near = nearlyIdProblem(text);
    const subject = near === undefined ? 'this' : `${quoteValue(text)} is not a card ID (${near}). This`;
    notes.push(note('NO_CARD', `${subject} machine ${begin}. To find others, ${step}`));
  }
  return { rows, notes, failure };
}

/** Where the cards of the profile are remembered. AUTH where others can write records: nothing in the folder is believed. */
function placeOf(session: Session) {
  const stateDir = session.stateDir();
  for (const folder of [runsFolder, ledgerFolder, openFolder]) requireOwnState(stateDir, folder(stateDir));
  return { stateDir, url: session.placeOf('cards') };
}

async function forgetAll(session: Session, yes: boolean): Promise<void> {
  const place = placeOf(session);
  await confirmLoss(session, yes, `Forget all cards that this machine remembers of ${safeText(place.url)}?`);
  const forgotten = await forgetCards(place);
  if (forgotten) session.done.push('the remembered cards are deleted');
  const text = forgotten ? 'The remembered cards are deleted.' : 'No cards were remembered.';
  await session.print({ kind: 'text', text, json: jsonOf(FORGOTTEN, { forgotten }) });
}

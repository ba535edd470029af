import { ERROR_WORDS } from '../../input/spreadsheet-errors.ts';
import { AGENTS } from './agents.ts';
import { exitCodeRows } from './command-doc.ts';
import { COMMAND_LISTS, unknownHints } from './command-lists.ts';
import { ENVIRONMENT } from './environment.ts';
import { optionBlocks } from './help-text.ts';
import { type Block, examples, rows, text } from './text-block.ts';
import { TOPIC_LIST } from './topic-list.ts';

const EXIT_CODES: readonly Block[] = [
  rows(
    'Exit codes',
    Object.fromEntries(
      exitCodeRows().map(({ exitCode, code, meaning, repeat }) => [
        `${exitCode} ${code}`.trimEnd(),
        repeat === '' ? meaning : `${meaning}. Run it again? ${repeat}`,
      ]),
    ),
  ),
  text(
    'Of several rows the worst wins: 8, 16, the signal, 4 or 5 (the run stopped on 401 or 403), 7 (nothing could be sent at all), 15, 0.',
  ),
  text('With -o json or ndjson the error on stderr is one line of JSON with code and exitCode.'),
];

const VARIABLES: readonly Block[] = [
  text(
    'Options override environment variables. Those override the profile, which overrides `frontdesk config`, which overrides the defaults.',
  ),
  rows(
    'Variables',
    Object.fromEntries(ENVIRONMENT.map(({ name, text, option }) => [name, option ? `${text} (${option})` : text])),
  ),
  text(
    'A stored profile (-p or FRONTDESK_PROFILE) together with another URL in the environment is exit 2, so that no card is changed at the wrong service. NODE_TLS_REJECT_UNAUTHORIZED=0 is refused: certificates are always checked.',
  ),
];

const OUTPUT: readonly Block[] = [
  text(
    'stdout has the result and nothing else. Questions, notices, progress, warnings and errors go to stderr. The format never changes by itself. Outside a terminal, a table is tab-separated.',
  ),
  rows('Formats (-o, --output)', {
    table: 'for people: fitted to the terminal; elsewhere a header and one tab-separated line per row',
    json: 'one document, as the service sent it: every key, every digit; no results are []',
    ndjson: 'one compact object per line, printed while the work goes on',
    csv: "header and rows; a text that looks like a formula gets a leading ' (--csv-raw switches that off)",
  }),
  rows('Shaping it', {
    '--columns a,b.c': 'choose columns; dotted names reach into metadata',
    '--sort-by column': 'sort the rows; a run keeps its input order',
    '--no-header': 'print rows only',
    '--query expr':
      'print what this JMESPath finds; ndjson: in each line; no match is null. One that does not fit is null too, with a warning and exit 15',
    '--raw': 'with --query: print texts without quotes',
  }),
  text(
    'Secret fields of a provisioning are hidden in table and csv (<hidden, 1204 characters>) unless --show-sensitive. --out writes them to a new file of mode 0600.',
  ),
  examples('Examples', {
    'Print only the status, for a script':
      'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status --raw',
    'Export subscribers for a spreadsheet':
      'frontdesk calendar subscribers list cal_harbour_tours --active all --limit 100 -o csv > old.csv',
  }),
];

const OPTIONS: readonly Block[] = [
  text(
    'Options can be anywhere after `frontdesk`. Options override environment variables. Those override the profile, which overrides `frontdesk config`, which overrides the defaults. A duration is 500ms, 30s, 2m, 1h or 7d.',
  ),
  examples('Examples', {
    'Use another profile, and JSON for a script':
      'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 -p live --json',
    'Wait longer, and retry more often':
      'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --timeout 2m --retries 5',
  }),
];

const BULK: readonly Block[] = [
  text(
    `${COMMAND_LISTS.bulk.join(', ')} take many rows: --from <file>, or - for stdin. CSV, .xlsx, NDJSON, a JSON array, or one ID per line. Columns are the field names of the API, with cardId or id. Options give values to rows that lack them.`,
  ),
  text(
    '--map "Card Number=cardId" reads a column of another name as a field. --where "Store=12" and --rows 1-10 take only these rows. In the text of an option, {Ticket} is the cell of each row. The other rows are counted, and nothing in them is an error. These words in a cell are an error of a spreadsheet, and are refused:',
  ),
  text(ERROR_WORDS.join(' ')),
  text(
    'frontdesk reads and checks the whole input before the first request. One error anywhere, the same ID twice included, is exit 2, and nothing is sent. An empty cell is omitted. --empty-cells clear sends the empty text instead.',
  ),
  text(
    'In an .xlsx file, store IDs, dates and numbers as text: a cell that shows another text than it stores is an error (Sheet1!C7).',
  ),
  rows('Before it sends', {
    '--dry-run': 'print the requests and send nothing',
    '--expect field': 'read each card first, compare it with the column of its row',
    '--changed-from old': 'send only the cells that differ from an older file',
    '--skip-if field=value': 'read each card first, and skip cards that have this value',
  }),
  rows('After a crash, Ctrl-C or an outage', {
    'frontdesk runs': 'list runs with their state and outcomes',
    'frontdesk runs resume --last': 'send the rows that are left, but none with an unknown outcome',
    'frontdesk runs results --last': 'print the rows again; --as-input prints them as an input',
    'frontdesk runs report --last --as html': 'print a report; also as junit or markdown',
  }),
  ...optionBlocks('Bulk options', 'bulk'),
  examples('Examples', {
    'Check first, then send': 'frontdesk card block --from stolen.csv --expect clientReference --dry-run',
    'Start a run that can be restarted under its name':
      'frontdesk card block --from stolen.csv --expect clientReference --run stolen-4711 --failed rest.csv --yes',
  }),
];

const OUTCOMES: readonly Block[] = [
  text('Every change ends in one of six outcomes. JSON errors, history and runs say which.'),
  rows('Outcomes', {
    applied: 'the service returned that it is done',
    confirmed_by_read: 'no readable response came, but the card shows the status that was wanted',
    skipped: 'the card is already as --skip-if says; nothing was sent, and that is a success',
    rejected: 'the service refused it; nothing was changed',
    not_sent: 'proven: no byte of the request left this machine; fix the cause, then run it again',
    unknown: 'the request left, and nothing tells whether it was applied (exit 8): check first',
  }),
  text(
    'Do not run a change again while its outcome is unknown: a second reissue may create a second live card. frontdesk keeps it as an open write, names it whenever the card comes up, and refuses a second reissue, provisioning or event (exit 17) unless --again.',
  ),
  rows('What to do while it is unknown', {
    ...unknownHints(),
    'a run': 'runs resume <run> --reconcile checks the cards; --resend-unknown sends the rows again',
  }),
  examples('Examples', {
    'List every open write': 'frontdesk history --open',
    'Check their cards, and record what they show': 'frontdesk history reconcile -p live',
    'Record what you found out':
      'frontdesk history resolve <entry> --as applied --note "the customer has the new card"',
  }),
];

/** Fits on one screen. */
const PLANS: readonly Block[] = [
  text(
    `A plan is a file that holds exactly what will be sent. ${COMMAND_LISTS['bulk-writes'].join(', ')} take --plan <file>: frontdesk checks the input, reads each card once, and changes nothing. A plan is applied once per state folder: another machine, or one where the run was deleted, would send it again.`,
  ),
  examples('From the input to the results, and back', {
    'Make it; valid for 24 hours (--plan-expires 7d)': 'frontdesk card block --from stolen.csv --plan stolen.plan',
    'Review its contents and state': 'frontdesk plan show stolen.plan',
    'Show it in a pull request': 'frontdesk plan show stolen.plan --as markdown',
    'Apply it; again: resume, or print the results': 'frontdesk plan apply stolen.plan',
    'Plan to restore the old values of a run with --changed-from': 'frontdesk runs revert --last --plan back.plan',
  }),
  text(
    'Each card is read again right before its change. If its status, updatedAt or clientReference differs, --expect does not hold, or it cannot be read, its row is not_sent (PRECONDITION), and the others go on. A change between that read and the write cannot be seen. Calendars, events and subscribers cannot be read: their rows are sent as planned, and counted.',
  ),
  text(
    'Refused: a plan changed in any byte (exit 2), for another address (exit 2), expired before it was started (exit 17). The hash finds damage. It does not prove who made the plan.',
  ),
  text(
    'To have two people decide, put the plan into a pull request, and keep the token where only the job that applies merged plans can read it. maxRows of a profile does not limit plans.',
  ),
];

const ACCESSIBILITY: readonly Block[] = [
  text(
    'FRONTDESK_ACCESSIBLE=1 is for screen readers and slow connections. Each line is printed once and stays. There is no spinner, no bar, no rule under a header, and no list with a pointer.',
  ),
  rows('What changes', {
    questions: 'take the line that you type; a wrong answer is named, and the question is asked again',
    menus: 'are numbered lists: type the number, then Enter; at the desk a card ID opens that card',
    waits: 'are printed on a line of their own at once, and every 30 s',
    outcomes: 'are words, as always: Blocked, rejected, OUTCOME UNKNOWN',
  }),
  text(
    'At the desk, Esc and Ctrl-C go one step back; elsewhere Ctrl-C ends frontdesk (130). A paste never answers a menu or a yes/no. TERM=dumb asks in the same way, without any escape sequence. --no-input asks nothing. NO_COLOR removes colors.',
  ),
];

const BLOCKS: Readonly<Record<(typeof TOPIC_LIST)[number]['name'], readonly Block[]>> = {
  'exit-codes': EXIT_CODES,
  options: [...optionBlocks('Options', 'common'), ...OPTIONS],
  environment: VARIABLES,
  output: OUTPUT,
  bulk: BULK,
  outcomes: OUTCOMES,
  plans: PLANS,
  agents: AGENTS,
  accessibility: ACCESSIBILITY,
};

export const TOPICS = TOPIC_LIST.map((topic) => ({ ...topic, blocks: BLOCKS[topic.name] }));

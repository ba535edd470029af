import { exitCodeRows } from './command-doc.ts';
import { ENVIRONMENT } from './environment.ts';
import { commonOptionBlocks } from './help-text.ts';
import { PLANS } from './plans-topic.ts';
import type { Block } from './text-block.ts';

/** A subject that belongs to no single command. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly blocks: readonly Block[];
}

const text = (paragraph: string): Block => ({ kind: 'text', text: paragraph });

function exitCodes(): readonly Block[] {
  return [
    {
      kind: 'grid',
      header: ['EXIT', 'CODE', 'MEANING', 'SAFE TO REPEAT'],
      rows: exitCodeRows().map((row) => [String(row.exitCode), row.code, row.meaning, row.repeat]),
    },
    text(
      'Several rows: the worst wins, in the order 8, 16, the signal, 4 or 5 (the run stopped on 401 or 403), 7 (nothing could be sent at all), 15, 0.',
    ),
    text('With -o json or ndjson the error on stderr is one line of JSON that holds code and exitCode.'),
  ];
}

function environment(): readonly Block[] {
  return [
    text(
      'A flag wins over the environment, the environment over the profile, the profile over the config, and that over what is built in.',
    ),
    {
      kind: 'rows',
      title: 'Variables',
      rows: ENVIRONMENT.map(({ name, text: meaning, option }) => ({
        name,
        text: option === undefined ? meaning : `${meaning} (${option})`,
      })),
    },
    text(
      'A stored profile that is named (-p or FRONTDESK_PROFILE) and a URL in the environment that differs from its own: exit 2, so that no card is changed at the wrong place. NODE_TLS_REJECT_UNAUTHORIZED=0 is refused: verification cannot be switched off.',
    ),
  ];
}

const OUTPUT: readonly Block[] = [
  text(
    'stdout holds the result and nothing else. Questions, notices, progress, warnings and errors are on stderr. The format never changes by itself; off a terminal a table is tab-separated.',
  ),
  {
    kind: 'rows',
    title: 'Formats (-o, --output)',
    rows: [
      {
        name: 'table',
        text: 'for people: fitted to the width of a terminal; elsewhere one header and one tab-separated line per row',
      },
      {
        name: 'json',
        text: 'one document, as the service sent it: every key, every digit of a number; none is [], not nothing',
      },
      { name: 'ndjson', text: 'one compact object a line, written while the work goes on' },
      {
        name: 'csv',
        text: "header and rows; a text that a spreadsheet would take for a formula gets a leading ' (--csv-raw turns that off)",
      },
    ],
  },
  {
    kind: 'rows',
    title: 'Shaping it',
    rows: [
      { name: '--columns a,b.c', text: 'columns of a table or csv; dotted names reach into metadata' },
      { name: '--sort-by column', text: 'order of the rows; a run keeps its input order' },
      { name: '--no-header', text: 'rows only' },
      { name: '--query expr', text: 'JMESPath over the result; ndjson: over each line; no match is null' },
    ],
  },
  text(
    'Secret fields of a provisioning are hidden in table and csv (<hidden, 1204 characters>) unless --show-sensitive; --out writes them to a new file of mode 0600.',
  ),
  {
    kind: 'examples',
    title: 'Examples',
    examples: [
      {
        text: 'The status of a card, for a script',
        line: 'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status',
      },
      {
        text: 'Subscribers for a spreadsheet',
        line: 'frontdesk calendar subscribers list cal_harbour_tours --active all --limit 100 -o csv > subscribers.csv',
      },
    ],
  },
];

const BULK: readonly Block[] = [
  text(
    'card get, activate, block, reissue, calendar update, subscribers update and event create take many rows: --from <file>, or - for stdin. CSV, a workbook (.xlsx), NDJSON, a JSON array, or one id a line. Columns are the field names of the API, with cardId or id; flags give values to rows that lack them.',
  ),
  text(
    'The whole input is read and checked before the first request. One fault anywhere, the same id twice included: exit 2, nothing was sent. An empty cell is "not given"; --empty-cells clear sends the empty text.',
  ),
  text(
    'Of a workbook the first sheet is read, or the one that --sheet names; row 1 is the header. Texts, whole numbers and booleans are taken; a date, a formula or a decimal number is a fault at its cell (Sheet1!C7), since a spreadsheet keeps another value than the one that is seen: store it as text. --failed is CSV.',
  ),
  {
    kind: 'rows',
    title: 'Holding it back',
    rows: [
      { name: '--dry-run', text: 'print the requests and send nothing' },
      { name: '--expect field', text: 'read each card first and compare it with the column of the row' },
      { name: '--changed-from old.csv', text: 'send only the cells that differ from an older file' },
      { name: '--concurrency, --rate', text: 'requests at a time; requests in any one second' },
      { name: '--max-failures n|n%', text: 'stop at that many failed rows' },
    ],
  },
  {
    kind: 'rows',
    title: 'After a crash, Ctrl-C or an outage',
    rows: [
      { name: 'frontdesk runs list', text: 'every run, its state and its outcomes' },
      {
        name: 'frontdesk runs resume --last',
        text: 'go on: rows that are done are not repeated, unknown ones stay untouched',
      },
      {
        name: 'frontdesk runs results',
        text: 'print the rows of a run again; --outcome filters, --as-input makes an input of them',
      },
      { name: 'frontdesk runs report', text: 'one document about a run: --as html, junit or markdown' },
      { name: '--run name', text: 'start that run, or resume it: the safe way to repeat a CI job' },
      { name: '--failed file', text: 'write the rows that did not succeed, as input for a repeat' },
    ],
  },
  {
    kind: 'examples',
    title: 'Examples',
    examples: [
      {
        text: 'Look first, then do it',
        line: 'frontdesk card block --from stolen.csv --expect clientReference --dry-run',
      },
      {
        text: 'A run that can be repeated under its name',
        line: 'frontdesk card block --from stolen.csv --expect clientReference --run stolen-4711 --failed rest.csv --yes',
      },
    ],
  },
];

const OUTCOMES: readonly Block[] = [
  text('Every write ends in one of five ways. JSON errors, history and runs say which.'),
  {
    kind: 'rows',
    title: 'Outcomes',
    rows: [
      { name: 'applied', text: 'the service answered that it is done' },
      {
        name: 'confirmed_by_read',
        text: 'no readable answer came, but the card was read back and shows that it is done',
      },
      { name: 'rejected', text: 'the service refused; nothing changed' },
      { name: 'not_sent', text: 'proven: no byte of the request left; repeat it' },
      {
        name: 'unknown',
        text: 'the request left and nothing tells whether it was applied (exit 8): check before repeating',
      },
    ],
  },
  text(
    'Unknown: do not repeat. A second reissue may make a second live card; a second event create makes a second event. The message says when it was sent, what a read showed, and the command that checks. Then:',
  ),
  {
    kind: 'rows',
    title: 'What to do',
    rows: [
      { name: 'card activate, block', text: 'read the card: ACTIVE or BLOCKED means that it is done' },
      { name: 'card reissue', text: 'read the card; look for a replacement before repeating' },
      { name: 'card provision', text: 'nothing can read it back; ask whether the card is in the wallet' },
      { name: 'calendar update', text: 'repeating sets the same values, unless somebody changed them in between' },
      { name: 'subscribers update', text: 'the same' },
      { name: 'event create', text: 'search the calendar for the event first' },
      {
        name: 'a run',
        text: 'frontdesk runs resume --reconcile reads unknown cards; --resend-unknown sends the rows again',
      },
    ],
  },
  {
    kind: 'examples',
    title: 'Examples',
    examples: [
      {
        text: 'Every write of the last day whose outcome is unknown',
        line: 'frontdesk history --since 24h --outcome unknown',
      },
      { text: 'See the card as it is now', line: 'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101' },
    ],
  },
];

/** The help topics, in the order in which they are offered. */
export const TOPICS: readonly Topic[] = [
  { name: 'exit-codes', summary: 'What each exit code means and whether to repeat', blocks: exitCodes() },
  { name: 'options', summary: 'Options that every command has', blocks: commonOptionBlocks() },
  { name: 'environment', summary: 'Variables of the environment', blocks: environment() },
  { name: 'output', summary: 'Formats, columns, queries and streams', blocks: OUTPUT },
  { name: 'bulk', summary: 'Many rows: files, checks, runs and resuming', blocks: BULK },
  { name: 'outcomes', summary: 'How a write can end and what to do then', blocks: OUTCOMES },
  { name: 'plans', summary: 'See it, have it approved, apply exactly that', blocks: PLANS },
];

export const TOPIC_NAMES: readonly string[] = TOPICS.map((topic) => topic.name);

import { exitCodeRows } from './command-doc.ts';
import { ENVIRONMENT } from './environment.ts';
import { optionBlocks } from './help-text.ts';
import { type Block, examples, rows, text } from './text-block.ts';

const EXIT_CODES: readonly Block[] = [
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

const VARIABLES: readonly Block[] = [
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
    'If a stored profile is named (-p or FRONTDESK_PROFILE) and the environment has another URL, that is exit 2, so that no card is changed at the wrong place. NODE_TLS_REJECT_UNAUTHORIZED=0 is refused: verification cannot be switched off.',
  ),
];

const OUTPUT: readonly Block[] = [
  text(
    'stdout holds the result and nothing else. Questions, notices, progress, warnings and errors are on stderr. The format never changes by itself; off a terminal a table is tab-separated.',
  ),
  rows('Formats (-o, --output)', {
    table: 'for people: fitted to the width of a terminal; elsewhere one header and one tab-separated line per row',
    json: 'one document, as the service sent it: every key, every digit of a number; none is [], not nothing',
    ndjson: 'one compact object a line, written while the work goes on',
    csv: "header and rows; a text that a spreadsheet would take for a formula gets a leading ' (--csv-raw turns that off)",
  }),
  rows('Shaping it', {
    '--columns a,b.c': 'columns of a table or csv; dotted names reach into metadata',
    '--sort-by column': 'order of the rows; a run keeps its input order',
    '--no-header': 'rows only',
    '--query expr': 'JMESPath over the result; ndjson: over each line; no match is null',
  }),
  text(
    'Secret fields of a provisioning are hidden in table and csv (<hidden, 1204 characters>) unless --show-sensitive; --out writes them to a new file of mode 0600.',
  ),
  examples('Examples', {
    'The status of a card, for a script':
      'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status',
    'Subscribers for a spreadsheet':
      'frontdesk calendar subscribers list cal_harbour_tours --active all --limit 100 -o csv > subscribers.csv',
  }),
];

const OPTIONS: readonly Block[] = [
  text(
    'They may stand anywhere after `frontdesk`. A flag wins over the environment, the environment over the profile, the profile over `frontdesk config`, and that over what is built in. A duration is 500ms, 30s, 2m or 1h.',
  ),
  examples('Examples', {
    'Another profile, and JSON for a script': 'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 -p live --json',
    'Wait longer, and try more often':
      'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --timeout 2m --retries 5',
  }),
];

const BULK: readonly Block[] = [
  text(
    'card get, activate, block, reissue, calendar update, subscribers update and event create take many rows: --from <file>, or - for stdin. CSV, a workbook (.xlsx), NDJSON, a JSON array, or one id a line. Columns are the field names of the API, with cardId or id; flags give values to rows that lack them.',
  ),
  text(
    'The whole input is read and checked before the first request. One fault anywhere, the same id twice included: exit 2, nothing was sent. An empty cell is "not given"; --empty-cells clear sends the empty text.',
  ),
  text(
    'In a workbook the first sheet that is not hidden is read, or the one that --sheet names; row 1 is the header. Texts, whole numbers and booleans are taken. A date, a formula, a decimal number, a merged cell, or a cell that shows another text than it stores (sub_00042 for 42) is a fault at its cell (Sheet1!C7): store it as text. Hidden rows are read, and a warning counts them. --failed is CSV.',
  ),
  rows('Holding it back', {
    '--dry-run': 'print the requests and send nothing',
    '--expect field': 'read each card first and compare it with the column of the row',
    '--changed-from old.csv': 'send only the cells that differ from an older file',
    '--concurrency, --rate': 'requests at a time; requests in any one second',
    '--max-failures n|n%': 'stop at that many failed rows',
  }),
  rows('After a crash, Ctrl-C or an outage', {
    'frontdesk runs list': 'every run, its state and its outcomes',
    'frontdesk runs resume --last': 'go on: rows that are done are not repeated, unknown ones stay untouched',
    'frontdesk runs results': 'print the rows of a run again; --outcome filters, --as-input makes an input of them',
    'frontdesk runs report': 'one document about a run: --as html, junit or markdown',
    '--run name': 'start that run, or resume it: the safe way to repeat a CI job',
    '--failed file': 'write the rows that did not succeed, as input for a repeat',
  }),
  ...optionBlocks('Options for many rows', 'bulk'),
  examples('Examples', {
    'Look first, then do it': 'frontdesk card block --from stolen.csv --expect clientReference --dry-run',
    'A run that can be repeated under its name':
      'frontdesk card block --from stolen.csv --expect clientReference --run stolen-4711 --failed rest.csv --yes',
  }),
];

const OUTCOMES: readonly Block[] = [
  text('Every write ends in one of five ways. JSON errors, history and runs say which.'),
  rows('Outcomes', {
    applied: 'the service answered that it is done',
    confirmed_by_read: 'no readable answer came, but the card was read back and shows that it is done',
    rejected: 'the service refused; nothing changed',
    not_sent: 'proven: no byte of the request left; repeat it',
    unknown: 'the request left and nothing tells whether it was applied (exit 8): check before repeating',
  }),
  text(
    'Unknown: do not repeat. A second reissue may make a second live card; a second event create makes a second event. The message says when it was sent, what a read showed, and the command that checks. Then:',
  ),
  rows('What to do', {
    'card activate, block': 'read the card: ACTIVE or BLOCKED means that it is done',
    'card reissue': 'read the card; look for a replacement before repeating',
    'card provision': 'nothing can read it back; ask whether the card is in the wallet',
    'calendar update': 'repeating sets the same values, unless they were changed in between',
    'subscribers update': 'the same',
    'event create': 'search the calendar for the event first',
    'a run': 'frontdesk runs resume --reconcile reads unknown cards; --resend-unknown sends the rows again',
  }),
  examples('Examples', {
    'Every write of the last day whose outcome is unknown': 'frontdesk history --since 24h --outcome unknown',
    'Read their cards, and record what they show': 'frontdesk history reconcile -p live',
    'See the card as it is now': 'frontdesk card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
  }),
];

/** Fits on one screen. */
const PLANS: readonly Block[] = [
  text(
    'A plan is a file of what will be sent: a reviewer looks at it, and exactly that is applied, once for each state folder. Another machine, or one on which the run was removed, does not know of it. card activate, block and reissue, calendar update, subscribers update and event create take --plan <file>: the input is checked as for a run, each card is read once, and no write is sent.',
  ),
  examples('From the input to the results, and back', {
    'Plan; it lives 24 hours (--plan-expires 7d)': 'frontdesk card block --from stolen.csv --plan stolen.plan',
    'Look: what it would send, and what became of it': 'frontdesk plan show stolen.plan',
    'Approve: sign it with an SSH key, as stolen.plan.ann.sig':
      'frontdesk plan approve stolen.plan --key ~/.ssh/id_ed25519 --as ann',
    'Apply; again: go on, or show the results': 'frontdesk plan apply stolen.plan',
    'Plan the way back of a run with --changed-from': 'frontdesk runs revert --last --plan back.plan',
  }),
  text(
    'Each card is read again right before its write. One whose status or updatedAt changed, or that cannot be read, is not_sent (PRECONDITION); the others go on. A change between that read and the write cannot be seen. Calendars, events and subscribers cannot be read: their rows are sent as they are, and counted.',
  ),
  text(
    'Refused: a plan changed in any byte (2), for another address (2), expired unless begun (17). The hash finds damage; it does not prove who made the plan.',
  ),
  text(
    'profile set live --approvers <file> --approvals 2 demands signatures of two people with two keys, listed in an OpenSSH allowed-signers file. Then more than one row, and api POST, is refused (5) unless such a plan is applied. It stops mistakes; it does not stop a person who has the token and curl.',
  ),
];

const ACCESSIBILITY: readonly Block[] = [
  text(
    'FRONTDESK_ACCESSIBLE=1 is for screen readers and slow lines. Each line is written once and stays: there is no spinner, no bar, no rule under a header, and no list with a pointer.',
  ),
  rows('What changes', {
    questions: 'end with the line that is typed; a wrong answer is named, and the question is asked again',
    menus: 'are numbered lists: type the number, then Enter; at the desk a card id opens that card',
    waits: 'are told in a line of their own when they begin, and every 30 s',
    outcomes: 'stand in words, as they always do: Blocked, rejected, OUTCOME UNKNOWN',
  }),
  text(
    'Esc and Ctrl-C go one step back. What is pasted never answers a menu, or a yes or no. TERM=dumb asks in the same way, without any escape sequence; --no-input asks nothing. NO_COLOR takes colours away.',
  ),
];

/** The help topics, subjects that belong to no single command, in the order in which they are offered. */
export const TOPICS: readonly { readonly name: string; readonly summary: string; readonly blocks: readonly Block[] }[] =
  [
    { name: 'exit-codes', summary: 'What each exit code means and whether to repeat', blocks: EXIT_CODES },
    {
      name: 'options',
      summary: 'Options that every command has',
      blocks: [...optionBlocks('Options', 'common'), ...OPTIONS],
    },
    { name: 'environment', summary: 'Variables of the environment', blocks: VARIABLES },
    { name: 'output', summary: 'Formats, columns, queries and streams', blocks: OUTPUT },
    { name: 'bulk', summary: 'Many rows: files, checks, runs and resuming', blocks: BULK },
    { name: 'outcomes', summary: 'How a write can end and what to do then', blocks: OUTCOMES },
    { name: 'plans', summary: 'See it, have it approved, apply exactly that', blocks: PLANS },
    { name: 'accessibility', summary: 'For screen readers and slow lines', blocks: ACCESSIBILITY },
  ];

export const TOPIC_NAMES: readonly string[] = TOPICS.map((topic) => topic.name);

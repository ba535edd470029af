import { FORMATS } from '../../screen/options.ts';
import { declareOptions, type OptionSpec, type OptionValues } from './option.ts';

export const COMMON = declareOptions({
  profile: {
    short: 'p',
    kind: 'text',
    value: 'name',
    names: 'profile',
    env: 'FRONTDESK_PROFILE',
    text: 'use this profile; `sandbox` is built in',
  },
  output: {
    short: 'o',
    kind: 'choice',
    value: 'format',
    env: 'FRONTDESK_OUTPUT',
    choices: FORMATS,
    text: 'print in this format; default: table',
  },
  json: { text: 'the same as --output json' },
  columns: {
    kind: 'text',
    value: 'a,b.c',
    text: 'print these columns (table, csv, xlsx); dotted names reach into metadata',
  },
  sortBy: { kind: 'text', value: 'column', text: 'sort the rows by this column (table, csv, xlsx)' },
  noHeader: { text: 'omit the header (table, csv)' },
  csvRaw: { text: 'write and read CSV cells without the guard against spreadsheet formulas' },
  query: { kind: 'text', value: 'expr', text: 'print what this JMESPath finds in the result (ndjson: in each line)' },
  raw: { text: 'with --query: print texts without quotes, and each element of an array on a line' },
  quiet: { short: 'q', text: 'print no notices and no progress; warnings and errors stay' },
  verbose: { short: 'v', text: 'print the HTTP exchange on stderr, with secrets masked' },
  noColor: { env: 'NO_COLOR', text: 'print no color' },
  noInput: { text: 'never ask for anything' },
  timeout: {
    kind: 'duration',
    min: 1,
    env: 'FRONTDESK_TIMEOUT',
    text: 'end an attempt after this time (500ms, 30s, 2m, 1h; at most 7d); default: 30s',
  },
  retries: {
    kind: 'count',
    min: 0,
    max: 100,
    text: 'retry at most this often (0 to 100), where that is safe; default: 2',
  },
  retryMaxTime: {
    kind: 'duration',
    min: 1,
    text: 'limit all attempts, waits and card checks together (at most 7d); default: 60s',
  },
  caFile: { kind: 'path', value: 'pem', env: 'FRONTDESK_CA_FILE', text: 'trust these certificates too' },
  ignoreExpiry: { text: 'use a gift-card token even if it says that it has expired' },
  help: { short: 'h', text: 'show the help of this command' },
});
export const COMMON_OPTIONS: readonly OptionSpec[] = Object.values(COMMON);

/** `--yes` of commands that ask. */
export const YES = { short: 'y', text: 'confirm without a prompt' } as const;

/** Options of every command that changes something at the service. */
export const WRITE = declareOptions({
  dryRun: { short: 'n', text: 'print the request, send nothing' },
  yes: YES,
  noHistory: { env: 'FRONTDESK_NO_HISTORY', text: 'keep no history entry of this change' },
});
export const WRITE_OPTIONS: readonly OptionSpec[] = Object.values(WRITE);

/** The letters without a value, which may be joined: `-qy`. */
export const FLAG_LETTERS = [...COMMON_OPTIONS, ...WRITE_OPTIONS]
  .flatMap(({ short, value }) => (value === undefined ? (short ?? []) : []))
  .join('');

/** Options of the commands that take many rows. */
export const BULK = declareOptions({
  from: {
    short: 'f',
    kind: 'path',
    text: 'read rows from this file (- is stdin): CSV, .xlsx, NDJSON, JSON array, or one ID per line',
  },
  fromFormat: {
    kind: 'choice',
    value: 'format',
    choices: ['csv', 'xlsx', 'ndjson', 'json', 'ids'],
    text: 'read --from in this format; default: by extension or content',
  },
  sheet: {
    kind: 'text',
    value: 'name',
    needs: 'from',
    text: 'read this sheet of an .xlsx file; default: the first that is not hidden',
  },
  map: {
    kind: 'text',
    value: 'column=field',
    repeatable: true,
    needs: 'from',
    text: 'read this column as the field: "Card Number=cardId"',
  },
  where: {
    kind: 'text',
    value: 'column=value',
    repeatable: true,
    needs: 'from',
    text: 'take only rows whose cell is this text (column!=value: is not)',
  },
  rows: { kind: 'text', value: 'n-m', needs: 'from', text: 'take only the rows with these numbers, as a trial: 1-10' },
  ignoreColumns: { kind: 'list', value: 'a,b', needs: 'from', text: 'skip these columns of the input' },
  expectRows: {
    kind: 'count',
    min: 0,
    text: 'send nothing (exit 17) unless exactly this many rows are left after --where and --rows',
  },
  concurrency: {
    short: 'j',
    kind: 'count',
    max: 1000,
    text: 'send this many requests at the same time (1 to 1000); default: 8',
  },
  rate: { kind: 'rate', text: 'send at most this many requests per second or minute (5, 5/s or 30/m; 1 to 999999)' },
  maxFailures: {
    kind: 'failures',
    text: 'stop after this many failed rows (20; at least 1), or this share of all rows (5%; at most 100%)',
  },
  shard: { kind: 'shard', text: 'send every n-th row, starting with the i-th (1/4 to 4/4)' },
  failed: {
    kind: 'path',
    notStdin: 'a file: stdout has the results',
    makes: true,
    text: 'write the rows that did not succeed to this file, as input',
  },
});
export const BULK_OPTIONS: readonly OptionSpec[] = Object.values(BULK);

/** Options of the commands that change many rows. */
export const BULK_WRITE = declareOptions({
  allowDuplicates: { text: 'accept the same ID, or the same event, more than once' },
  emptyCells: {
    kind: 'choice',
    value: 'keep|clear',
    choices: ['keep', 'clear'],
    text: 'treat an empty CSV cell as omitted (keep) or as the empty text (clear); default: keep',
  },
  run: { kind: 'text', value: 'name', text: 'start the run with this name, or resume it if it exists' },
  reconcile: {
    needs: 'run',
    excludes: { 'resend-unknown': '' },
    text: 'with --run: resolve its unknown outcomes by checking the cards',
  },
  resendUnknown: { text: 'send rows with an unknown outcome again; asks first' },
});
export const BULK_WRITE_OPTIONS: readonly OptionSpec[] = Object.values(BULK_WRITE);

/** Options of the commands whose changes can be planned. */
export const PLAN = declareOptions({
  plan: {
    kind: 'path',
    notStdin: 'a new file: a plan is written in one step',
    makes: true,
    excludes: {
      'dry-run': '--dry-run prints the requests instead of planning them',
      run: '--run names a run, but a plan has its own name',
      shard: '--shard takes a part of the rows, but a plan has all',
      'no-history': '--no-history is for changes, but a plan sends none',
    },
    text: 'send nothing; write a plan to this new file, for `frontdesk plan apply`',
  },
  /** How long a plan is valid, also one of `runs revert`. */
  planExpires: {
    kind: 'duration',
    min: 1,
    max: 90 * 86_400_000,
    needs: 'plan',
    default: '24h',
    text: 'make the plan expire after this time (at most 90d); default: 24h',
  },
});
export const PLAN_OPTIONS: readonly OptionSpec[] = Object.values(PLAN);

/** What every command may be given. */
export type CommonOptions = Partial<OptionValues<typeof COMMON & typeof WRITE & Pick<typeof BULK, 'concurrency'>>>;

import { FORMATS } from '../output/options.ts';
import { declareOptions, type GivenOptions, type OptionSpec } from './option.ts';

/** Options that every command has. */
export const COMMON = declareOptions({
  profile: {
    short: 'p',
    kind: 'text',
    value: 'name',
    names: 'profile',
    env: 'FRONTDESK_PROFILE',
    text: 'profile to use; `sandbox` is built in',
  },
  output: {
    short: 'o',
    kind: 'choice',
    value: 'format',
    env: 'FRONTDESK_OUTPUT',
    choices: FORMATS,
    text: 'output format; the default is table',
  },
  json: { text: 'the same as --output json' },
  columns: {
    kind: 'text',
    value: 'a,b.c',
    text: 'columns to print, for table and csv; dotted paths reach into metadata',
  },
  sortBy: { kind: 'text', value: 'column', text: 'sort rows by a column, for table and csv' },
  noHeader: { text: 'leave out the header, for table and csv' },
  csvRaw: { text: 'write and read csv cells without the guard against spreadsheet formulas' },
  query: { kind: 'text', value: 'expr', text: 'JMESPath over the result (ndjson: over each line)' },
  raw: { text: 'with --query in a JSON format: print texts without quotes, an array one element per line' },
  quiet: { short: 'q', text: 'no notices and no progress; warnings and errors stay' },
  verbose: { short: 'v', text: 'show the HTTP exchange on stderr, secrets masked' },
  noColor: { env: 'NO_COLOR', text: 'no colour' },
  noInput: { text: 'never ask' },
  timeout: {
    kind: 'duration',
    min: 1,
    env: 'FRONTDESK_TIMEOUT',
    text: 'limit of one attempt: 500ms, 30s, 2m, 1h; the default is 30s',
  },
  retries: { kind: 'count', min: 0, max: 100, text: 'further attempts where repeating is safe; the default is 2' },
  retryMaxTime: {
    kind: 'duration',
    min: 1,
    text: 'limit of all attempts, waits and read-backs together; the default is 60s',
  },
  caFile: {
    kind: 'path',
    value: 'pem',
    env: 'FRONTDESK_CA_FILE',
    text: 'certificates to trust besides the built-in ones',
  },
  ignoreExpiry: { text: 'use a gift card token although it says that it is expired' },
  help: { short: 'h', text: 'show the help of this command' },
});
export const COMMON_OPTIONS: readonly OptionSpec[] = Object.values(COMMON);

/** `--yes` of whatever asks before it does something. */
export const YES = { short: 'y', text: 'do not ask' } as const;

/** Options that every command has which changes something at the service. */
export const WRITE = declareOptions({
  dryRun: { short: 'n', text: 'print the request instead of sending it' },
  yes: YES,
  noHistory: { env: 'FRONTDESK_NO_HISTORY', text: 'keep no local record of this write' },
});
export const WRITE_OPTIONS: readonly OptionSpec[] = Object.values(WRITE);

/** Options of the commands that take many rows. */
export const MANY = declareOptions({
  from: {
    short: 'f',
    kind: 'path',
    text: 'read rows from a file (- is stdin): CSV, a workbook (.xlsx), NDJSON, a JSON array, or one id a line',
  },
  fromFormat: {
    kind: 'choice',
    value: 'format',
    choices: ['csv', 'xlsx', 'ndjson', 'json', 'ids'],
    text: 'format of --from; else told by extension or content',
  },
  sheet: {
    kind: 'text',
    value: 'name',
    needs: 'from',
    text: 'sheet of a workbook; default: the first that is not hidden',
  },
  ignoreColumns: { kind: 'list', value: 'a,b', needs: 'from', text: 'columns of the input to skip' },
  expectRows: { kind: 'count', min: 0, text: 'send nothing (17) unless the whole input has exactly that many rows' },
  concurrency: { short: 'j', kind: 'count', max: 1000, text: 'requests at a time; the default is 8' },
  rate: { kind: 'rate', text: 'requests that leave in any one second, at most: 5 or 5/s' },
  maxFailures: { kind: 'failures', text: 'stop at that many failed rows (of all rows, when in percent)' },
  shard: { kind: 'shard', text: 'take every n-th row, beginning with the i-th' },
  failed: {
    kind: 'path',
    notStdin: 'a file: stdout carries the results',
    makes: true,
    text: 'write the rows that did not succeed there, as input for a repeat',
  },
});
export const MANY_OPTIONS: readonly OptionSpec[] = Object.values(MANY);

/** Options of the commands that write many rows. */
export const MANY_WRITE = declareOptions({
  allowDuplicates: { text: 'accept the same id, or the same event, more than once' },
  emptyCells: {
    kind: 'choice',
    value: 'keep|clear',
    choices: ['keep', 'clear'],
    text: 'what an empty CSV cell means: not given (keep, the default) or the empty text (clear)',
  },
  run: { kind: 'text', value: 'name', text: 'name of the run: starts it, or resumes it if it exists' },
  reconcile: {
    needs: 'run',
    excludes: { 'resend-unknown': '' },
    text: 'with --run: settle its unknown rows by reading their cards',
  },
  resendUnknown: { text: 'send rows again whose outcome is unknown; asks first' },
});
export const MANY_WRITE_OPTIONS: readonly OptionSpec[] = Object.values(MANY_WRITE);

/** Options of the commands whose writes can be planned. */
export const PLAN = declareOptions({
  plan: {
    kind: 'path',
    notStdin: 'a new file: a plan appears when it is complete',
    makes: true,
    excludes: {
      'dry-run': '--dry-run prints the requests instead of planning them',
      run: '--run names a run, and a plan names its own',
      shard: '--shard takes a part of the rows, and a plan has all of them',
      'no-history': '--no-history belongs to a write, and a plan sends none',
    },
    text: 'send nothing; write what would be sent to a new file, for `frontdesk plan apply`',
  },
  /** How long a plan lives, also one that takes a run back. */
  planExpires: {
    kind: 'lifetime',
    min: 1,
    max: 90 * 86_400_000,
    needs: 'plan',
    default: '24h',
    text: 'how long the plan may be applied: 24h (the default), at most 90d',
  },
});
export const PLAN_OPTIONS: readonly OptionSpec[] = Object.values(PLAN);

/** What every command may be given. */
export type CommonOptions = Partial<GivenOptions<typeof COMMON & typeof WRITE & Pick<typeof MANY, 'concurrency'>>>;

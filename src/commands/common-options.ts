import { FORMATS } from '../output/options.ts';
import type { OptionSpec } from './option-spec.ts';

/** Options that every command has. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  {
    long: 'profile',
    short: 'p',
    value: 'name',
    env: 'FRONTDESK_PROFILE',
    text: 'profile to use; `sandbox` is built in',
  },
  {
    long: 'output',
    short: 'o',
    value: 'format',
    env: 'FRONTDESK_OUTPUT',
    choices: FORMATS,
    text: 'output format; the default is table',
  },
  { long: 'json', text: 'the same as --output json' },
  { long: 'columns', value: 'a,b.c', text: 'columns to print, for table and csv; dotted paths reach into metadata' },
  { long: 'sort-by', value: 'column', text: 'sort rows by a column, for table and csv' },
  { long: 'no-header', text: 'leave out the header, for table and csv' },
  { long: 'csv-raw', text: 'write and read csv cells without the guard against spreadsheet formulas' },
  { long: 'query', value: 'expr', text: 'JMESPath over the result (ndjson: over each line)' },
  { long: 'quiet', short: 'q', text: 'no notices and no progress; warnings and errors stay' },
  { long: 'verbose', short: 'v', text: 'show the HTTP exchange on stderr, secrets masked' },
  { long: 'no-color', env: 'NO_COLOR', text: 'no colour' },
  { long: 'no-input', text: 'never ask' },
  {
    long: 'timeout',
    value: 'duration',
    env: 'FRONTDESK_TIMEOUT',
    text: 'limit of one attempt: 500ms, 30s, 2m, 1h; the default is 30s',
  },
  { long: 'retries', value: 'n', text: 'further attempts where repeating is safe; the default is 2' },
  {
    long: 'retry-max-time',
    value: 'duration',
    text: 'limit of all attempts, waits and read-backs together; the default is 60s',
  },
  {
    long: 'ca-file',
    value: 'pem',
    env: 'FRONTDESK_CA_FILE',
    isFile: true,
    text: 'certificates to trust besides the built-in ones',
  },
  { long: 'ignore-expiry', text: 'use a gift card token although it says that it is expired' },
  { long: 'help', short: 'h', text: 'show the help of this command' },
];

/** Options that every command has which changes something at the service. */
export const WRITE_OPTIONS: readonly OptionSpec[] = [
  { long: 'dry-run', short: 'n', text: 'print the request instead of sending it' },
  { long: 'yes', short: 'y', text: 'do not ask' },
  { long: 'no-history', env: 'FRONTDESK_NO_HISTORY', text: 'keep no local record of this write' },
];

/** Options of the commands that take many rows. */
export const MANY_OPTIONS: readonly OptionSpec[] = [
  {
    long: 'from',
    short: 'f',
    value: 'file',
    isFile: true,
    text: 'read rows from a file (- is stdin): CSV, a workbook (.xlsx), NDJSON, a JSON array, or one id a line',
  },
  {
    long: 'from-format',
    value: 'format',
    choices: ['csv', 'xlsx', 'ndjson', 'json', 'ids'],
    text: 'format of --from; else told by extension or content',
  },
  { long: 'sheet', value: 'name', text: 'sheet of a workbook to read; the default is the first' },
  { long: 'concurrency', short: 'j', value: 'n', text: 'requests at a time; the default is 8' },
  { long: 'rate', value: 'n', text: 'requests that leave in any one second, at most: 5 or 5/s' },
  { long: 'max-failures', value: 'n|n%', text: 'stop at that many failed rows (of all rows, when in percent)' },
  { long: 'shard', value: 'i/n', text: 'take every n-th row, beginning with the i-th' },
  {
    long: 'failed',
    value: 'file',
    isFile: true,
    text: 'write the rows that did not succeed there, as input for a repeat',
  },
];

/** Options of the commands that write many rows. */
export const MANY_WRITE_OPTIONS: readonly OptionSpec[] = [
  { long: 'allow-duplicates', text: 'accept the same id, or the same event, more than once' },
  {
    long: 'empty-cells',
    value: 'keep|clear',
    choices: ['keep', 'clear'],
    text: 'what an empty CSV cell means: not given (keep, the default) or the empty text (clear)',
  },
  { long: 'run', value: 'name', text: 'name of the run: starts it, or resumes it if it exists' },
  { long: 'reconcile', text: 'with --run: settle its unknown rows by reading their cards' },
  { long: 'resend-unknown', text: 'send rows again whose outcome is unknown; asks first' },
];

/** How long a plan lives, also one that takes a run back. */
export const PLAN_EXPIRES_OPTION: OptionSpec = {
  long: 'plan-expires',
  value: 'duration',
  text: 'how long the plan may be applied: 24h (the default), at most 90d',
};

/** Options of the commands whose writes can be planned. */
export const PLAN_OPTIONS: readonly OptionSpec[] = [
  {
    long: 'plan',
    value: 'file',
    isFile: true,
    text: 'send nothing; write what would be sent to a new file, for `frontdesk plan apply`',
  },
  PLAN_EXPIRES_OPTION,
];

import { type Context, isSwitchedOn, type OutputPort } from '../context.ts';
import { type Failure, hintText, type Notice, OUTCOMES } from '../failure.ts';
import { maskTexts } from '../http/mask.ts';
import { printJson } from '../json/print.ts';
import { ANY, INTEGER, jsonOf, list, object, oneOf, type ShapeOf, TEXT } from '../json/shape.ts';
import { fromPlain, type JsonValue } from '../json/value.ts';
import { type Format, isJson } from './options.ts';
import { breakLine, breakMessage, safeText, shortenText, widthOf } from './text.ts';

/** Why a row or a call failed, also for the rows of a run. */
export const ERROR = object(
  { code: TEXT, exitCode: INTEGER, message: TEXT },
  {
    hint: TEXT,
    operation: TEXT,
    id: TEXT,
    outcome: oneOf(OUTCOMES),
    http: object({ status: INTEGER }, { requestId: TEXT }),
    service: ANY,
    body: ANY,
    attempts: INTEGER,
    row: INTEGER,
    sentAt: TEXT,
    phase: TEXT,
    observed: ANY,
    resultId: TEXT,
    retryAt: TEXT,
    faults: list(object({ where: TEXT, message: TEXT }, { line: INTEGER, column: INTEGER, field: TEXT })),
    faultCount: INTEGER,
  },
);

/** In the documented order. The properties of an object shape are its members. */
const ERROR_MEMBERS = Object.keys(ERROR['properties'] as object) as readonly (keyof ShapeOf<typeof ERROR>)[];

/** The line that a failure prints on stderr with -o json or ndjson. */
export const ERROR_OUTPUT = object({ error: ERROR });

/** The line of a notice, where stderr is no terminal. */
export const NOTICE_OUTPUT = object({ notice: object({ code: TEXT, message: TEXT }) });

/** Does a stream show bold and colors? A pipe never does, whatever FORCE_COLOR says. */
export function wantsColour({ argv, env }: Pick<Context, 'argv' | 'env'>, stream: { isTerminal: boolean }): boolean {
  const end = argv.indexOf('--');
  const isOff = (end === -1 ? argv : argv.slice(0, end)).includes('--no-color') || (env['NO_COLOR'] ?? '') !== '';
  const isForced = !['', '0'].includes(env['FORCE_COLOR'] ?? '');
  return stream.isTerminal && !isOff && (isForced || env['TERM'] !== 'dumb');
}

/** The same for stderr. */
export function paintsErrors(context: Shown): boolean {
  return wantsColour(context, context.stderr);
}

const [RED, YELLOW, MAGENTA] = [31, 33, 35];
const COUNT_COLOURS = new Map([
  ['UNKNOWN', MAGENTA],
  ['rejected', RED],
  ['failed', RED],
  ['not sent', YELLOW],
]);

function painted(lines: readonly string[], lead: string, colour: number): string[] {
  return lines.map((line, index) =>
    index === 0 && line.startsWith(lead) ? `\u001b[1;${colour}m${lead}\u001b[0m${line.slice(lead.length)}` : line,
  );
}

/** A summary line of rows that did not succeed, `2 rejected: …`, painted like one failure. */
export function paintCount(lines: readonly string[]): readonly string[] {
  const [lead = '', words = ''] = /^[\d,]+ ([A-Za-z ]+):/.exec(lines[0] ?? '') ?? [];
  const colour = COUNT_COLOURS.get(words);
  return colour === undefined ? lines : painted(lines, lead, colour);
}

/** Where failures and notices are shown. */
type Shown = Pick<Context, 'argv' | 'env'> & { readonly stderr: Pick<OutputPort, 'isTerminal' | 'columns'> };

/** Masks frontdesk's own token, should the service echo it. */
type Mask = (text: string) => string;

const asItIs: Mask = (text) => text;

/** Longer than any message of frontdesk with a list of twenty faults. */
const MAX_MESSAGE = 8000;
const MAX_HINTS = 2;
const UNKNOWN_LEAD = 'frontdesk: OUTCOME UNKNOWN';

/**
 * A failure for stderr, with line ends. As text: what happened, up to two hints, and with FRONTDESK_DEBUG=1 the stack.
 * In json and ndjson one line, `{"error":{…}}`, with everything that is known.
 */
export function renderFailure(failure: Failure, format: Format, context: Shown, mask = asItIs): string {
  if (isJson(format)) return `${printJson(maskTexts(new Map([['error', errorObject(failure)]]), mask))}\n`;
  const shown = (text: string) => safeText(shortenText(mask(text), MAX_MESSAGE));
  // Lines are broken only in a terminal.
  const width = widthOf(context.stderr);
  const said = (width === undefined ? undefined : failure.screen) ?? partLines(failure.parts) ?? [failure.message];
  const hints = failure.hints.slice(0, MAX_HINTS).map((hint) => `hint: ${safeText(mask(hintText(hint)))}`);
  const broken = said
    .map(shown)
    .flatMap((line, index) => breakMessage(index === 0 ? `frontdesk: ${line}` : line, width));
  const isUnknown = failure.code === 'OUTCOME_UNKNOWN';
  const lead = isUnknown && broken[0]?.startsWith(UNKNOWN_LEAD) ? UNKNOWN_LEAD : 'frontdesk:';
  const lines = [
    ...(paintsErrors(context) ? painted(broken, lead, isUnknown ? MAGENTA : RED) : broken),
    // After an unknown outcome the command to check with always gets its own line.
    ...hints.flatMap((hint) => breakLine(hint, width, isUnknown)),
  ];
  if (isSwitchedOn(context.env, 'FRONTDESK_DEBUG') === true)
    lines.push(...stackLines(failure).map((line) => safeText(mask(line))));
  return `${lines.join('\n')}\n`;
}

function partLines(parts: Failure['parts']): readonly string[] | undefined {
  if (parts?.heading === undefined) return parts?.problems;
  return [parts.heading, ...parts.problems.map((problem) => `  ${problem}`)];
}

const MAX_FAULTS = 20;

function faultMembers({ faults, faultCount }: Failure): Pick<ShapeOf<typeof ERROR>, 'faults' | 'faultCount'> {
  if (faultCount < 2) return {};
  const members = faults.slice(0, MAX_FAULTS).map(({ where, line, column, field, problem: message }) => {
    const place = { where, ...(line && { line }), ...(column && { column }), ...(field && { field }) };
    return { ...place, message };
  });
  return { faults: members, faultCount };
}

/** The JSON error object in the documented order, also for rows of a run. */
export function errorObject(failure: Failure): JsonValue {
  const { code, exitCode, message, hints, details } = failure;
  const hint = hints.length === 0 ? undefined : hints.slice(0, MAX_HINTS).map(hintText).join('\n');
  const members: ShapeOf<typeof ERROR> = { code, exitCode, message, hint, ...details, ...faultMembers(failure) };
  const object = new Map<string, JsonValue>();
  for (const name of ERROR_MEMBERS) {
    const value = members[name];
    if (value === undefined) continue;
    // Only `http` and the counts are plain values. The rest are JSON values, perhaps of megabytes: not copied.
    const isPlain = name === 'http' || name === 'faults' || typeof value === 'number';
    object.set(name, isPlain ? fromPlain(value) : (value as JsonValue));
  }
  return object;
}

/** A notice for stderr. In json and ndjson, outside a terminal, one line `{"notice":{"code","message"}}`. */
export function renderNotice(notice: Notice, format: Format, context: Shown, mask = asItIs): string {
  const { stderr } = context;
  const message = mask(notice.message);
  if (isJson(format) && !stderr.isTerminal) {
    return `${printJson(jsonOf(NOTICE_OUTPUT, { notice: { code: notice.code, message, ...notice.facts } }))}\n`;
  }
  const line = `frontdesk: ${notice.level}: ${safeText(shortenText(message, MAX_MESSAGE))}`;
  // Several commands go on a line each.
  const hasCommands = (line.match(/: frontdesk /g)?.length ?? 0) > 1;
  const lines = breakLine(line, widthOf(stderr), hasCommands);
  const isPainted = notice.level === 'warning' && paintsErrors(context);
  return `${(isPainted ? painted(lines, 'frontdesk: warning:', YELLOW) : lines).join('\n')}\n`;
}

function stackLines(failure: Failure): string[] {
  const lines: string[] = [];
  for (let error: unknown = failure, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    const stack = (error.stack ?? String(error)).split('\n');
    lines.push(...(depth === 0 ? stack : ['caused by:', ...stack]));
  }
  return lines;
}

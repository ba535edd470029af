import { type Context, isSwitchedOn, type OutputPort } from '../base/context.ts';
import { type Failure, type Hint, type Notice, OUTCOMES } from '../base/failure.ts';
import { rowMessageOf } from '../base/failure-message.ts';
import { logJson, markedLine, outside, quoted } from '../base/json/outside-text.ts';
import { printJson } from '../base/json/print.ts';
import { ANY, INTEGER, jsonOf, list, object, oneOf, type ShapeOf, TEXT } from '../base/json/shape.ts';
import { fromPlain, type JsonValue, textAt } from '../base/json/value.ts';
import { hintText } from '../base/next-step.ts';
import { targetStatus } from '../service/api/operation.ts';
import { operationNamed } from '../service/api/operations.ts';
import { maskTexts } from '../service/http/mask.ts';
import { type Format, isJson } from './options.ts';
import { breakLine, breakMessage, outcomeSign, safeText, shortenText, widthOf } from './text.ts';

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
    faults: list(
      object(
        { where: TEXT, message: TEXT },
        { line: INTEGER, row: INTEGER, column: INTEGER, field: TEXT, count: INTEGER },
      ),
    ),
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
  const force = env['FORCE_COLOR'] ?? '';
  if (isOff || force === '0' || force === 'false') return false;
  return stream.isTerminal && (force !== '' || env['TERM'] !== 'dumb');
}

/** Can borders and marks beyond ASCII be shown? */
export function isUtf8({ env, platform }: Pick<Shown, 'env' | 'platform'>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return platform === 'win32' || platform === 'darwin' || /utf-?8/i.test(locale ?? '');
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
  const [lead = '', words = ''] = /^ *[\d,]+ ([A-Za-z ]+):/.exec(lines[0] ?? '') ?? [];
  const colour = COUNT_COLOURS.get(words);
  return colour === undefined ? lines : painted(lines, lead, colour);
}

type Shown = Pick<Context, 'argv' | 'env'> &
  Partial<Pick<Context, 'platform'>> & { readonly stderr: Pick<OutputPort, 'isTerminal' | 'columns'> };

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
  if (isJson(format)) return `${logJson(printJson(maskTexts(new Map([['error', errorObject(failure)]]), mask)))}\n`;
  const shown = (text: string) => safeText(shortenText(mask(text), MAX_MESSAGE));
  // Lines are broken only in a terminal.
  const width = widthOf(context.stderr);
  const end = width === undefined ? undefined : endOfChange(failure, context);
  const said = end?.lines ??
    (width === undefined ? undefined : failure.screen) ??
    partLines(failure) ?? [failure.message];
  const { row } = failure.details;
  const place = row === undefined ? '' : `row ${row}: `;
  // The end of such a change says what the card is.
  const isKnown = end !== undefined && statusBefore(failure) !== undefined;
  const hints = (isKnown ? [] : failure.hints)
    .slice(0, MAX_HINTS)
    .map((hint) => `hint: ${safeText(mask(hintText(hint)))}`);
  const broken = said
    .map(shown)
    .flatMap((line, index) =>
      breakMessage(index === 0 ? `${end?.sign ?? 'frontdesk:'} ${place}${line}` : markedLine(line), width),
    );
  const isUnknown = failure.code === 'OUTCOME_UNKNOWN';
  const unknownLead = isUnknown && place === '' && failure.attempted !== undefined ? UNKNOWN_LEAD : 'frontdesk:';
  const lead = end?.lead ?? unknownLead;
  const lines = [
    ...(paintsErrors(context) ? painted(broken, lead, isUnknown ? MAGENTA : RED) : broken),
    ...(end?.steps.length ? stepLines(end.steps, width, shown) : hints.flatMap((hint) => breakLine(hint, width))),
  ];
  if (isSwitchedOn(context.env, 'FRONTDESK_DEBUG') === true)
    lines.push(...stackLines(failure).map((line) => safeText(mask(line))));
  return `${lines.join('\n')}\n`;
}

/** Steps, numbered. A command that has no room beside its words has a line of its own. */
function stepLines(
  steps: readonly Hint[],
  width: number | undefined,
  shown: (text: string) => string,
): readonly string[] {
  const room = width === undefined ? undefined : width - 4;
  const lines = steps.flatMap((step, at) =>
    breakLine(shown(hintText(step)), room).map((line, index) => (index === 0 ? `  ${at + 1} ${line}` : `    ${line}`)),
  );
  return ['Do now', ...lines];
}

/** How a change ended on a terminal, with its sign; undefined: it is printed like any failure. */
function endOfChange(
  failure: Failure,
  context: Shown,
): { sign: string; lead: string; lines: readonly string[]; steps: readonly Hint[] } | undefined {
  const { details, attempted, screen, steps } = failure;
  const operation = operationNamed(details.operation);
  const { outcome, row, id } = details;
  if (operation?.effect.kind !== 'write' || attempted === undefined || row !== undefined) return undefined;
  const style = { unicode: isUtf8(context) };
  if (outcome === 'unknown' && screen !== undefined) {
    const sign = outcomeSign(outcome, style);
    return { sign, lead: `${sign} OUTCOME UNKNOWN`, lines: screen, steps };
  }
  if ((outcome !== 'rejected' && outcome !== 'not_sent') || failure.code === 'CANCELLED') return undefined;
  const sign = outcomeSign(outcome, style);
  const verb = `NOT ${operation.effect.done.toUpperCase()}`;
  const { after, also, code } = failure;
  const { clientReference } = details.seen ?? {};
  const [missing] = screen ?? [];
  const told = { code, attempted, after, also, problem: missing ?? reasonOf(failure) };
  if (missing !== undefined) return { sign, lead: `${sign} NO SUCH`, lines: [rowMessageOf(told)], steps: [] };
  const named = [id, clientReference && outside(clientReference)].filter(Boolean).join('  ');
  return {
    sign,
    lead: `${sign} ${verb}`,
    lines: [`${verb}: ${rowMessageOf(told)}`, ...(named === '' ? [] : [`  ${named}`])],
    steps: [],
  };
}

/** The status of a card for which a change that makes it so was refused; undefined: why is not known from a read. */
export function statusBefore({ code, details: { operation: name, seen } }: Failure): string | undefined {
  const operation = operationNamed(name);
  const aim = operation && targetStatus(operation);
  return code === 'REJECTED' && seen?.status === aim ? aim : undefined;
}

/** What is known to be so first, else the service's words, and its code behind them. */
function reasonOf(failure: Failure): string {
  const { code, problem, details } = failure;
  const { service, http } = details;
  const [errorCode, message] = [textAt(service, 'errorCode'), textAt(service, 'message')];
  if (code !== 'REJECTED' || errorCode === undefined || message === undefined || http === undefined) return problem;
  const status = statusBefore(failure);
  const why = status === undefined ? quoted(shortenText(message, MAX_REASON)) : `the card is ${status} already`;
  return `${why} (${http.status} ${outside(errorCode)})`;
}

/** Characters of a message of the service: a reason is a sentence, and the rest stands in JSON. */
const MAX_REASON = 300;

function partLines({ parts, after }: Failure): readonly string[] | undefined {
  if (parts?.heading === undefined) return parts?.problems;
  const state = after === 'unsent' ? ', nothing was sent' : '';
  return [`${parts.heading}${state}:`, ...parts.problems.map((problem) => `  ${problem}`)];
}

const MAX_FAULTS = 20;

function faultMembers({ faults, faultCount }: Failure): Pick<ShapeOf<typeof ERROR>, 'faults' | 'faultCount'> {
  if (faultCount < 2) return {};
  const members = faults
    .slice(0, MAX_FAULTS)
    .map(({ where, line, row, column, field, count = 1, problem: message }) => {
      const place = {
        where,
        ...(line && { line }),
        ...(row && { row }),
        ...(column && { column }),
        ...(field && { field }),
      };
      return { ...place, message, ...(count > 1 && { count }) };
    });
  return { faults: members, faultCount };
}

/** The JSON error object in the documented order. `isBesideId`: of a row that names what was attempted. */
export function errorObject(failure: Failure, isBesideId = false): JsonValue {
  const { code, exitCode, hints, details } = failure;
  const message = isBesideId ? rowMessageOf(failure) : failure.message;
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
    return `${logJson(printJson(jsonOf(NOTICE_OUTPUT, { notice: { code: notice.code, message, ...notice.facts } })))}\n`;
  }
  const line = `frontdesk: ${notice.level}: ${safeText(shortenText(message, MAX_MESSAGE))}`;
  const lines = breakLine(line, widthOf(stderr));
  const isPainted = notice.level === 'warning' && paintsErrors(context);
  return `${(isPainted ? painted(lines, 'frontdesk: warning:', YELLOW) : lines).join('\n')}\n`;
}

function stackLines(failure: Failure): string[] {
  const lines: string[] = [];
  for (let error: unknown = failure, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    const { name, message, stack = '' } = error;
    // Its message may be from outside: it stays one line, and begins none of the others.
    const begin = `${name}: ${message}`;
    const frames = stack.startsWith(begin) ? stack.slice(begin.length).split('\n').filter(Boolean) : [];
    lines.push(...(depth === 0 ? [] : ['caused by:']), begin, ...frames);
  }
  return lines;
}

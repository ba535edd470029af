import { FAMILIES, type Family } from '../api/operation.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import { readTextFile } from '../input/text-file.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import type { JsonValue } from '../json/value.ts';
import { hasOption, lastValue, type RawInput } from '../options/raw-input.ts';
import { choiceProblem } from '../options/read-value.ts';
import type { Session } from '../session.ts';
import { familyOfPath, pathProblem } from './api-path.ts';
import { askFamily, missingChoice, missingText } from './missing.ts';

const METHODS = ['GET', 'POST'] as const;

/** Far above any body of the API, and small enough to be held whole. */
const MAX_DATA_BYTES = 16 * 1024 * 1024;

/** A raw call as typed, checked: it may be sent. */
export interface ApiInput {
  readonly method: 'GET' | 'POST';
  /** Path and query, exactly as typed. */
  readonly target: string;
  readonly family: Family;
  /** undefined: no body. */
  readonly body: JsonValue | undefined;
  readonly include: boolean;
}

function readFamily(target: string, given: string | undefined, faults: Fault[]): Family | undefined {
  const asked = FAMILIES.find((family) => family === given);
  if (given !== undefined && asked === undefined) {
    faults.push({ where: '--family', problem: choiceProblem(given, FAMILIES) });
    return undefined;
  }
  const ofPath = familyOfPath(target);
  if (asked !== undefined && ofPath !== undefined && asked !== ofPath) {
    faults.push({ where: '--family', problem: `says ${asked}, but the path belongs to ${ofPath}` });
  }
  return asked ?? ofPath;
}

/** The body as given; what is wrong with it is added to `faults`. */
async function readData(session: Session, given: string, faults: Fault[], hints: string[]) {
  const isFile = given.startsWith('@');
  try {
    return parseJson(
      isFile ? await readTextFile(given.slice(1), session.context.stdin, '--data', MAX_DATA_BYTES) : given,
    );
  } catch (error) {
    const isUsage = error instanceof Failure && error.code === 'USAGE';
    if (!isUsage && !(error instanceof JsonSyntaxError)) throw error;
    faults.push({ where: '--data', problem: error.message.replace(/^--data: /, '') });
    if (isUsage) hints.push(...error.hints);
    else if (!isFile) hints.push('quote the JSON for the shell, or give a file: --data @body.json');
    return undefined;
  }
}

/** What `--include` prints is text, so it cannot be part of a format that programs parse. */
function includeProblem({ output }: Session): string | undefined {
  if (output.format !== 'table')
    return `prints headers as text before the body, which ${output.format} output excludes`;
  const shaped = output.query ?? output.columns ?? output.sortBy;
  return shaped === undefined ? undefined : 'excludes --query, --columns and --sort-by';
}

/** A path alone is read with GET, and a method may be typed in lower case. */
function wordsOf(words: readonly string[]): readonly string[] {
  const [first, second] = words;
  if (first === undefined) return words;
  if (second === undefined && METHODS.every((name) => name !== first.toUpperCase())) return ['GET', wholePath(first)];
  return [
    METHODS.find((name) => name === first.toUpperCase()) ?? first,
    ...(second === undefined ? [] : [wholePath(second)]),
  ];
}

/** `cards/…` and `v1/cards/…` as they are meant; anything else as it is. */
function wholePath(path: string): string {
  if (/^v1\//.test(path)) return `/${path}`;
  return /^(?:cards|calendars|events|subscribers)(?:[/?]|$)/.test(path) ? `/v1/${path}` : path;
}

async function readWords(session: Session, input: RawInput): Promise<{ given: string; target: string }> {
  const [method, path] = wordsOf(input.words);
  if (path === undefined && !session.prompt.available) {
    throw usageFailure([
      ...(method === undefined ? [{ where: '<method>', problem: 'is required: GET or POST' }] : []),
      { where: '<path>', problem: 'is required, as in /v1/cards/…' },
    ]);
  }
  return {
    given: method ?? (await missingChoice(session, '<method>', 'Method', METHODS)),
    target:
      path ?? (await missingText(session, '<path>', 'Path, as in /v1/cards/…', (text) => pathProblem(text)?.problem)),
  };
}

/** Reads a raw call, or fails with all its faults together and nothing sent. */
export async function readApiInput(session: Session, input: RawInput): Promise<ApiInput> {
  const { given, target } = await readWords(session, input);
  const faults: Fault[] = [];
  const hints: string[] = [];
  const method = METHODS.find((name) => name === given);
  if (method === undefined) faults.push({ where: '<method>', problem: choiceProblem(given, METHODS) });
  const bad = pathProblem(target);
  if (bad !== undefined) faults.push({ where: '<path>', problem: bad.problem });
  if (bad?.hint !== undefined) hints.push(bad.hint);
  const family = readFamily(target, lastValue(input, 'family'), faults);
  if (family === undefined && bad === undefined && !hasOption(input, 'family') && !session.prompt.available) {
    faults.push({ where: '--family', problem: 'is required, because the path does not tell: cards or calendar' });
  }
  const data = lastValue(input, 'data');
  if (data !== undefined && method === 'GET') faults.push({ where: '--data', problem: 'a GET has no body' });
  const body = data === undefined || method === 'GET' ? undefined : await readData(session, data, faults, hints);
  const include = hasOption(input, 'include');
  const problem = include ? includeProblem(session) : undefined;
  if (problem !== undefined) faults.push({ where: '--include', problem });
  if (faults.length > 0 || method === undefined) throw usageFailure(faults, hints);
  return {
    method,
    target,
    family: family ?? (await askFamily(session, 'What does the path belong to?')),
    body,
    include,
  };
}

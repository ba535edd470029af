import type { Family } from '../api/operation.ts';
import { collect, joinFailures } from '../engine/faults.ts';
import { type Fault, usageFailure } from '../failure.ts';
import { readTextFile } from '../input/text-file.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import type { JsonValue } from '../json/value.ts';
import type { Session } from '../session.ts';
import { familyOfPath, pathProblem } from './api-path.ts';
import { askFamily, missingText } from './missing.ts';

/** Far above any body of the API, and small enough to be held whole. */
const MAX_DATA_BYTES = 16 * 1024 * 1024;

/** What `frontdesk api` is given. */
export interface ApiGiven {
  readonly method: 'GET' | 'POST';
  readonly path?: string | undefined;
  readonly family?: Family | undefined;
  readonly data?: string | undefined;
  readonly include: boolean;
}

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

/** The body as given. USAGE for one that cannot be read. */
async function readData(session: Session, given: string): Promise<JsonValue> {
  const isFile = given.startsWith('@');
  const text = isFile ? await readTextFile(given.slice(1), session.context.stdin, '--data', MAX_DATA_BYTES) : given;
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const hints = isFile ? [] : ['quote the JSON for the shell, or give a file: --data @body.json'];
    throw usageFailure([{ where: '--data', problem: error.message }], hints);
  }
}

/** What `--include` prints is text, so it cannot be part of a format that programs parse. */
function includeProblem({ output }: Session): string | undefined {
  if (output.format !== 'table')
    return `prints headers as text before the body, which ${output.format} output excludes`;
  const shaped = output.query ?? output.columns ?? output.sortBy;
  return shaped === undefined ? undefined : 'excludes --query, --columns and --sort-by';
}

/** Raises USAGE for what is wrong with a raw call besides its single values. The body is read only where it is refused anyway. */
export async function checkApi(given: Partial<ApiGiven>, session: Session): Promise<void> {
  const { method, path, family, data, include } = given;
  const faults: Fault[] = [];
  const hints: string[] = [];
  const bad = path === undefined ? undefined : pathProblem(path);
  if (bad !== undefined) faults.push({ where: '<path>', problem: bad.problem });
  if (bad?.hint !== undefined) hints.push(bad.hint);
  if (path === undefined && !session.prompt.available) {
    faults.push({ where: '<path>', problem: 'is required, as in /v1/cards/…' });
  }
  const ofPath = path === undefined ? undefined : familyOfPath(path);
  if (family !== undefined && ofPath !== undefined && family !== ofPath) {
    faults.push({ where: '--family', problem: `says ${family}, but the path belongs to ${ofPath}` });
  }
  const isUntold = path !== undefined && bad === undefined && (family ?? ofPath) === undefined;
  if (isUntold && !session.prompt.available) {
    faults.push({ where: '--family', problem: 'is required, because the path does not tell: cards or calendar' });
  }
  if (data !== undefined && method === 'GET') faults.push({ where: '--data', problem: 'a GET has no body' });
  const problem = include === true ? includeProblem(session) : undefined;
  if (problem !== undefined) faults.push({ where: '--include', problem });
  if (faults.length === 0) return;
  const failures = [usageFailure(faults, hints)];
  if (data !== undefined && method !== 'GET') await collect(failures, () => readData(session, data));
  throw joinFailures(failures);
}

/** Reads a raw call that `checkApi` has nothing against; asks on a terminal for what is missing. */
export async function readApiInput(session: Session, given: ApiGiven): Promise<ApiInput> {
  const { method, path, data, include } = given;
  const body = data === undefined ? undefined : await readData(session, data);
  const problemOf = (text: string) => pathProblem(text)?.problem;
  const target = path ?? (await missingText(session, '<path>', 'Path, as in /v1/cards/…', problemOf));
  const asked = async () => askFamily(session, 'What does the path belong to?');
  const family = given.family ?? familyOfPath(target) ?? (await asked());
  if (path === undefined) await checkApi({ ...given, path: target, family }, session);
  return { method, target, family, body, include };
}

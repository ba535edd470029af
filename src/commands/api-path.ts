import { type Family, matchPath, type Operation } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { takesReason } from '../call/write-guards.ts';
import { quoteValue } from '../input/values.ts';

/** Characters of a path or query (RFC 3986). Others must be percent-encoded. */
const SENDABLE = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/** If decoding still changes something after so many rounds, it hides something. */
const MAX_DECODINGS = 5;

/** A path without its query. */
export function pathPart(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Bytes that are no UTF-8 are read one by one, so that an encoded dot among them is seen.
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** The segments as a lenient server could read them: decoded repeatedly, split at slashes, parameters removed. */
function eagerSegments(target: string): readonly string[] {
  let path = pathPart(target);
  for (let round = 0; round < MAX_DECODINGS; round += 1) path = decodeOnce(path);
  return path.split(/[/\\]/).map((segment) => segment.split(';', 1)[0] ?? '');
}

function encodeRest(target: string): string {
  return target
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]/gu, (char) => encodeURIComponent(char.toWellFormed()));
}

const REFUSED: readonly (readonly [isBad: (target: string) => boolean, problem: string, hint?: string])[] = [
  [(target) => CONTROL.test(target), 'has a control character'],
  [
    (target) => ABSOLUTE.test(target),
    'must be a path and not a whole URL',
    'begin with /v1/. The profile gives host and path prefix',
  ],
  [(target) => !target.startsWith('/'), 'must begin with /, as in /v1/cards/…'],
  [(target) => target.includes('\\'), 'has a backslash'],
  [(target) => target.includes('#'), 'has a fragment (#), which is never sent'],
  [
    (target) => eagerSegments(target).some((segment) => segment === '.' || segment === '..'),
    'has a dot segment, plain or encoded, which leads to another resource',
  ],
];

/** Why a text cannot be the path of a raw call, which must stay below the base URL however it is decoded. */
export function pathProblem(
  target: string,
): { readonly problem: string; readonly hint?: string | undefined } | undefined {
  const [, refused, hint] = REFUSED.find(([isBad]) => isBad(target)) ?? [];
  if (refused !== undefined) return { problem: `${refused}: ${quoteValue(target)}`, hint };
  if (SENDABLE.test(target)) return undefined;
  const problem = `has characters that must be percent-encoded: ${quoteValue(target)}`;
  return { problem, hint: `write it as ${encodeRest(target)}` };
}

/** By the word after the version, as in the paths of the table. */
const FAMILY_OF = new Map<string, Family>(ALL_OPERATIONS.map(({ path, family }) => [path.split('/')[2] ?? '', family]));

/** The family of a path by its first words, or undefined. */
export function familyOfPath(target: string): Family | undefined {
  const [, version, resource = ''] = eagerSegments(target);
  return version === 'v1' ? FAMILY_OF.get(resource) : undefined;
}

/** The operation and decoded parameters of a raw call whose path is exactly one of the table's. */
export function matchRow(method: 'GET' | 'POST', target: string, table = ALL_OPERATIONS) {
  const segments = pathPart(target).split('/').map(decodeOnce);
  for (const operation of table) {
    const params = operation.method === method ? matchPath(operation.path, segments) : undefined;
    if (params !== undefined && !Object.values(params).includes('')) return { operation, params };
  }
  return undefined;
}

/** May a path be read as that of a row? Compares its end, from the last fixed word of the row. */
function endsLike(words: readonly string[], { path }: Operation): boolean {
  const pattern = path.split('/').filter((word) => word !== '');
  const fixed = pattern.findLastIndex((word) => !word.startsWith('{'));
  return words.at(fixed - pattern.length) === pattern[fixed]?.toLowerCase();
}

/** The word after the ID in the path of one-time secrets. Whatever is below it may return some. */
function secretWord({ effect, path }: Operation): string | undefined {
  if (effect.kind !== 'write' || effect.sensitive === undefined) return undefined;
  const words = path.split('/');
  return words[words.findIndex((word) => word.startsWith('{')) + 1];
}

/** May a POST there take a reason, or return secrets? Wider than `matchRow`, for any spelling: `/BLOCK/`, `/%62lock`. */
export function guardsOf(
  family: Family,
  target: string,
  table = ALL_OPERATIONS,
): { readonly needsReason: boolean; readonly mayAnswerSecrets: boolean } {
  const words = eagerSegments(target)
    .map((segment) => segment.toLowerCase())
    .filter((word) => word !== '');
  const rows = table.filter((row) => row.family === family && row.effect.kind === 'write');
  return {
    needsReason: rows.some((row) => takesReason(row) && endsLike(words, row)),
    mayAnswerSecrets: rows.some((row) => words.includes(secretWord(row) ?? '/')),
  };
}

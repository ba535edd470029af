import { quoteValue } from '../../input/values.ts';
import { type Family, matchPath, type Operation } from '../../service/api/operation.ts';
import { ALL_OPERATIONS } from '../../service/api/operations.ts';

/** Characters of a path or query (RFC 3986). Others must be percent-encoded. */
const SENDABLE = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** `/v1/cards` as Git Bash hands it over: `C:/Program Files/Git/v1/cards`. */
const CONVERTED = /^[a-z]:[\\/].*?[\\/](?=v1[\\/])/i;
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/** A path that decoding still changes after so many rounds hides something, and is refused. */
const MAX_DECODINGS = 5;

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

/** A path as a lenient server could read it: decoded repeatedly. */
function eagerPath(target: string): string {
  let path = pathPart(target);
  for (let round = 0; round < MAX_DECODINGS; round += 1) path = decodeOnce(path);
  return path;
}

/** Its segments: split at slashes, without parameters and blanks. */
function segmentsOf(path: string): readonly string[] {
  return path.split(/[/\\]/).map((segment) => (segment.split(/[;\0]/, 1)[0] ?? '').trim());
}

const eagerSegments = (target: string) => segmentsOf(eagerPath(target));

const REFUSED: readonly (readonly [isBad: (target: string) => boolean, problem: string, hint?: string])[] = [
  [(target) => CONTROL.test(target), 'has a control character'],
  [
    (target) => CONVERTED.test(target),
    'is a path of this machine, which Git Bash made of a path of the service',
    'set MSYS_NO_PATHCONV=1, and type the path again',
  ],
  [
    (target) => ABSOLUTE.test(target),
    'must be a path and not a whole URL',
    'begin with /v1/. The profile gives host and path prefix',
  ],
  [(target) => !target.startsWith('/'), 'must begin with /, as in /v1/cards/…'],
  [(target) => target.includes('\\'), 'has a backslash'],
  [(target) => target.includes('#'), 'has a fragment (#), which is never sent'],
  [
    (target) => decodeOnce(eagerPath(target)) !== eagerPath(target),
    'is percent-encoded more than five times over, which hides what it means',
  ],
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
  return {
    problem,
    hint: `write it as ${target
      .replace(/%(?![0-9a-f]{2})/gi, '%25')
      .replace(/[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]/gu, (char) => encodeURIComponent(char.toWellFormed()))}`,
  };
}

/** By the word after the version, as in the paths of the table. */
const FAMILY_OF = new Map<string, Family>(ALL_OPERATIONS.map(({ path, family }) => [path.split('/')[2] ?? '', family]));

/** The family of a path by its first words, or undefined. */
export function familyOfPath(target: string): Family | undefined {
  const [, version, resource = ''] = eagerSegments(target);
  return version === 'v1' ? FAMILY_OF.get(resource) : undefined;
}

/** The read and decoded parameters of a raw call whose path is exactly one of the table's. */
export function readAt(target: string) {
  const segments = pathPart(target).split('/').map(decodeOnce);
  for (const operation of ALL_OPERATIONS) {
    const params = operation.method === 'GET' ? matchPath(operation.path, segments) : undefined;
    if (params !== undefined && !Object.values(params).includes('')) return { operation, params };
  }
  return undefined;
}

/** A segment as some server could compare it: in any case or width, without anything invisible, to the first mark. */
function wordOf(segment: string): string {
  const plain = segment.normalize('NFKC').replace(/\p{Cf}/gu, '');
  return /[a-z0-9_-]+/i.exec(plain)?.[0].toLowerCase() ?? '';
}

function isPathOf({ path }: Operation, segments: readonly string[]): boolean {
  const words = path.split('/');
  if (words.length !== segments.length) return false;
  return words.every((word, index) => word.startsWith('{') || wordOf(word) === wordOf(segments[index] ?? ''));
}

/**
 * The operation whose path this is, whatever text stands for its ID and however the path is spelt. What some server
 * could take for it counts. A change counts before a read.
 */
export function operationAt(target: string, table = ALL_OPERATIONS) {
  const exact = pathPart(target).split('/').map(decodeOnce);
  const eager = eagerPath(target);
  const cut = eager.split(/[?#\0]/, 1)[0] ?? '';
  const named = [eager, cut].map((path) => segmentsOf(path).filter((word, at) => at === 0 || word !== ''));
  for (const all of [exact, segmentsOf(eager), ...named]) {
    const segments = all.slice(0, all.findLastIndex((segment) => segment !== '') + 1);
    const found = table.filter((operation) => isPathOf(operation, segments));
    const operation = found.find(({ effect }) => effect.kind === 'write') ?? found[0];
    if (operation === undefined) continue;
    const at = operation.path.split('/').findIndex((word) => word.startsWith('{'));
    const name = operation.path.split('/')[at]?.slice(1, -1);
    return { operation, params: name === undefined ? {} : { [name]: segments[at] ?? '' } };
  }
  return undefined;
}

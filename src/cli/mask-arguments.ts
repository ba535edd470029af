import type { Context } from '../base/context.ts';
import { environmentTokens } from '../profile/resolve.ts';
import { SECRET_OPTION } from './argv.ts';

/** Also misspelt: after --token-stdin people type the token. */
const TOKEN_OPTION = /^-.*token(?![-_](?:file|command)(?:=|$))/i;
/** How other programs take a token, or a header that has one. Their values may be harmless, and then they are short. */
const OTHER_TOKEN_OPTION = /^(?:-t$|-t=|-H|--?headers?(?:=|$))/;

/** A JSON web token, a key as its service begins it, what follows `Bearer`, the value of `cardsToken=` and `?api_key=`. */
const SECRET_TEXT = [
  /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g,
  /\b(?:[prs]k_(?:live|test)_|sk-|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|npm_|AIza|AKIA)[\w-]{12,}/g,
  /\bbearer\s+(\S{6,})/gi,
  /(?:[?&](?:key|pass|pwd|auth)|token|jwt|api[-_]?key|secret|passw(?:or)?d|passphrase|cookie)=([^\s&#"']{6,})/gi,
];

/** The name of a file, a path or a URL. */
const PLACE = /[/\\]|\.[a-z]{2,5}$/i;
/** Characters of the shortest key. */
const KEY_CHARACTERS = 20;
/** Hexadecimal digits up to so many are a digest, the name of a run, or a card ID with a slip or two. */
const [MOST_DIGITS, MOST_SLIPS] = [40, 2];
/** Words and numbers have more characters on average than what is drawn by lot. */
const PIECE_CHARACTERS = 3.5;

/** Does a run of letters and digits change between them as a key does, which is drawn by lot? */
function isRandom(run: string): boolean {
  const isHex = run.length <= MOST_DIGITS && run.replace(/[0-9a-f]/gi, '').length <= MOST_SLIPS;
  if (run.length < KEY_CHARACTERS || isHex || !/[a-z]/i.test(run) || !/\d/.test(run)) return false;
  const pieces = run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return pieces.length * PIECE_CHARACTERS > run.length;
}

/** The keys in a text that nothing but their randomness tells from other words. */
function randomKeys(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => !PLACE.test(word));
  return words.flatMap((word) => word.split(/[^\w+=~-]+/)).filter((part) => part.split(/[^a-zA-Z0-9]+/).some(isRandom));
}

/** The secrets in a text. `isRefusal`: random keys too. */
function secretsIn(text: string, isRefusal: boolean): readonly string[] {
  const found = SECRET_TEXT.flatMap((pattern) => [...text.matchAll(pattern)].map(([whole, inner]) => inner ?? whole));
  return isRefusal ? [...found, ...randomKeys(text)] : found;
}

/** Letters that may stand before a value that is glued to them (`-qp<value>`), or are read as options of its own. */
const GLUED = [0, 1, 2, 3];

/** What of a word looks like a secret. The field that --map gives is no value of its column: `Token=cardId`. */
function secretsWithin(word: string, before: string | undefined, isRefusal: boolean): readonly string[] {
  const map = before === '--map' ? word : /^--map=(.*)$/s.exec(word)?.[1];
  if (map !== undefined) return map.split('=').flatMap((part) => secretsIn(part, isRefusal));
  if (!/^-[^-]/.test(word)) return secretsIn(word, isRefusal);
  const found = GLUED.flatMap((at) => secretsIn(word.slice(1 + at), isRefusal));
  return found.flatMap((secret) => GLUED.map((at) => secret.slice(at)));
}

/** The value of an option that may take a token: behind `=`, glued to its letter, or the next word. */
function optionValue(word: string, next: string | undefined): string | undefined {
  if (/^-H./.test(word)) return word.slice(2);
  const equals = word.indexOf('=');
  return equals === -1 ? next : word.slice(equals + 1);
}

/** Words that no message repeats: values of token options, words that look like a token, and those of the environment. */
function secretArguments(argv: readonly string[], env: Context['env'], isRefusal: boolean): readonly string[] {
  const long = environmentTokens(env).filter(({ length }) => length >= TELLING_CHARACTERS);
  const secrets = new Set(long.filter((token) => argv.some((word) => word.includes(token))));
  for (const [index, word] of argv.entries()) {
    for (const secret of secretsWithin(word, argv[index - 1], isRefusal)) secrets.add(secret);
    const isOther = OTHER_TOKEN_OPTION.test(word);
    if (!isOther && !SECRET_OPTION.test(word) && !TOKEN_OPTION.test(word)) continue;
    const value = optionValue(word, argv[index + 1]);
    const isLong = !isOther || (value ?? '').length >= TELLING_CHARACTERS;
    if (value !== undefined && value !== '' && isLong && !value.startsWith('--')) secrets.add(value);
  }
  return [...secrets];
}

/** So many characters of a secret that a message cut are still the secret. */
const TELLING_CHARACTERS = 8;

/** Masks a secret in a string, also its beginning or its end where a message was cut. */
function maskSecret(text: string, secret: string): string {
  let masked = text.replaceAll(secret, '***');
  if (!masked.includes('…')) return masked;
  for (let length = Math.min(secret.length - 1, masked.length); length >= TELLING_CHARACTERS; length -= 1) {
    masked = masked.replaceAll(`${secret.slice(0, length)}…`, '***…').replaceAll(`…${secret.slice(-length)}`, '…***');
  }
  return masked;
}

/**
 * Masks the secrets of a command line in a string, the longest first, because one may contain another. `isRefusal`: of
 * words that were refused. An ID that a request named may look like a key, and says what was changed.
 */
export function maskArguments(
  argv: readonly string[],
  env: Context['env'] = {},
  isRefusal = true,
): ((text: string) => string) | undefined {
  const secrets = [...secretArguments(argv, env, isRefusal)].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  return (text) => secrets.reduce(maskSecret, text);
}

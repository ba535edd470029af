import { readFile, stat } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { describeIoError, ifPossible } from '../../base/files/io-failure.ts';
import { decodeUtf8 } from '../../base/json/utf8.ts';
import { formatDuration } from '../../screen/text.ts';
import type { Family } from '../../service/api/operation.ts';

/** Longer than any bearer token, and than what a server accepts in a header. */
export const TOKEN_BYTES_MAX = 65_536;

const VISIBLE_ASCII = /^[\u0021-\u007e]+$/;

/**
 * A token for a header. One newline at the end (LF or CR LF) is removed, then only visible ASCII is accepted: a line
 * break would begin another header, and undici sends an `é` as it is. The failure names `where` the token came from and
 * never shows it.
 */
export function checkTokenText(text: string, where: string): string {
  const token = text.replace(/\r?\n$/, '');
  if (token === '') throw Failure.unsent('USAGE', `${where} holds an empty token`);
  if (token.length > TOKEN_BYTES_MAX) {
    throw Failure.unsent('USAGE', `${where} holds more than ${TOKEN_BYTES_MAX} characters, too many for a token`);
  }
  if (/^(["'`]).*\1$/.test(token)) throw Failure.unsent('USAGE', `${where} holds a text in quotes, not a token`);
  if (/^[${]/.test(token)) {
    throw Failure.unsent('USAGE', `${where} holds a variable or an object, not a token: it begins with ${token[0]}`);
  }
  if (/^https?:\/\//i.test(token)) throw Failure.unsent('USAGE', `${where} holds a URL, not a token`);
  if (VISIBLE_ASCII.test(token)) return token;
  throw Failure.unsent('USAGE', `${where} holds a space, a line break or another character that is not visible ASCII`, {
    hints: ['copy the token again, without text around it'],
  });
}

/** The times that a JWT claims, unverified; milliseconds since 1970. */
export interface JwtTimes {
  readonly expiresAtMs?: number | undefined;
  readonly notBeforeMs?: number | undefined;
}

const SEGMENT = /^[A-Za-z0-9_-]+$/;

/** The largest time that a Date can show. */
const DATE_MAX_MS = 8.64e15;

function decodeObject(segment: string): Record<string, unknown> | undefined {
  if (!SEGMENT.test(segment)) return undefined;
  const value: unknown = ifPossible(() => JSON.parse(decodeUtf8(Buffer.from(segment, 'base64url'))));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function timeMs(claim: unknown): number | undefined {
  if (typeof claim !== 'number') return undefined;
  const ms = claim * 1000;
  return Math.abs(ms) <= DATE_MAX_MS ? ms : undefined;
}

/** `exp` and `nbf` of a JWT. Anything odd means that no time is known: the service decides. */
export function readJwtTimes(token: string): JwtTimes {
  const [header, payload, signature, ...more] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) return {};
  const claims = decodeObject(payload);
  if (claims === undefined || decodeObject(header) === undefined) return {};
  return { expiresAtMs: timeMs(claims['exp']), notBeforeMs: timeMs(claims['nbf']) };
}

/** The times of a family's token. Only the gift-card API declares its token as a JWT. */
export function timesOf(family: Family, token: string): JwtTimes {
  return family === 'cards' ? readJwtTimes(token) : {};
}

/** A token that expires within this time gets a notice. */
const SOON_MS = 24 * 3_600_000;

/** The state of a token by this machine's clock. */
export function judgeExpiry({ expiresAtMs }: JwtTimes, nowMs: number): 'unknown' | 'valid' | 'soon' | 'expired' {
  if (expiresAtMs === undefined) return 'unknown';
  if (expiresAtMs <= nowMs) return 'expired';
  return expiresAtMs - nowMs < SOON_MS ? 'soon' : 'valid';
}

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** `expired 2 h ago (at …, this machine's clock says …)` or `expires in 5 h (at …)`. */
export function describeExpiry(expiresAtMs: number, nowMs: number): string {
  const at = isoSeconds(expiresAtMs);
  const leftMs = expiresAtMs - nowMs;
  return leftMs > 0
    ? `expires in ${formatDuration(leftMs)} (at ${at})`
    : `expired ${formatDuration(-leftMs)} ago (at ${at}, and this machine's clock says ${isoSeconds(nowMs)})`;
}

/** The last four characters, to tell tokens apart; undefined if that would show too much. */
export function lastFour(token: string): string | undefined {
  return token.length >= 20 ? token.slice(-4) : undefined;
}

/**
 * The token in a file that another program keeps (a mounted secret). Owner and mode do not count, because such files
 * are often owned by root and readable by a group. AUTH if it is missing, unreadable or empty, USAGE if its text cannot
 * be a token.
 */
export async function readTokenFile(path: string, what: string, platform: string) {
  const fail = (problem: string, cause?: unknown) =>
    Failure.unsent('AUTH', `could not use ${what} ${path}: ${problem}`, { cause });
  let text: string;
  let mode: number;
  try {
    const facts = await stat(path);
    if (!facts.isFile()) throw fail('it is not an ordinary file');
    if (facts.size > TOKEN_BYTES_MAX) throw fail(`it is larger than ${TOKEN_BYTES_MAX} bytes, too many for a token`);
    mode = facts.mode;
    // A byte order mark in Latin-1. Editors add one, and blanks.
    text = (await readFile(path, 'latin1')).replace(/^\u00ef\u00bb\u00bf/, '').trim();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw fail(describeIoError(error), error);
  }
  if (text === '') throw fail('it is empty');
  return {
    token: checkTokenText(text, `${what} ${path}`),
    /** Every user of this machine can read the file. */
    isWorldReadable: platform !== 'win32' && (mode & 0o004) !== 0,
  };
}

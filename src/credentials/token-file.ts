import { readFile, stat } from 'node:fs/promises';
import { Failure } from '../failure.ts';
import { describeIoError } from '../files/io-failure.ts';
import { checkTokenText, TOKEN_BYTES_MAX } from './token.ts';

/**
 * The token in a file that somebody else keeps (a mounted secret). Its owner and mode are not judged: such
 * files are often readable by a group and owned by root. AUTH when it is missing, unreadable or empty,
 * USAGE when its text cannot be a token.
 */
export async function readTokenFile(path: string, what: string, platform: string) {
  const fail = (problem: string, cause?: unknown) =>
    new Failure('AUTH', `${what} ${path} cannot be used: ${problem}; nothing was sent`, { cause });
  let text: string;
  let mode: number;
  try {
    const facts = await stat(path);
    if (!facts.isFile()) throw fail('it is not an ordinary file');
    if (facts.size > TOKEN_BYTES_MAX) throw fail(`it is larger than ${TOKEN_BYTES_MAX} bytes, too many for a token`);
    mode = facts.mode;
    text = await readFile(path, 'latin1');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw fail(describeIoError(error), error);
  }
  if (text.trim() === '') throw fail('it is empty');
  return {
    token: checkTokenText(text, `${what} ${path}`),
    /** Everybody on this machine can read the file. */
    isWorldReadable: platform !== 'win32' && (mode & 0o004) !== 0,
  };
}

import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { describeIoError, errnoOf, ioFailure } from '../../../../src/base/files/io-failure.ts';

const systemError = (code: string, errno = -1) => Object.assign(new Error(`${code}: refused, write`), { code, errno });

const NETWORK = 'check that the network folder is connected';

it.each([
  ['ENOSPC', 'no space left on the device (ENOSPC)', ['free space on the disk']],
  ['EDQUOT', 'the disk quota is used up (EDQUOT)', ['free space within the quota of this user, or have it raised']],
  ['ESTALE', 'the file was replaced or deleted on another machine (ESTALE)', [NETWORK]],
  ['ENOLCK', 'the file system has no locks left, or does not support them (ENOLCK)', [NETWORK]],
  ['EIO', 'the device reported an error (EIO)', ['check the disk']],
  ['EROFS', 'the file system is read-only (EROFS)', ['make the file system writable']],
  ['EACCES', 'permission denied (EACCES)', []],
  ['EWHATEVER', 'the system refused it (EWHATEVER)', []],
])('%s is said in words, with a hint that follows the cause', (code, words, hints) => {
  const error = systemError(code);
  expect(describeIoError(error)).toBe(words);
  expect(ioFailure('could not write /x', error)).toMatchObject({
    code: 'LOCAL_IO',
    message: `could not write /x: ${words}. The earlier content is unchanged.`,
    hints,
  });
});

it.each(['EDQUOT', 'ESTALE', 'ENOLCK'] as const)('%s is said by name where Node knows its number alone', (name) => {
  const numbers: Readonly<Record<string, number>> = constants.errno;
  const number = -(numbers[name] ?? 0);
  const error = systemError(`Unknown system error ${number}`, number);
  expect(errnoOf(error)).toBe(name);
  expect(describeIoError(error)).not.toContain(String(number));
});

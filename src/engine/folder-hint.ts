import { tmpdir } from 'node:os';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { errnoOf } from '../files/io-failure.ts';
import { findPlaces } from '../files/paths.ts';

/** What the system says of a place that cannot be written to; another folder helps. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTDIR']);

function isUnwritable({ cause }: Failure): boolean {
  return cause instanceof Failure ? isUnwritable(cause) : UNWRITABLE.has(errnoOf(cause) ?? '');
}

/** A failure to write below one of our folders, with the variable that names another folder. */
export function withFolderHint(failure: Failure, context: Context): Failure {
  if (failure.code !== 'LOCAL_IO' || !isUnwritable(failure)) return failure;
  const { stateDir, configDir } = findPlaces(context);
  const places = [
    [stateDir, 'FRONTDESK_STATE_DIR'],
    [configDir, 'FRONTDESK_CONFIG_DIR'],
    [tmpdir(), 'TMPDIR'],
  ] as const;
  const found = places.find(([folder]) => folder !== undefined && failure.message.includes(folder));
  if (found === undefined || failure.hints.some((hint) => hint.includes(found[1]))) return failure;
  return failure.with({}, [`set ${found[1]} to a folder that can be written`, ...failure.hints]);
}

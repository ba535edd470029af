import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { errnoOf } from '../files/io-failure.ts';
import { findPlaces } from '../files/paths.ts';

/** What the system says of a place that cannot be written to; another folder helps. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTDIR']);

/** The place that could not be written to, as the system names it. */
function unwritablePath({ cause }: Failure): string | undefined {
  if (cause instanceof Failure) return unwritablePath(cause);
  if (!(cause instanceof Error) || !UNWRITABLE.has(errnoOf(cause) ?? '')) return undefined;
  return 'path' in cause && typeof cause.path === 'string' ? cause.path : undefined;
}

/** A failure to write below one of our folders, with the variable that names another folder. */
export function withFolderHint(failure: Failure, context: Context): Failure {
  const path = failure.code === 'LOCAL_IO' ? unwritablePath(failure) : undefined;
  if (path === undefined) return failure;
  const { stateDir, configDir } = findPlaces(context);
  const places = [
    [stateDir, 'FRONTDESK_STATE_DIR'],
    [configDir, 'FRONTDESK_CONFIG_DIR'],
    // What a person named below it, such as a file of --out, is not ours.
    [join(tmpdir(), 'frontdesk-'), 'TMPDIR'],
  ] as const;
  const found = places.find(([folder]) => folder !== undefined && path.startsWith(folder));
  if (found === undefined) return failure;
  return failure.with({}, [`set ${found[1]} to a folder that can be written`, ...failure.hints]);
}

import { readFile, realpath, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ensurePrivateFolder, putInPlace } from '../base/files/atomic.ts';
import { ignoreNotFound, ioFailure } from '../base/files/io-failure.ts';
import { type AssertStillHeld, type LockPorts, withLock } from '../base/files/lock.ts';
import { temporaryName } from '../base/files/process-identity.ts';
import { sweepLeftovers } from '../base/files/sweep.ts';
import { readSettings, settingsPath } from './read.ts';
import { SETTINGS_VERSION, type Settings } from './settings.ts';

/**
 * conf writes into a staged file, not onto settings.json: it does not notice a partial write, and its temporary names
 * do not name their process, so they could not be swept after a kill.
 */
async function stage(folder: string, name: string, settings: Settings): Promise<string> {
  const { default: Conf } = await import('conf');
  const { currentProfile, preferences } = settings;
  // A profile named __proto__ is a member like any other.
  const profiles: unknown = Object.fromEntries(settings.profiles);
  const document = {
    version: SETTINGS_VERSION,
    ...(currentProfile !== undefined && { currentProfile }),
    profiles,
    preferences,
  };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const staged = join(folder, name);
  const conf = new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: basename(name, '.tmp'),
    fileExtension: 'tmp',
    projectSuffix: '',
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false,
    configFileMode: 0o600,
    serialize: () => text,
  });
  try {
    conf.store = document;
    if ((await readFile(staged, 'utf8')) !== text) throw new Error('the disk took only a part of it');
  } catch (error) {
    await unlink(staged).catch(() => undefined);
    throw error;
  }
  return staged;
}

async function save(path: string, settings: Settings, pid: number, assertStillHeld: AssertStillHeld): Promise<void> {
  try {
    // If settings.json is a link, it stays one.
    const target = (await ignoreNotFound(realpath(path))) ?? path;
    const staged = await stage(dirname(target), temporaryName(pid), settings);
    assertStillHeld();
    await putInPlace(staged, target);
  } catch (error) {
    throw ioFailure(`could not save the settings file ${path}`, error);
  }
}

/**
 * Changes the settings under a lock, from what is in the file at that moment, so that no change of another process is
 * lost. Returns the saved settings. `change` may throw to refuse; if it returns its argument, nothing is written. USAGE
 * if the file is damaged (it stays as it is), LOCAL_IO if it cannot be written.
 */
export async function changeSettings(
  place: { readonly configDir: string } & LockPorts,
  change: (settings: Settings) => Settings,
): Promise<Settings> {
  const { configDir, pid } = place;
  const path = settingsPath(configDir);
  await ensurePrivateFolder(configDir);
  return withLock(`${path}.lock`, { ...place, what: 'the settings file' }, async (assertStillHeld) => {
    await sweepLeftovers(configDir, place);
    const before = await readSettings(configDir);
    const after = change(before);
    if (after !== before) await save(path, after, pid, assertStillHeld);
    return after;
  });
}

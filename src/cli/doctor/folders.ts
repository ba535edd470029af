import { constants, type Stats } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { livingLocks } from '../../base/files/heartbeat.ts';
import { describeIoError, errnoOf, ifPossible } from '../../base/files/io-failure.ts';
import { readLockFile } from '../../base/files/lock-file.ts';
import { requireOwnState } from '../../base/files/own-state.ts';
import { unexpandedProblem, unusablePaths } from '../../base/files/paths.ts';
import { isLeftOver } from '../../base/files/process-identity.ts';
import { isOwnFolder, newFolderStep, refuseUnsafeFolder } from '../../base/files/safety.ts';
import { removeCommand, shellQuote } from '../../base/files/shell-quote.ts';
import { commandOf } from '../../base/next-step.ts';
import type { Facts, Ports, Session } from '../../command/session.ts';
import { readSettings, settingsPath } from '../../profile/read.ts';
import { readOpenWrites } from '../../records/open-files.ts';
import { plural } from '../../screen/text.ts';
import { familyWords } from '../../service/api/operation.ts';
import { storedCredentials } from '../credential-request.ts';
import { attempt, type Check, ok, problem, warning } from './check.ts';

function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: unknown) => {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw error;
  });
}

/** The path itself, or the nearest existing folder above it. */
async function nearestExisting(path: string): Promise<string> {
  const parent = dirname(path);
  return parent === path || (await statOf(path)) !== undefined ? path : nearestExisting(parent);
}

/** Why no file or folder can be made there; undefined if one can. */
async function obstacleTo(path: string): Promise<string | undefined> {
  const place = await nearestExisting(path);
  const refusal: unknown = await access(place, constants.W_OK | constants.X_OK).catch((error: unknown) => error);
  return refusal === undefined ? undefined : `${place} cannot be written: ${describeIoError(refusal)}`;
}

async function checkFolder(name: string, path: string | undefined, variable: string, session: Ports): Promise<Check> {
  // Most calls only read settings, and the environment replaces them: nothing is broken without them.
  const flaw = name === 'config-folder' ? warning : problem;
  const why = session.context.env[variable] ? `${variable} leads nowhere` : 'there is no home folder';
  const another = `set ${variable} to a folder that you can write to`;
  if (path === undefined) return flaw(name, `its place is not known: ${why}`, another);
  const stats = await statOf(path);
  if (stats !== undefined && !stats.isDirectory()) return problem(name, `${path} is not a folder`, another);
  const obstacle = await obstacleTo(path);
  if (obstacle !== undefined) return flaw(name, obstacle, `make it writable, or set ${variable}`);
  if (stats === undefined) return ok(name, `${path} does not exist yet. frontdesk creates it when needed`);
  await refuseUnsafeFolder(path, session.context.platform, variable);
  const mode = stats.mode & 0o777;
  if (session.context.platform === 'win32') return ok(name, `${path} (who else may read it is not checked on Windows)`);
  if ((mode & 0o077) === 0) return ok(name, path);
  const fix = isOwnFolder(path) ? `chmod 700 ${shellQuote(path)}` : newFolderStep(variable);
  return warning(name, `others can look into ${path} (mode ${mode.toString(8)})`, fix);
}

async function checkSettings({ places }: Facts): Promise<Check> {
  const settings = await readSettings(places.configDir);
  if (places.configDir === undefined) return ok('settings', 'none');
  const names = [...settings.profiles.keys()];
  const profiles = names.length === 0 ? 'no stored profile' : `profiles ${names.join(', ')}`;
  return ok('settings', `${settingsPath(places.configDir)}: ${profiles}`);
}

async function checkCredentials(session: Session): Promise<Check> {
  const entries = await storedCredentials(session);
  const kept = entries.map(
    (each) => `${each.kind} of ${each.profile} for ${familyWords(each.family)} at ${each.origin}`,
  );
  return ok('credentials', kept.length === 0 ? 'no stored credentials' : kept.join('; '));
}

/** What to remove of a lock or a temporary folder. An empty folder harms nobody. */
async function filesOf(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => undefined);
  return names?.map((name) => join(path, name)) ?? [path];
}

/** What killed processes left in a folder. The next change removes it. */
async function checkLeftovers(folder: string | undefined, session: Ports): Promise<readonly Check[]> {
  if (folder === undefined) return [];
  const nowMs = session.context.clock.now();
  const found: string[] = [];
  const names = await readdir(folder).catch(() => []);
  // Other programs leave files and folders of such names too.
  const isOfFrontdesk = (path: string) => ifPossible(() => readLockFile(path))?.holder !== undefined;
  const locks = names
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join(folder, name))
    .filter(isOfFrontdesk);
  const living = await livingLocks(locks, session.context.clock);
  for (const name of names) {
    const path = join(folder, name);
    const silentMs = nowMs - ((await statOf(path))?.mtimeMs ?? nowMs);
    const isDeadLock = locks.includes(path) && !living.has(path);
    if (isDeadLock || isLeftOver(name, silentMs)) found.push(...(await filesOf(path)));
    if (/^credentials\.json\.bad(?:-\d+)?$/.test(name)) found.push(path);
  }
  if (found.length === 0) return [];
  return [warning('leftovers', `left behind by an interrupted frontdesk: ${found.join(', ')}`, removeCommand(found))];
}

async function checkOpenWrites({ places: { stateDir }, context }: Session): Promise<Check> {
  const name = 'open-writes';
  if (stateDir === undefined) return ok(name, 'none: there is no state folder');
  if ((await obstacleTo(stateDir)) !== undefined) return warning(name, 'cannot be looked up: see state-folder');
  const open = await readOpenWrites({ stateDir, clock: context.clock, mayWrite: false });
  const unknown = open.filter(({ isInProgress }) => !isInProgress).length;
  const underWay = plural(open.length - unknown, 'write is', 'writes are');
  if (unknown === 0) return ok(name, open.length === 0 ? 'no write is open' : `${underWay} in progress`);
  const count = unknown === 1 ? 'the outcome of 1 write is' : `the outcomes of ${unknown} writes are`;
  const more = open.length === unknown ? '' : `. ${underWay} in progress`;
  const message = `${count} not known, and nothing has resolved them${more}`;
  return warning(name, message, commandOf({ do: 'list what is open' }));
}

/** Files with customers' IDs, reasons and rows. */
const PRIVATE_IN_STATE = ['writes', 'open', 'sent', 'runs', 'cards'];

async function checkPrivate({ places: { stateDir }, context }: Session): Promise<readonly Check[]> {
  if (stateDir === undefined || context.platform === 'win32') return [];
  const checks: Check[] = [];
  for (const name of PRIVATE_IN_STATE) {
    const path = join(stateDir, name);
    requireOwnState(stateDir, path);
    const stats = await statOf(path);
    const mode = (stats?.mode ?? 0) & 0o777;
    if ((mode & 0o077) === 0) continue;
    const command = `chmod ${stats?.isDirectory() === true ? 700 : 600} ${shellQuote(path)}`;
    const fix = isOwnFolder(stateDir) ? command : newFolderStep('FRONTDESK_STATE_DIR');
    checks.push(warning('state-files', `others can get at ${path} (mode ${mode.toString(8)})`, fix));
  }
  return checks;
}

/** A read that cannot remember its card continues in silence: it is said here. */
async function checkRemembered({ places: { stateDir }, keepsHistory }: Session): Promise<Check> {
  const name = 'known-cards';
  if (!keepsHistory) return ok(name, 'not remembered: FRONTDESK_NO_HISTORY is set');
  const { checkCards } = await import('../../records/known-cards.ts');
  const count = stateDir === undefined ? 0 : checkCards(stateDir);
  return ok(name, count === 0 ? 'no cards remembered yet' : `cards remembered of ${plural(count, 'base URL')}`);
}

/** Paths in variables that lead to another place from each folder, or nowhere. */
function checkPaths({ env }: Session['context']): readonly Check[] {
  const unusable = unusablePaths(env).map(({ message }) => problem('paths', message));
  const relative = ['FRONTDESK_STATE_DIR', 'FRONTDESK_AUDIT_LOG'].filter((name) => {
    const path = env[name] ?? '';
    return path !== '' && !isAbsolute(path) && unexpandedProblem(path) === undefined;
  });
  const found = relative.map((name) => {
    const message = `${name} is a relative path: it leads to another place from each folder`;
    return warning('paths', message, `set ${name} to a whole path`);
  });
  return [...unusable, ...found];
}

export async function checkFolders(session: Session): Promise<readonly Check[]> {
  const { configDir, stateDir } = session.places;
  return [
    ...checkPaths(session.context),
    ...(await attempt('config-folder', () => checkFolder('config-folder', configDir, 'FRONTDESK_CONFIG_DIR', session))),
    ...(await attempt('settings', () => checkSettings(session))),
    ...(await attempt('credentials', () => checkCredentials(session))),
    ...(await attempt('state-folder', () => checkFolder('state-folder', stateDir, 'FRONTDESK_STATE_DIR', session))),
    ...(await attempt('state-files', () => checkPrivate(session))),
    ...(await attempt('known-cards', () => checkRemembered(session))),
    ...(await attempt('leftovers', () => checkLeftovers(configDir, session))),
    ...(stateDir === configDir ? [] : await attempt('leftovers', () => checkLeftovers(stateDir, session))),
    ...(await attempt('open-writes', () => checkOpenWrites(session))),
  ];
}

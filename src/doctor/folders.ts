import { constants, type Stats } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { familyWords } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { storedCredentials } from '../engine/session/credential-request.ts';
import { MOVE_STATE, unsupportedGuarantees } from '../files/file-system.ts';
import { livingLocks } from '../files/heartbeat.ts';
import { describeIoError, errnoOf, type Unread, unreadFailure } from '../files/io-failure.ts';
import { requireOwnState } from '../files/own-state.ts';
import { isLeftOver } from '../files/process-identity.ts';
import { refuseUnsafeFolder } from '../files/safety.ts';
import { removeCommand, shellQuote } from '../files/shell-quote.ts';
import { readOpenWrites } from '../history/open-index.ts';
import { commandWords } from '../output/people-text.ts';
import { groupThousands } from '../output/text.ts';
import { nextCommand, waysToSettle } from '../run/next-commands.ts';
import type { Facts, Ports, Session } from '../session.ts';
import { readSettings, settingsPath } from '../settings/read.ts';
import { type Check, look, ok, problem, problemOf, warning } from './check.ts';

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
export async function obstacleTo(path: string): Promise<string | undefined> {
  const place = await nearestExisting(path);
  const refusal: unknown = await access(place, constants.W_OK | constants.X_OK).catch((error: unknown) => error);
  return refusal === undefined ? undefined : `${place} cannot be written: ${describeIoError(refusal)}`;
}

async function checkFolder(name: string, path: string | undefined, variable: string, session: Ports): Promise<Check> {
  // Most calls only read settings, and the environment replaces them: nothing is broken without them.
  const flaw = name === 'config-folder' ? warning : problem;
  const unknown = 'its place is not known: there is no home folder';
  if (path === undefined) return flaw(name, unknown, `set ${variable} to a folder that you can write to`);
  const stats = await statOf(path);
  if (stats !== undefined && !stats.isDirectory())
    return problem(name, `${path} is not a folder`, `mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}`);
  const obstacle = await obstacleTo(path);
  if (obstacle !== undefined) return flaw(name, obstacle, `make it writable, or set ${variable}`);
  if (stats === undefined) return ok(name, `${path} does not exist yet. frontdesk creates it when needed`);
  await refuseUnsafeFolder(path, session.context.platform);
  const mode = stats.mode & 0o777;
  if (session.context.platform === 'win32') return ok(name, `${path} (who else may read it is not checked on Windows)`);
  if ((mode & 0o077) === 0) return ok(name, path);
  return warning(name, `others can look into ${path} (mode ${mode.toString(8)})`, `chmod 700 ${shellQuote(path)}`);
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
  const locks = names.filter((name) => /\.(?:lock|takeover)$/.test(name)).map((name) => join(folder, name));
  const living = await livingLocks(locks, session.context.clock);
  for (const name of names) {
    const path = join(folder, name);
    const silentMs = nowMs - ((await statOf(path))?.mtimeMs ?? nowMs);
    const isDeadLock = locks.includes(path) && !living.has(path);
    if (isDeadLock || isLeftOver(name, silentMs)) found.push(...(await filesOf(path)));
    if (name.includes('.json.bad')) found.push(path);
  }
  if (found.length === 0) return [];
  return [warning('leftovers', `left behind by an interrupted frontdesk: ${found.join(', ')}`, removeCommand(found))];
}

/** Unknown outcomes, which the user should resolve. */
async function checkOpenWrites({ places: { stateDir }, context }: Session): Promise<Check> {
  const name = 'open-writes';
  if (stateDir === undefined) return ok(name, 'none: there is no state folder');
  if ((await obstacleTo(stateDir)) !== undefined) return warning(name, 'cannot be looked up: see state-folder');
  const { clock, pid } = context;
  const { open } = await readOpenWrites({ stateDir, clock, pid, keepsIndex: false });
  if (open.length === 0) return ok(name, 'no write is open');
  const count = open.length === 1 ? 'the outcome of 1 write is' : `the outcomes of ${open.length} writes are`;
  return warning(name, `${count} not known, and nothing has resolved them`, 'frontdesk history --open');
}

/** Can locks, runs and records rely on the file system of the state folder, which may be a network one? */
async function checkFileSystem({ places: { stateDir }, context }: Session): Promise<Check> {
  const name = 'state-file-system';
  if (stateDir === undefined || (await statOf(stateDir)) === undefined || (await obstacleTo(stateDir)) !== undefined)
    return ok(name, 'not tried: there is no state folder that can be written');
  const broken = unsupportedGuarantees(stateDir, context.pid);
  if (broken.length === 0) return ok(name, 'the file system supports what locks and runs need');
  return warning(name, `not supported by the file system of ${stateDir}: ${broken.join('; ')}`, MOVE_STATE);
}

/** Files with customers' IDs, reasons and rows. */
const PRIVATE_IN_STATE = ['history.jsonl', 'runs'];

async function checkPrivate({ places: { stateDir }, context }: Session): Promise<readonly Check[]> {
  if (stateDir === undefined || context.platform === 'win32') return [];
  const checks: Check[] = [];
  for (const name of PRIVATE_IN_STATE) {
    const path = join(stateDir, name);
    requireOwnState(stateDir, path);
    const stats = await statOf(path);
    const mode = (stats?.mode ?? 0) & 0o777;
    if ((mode & 0o077) === 0) continue;
    const fix = `chmod ${stats?.isDirectory() === true ? 700 : 600} ${shellQuote(path)}`;
    checks.push(warning('state-files', `others can get at ${path} (mode ${mode.toString(8)})`, fix));
  }
  return checks;
}

/** Years of jobs leave more runs than can be looked at while a user waits. */
const NEWEST_RUNS = 1000;

async function checkRuns({ places, context }: Session): Promise<readonly Check[]> {
  if (places.stateDir === undefined) return [];
  const { listRuns } = await import('../run/stored/run-list.ts');
  const unread: Unread = new Map();
  const ports = { stateDir: places.stateDir, clock: context.clock };
  const { runs, older } = await listRuns(ports, { limit: NEWEST_RUNS, unread });
  const left = unreadFailure('run', unread);
  if (left !== undefined) return [problemOf('runs', left)];
  const open = runs.filter(({ state }) => state !== 'running' && state !== 'finished');
  const rest = older === 0 ? '' : `: of ${groupThousands(older)} older ones only the unknown rows were looked for`;
  if (open.length === 0) return [ok('runs', runs.length === 0 ? 'no runs' : `${runs.length}, none unfinished${rest}`)];
  return open.map(({ run, operation: command, state, outcomes }) => {
    const operation = ALL_OPERATIONS.find((one) => one.command === command);
    const unknown = outcomes?.['unknown'] ?? 0;
    const next = nextCommand({ run, hasLeft: state !== 'unsettled', unknown, ...waysToSettle(operation) });
    return warning('runs', `run ${run} (${commandWords(command)}) is ${state}`, next);
  });
}

/** Folders and files of this user: where they are, who has access, and whether they can be read. */
export async function checkFolders(session: Session): Promise<readonly Check[]> {
  const { configDir, stateDir } = session.places;
  return [
    ...(await look('config-folder', () => checkFolder('config-folder', configDir, 'FRONTDESK_CONFIG_DIR', session))),
    ...(await look('settings', () => checkSettings(session))),
    ...(await look('credentials', () => checkCredentials(session))),
    ...(await look('state-folder', () => checkFolder('state-folder', stateDir, 'FRONTDESK_STATE_DIR', session))),
    ...(await look('state-file-system', () => checkFileSystem(session))),
    ...(await look('state-files', () => checkPrivate(session))),
    ...(await look('leftovers', () => checkLeftovers(configDir, session))),
    ...(stateDir === configDir ? [] : await look('leftovers', () => checkLeftovers(stateDir, session))),
    ...(await look('runs', () => checkRuns(session))),
    ...(await look('open-writes', () => checkOpenWrites(session))),
  ];
}

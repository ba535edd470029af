import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { describeIoError, errnoOf, ifPossible, ignoreErrors } from './io-failure.ts';
import { removeCommand, shellQuote } from './shell-quote.ts';

type Danger = Refusal & { readonly fix: string };

/** A step from the command that does it. */
type Step = (command: string) => string;

const fixWith: Step = (command) => `fix it with: ${command}`;

const CONFIG_VARIABLE = 'FRONTDESK_CONFIG_DIR';

const OWN_NAME =
  /^(?:\.file-system-tried|\.frontdesk-.*|(?:credentials|settings)\.json(?:\.(?:bad|lock).*)?|cards|history-key|open|runs|runs-begun|sandbox|sandbox-reset|sent|state|writes)$/;
const USUAL_PLACE = /\/(?:\.config|\.local\/state|Application Support)\/frontdesk(?:\/state)?$/;

/** Is it a name that frontdesk gives in its folders? */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name);
}

/** Is a folder in its usual place, or does it hold nothing but what frontdesk makes? A variable may name any folder. */
export function isOwnFolder(path: string): boolean {
  if (USUAL_PLACE.test(path)) return true;
  const names = ifPossible(() => readdirSync(path));
  // An empty folder with the sticky bit is one for all users.
  if (names?.length === 0) return (statSync(path).mode & 0o1000) === 0;
  return names?.every(isOwnName) ?? false;
}

export function newFolderStep(variable: string): string {
  return `set ${variable} to a new folder that only frontdesk uses`;
}

/** The step for a folder that is not safe. The command changes the folder: one that others use too stays as it is. */
export function folderStep(path: string, instead: string): Step {
  return (command) => (isOwnFolder(path) ? fixWith(command) : instead);
}

/** A mode for `chmod`. */
export function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

let ownUid: number | undefined;

/** The user of this process; undefined if unknown, or without file owners (Windows). */
export function currentUid(): number | undefined {
  if (ownUid !== undefined) return ownUid;
  try {
    const { uid } = userInfo();
    ownUid = uid < 0 ? undefined : uid;
    return ownUid;
  } catch {
    // A container's random user has no entry in /etc/passwd, but its /proc folder names it.
    return statSync('/proc/self', { throwIfNoEntry: false })?.uid;
  }
}

/** The danger that it is no regular file. Opening a pipe would wait for a writer. */
function kindDanger(path: string, facts: Stats): Danger | undefined {
  if (facts.isSymbolicLink()) return { problem: 'it is a symbolic link', fix: fixWith(removeCommand([path])) };
  if (facts.isFile()) return undefined;
  return { problem: 'it is not an ordinary file', fix: fixWith(`mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}`) };
}

/** The danger that other users can read or change it. */
function accessDanger(path: string, facts: Stats, uid: number | undefined): Danger | undefined {
  const word = shellQuote(path);
  if (uid !== undefined && facts.uid !== uid) {
    return { problem: `it belongs to another user (uid ${facts.uid})`, fix: fixWith(`sudo chown ${uid} ${word}`) };
  }
  if ((facts.mode & 0o077) !== 0) {
    return { problem: `its mode ${octal(facts.mode)} lets other users at it`, fix: fixWith(`chmod 600 ${word}`) };
  }
  return undefined;
}

/** The danger that others than this user and root can write there. `subject`: `it`, `its folder`. */
function openDanger(
  path: string,
  subject: string,
  facts: Pick<Stats, 'uid' | 'mode'>,
  uid: number | undefined,
  { safeMode = '700', step = fixWith }: { readonly safeMode?: string; readonly step?: Step } = {},
): Danger | undefined {
  const word = shellQuote(path);
  if (uid !== undefined && facts.uid !== uid && facts.uid !== 0) {
    return { problem: `${subject} belongs to another user (uid ${facts.uid})`, fix: step(`sudo chown ${uid} ${word}`) };
  }
  if ((facts.mode & 0o022) !== 0) {
    return {
      problem: `others can write to ${subject} (mode ${octal(facts.mode)})`,
      fix: step(`chmod ${safeMode} ${word}`),
    };
  }
  return undefined;
}

/** Can others than this user and root write to a program, or to the folder that it is in? */
export function isUnsafeTool(facts: Pick<Stats, 'uid' | 'mode'>): boolean {
  return openDanger('', 'it', facts, currentUid()) !== undefined;
}

function unsafe(path: string, what: string, { problem, fix }: Danger): Failure {
  return Failure.unsent('AUTH', `${what} ${path} was not used: ${problem}`, { hints: [fix] });
}

/** Windows keeps access rights in lists that a mode does not show: only links are refused there. */
function hasModes(platform: string): boolean {
  return platform !== 'win32';
}

async function findDanger(path: string, facts: Stats, platform: string): Promise<Danger | undefined> {
  const isOther = kindDanger(path, facts);
  if (isOther !== undefined || !hasModes(platform)) return isOther;
  const uid = currentUid();
  const folder = dirname(path);
  const step = folderStep(folder, newFolderStep(CONFIG_VARIABLE));
  return accessDanger(path, facts, uid) ?? openDanger(folder, 'its folder', await stat(folder), uid, { step });
}

/**
 * The bytes of a file with secrets; undefined if there is none. AUTH, with the command that fixes it, for a symbolic
 * link, another owner, a mode that lets others in, and a folder that others can write to. The facts come from the
 * opened file, so it cannot be swapped in between.
 */
export async function readPrivateFile(
  path: string,
  { platform, what }: { readonly platform: string; readonly what: string },
): Promise<Uint8Array | undefined> {
  try {
    const isOther = kindDanger(path, await lstat(path));
    if (isOther !== undefined) throw unsafe(path, what, isOther);
    const file = await open(path, constants.O_RDONLY | (hasModes(platform) ? constants.O_NOFOLLOW : 0));
    try {
      const danger = await findDanger(path, await file.stat(), platform);
      if (danger !== undefined) throw unsafe(path, what, danger);
      return await file.readFile();
    } finally {
      await ignoreErrors(file.close());
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw Failure.unsent('AUTH', `could not read ${what} ${path}: ${describeIoError(error)}`, { cause: error });
  }
}

/** AUTH, with the step that fixes it, for a folder in which others could swap a file with secrets. `variable`: its own. */
export async function refuseUnsafeFolder(path: string, platform: string, variable = CONFIG_VARIABLE): Promise<void> {
  if (!hasModes(platform)) return;
  const step = folderStep(path, newFolderStep(variable));
  const danger = openDanger(path, 'it', await stat(path), currentUid(), { step });
  if (danger === undefined) return;
  throw Failure.unchanged('AUTH', `the folder ${path} was not used for credentials: ${danger.problem}`, {
    hints: [danger.fix],
  });
}

/** A file without secrets that says what is allowed, read once; or why it is not believed. */
export type GuardedFile = { readonly bytes: Uint8Array } | Refusal;

/** Why a file is not used, and the step that fixes it if there is one. */
interface Refusal {
  readonly problem: string;
  readonly fix: string | undefined;
}

/**
 * Reads a file that only this user and root can change. Links are followed: the file and its folder must belong to them
 * and not be writable by others. The facts are those of the returned bytes. Throws the system's error.
 */
export function readGuardedFile(path: string): GuardedFile {
  // Another process of this user may replace the file between two checks. Then the new one is read.
  for (let tries = 1; ; tries += 1) {
    const read = readOnce(path);
    if (!('problem' in read) || read.problem !== REPLACED || tries === REPLACEMENTS) return read;
  }
}

const REPLACED = 'it was replaced meanwhile';
const REPLACEMENTS = 50;

function readOnce(path: string): GuardedFile {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) return { problem: 'it is not an ordinary file', fix: undefined };
    return guardDanger(path, facts) ?? { bytes: readFileSync(file) };
  } finally {
    ifPossible(() => closeSync(file));
  }
}

function guardDanger(path: string, facts: Stats): Refusal | undefined {
  const uid = currentUid();
  if (uid === undefined) return undefined;
  const real = realpathSync(path);
  const there = statSync(real);
  if (there.ino !== facts.ino || there.dev !== facts.dev) return { problem: REPLACED, fix: undefined };
  const folder = dirname(real);
  const isLinked = folder !== realpathSync(dirname(path));
  const instead = isLinked ? `move ${real} to a folder that only you can write to` : newFolderStep(CONFIG_VARIABLE);
  const how = { safeMode: 'go-w', step: folderStep(folder, instead) };
  return (
    openDanger(real, 'it', facts, uid, { safeMode: 'go-w' }) ??
    openDanger(folder, 'its folder', statSync(folder), uid, how)
  );
}

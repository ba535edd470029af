import { posix, resolve, win32 } from 'node:path';
import type { Context } from '../context.ts';
import { Failure, usageFailure } from '../failure.ts';
import { ifPossible } from './io-failure.ts';

/** What the folders are derived from. */
type PlacesInput = Pick<Context, 'env' | 'platform' | 'home'>;

/**
 * The folders of frontdesk. Undefined without a variable or a home, or if the variable leads nowhere: only a command that
 * needs the folder fails.
 */
export interface Places {
  /** Settings and credentials. */
  readonly configDir: string | undefined;
  /** History, runs and the sandbox's state. */
  readonly stateDir: string | undefined;
}

type Join = (...parts: string[]) => string;

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** The XDG specification ignores relative paths. */
function xdgFolder(value: string | undefined, join: Join): string | undefined {
  return value?.startsWith('/') ? join(value, 'frontdesk') : undefined;
}

function usualFolders({ env, platform, home }: PlacesInput, join: Join): Places {
  const under = (folder: string | undefined, ...parts: string[]) => folder && join(folder, ...parts);
  if (platform === 'win32') {
    const roaming = nonEmpty(env['APPDATA']) ?? under(home, 'AppData', 'Roaming');
    const local = nonEmpty(env['LOCALAPPDATA']) ?? under(home, 'AppData', 'Local');
    return {
      configDir: under(roaming, 'frontdesk'),
      stateDir: under(local, 'frontdesk', 'state'),
    };
  }
  if (platform === 'darwin') {
    const support = under(home, 'Library', 'Application Support', 'frontdesk');
    return {
      configDir: support,
      stateDir: under(support, 'state'),
    };
  }
  return {
    configDir: under(home, '.config', 'frontdesk'),
    stateDir: under(home, '.local', 'state', 'frontdesk'),
  };
}

/**
 * The folders of this user: FRONTDESK_CONFIG_DIR and FRONTDESK_STATE_DIR, else the XDG variables, else the platform's
 * usual ones. Reads and creates nothing. The working directory does not count, because a cloned repository must not
 * bring settings.
 */
export function findPlaces(input: PlacesInput): Places {
  const { env, platform, home } = input;
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  const usual = usualFolders({ env, platform, home: nonEmpty(home) }, join);
  const own = (name: string, instead: string | undefined) => {
    const value = nonEmpty(env[name]);
    // Without a current folder nothing is resolved: see `unusablePaths`.
    return value === undefined ? instead : ifPossible(() => resolve(value));
  };
  return {
    configDir: own('FRONTDESK_CONFIG_DIR', xdgFolder(env['XDG_CONFIG_HOME'], join) ?? usual.configDir),
    stateDir: own('FRONTDESK_STATE_DIR', xdgFolder(env['XDG_STATE_HOME'], join) ?? usual.stateDir),
  };
}

/** Why a path cannot be meant: it holds what a shell would have replaced. */
export function unexpandedProblem(path: string): string | undefined {
  const [begin] = /^(?:~(?:\/|$)|\$)/.exec(path) ?? [];
  if (begin === undefined) return undefined;
  const name = begin === '$' ? 'that name' : 'the folder ~';
  const is = path === begin ? 'is' : 'begins with';
  return `${is} ${begin}, which no shell has replaced. Write the whole path, or ./${begin} for ${name} here`;
}

const PATH_VARIABLES = [
  'FRONTDESK_CONFIG_DIR',
  'FRONTDESK_STATE_DIR',
  'FRONTDESK_AUDIT_LOG',
  'FRONTDESK_CA_FILE',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
];

/** Of what was given to the program in another encoding, Node keeps U+FFFD. */
export const NOT_UTF8 = 'a character of it is lost, because it is not UTF-8';

/** Why a path has no whole form, which other processes could use: it starts from a folder that was removed. */
export function goneProblem(path: string): string | undefined {
  if (path === '' || ifPossible(() => resolve(path)) !== undefined) return undefined;
  return 'is a relative path, and the current folder was removed. Write the whole path, or change to another folder';
}

/** A USAGE failure for each variable with a path that cannot be meant: two folders named `~` would be two states. */
export function unusablePaths(env: PlacesInput['env']): readonly Failure[] {
  return PATH_VARIABLES.flatMap((where) => {
    const path = env[where] ?? '';
    const isFolder = where.startsWith('FRONTDESK_') && where.endsWith('_DIR');
    const misread = path.includes('\ufffd') ? NOT_UTF8 : unexpandedProblem(path);
    const problem = misread ?? (isFolder ? goneProblem(path) : undefined);
    return problem === undefined ? [] : [usageFailure([{ where, problem }])];
  });
}

const HOLDS = {
  configDir: { holds: 'settings and credentials', variable: 'FRONTDESK_CONFIG_DIR' },
  stateDir: { holds: 'history and runs', variable: 'FRONTDESK_STATE_DIR' },
} as const;

/** One of these folders. USAGE if it is undefined. */
export function requirePlace(places: Places, which: keyof typeof HOLDS): string {
  const folder = places[which];
  if (folder !== undefined) return folder;
  const { holds, variable } = HOLDS[which];
  throw new Failure('USAGE', `there is no folder for ${holds}: ${variable} is not set and there is no home folder`, {
    hints: [`set ${variable} to a folder that you can write to`],
  });
}

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAccessible } from '../ask/wait-display.ts';
import type { Context } from '../context.ts';
import { ENVIRONMENT } from '../describe/environment.ts';
import { readCaFile } from '../engine/session/ca-file.ts';
import { refuseDisabledTls } from '../engine/session/open-session.ts';
import { usageFailure } from '../failure.ts';
import { succeeds } from '../files/io-failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { nearest } from '../output/nearest.ts';
import { runtimeFacts } from '../process/system.ts';
import type { Session } from '../session.ts';
import { resolvePreferences, switchFaults } from '../settings/resolve.ts';
import { NO_SETTINGS } from '../settings/settings.ts';
import { type Check, look, ok, problem, warning } from './check.ts';
import { obstacleTo } from './folders.ts';

/** package.json engines: the oldest Node for the bundled packages. */
const OLDEST_NODE = [20, 19] as const;

function checkNode(): Check {
  const { nodeVersion: version } = runtimeFacts();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (!isOld) return ok('node', `Node ${version}`);
  return problem('node', `Node ${version} is too old`, `install Node ${OLDEST_NODE.join('.')} or later`);
}

const OUR_VARIABLES = ENVIRONMENT.map(({ name }) => name).filter((name) => name.startsWith('FRONTDESK_'));

/** Names only: a value may be a token, or hold a password. */
async function checkEnvironment({ env }: Context): Promise<readonly Check[]> {
  const set = Object.keys(env)
    .filter((name) => name.startsWith('FRONTDESK_') && (env[name] ?? '') !== '')
    .sort();
  const unknown = set.filter((name) => !OUR_VARIABLES.includes(name));
  const known = set.filter((name) => OUR_VARIABLES.includes(name));
  return [
    ok('environment', known.length === 0 ? 'no variable of frontdesk is set' : `set: ${known.join(', ')}`),
    ...unknown.map((name) => {
      const near = nearest(name, OUR_VARIABLES);
      const meant = near === undefined ? `unset ${name}` : `did you mean ${near}?`;
      return warning('environment', `${name} is set, but frontdesk has no such variable`, meant);
    }),
    ...(await look('environment', () => {
      resolvePreferences({ flags: {}, env, profile: undefined, settings: NO_SETTINGS });
      const faults = switchFaults(env);
      if (faults.length > 0) throw usageFailure(faults);
      return [];
    })),
  ];
}

async function checkCaFile(path: string | undefined, env: Context['env']): Promise<Check> {
  if (path === undefined || path === '') return ok('ca-file', 'none: the built-in certificates are trusted');
  await readCaFile(path, env);
  return ok('ca-file', `${path} is trusted besides the built-in certificates`);
}

function checkTerminal({ context, output }: Session): Check {
  const kind = (isTerminal: boolean) => (isTerminal ? 'a terminal' : 'no terminal');
  const { stdin, stdout, stderr } = context;
  const width = stdout.columns === undefined ? '' : ` of ${stdout.columns} columns`;
  const facts = [
    `stdin is ${kind(stdin.isTerminal)}`,
    `stdout is ${kind(stdout.isTerminal)}${width}`,
    `stderr is ${kind(stderr.isTerminal)}`,
    output.colour ? 'color' : 'no color',
    output.unicode ? 'UTF-8' : 'no UTF-8 locale, so borders are ASCII',
    ...(isAccessible(context) ? ['FRONTDESK_ACCESSIBLE: nothing is drawn twice'] : []),
  ];
  return ok('terminal', facts.join(', '));
}

/** How and where the program was installed: `the Debian package (/usr/bin/frontdesk)`. Never rejects. */
async function describeInstallation(): Promise<string> {
  const { program, isExecutable } = runtimeFacts();
  if (program === undefined) return 'a file that is no longer there';
  if (isExecutable) {
    // Only Debian's package installs this file beside the program.
    const copyright = join(dirname(program), '../share/doc/frontdesk/copyright');
    const isFromDebian = program.endsWith('/usr/bin/frontdesk') && (await succeeds(stat(copyright)));
    return `the ${isFromDebian ? 'Debian package' : 'standalone executable'} (${program})`;
  }
  const folder = dirname(dirname(program));
  const isCheckout = await succeeds(stat(join(folder, 'src', 'main.ts')));
  return `${isCheckout ? 'a checkout of the sources' : 'the npm package'} (${folder})`;
}

const COMPILE_CACHE = 'compile-cache';
const ANEW = 'every start compiles the program again';
/** Why compiled code is not stored, if that is intended. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  off: 'off (NODE_DISABLE_COMPILE_CACHE)',
  ci: 'off, as CI is set',
  homeless: 'none, as there is no home folder',
};
const flaw = (message: string, fix?: string) => warning(COMPILE_CACHE, message, fix);

/** Do starts use the code that earlier ones compiled? Without it they take about twice as long. */
async function checkCompiledCode({ compiledCode, env }: Context): Promise<Check> {
  if (compiledCode === undefined) return ok(COMPILE_CACHE, 'none: the program runs from its sources');
  const { reason = '', where = '', isOurs = false, above = [], chunks } = compiledCode;
  const folder = above.at(-1) ?? '';
  const states = [...chunks.values()].map(({ state }) => state);
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  const used = `${count('used')} of the ${states.length} files that doctor loads were compiled already`;
  const notKept = NOT_KEPT[reason];
  if (notKept !== undefined) return ok(COMPILE_CACHE, `${notKept}: ${ANEW}`);
  if (reason === 'inside') return ok(COMPILE_CACHE, `inside the executable: ${used}`);
  if (reason === 'unsafe') {
    // A home, or the cache of every program: never to be removed for frontdesk.
    const fix = isOurs ? `rm -r ${shellQuote(where)}` : 'set XDG_CACHE_HOME to a folder that only you can write to';
    return flaw(`${where} is not used, as it is not yours alone: ${ANEW}`, fix);
  }
  if (reason === 'unreadable')
    return flaw(`${where} cannot be looked at: ${ANEW}`, 'make it readable, or set XDG_CACHE_HOME');
  if (count('refused') > 0) {
    const options = env['NODE_OPTIONS'] === undefined ? 'node' : 'NODE_OPTIONS';
    return flaw(`Node refuses the compiled code in ${folder}: ${ANEW}`, `look at the options in ${options}`);
  }
  if (count('damaged') > 0) return flaw(`damaged files in ${folder} were not used. frontdesk writes them again`);
  const obstacle = count('used') > 0 ? undefined : await obstacleTo(folder);
  if (obstacle !== undefined) return flaw(`${obstacle}: ${ANEW}`, 'make it writable, or set XDG_CACHE_HOME');
  return ok(COMPILE_CACHE, `${folder}: ${used}`);
}

/** This process and its environment. `caFile`: the certificates that calls would trust. */
export async function checkMachine(session: Session, caFile: string | undefined): Promise<readonly Check[]> {
  const { context } = session;
  const installation = await describeInstallation();
  return [
    ok('frontdesk', `frontdesk ${context.version} on ${context.platform}, from ${installation}`),
    checkNode(),
    ...(await look(COMPILE_CACHE, () => checkCompiledCode(context))),
    checkTerminal(session),
    ...(await look('environment', () => checkEnvironment(context))),
    ...(await look('tls', () => {
      refuseDisabledTls(context.env);
      return ok('tls', 'certificates are verified');
    })),
    ...(await look('ca-file', () => checkCaFile(caFile, context.env))),
  ];
}

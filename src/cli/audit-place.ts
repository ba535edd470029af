import { realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Context } from '../base/context.ts';
import { type Failure, usageFailure } from '../base/failure.ts';
import { ifPossible } from '../base/files/io-failure.ts';
import type { Places } from '../base/files/paths.ts';
import { isOwnName } from '../base/files/safety.ts';
import { outside } from '../base/json/outside-text.ts';
import { type Command, optionsOf } from '../command/command.ts';
import type { CommandValues } from '../command/command-values.ts';
import { nameOf } from '../input/options/option.ts';
import { readCredentials } from '../profile/credentials/store.ts';

const VARIABLE = 'FRONTDESK_AUDIT_LOG';

interface Place {
  readonly path: string;
  readonly facts: Stats | undefined;
}

/** Where a path leads through links, as far as it exists. */
function placeOf(name: string): Place {
  const facts = ifPossible(() => statSync(name));
  const folder = dirname(name);
  const place = ifPossible(() => realpathSync(folder)) ?? ifPossible(() => resolve(folder)) ?? folder;
  return { path: ifPossible(() => realpathSync(name)) ?? join(place, basename(name)), facts };
}

function isSame(one: Place, other: Place): boolean {
  if (one.facts === undefined || other.facts === undefined) return one.path === other.path;
  return one.facts.ino === other.facts.ino && one.facts.dev === other.facts.dev;
}

/** The files that a call names, each with what names it. */
function filesOf(command: Command, { options }: CommandValues, env: Context['env']): (readonly [string, string])[] {
  const { arguments: words } = command;
  const named = [
    ...optionsOf(command).map((spec) => ({ spec, name: nameOf(spec.long), where: `--${spec.long}`, env: spec.env })),
    ...words.map((spec) => ({ spec, name: spec.name, where: `<${spec.name}>`, env: undefined })),
  ];
  return named.flatMap(({ spec, name, where, env: variable = '' }) => {
    const given = options[name];
    const text = typeof given === 'string' ? given : (env[variable] ?? '');
    const path = spec.kind === 'path' ? text : spec.isFileAfterAt === true && text[0] === '@' ? text.slice(1) : '';
    const file = path === '-' ? '/dev/stdin' : path;
    return file === '' ? [] : [[given === undefined ? variable : where, file] as const];
  });
}

/** Does a command write to the audit log? */
function isAudited(command: Command): boolean {
  const isSender = command.writes || (command.kind === 'local' && command.maySend === true);
  return isSender || /^history re/.test(command.path.join(' '));
}

/** Why FRONTDESK_AUDIT_LOG cannot be the log of a call: its lines would go into another file of it, or be lost. */
export async function auditFaults(
  command: Command,
  values: CommandValues,
  { env, platform }: Context,
  { configDir, stateDir }: Places,
): Promise<readonly Failure[]> {
  const log = env[VARIABLE] ?? '';
  if (!isAudited(command) || log === '') return [];
  const place = placeOf(log);
  // A pipe or device keeps nothing.
  if (place.facts?.isFile() === false) return [];
  const refused = (problem: string) => [
    usageFailure([{ where: VARIABLE, problem: `${outside(log)} is ${problem}` }], [`name another file in ${VARIABLE}`]),
  ];
  const [named] = filesOf(command, values, env).find(([, path]) => isSame(place, placeOf(path))) ?? [];
  if (named !== undefined) return refused(`also the file of ${named}`);
  // Where they cannot be read, the call says so when it needs its token.
  const stored = await readCredentials({ configDir, platform }).catch(() => []);
  const isToken = stored.some(({ kind, value }) => kind === 'file' && isSame(place, placeOf(value)));
  if (isToken) return refused('a token file');
  const isKept = (folder: string | undefined) => {
    const above = folder === undefined ? undefined : `${placeOf(folder).path}${sep}`;
    if (above === undefined || !place.path.startsWith(above)) return false;
    const [first = ''] = place.path.slice(above.length).split(sep);
    return isOwnName(first) && !(folder === configDir && first === 'state');
  };
  return isKept(configDir) || isKept(stateDir) ? refused('a file that frontdesk keeps itself') : [];
}

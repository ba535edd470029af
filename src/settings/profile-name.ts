import { Failure } from '../failure.ts';

/** What is wrong with a profile's name; undefined when nothing is. */
export function profileNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) return 'is not 1 to 64 of the characters A-Z a-z 0-9 . _ -';
  return /^\.+$/.test(name) ? 'consists of dots alone' : undefined;
}

/** USAGE unless the text can be the name of a profile. `where` says where it was given (`--profile`). */
export function checkProfileName(name: string, where: string): void {
  const problem = profileNameProblem(name);
  if (problem !== undefined) throw new Failure('USAGE', `${where}: the profile name "${name}" ${problem}`);
}

/** What is wrong with a `requireReason` pattern, which `--reason` must match somewhere; undefined: it can be used. */
export function reasonPatternProblem(source: string): string | undefined {
  try {
    RegExp(source, 'u');
    return undefined;
  } catch (error) {
    return `is not a regular expression (${error instanceof Error ? error.message : String(error)})`;
  }
}

import type { Command } from '../commands/command.ts';
import type { Context, OutputPort } from '../context.ts';
import { hasOption, lastValue, type RawInput } from '../options/raw-input.ts';
import type { CommonInput } from '../session.ts';
import type { ResolvedPreferences } from '../settings/resolve-preferences.ts';
import type { CaFile } from './ca-file.ts';

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

/** The switches that every command has. */
export function readCommon(context: Context, input: RawInput): CommonInput {
  return {
    quiet: hasOption(input, 'quiet'),
    verbose: hasOption(input, 'verbose'),
    dryRun: hasOption(input, 'dry-run'),
    yes: hasOption(input, 'yes'),
    history: !hasOption(input, 'no-history') && !isSet(context.env['FRONTDESK_NO_HISTORY']),
    ignoreExpiry: hasOption(input, 'ignore-expiry'),
  };
}

/** Colour is for terminals only: a pipe never carries an escape sequence, whatever FORCE_COLOR says. */
export function wantsColour(env: Context['env'], output: OutputPort, input: RawInput): boolean {
  if (!output.isTerminal || hasOption(input, 'no-color') || (env['NO_COLOR'] ?? '') !== '') return false;
  return isSet(env['FORCE_COLOR']) || env['TERM'] !== 'dumb';
}

/** Whether borders and marks beyond ASCII can be shown. */
export function isUtf8({ env, platform }: Context): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return platform === 'win32' || platform === 'darwin' || /utf-?8/i.test(locale ?? '');
}

/** One attempt may always take the whole of its own limit: a longer --timeout is not cut at the built-in budget. */
export function budgetOf({ timeoutMs, retryMaxTimeMs }: ResolvedPreferences): number {
  return retryMaxTimeMs.source === 'flag' ? retryMaxTimeMs.value : Math.max(retryMaxTimeMs.value, timeoutMs.value);
}

/** Names that a command's own options take away from the common ones (`profile set --output`, `card wait --timeout`). */
export function commonValue(command: Command, input: RawInput, long: string): string | undefined {
  return command.options.some((option) => option.long === long) ? undefined : lastValue(input, long);
}

/** An empty variable counts as one that is not set. */
export function caFileOf(input: RawInput, env: Context['env']): CaFile | undefined {
  const flag = lastValue(input, 'ca-file');
  if (flag !== undefined) return { path: flag, where: '--ca-file' };
  const path = env['FRONTDESK_CA_FILE'] ?? '';
  return path === '' ? undefined : { path, where: 'FRONTDESK_CA_FILE' };
}

/** `--json` is `--output json`: of both, the later one counts. */
export function outputFlag(command: Command, input: RawInput): string | undefined {
  const output = commonValue(command, input, 'output');
  const last = [...input.options.keys()].findLast(
    (long) => long === 'json' || (long === 'output' && output !== undefined),
  );
  return last === 'json' ? 'json' : output;
}

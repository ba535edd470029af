import { readFileSync } from 'node:fs';
import type { ArgumentSpec, Example, OptionSpec } from '../commands/command.ts';
import { COMMON_OPTIONS } from '../commands/common-options.ts';
import type { CommandEntry } from '../commands/registry.ts';
import { FAILURES } from '../failure.ts';

/** What there is to say about a command, as plain data: help, completions, man page and `schema` follow from it. */
export interface CommandDoc {
  /** `card block`. */
  readonly command: string;
  readonly path: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** True: it changes something at the service. */
  readonly writes: boolean;
  readonly arguments: readonly ArgumentSpec[];
  /** Its own options and those of its kind; `commonOptions` gives the others. */
  readonly options: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly exitCodes: readonly number[];
}

/** The options that every command has, without those that this one gives a meaning of its own. */
export function commonOptions(doc: CommandDoc): readonly OptionSpec[] {
  return COMMON_OPTIONS.filter((common) => !doc.options.some((option) => option.long === common.long));
}

/** One row of the table of exit codes. */
export interface ExitCodeRow {
  readonly exitCode: number;
  /** Empty: it is no failure. */
  readonly code: string;
  readonly meaning: string;
  readonly repeat: string;
}

const DONE: ExitCodeRow = { exitCode: 0, code: '', meaning: 'done', repeat: '' };

/** Every exit code in ascending order, from the table of failures. */
export function exitCodeRows(): readonly ExitCodeRow[] {
  return [DONE, ...Object.entries(FAILURES).map(([code, row]) => ({ ...row, code }))];
}

/** The row of an exit code; 129, 141 and 143 stand under 130. */
export function exitCodeRow(exitCode: number): ExitCodeRow {
  const isCancelled = exitCode === 129 || exitCode === 141 || exitCode === 143;
  const rows = exitCodeRows();
  const row = rows.find((candidate) => candidate.exitCode === (isCancelled ? FAILURES.CANCELLED.exitCode : exitCode));
  return { ...(row ?? DONE), exitCode };
}

/**
 * Loads what there is to say about a command. The build prepares it as a file beside the chunks, so that help
 * does not pay for the command and its schemas; where there is none (run from source, standalone executable),
 * the declaration itself is loaded.
 */
export async function loadDoc(entry: CommandEntry): Promise<CommandDoc> {
  const prepared = readPrepared(entry.path);
  if (prepared !== undefined) return prepared;
  const { describeCommand } = await import('./describe-command.ts');
  return describeCommand(await entry.load(), entry.summary);
}

function readPrepared(path: readonly string[]): CommandDoc | undefined {
  try {
    const file = new URL(`../help/${path.join('.')}.json`, import.meta.url);
    // The build wrote this file from `describeCommand`, in the same run that wrote this chunk.
    return JSON.parse(readFileSync(file, 'utf8')) as CommandDoc;
  } catch {
    // Not prepared: the caller loads the declaration instead, which says the same.
    return undefined;
  }
}

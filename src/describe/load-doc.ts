import { readFileSync } from 'node:fs';
import type { CommandEntry } from '../commands/registry.ts';
import type { CommandDoc } from './command-doc.ts';

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

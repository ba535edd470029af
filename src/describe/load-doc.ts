import { readFileSync } from 'node:fs';
import type { CommandEntry } from '../commands/registry.ts';
import type { CommandDoc } from './command-doc.ts';

/**
 * Loads what there is to say about a command. The build prepares it as a file beside the chunks, so that help
 * does not pay for the command and its schemas; where there is none (run from source, standalone executable),
 * the declaration itself is loaded.
 */
export async function loadDoc(entry: CommandEntry): Promise<CommandDoc> {
  const prepared = await readPrepared(`${entry.path.join('.')}.json`);
  if (prepared !== undefined) return prepared;
  const { describeCommand } = await import('./describe-command.ts');
  return describeCommand(await entry.load(), entry.summary);
}

async function readPrepared(name: string): Promise<CommandDoc | undefined> {
  try {
    // The build wrote this text from `describeCommand`, in the same run that wrote this chunk.
    return JSON.parse(await preparedText(name)) as CommandDoc;
  } catch {
    // Not prepared: the caller loads the declaration instead, which says the same.
    return undefined;
  }
}

/** Beside the chunks of the package; inside the executable. Throws when there is none. */
async function preparedText(name: string): Promise<string> {
  try {
    return readFileSync(new URL(`../help/${name}`, import.meta.url), 'utf8');
  } catch {
    const { getAsset } = await import('node:sea');
    return getAsset(`help/${name}`, 'utf8');
  }
}

import type { CallCommand } from '../commands/command.ts';
import type { Failure } from '../failure.ts';
import { shellQuote } from '../files/safety.ts';
import { cleanCardId } from '../input/card-id.ts';

/**
 * A refusal of ids that were pasted with something around them, with the same command line and the clean ids as one
 * more hint. The same failure where anything else is wrong too: the command would be refused again.
 */
export function withCleanedCommand(
  failure: Failure,
  command: CallCommand,
  words: readonly string[],
  argv: readonly string[],
): Failure {
  if (command.idParam !== 'cardId') return failure;
  const cleaned = new Map(
    words.map((word) => [word, cleanCardId(word)] as const).filter(([, clean]) => clean !== undefined),
  );
  const faults = failure.lines === undefined ? 1 : failure.lines.length - 1;
  if (cleaned.size === 0 || faults !== cleaned.size) return failure;
  const line = argv.map((word) => shellQuote(cleaned.get(word) ?? word)).join(' ');
  return failure.with({}, [`check the id, then run: frontdesk ${line}`, ...failure.hints]);
}

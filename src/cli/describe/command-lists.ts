import { commandWords } from '../../screen/people-text.ts';
import { isUpdate, isWrite, type Operation, resolvedBy, sensitiveOf } from '../../service/api/operation.ts';
import { ALL_OPERATIONS, CARD_ACTIONS } from '../../service/api/operations.ts';

function commandsOf(operations: readonly Operation[]): readonly string[] {
  return [...new Set(operations.map(({ command }) => commandWords(command)))];
}

const WRITES = ALL_OPERATIONS.filter(isWrite);
const BULK = ALL_OPERATIONS.filter((operation) => sensitiveOf(operation).length === 0);

/** The commands that pages and help topics list, by what they share, from the table of operations. */
export const COMMAND_LISTS = {
  bulk: commandsOf(BULK),
  'bulk-writes': commandsOf(BULK.filter(isWrite)),
  'card-changes': commandsOf(CARD_ACTIONS),
  /** A single call asks. */
  asks: commandsOf(WRITES.filter(({ effect }) => effect.kind === 'write' && effect.confirm)),
  /** A read resolves an unknown outcome. */
  checked: commandsOf(WRITES.filter((operation) => resolvedBy(operation) !== undefined)),
  updates: commandsOf(WRITES.filter(isUpdate)),
} as const;

/** What to do while the outcome of a change is unknown, by commands. */
export function unknownHints(): Readonly<Record<string, string>> {
  const alike = new Map<string, Operation[]>();
  for (const operation of WRITES) {
    if (operation.effect.kind !== 'write') continue;
    const { unknownHint } = operation.effect;
    alike.set(unknownHint, [...(alike.get(unknownHint) ?? []), operation]);
  }
  return Object.fromEntries(
    [...alike].map(([hint, operations]) => {
      const proofs = operations.flatMap((operation) => resolvedBy(operation) ?? []);
      const proof = proofs.length === 0 ? '' : `; ${proofs.join(' or ')} means that it is done`;
      const isLost = operations.some(({ effect }) => effect.kind === 'write' && effect.resultId === 'cardId');
      const lost = isLost ? '; no command can find the new card: ask the team that runs the service' : '';
      return [commandsOf(operations).join(', '), `${hint}${proof}${lost}`];
    }),
  );
}

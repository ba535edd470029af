import { Failure } from '../../base/failure.ts';
import type { Ports } from '../../command/session.ts';
import { YES } from '../../input/options/common.ts';
import { FAMILIES, type Family, familyWords } from '../../service/api/operation.ts';

/** Asks for a required value that is missing (`where`: `<name>`) until it has no problem; USAGE without a terminal. */
export async function missingText(
  session: Ports,
  where: string,
  question: string,
  problemOf: (answer: string) => string | undefined,
): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', `${where}: is required`);
  return session.prompt.text(question, (answer) => (answer === '' ? 'is required' : (problemOf(answer) ?? true)));
}

/** `--family`. */
export const FAMILY = {
  kind: 'choice',
  value: 'cards|calendar',
  choices: FAMILIES,
  text: 'choose gift cards or calendars',
} as const;

/** Asks which of the two APIs is meant. */
export async function askFamily({ prompt }: Ports, question: string): Promise<Family> {
  const choices = FAMILIES.map((family) => ({ value: family, text: familyWords(family) }));
  return (await prompt.choose(question, choices)) === 'calendar' ? 'calendar' : 'cards';
}

/** `--yes` of commands that never ask, so that a script may give it to every command that deletes. */
export const NEVER_ASKS = { ...YES, text: 'accepted, but this command never asks' } as const;

/** Asks before something on this machine is deleted. Without a yes or `--yes` nothing is changed. */
export async function confirmLoss(session: Ports, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!session.prompt.available) {
    throw new Failure('USAGE', `${question} It needs confirmation, and there is no terminal to ask on`, {
      after: 'unchanged',
      hints: ['add --yes to confirm without a prompt'],
    });
  }
  if (await session.prompt.confirm(question)) return;
  throw new Failure('CANCELLED', 'not confirmed', { after: 'unchanged' });
}

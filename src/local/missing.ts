import { Failure } from '../failure.ts';
import type { Session } from '../session.ts';

/**
 * A required argument or option (`where`: `<name>`, `--older-than`) that was not given: asked for on a terminal,
 * `problemOf` an answer being told at once; else a usage error that names it.
 */
export async function missingText(
  session: Session,
  where: string,
  question: string,
  problemOf: (answer: string) => string | undefined = () => undefined,
): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', `${where}: is required`);
  return session.prompt.text(question, (answer) => (answer === '' ? 'is required' : (problemOf(answer) ?? true)));
}

/** The same for one of a few words. */
export async function missingChoice(
  session: Session,
  where: string,
  question: string,
  choices: readonly string[],
): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', `${where}: is required: ${choices.join(', ')}`);
  return session.prompt.choose(
    question,
    choices.map((value) => ({ value, text: value })),
  );
}

/** A yes-or-no question before something local is deleted; where nobody can be asked it needs --yes. */
export async function confirmLocal(session: Session, question: string): Promise<boolean> {
  if (!session.prompt.available) {
    throw new Failure('USAGE', `${question} nobody can be asked here, and --yes is missing`, {
      hints: ['add --yes to do it without a question; nothing was changed'],
    });
  }
  return session.prompt.confirm(question);
}

import { Failure } from '../../failure.ts';
import type { Session } from '../session.ts';

/** A required argument that was not given: asked for on a terminal, else a usage error that names it. */
export async function missingArgument(session: Session, name: string, question: string): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', `<${name}>: is required`);
  return session.prompt.text(question, (answer) => (answer === '' ? 'is required' : true));
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

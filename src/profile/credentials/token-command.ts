import { Failure } from '../../base/failure.ts';
import type { ProgramLimits } from './run-program.ts';
import { checkTokenText } from './token.ts';

export interface TokenCommand extends ProgramLimits {
  readonly command: string;
  /** Its name in messages: `the token command of profile demo (cards)`. The command itself may hold a secret. */
  readonly what: string;
}

function failed(what: string, problem: string): Failure {
  const hints = ['run the command yourself to see its output'];
  return Failure.unsent('AUTH', `${what} ${problem} (its output is not shown)`, { hints });
}

/**
 * Runs the command in the shell and returns the token that it printed. CANCELLED if it was stopped, AUTH if it fails,
 * hangs or prints nothing, USAGE if its output cannot be a token. Neither its output nor the command is ever shown, and
 * no other source replaces it.
 */
export async function runTokenCommand(request: TokenCommand): Promise<string> {
  const { command, what } = request;
  const { runProgram } = await import('./run-program.ts');
  const { why, problem, stdout } = await runProgram({ command }, request);
  if (why === 'stopped') throw Failure.unsent('CANCELLED', `${what} was stopped together with the call`);
  if (problem !== undefined) throw failed(what, problem);
  // latin1: a byte outside ASCII becomes a character outside ASCII, and is refused.
  const text = stdout.toString('latin1');
  if (text.trim() === '') throw failed(what, 'printed nothing');
  return checkTokenText(text, what);
}

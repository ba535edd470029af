import type { PromptPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { safeText } from '../output/safe-text.ts';

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Ctrl-C and the end of input at a prompt are "no": nothing was sent. */
function cancelled(error: unknown): Failure {
  return new Failure('CANCELLED', 'cancelled at a question; nothing was sent', {
    details: { outcome: 'not_sent' },
    cause: error,
  });
}

/** Runs one question; what inquirer throws at Ctrl-C (ExitPromptError) and at the end of input becomes CANCELLED. */
async function ask<Value>(question: () => Promise<Value>): Promise<Value> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw cancelled(error);
  }
}

/** Questions on stderr, so that stdout stays the result alone. The only file that imports @inquirer/prompts. */
export function terminalPrompt(streams: () => Streams, available: boolean): PromptPort {
  return {
    available,
    text: (question, validate) =>
      ask(async () => {
        const { input } = await import('@inquirer/prompts');
        return input({ message: safeText(question), validate }, streams());
      }),
    secret: (question, validate) =>
      ask(async () => {
        const { password } = await import('@inquirer/prompts');
        return password({ message: safeText(question), mask: '*', validate }, streams());
      }),
    confirm: (question) =>
      ask(async () => {
        const { confirm } = await import('@inquirer/prompts');
        return confirm({ message: safeText(question), default: false }, streams());
      }),
    choose: (question, choices) =>
      ask(async () => {
        const { select } = await import('@inquirer/prompts');
        return select(
          {
            message: safeText(question),
            choices: choices.map((choice) => ({ value: choice.value, name: safeText(choice.text) })),
          },
          streams(),
        );
      }),
  };
}

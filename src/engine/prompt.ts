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

/** What inquirer needs of its caller besides the question. */
type Asking = Streams & { readonly signal: AbortSignal };

/**
 * Runs one question; what inquirer throws at Ctrl-C (ExitPromptError) becomes CANCELLED. At the end of input (Ctrl-D,
 * a terminal that went away) it would wait for ever: its readline then only lets go of the input, which is heard here.
 */
async function ask<Value>(streams: Streams, question: (asking: Asking) => Promise<Value>): Promise<Value> {
  const ended = new AbortController();
  const onPause = () => setImmediate(() => ended.abort());
  streams.input.on('pause', onPause);
  try {
    return await question({ ...streams, signal: ended.signal });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw cancelled(error);
  } finally {
    streams.input.off('pause', onPause);
  }
}

/** Questions on stderr, so that stdout stays the result alone. The only file that imports @inquirer/prompts. */
export function terminalPrompt(streams: () => Streams, available: boolean): PromptPort {
  return {
    available,
    text: (question, validate) =>
      ask(streams(), async (asking) => {
        const { input } = await import('@inquirer/prompts');
        return input({ message: safeText(question), validate }, asking);
      }),
    secret: (question, validate) =>
      ask(streams(), async (asking) => {
        const { password } = await import('@inquirer/prompts');
        return password({ message: safeText(question), mask: '*', validate }, asking);
      }),
    confirm: (question) =>
      ask(streams(), async (asking) => {
        const { confirm } = await import('@inquirer/prompts');
        return confirm({ message: safeText(question), default: false }, asking);
      }),
    choose: (question, choices) =>
      ask(streams(), async (asking) => {
        const { select } = await import('@inquirer/prompts');
        return select(
          {
            message: safeText(question),
            choices: choices.map((choice) => ({ value: choice.value, name: safeText(choice.text) })),
          },
          asking,
        );
      }),
  };
}

import { type Context, type PromptPort, type SignalName, type SignalPort, signalWords } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, Failure } from '../base/failure.ts';
import type { Session } from '../command/session.ts';
import { isWrite, nounOf, type Operation } from '../service/api/operation.ts';
import { PromptAborted } from '../writes/ask/prompt-context.ts';
import { TerminalKeys, TYPED_AHEAD } from '../writes/ask/terminal-keys.ts';
import { canRedraw } from '../writes/ask/wait-display.ts';
import { linesOf } from './screen.ts';

export function cancelledBy(signal: SignalName): Failure {
  return new Failure('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode: CANCELLED_EXIT_CODES[signal] });
}

/** Does an error mean one step back (Esc or Ctrl-C)? Any other leaves the desk. */
export function isStepBack(error: unknown): boolean {
  if (error instanceof PromptAborted) return error.isStepBack;
  return error instanceof Failure && error.code === 'CANCELLED' && error.exitCode === CANCELLED_EXIT_CODES.SIGINT;
}

/** Waits for the service, listening to Esc and Ctrl-C (`back`) and to pastes, which are thrown away. */
async function hearing<Value>(
  context: Context,
  { back, pasted }: { back(isEscape: boolean): void; pasted(): void },
  act: () => Promise<Value>,
): Promise<Value> {
  const keys = new TerminalKeys(context.terminal(), canRedraw(context), { onLostPaste: pasted });
  const [esc, ctrlC, ignored] = [() => back(true), () => back(false), () => undefined];
  try {
    // Keys typed before do not count, nor Esc during a change, but Ctrl-C does.
    await keys.drain();
    if (keys.wasCancelled) ctrlC();
    keys.listen({ longest: TYPED_AHEAD, keys: ignored, paste: pasted, escape: esc, ctrlC, end: ignored });
    return await act();
  } finally {
    keys.close();
  }
}

/** Reads, or waits for a status. Esc and Ctrl-C go one step back. */
export async function waitingAtDesk<Value>(
  { context }: Pick<Session, 'context'>,
  pasted: () => void,
  act: (abort: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const abort = new AbortController();
  const release = context.signals.onSignal((signal) => abort.abort(signal));
  try {
    return await hearing(context, { back: () => abort.abort('SIGINT'), pasted }, () => act(abort.signal));
  } finally {
    release();
  }
}

/** The signals of the process, and Ctrl-C as a key: a terminal whose keys are read one by one sends no signal. */
function signalsWithKeys(signals: SignalPort) {
  const listeners: Parameters<SignalPort['onSignal']>[0][] = [];
  return {
    get received() {
      return signals.received;
    },
    onSignal(listener: (typeof listeners)[number]) {
      listeners.push(listener);
      const release = signals.onSignal(listener);
      return () => {
        listeners.splice(listeners.lastIndexOf(listener), 1);
        release();
      };
    },
    ctrlC: () => listeners.at(-1)?.('SIGINT', 1),
  };
}

/** The session of changes: it asks the desk's questions, hears keys meanwhile, and the next screen shows the card. */
export function sessionOfWrites(session: Session, prompt: PromptPort, pasted: () => void): Session {
  const signals = signalsWithKeys(session.context.signals);
  const context: Context = Object.assign(Object.create(session.context), { signals });
  const onSend = (operation: Operation) => {
    const clock = new Date(context.clock.now()).toTimeString().slice(0, 8);
    const line = `The ${nounOf(operation)} was sent at ${clock}. Ctrl-C waits up to 5 s for the answer, a second Ctrl-C stops waiting.`;
    const text = linesOf(line, context.stderr.columns ?? 80).join('\n');
    void context.stderr.write(`${canRedraw(context) ? '\r\u001b[K' : ''}${text}\n`);
  };
  const during: Session['during'] = (input, options, call) => {
    if (!isWrite(input.operation)) return waitingAtDesk(session, pasted, (abort) => call({ ...options, abort }));
    const back = (isEscape: boolean) => (isEscape ? undefined : signals.ctrlC());
    const sent = (attempt: number): void => {
      options.listener?.onSend?.(attempt);
      if (attempt === 1) onSend(input.operation);
    };
    const listened = { ...options, listener: { ...options.listener, onSend: sent } };
    return hearing(session.context, { back, pasted }, () => call(listened));
  };
  return { ...session, prompt, during, context, print: async () => undefined };
}

import { lockPorts } from '../../../base/files/lock-ports.ts';
import { constant, jsonOf, object } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { forgetCards } from '../../../records/known-cards.ts';
import { markSandboxReset } from '../../../records/open-files.ts';
import { resetSandbox } from '../../../sandbox/file-store.ts';
import { NEVER_ASKS } from '../../../writes/ask/missing.ts';

const RESET = object({ reset: constant(true) });

export const command = localCommand({
  description:
    'Resets the data of `--profile sandbox`, and forgets its cards for `card find`. No real card or calendar is affected.',
  options: { yes: NEVER_ASKS },
  examples: { 'Start over': 'sandbox reset', 'In a test, before each case': 'sandbox reset --json' },
  output: () => RESET,
  async run(session) {
    await resetSandbox(session.stateDir(), lockPorts(session));
    await markSandboxReset(session.stateDir());
    const forgotten = await forgetCards({ stateDir: session.stateDir(), url: 'sandbox' });
    session.done.push('the sandbox has its initial data again');
    const text = `The sandbox has its initial data again.${forgotten ? ' The remembered cards are deleted.' : ''}`;
    await session.print({ kind: 'text', text, json: jsonOf(RESET, { reset: true }) });
  },
});

import { NEVER_ASKS } from '../../ask/missing.ts';
import { localCommand } from '../../command/command.ts';
import { lockPorts } from '../../files/lock-ports.ts';
import { markSandboxReset } from '../../history/history-file.ts';
import { constant, jsonOf, object } from '../../json/shape.ts';
import { resetSandbox } from '../../sandbox/file-store.ts';

const RESET = object({ reset: constant(true) });

export const command = localCommand({
  description: 'Resets the data of `--profile sandbox`. No real card or calendar is affected.',
  options: { yes: NEVER_ASKS },
  examples: { 'Start over': 'sandbox reset', 'In a test, before each case': 'sandbox reset --quiet' },
  output: () => RESET,
  async run(session) {
    await resetSandbox(session.stateDir(), lockPorts(session));
    await markSandboxReset(session.stateDir());
    const text = 'The sandbox has its initial data again.';
    await session.print({ kind: 'text', text, json: jsonOf(RESET, { reset: true }) });
  },
});

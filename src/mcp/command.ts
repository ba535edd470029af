import { note, usageFailure } from '../base/failure.ts';
import { ANY } from '../base/json/shape.ts';
import { localCommand } from '../command/command.ts';
import type { Session } from '../command/session.ts';
import { URL_VARIABLES } from '../profile/resolve.ts';
import { isReadOnly } from '../writes/write-guards.ts';

/** USAGE unless profile or service was named: an assistant never works on one that happens to be current. */
function requireNamedService({ selectedProfile, context }: Session): void {
  if (selectedProfile().namedBy !== undefined || Object.values(URL_VARIABLES).some((name) => context.env[name])) return;
  const hint = 'name a profile with -p, or set FRONTDESK_PROFILE or a URL in the environment';
  throw usageFailure([{ where: 'mcp', problem: 'no service is named' }], [hint]);
}

export const command = localCommand({
  maySend: true,
  description:
    'Serves the Model Context Protocol on stdin and stdout. An assistant can read cards, subscribers, history and runs. With --allow-writes it can also ask for single changes, and you confirm each one in the client. Provisioning, raw requests, bulk changes, credentials and settings are never offered. It exits at the end of stdin.',
  usesProfile: true,
  isLasting: true,
  options: { allowWrites: { text: 'offer single changes too (you confirm each one)' } },
  examples: {
    'Let an assistant read, and change nothing': 'mcp -p live',
    'Let it ask for changes, in the sandbox': 'mcp -p sandbox --allow-writes',
  },
  output: () => ANY,
  async run(session, { allowWrites }) {
    requireNamedService(session);
    const { READ_TOOLS, WRITE_TOOLS } = await import('./tools.ts');
    const { serve } = await import('./server.ts');
    const mayWrite = allowWrites && !isReadOnly(session);
    const what = mayWrite ? 'reads, and changes that a person confirms' : 'reads only';
    await session.notify(note('SERVING', `serving assistants with profile ${session.selectedProfile().name}: ${what}`));
    return serve(session, mayWrite ? [...READ_TOOLS, ...WRITE_TOOLS] : READ_TOOLS);
  },
});

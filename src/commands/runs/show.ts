import { portsOf } from '../../bulk/run.ts';
import { localCommand } from '../../command/command.ts';
import { fromPlain } from '../../json/value.ts';
import { RUN_COLUMNS, RUN_OUTPUT } from '../../run/stored/run-entry.ts';
import { showRun } from '../../run/stored/run-list.ts';
import { LAST, RUN, runNameOf } from './run-name.ts';

export const command = localCommand({
  columns: RUN_COLUMNS,
  description: 'Shows the state, and how many rows ended with each outcome.',
  arguments: RUN,
  options: { last: LAST },
  examples: {
    'Show the last run': 'runs show --last',
    'Count the rows of a run by outcome': 'runs show 20270402-1800-7f3a2b --json --query outcomes',
  },
  output: () => RUN_OUTPUT,
  async run(session, given) {
    const { source, ...run } = await showRun(portsOf(session), await runNameOf(session, given));
    const { isForPeople } = session;
    const columns = isForPeople ? [...RUN_COLUMNS, { name: 'source', header: 'FILE' }] : RUN_COLUMNS;
    await session.print({ kind: 'resource', resource: fromPlain(isForPeople ? { ...run, source } : run), columns });
  },
});

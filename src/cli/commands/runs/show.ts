import { fromPlain, type JsonObject } from '../../../base/json/value.ts';
import { commandOf } from '../../../base/next-step.ts';
import { localCommand } from '../../../command/command.ts';
import { supersededRows } from '../../../records/open-rows.ts';
import { RUN_COLUMNS, RUN_OUTPUT, runFacts } from '../../../records/stored/run-entry.ts';
import { runFolder } from '../../../records/stored/run-folder.ts';
import { showRun } from '../../../records/stored/run-list.ts';
import { commandsToResolve, nextOfRun } from '../../../runs/next-commands.ts';
import { portsOf } from '../../../runs/run.ts';
import type { Fact } from '../../../screen/options.ts';
import { operationNamed } from '../../../service/api/operations.ts';
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
  async run(session, values) {
    const { source, ...run } = await showRun(portsOf(session), await runNameOf(session, values));
    const resource = fromPlain(session.isForPeople() ? { ...run, source } : run);
    const { size: superseded } = supersededRows(runFolder(session.stateDir(), run.run));
    const step = nextOfRun({ ...run, superseded }, commandsToResolve(operationNamed(run.operation)));
    const next: readonly Fact[] = step === undefined ? [] : [['Next', commandOf(step)]];
    const facts = (shown: JsonObject) => [...runFacts(shown), ...next];
    await session.print({ kind: 'resource', resource, columns: RUN_COLUMNS, facts });
  },
});

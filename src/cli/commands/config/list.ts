import { jsonOf, object, record, TEXT } from '../../../base/json/shape.ts';
import { fromPlain } from '../../../base/json/value.ts';
import { localCommand } from '../../../command/command.ts';
import { plainColumns } from '../../../screen/column.ts';
import { PREFERENCE, preferencesInForce } from './preference.ts';

const IN_FORCE = object({ value: PREFERENCE, source: TEXT, default: PREFERENCE });

const COLUMNS = plainColumns({ key: 'KEY', value: 'VALUE', source: 'FROM', default: 'DEFAULT' });

export const command = localCommand({
  columns: COLUMNS,
  description:
    'Shows the value in force, its source and the default. Options, environment and profile override a preference.',
  examples: { 'See what is set': 'config list', 'The same for a script': 'config list --json' },
  output: () => record(IN_FORCE),
  async run(session) {
    const known = await preferencesInForce(session, session.settings());
    const rows = known.map(fromPlain);
    const document = jsonOf(record(IN_FORCE), Object.fromEntries(known.map(({ key, ...rest }) => [key, rest])));
    await session.print({ kind: 'list', document, rows, columns: COLUMNS });
  },
});

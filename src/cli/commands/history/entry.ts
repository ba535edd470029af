import { Failure } from '../../../base/failure.ts';
import type { Session } from '../../../command/session.ts';
import { MOMENT_FORMS } from '../../../input/options/read-value.ts';
import { readHistory } from '../../../records/read.ts';
import { commandWords, outcomeWords, peopleTime } from '../../../screen/people-text.ts';
import { safeText } from '../../../screen/text.ts';

/** `--since`: the first time of the wanted entries. */
export const SINCE = {
  kind: 'moment',
  value: 'age|date',
  text: `use only changes since then: ${MOMENT_FORMS} (local dates)`,
} as const;

const OFFERED = 20;

export async function chooseEntry(session: Session): Promise<string> {
  if (!session.prompt.available) throw new Failure('USAGE', '<entry>: is required');
  const { entries } = await readHistory(session.stateDir(), { limit: OFFERED });
  if (entries.length === 0) throw new Failure('USAGE', 'the history has no entry yet');
  const choices = entries.map(({ entry, time, operation, id = '', callOutcome }) => ({
    value: entry,
    text: [peopleTime(time), commandWords(operation), outcomeWords(callOutcome.outcome ?? 'unknown'), safeText(id)]
      .filter(Boolean)
      .join('  '),
  }));
  return session.prompt.choose('Which entry?', choices);
}

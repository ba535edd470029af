import { collect, type Fault, usageFailure } from '../base/failure.ts';
import type { LocalCommand } from '../command/command.ts';
import type { CommandValues } from '../command/command-values.ts';
import { joinFailures } from '../command/faults.ts';
import type { Ports, Session } from '../command/session.ts';
import { type Missing, type NamedValues, type Reading, readValue } from '../input/options/read-value.ts';

/** Asks for one missing value. An invalid answer is reported at once. */
async function askFor({ prompt }: Ports, { spec }: Missing): Promise<unknown> {
  const { text, choices = [], question = text, kind = 'text' } = spec;
  if (kind === 'cardId') {
    const { OPERATIONS } = await import('../service/api/operations.ts');
    const { askForId } = await import('../writes/ask/ask-missing.ts');
    return askForId(prompt, OPERATIONS.cardGet, spec);
  }
  if (kind === 'choice' || kind === 'choices') {
    const entries = choices.map((value) => ({ value, text: value }));
    const chosen = await prompt.choose(question, entries);
    return kind === 'choice' ? chosen : [chosen];
  }
  const read = (answer: string): Reading<unknown> => readValue({ ...spec, kind }, answer);
  const answer = await prompt.text(question, (typed) => {
    const reading = read(typed);
    return typed === '' ? 'is required' : reading.ok || reading.problem;
  });
  const reading = read(answer);
  if (!reading.ok) throw new Error(`an answer was taken that is refused: ${reading.problem}`);
  return reading.value;
}

async function cardIdFaults(command: LocalCommand, values: NamedValues): Promise<readonly Fault[]> {
  const ids = command.arguments.filter(({ kind, name }) => kind === 'cardId' && values[name] !== undefined);
  if (ids.length === 0) return [];
  const { OPERATIONS } = await import('../service/api/operations.ts');
  const { checkFieldTexts } = await import('../input/fields.ts');
  return ids.flatMap(({ name }) => {
    const texts = new Map([['cardId', String(values[name])]]);
    return checkFieldTexts(OPERATIONS.cardGet.params, texts, { nameOf: () => `<${name}>`, source: 'flag' }).faults;
  });
}

/** Runs a local command with typed values, after asking for missing ones. USAGE with all faults. */
export async function runLocal(session: Session, command: LocalCommand, values: CommandValues): Promise<number> {
  const { own, missing } = values;
  const faults = [...values.faults, ...(await cardIdFaults(command, own))];
  if (!session.canAsk) faults.push(...missing.map(({ fault }) => fault));
  const failures = [...session.faults, ...(faults.length === 0 ? [] : [usageFailure(faults)])];
  await collect(failures, () => command.check?.(own, session));
  if (failures.length > 0) throw joinFailures(failures);
  const answers: Record<string, unknown> = {};
  for (const lacking of missing) answers[lacking.name] = await askFor(session, lacking);
  return (await command.run(session, { ...own, ...answers })) ?? 0;
}

import { isUpdate } from '../../api/operation.ts';
import { type CallCommand, type CallGiven, operationOf } from '../../commands/command.ts';
import type { Fault } from '../../failure.ts';
import { checkFieldTexts } from '../../input/check-fields.ts';
import { describeFields } from '../../input/fields.ts';
import type { Session } from '../../session.ts';
import { isFieldGiven, ownTexts, readExpectations, readGivenFields } from '../call/read-call.ts';

/** Whether everything that was given can be used: a call that is refused anyway asks nothing first. */
async function isSound(session: Session, command: CallCommand, typed: CallGiven): Promise<boolean> {
  const faults: Fault[] = [];
  readExpectations(typed, false, faults);
  const given = await readGivenFields(session, command, typed);
  const choice = 'rows' in command.operation ? command.operation.option : undefined;
  const isAsked = (fault: Fault) => fault.where === `--${choice}` && !typed.typed.has(choice ?? '');
  faults.push(...given.faults.filter((fault) => !isAsked(fault)));
  const texts = new Map(given.fields);
  const [word] = typed.words;
  if (word !== undefined && command.idParam !== null) texts.set(command.idParam, word);
  const { params, body, query } = given.operation;
  for (const schema of [params, body, query]) {
    if (schema === null) continue;
    const how = { nameOf: (name: string) => name, source: 'flag', partial: true } as const;
    faults.push(...checkFieldTexts(schema, ownTexts(schema, texts), how).faults);
  }
  return faults.length === 0;
}

/**
 * Asks on a terminal for everything that is required and missing: a person is guided instead of turned away. The
 * answers stand in the input as if they had been typed. Asks nothing where what was given is faulty.
 */
export async function askMissing(session: Session, command: CallCommand, typed: CallGiven): Promise<CallGiven> {
  const { prompt } = session;
  const operation = operationOf(command);
  const [argument] = command.arguments;
  const needsId = argument !== undefined && typed.words.length === 0;
  const fields = (operation.body === null ? [] : describeFields(operation.body)).filter(
    ({ name, required }) =>
      required && !command.options.some(({ field, long }) => field === name && typed.typed.has(long)),
  );
  const choice =
    'rows' in command.operation && !typed.typed.has(command.operation.option) ? command.operation : undefined;
  const isComplete = !needsId && fields.length === 0 && choice === undefined;
  // An update changes only what is given: there is no field to ask for, and without any it is refused before its id.
  const isEmptyUpdate = isUpdate(operation) && !isFieldGiven(command, typed);
  if (isComplete || isEmptyUpdate || !(await isSound(session, command, typed))) return typed;

  const { askForField, askForId } = await import('./ask.ts');
  const words = needsId ? [await askForId(prompt, operation, argument)] : typed.words;
  const answered = new Map(typed.fields);
  let { choice: chosen } = typed;
  if (choice !== undefined) {
    const choices = Object.keys(choice.rows).map((name) => ({ value: name, text: name }));
    const text = command.options.find(({ long }) => long === choice.option)?.text ?? '';
    chosen = await prompt.choose(`${choice.option} (${text})`, choices);
  }
  for (const field of fields) {
    const long = command.options.find((option) => option.field === field.name)?.long ?? field.flag;
    if (operation.body !== null) answered.set(long, await askForField(prompt, operation.body, field));
  }
  return { ...typed, words, choice: chosen, fields: answered };
}

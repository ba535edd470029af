import type * as z from 'zod/mini';
import type { PromptPort } from '../../base/context.ts';
import type { Fault } from '../../base/failure.ts';
import { NOT_UTF8 } from '../../base/files/paths.ts';
import { type CallCommand, type CallValues, operationOf } from '../../command/command.ts';
import type { Session } from '../../command/session.ts';
import { checkFields, describeFields } from '../../input/fields.ts';
import { type ArgumentSpec, nameOf } from '../../input/options/option.ts';
import { CARD_ID_COLUMNS, judgeId } from '../../input/values.ts';
import { isUpdate, type Operation } from '../../service/api/operation.ts';
import { checkOwnFields, isFieldSet, readExpectations, readFields, readSkips } from '../read-call.ts';

function judgeField(schema: z.ZodMiniObject, field: string, value: string): true | string {
  if (value.includes('\ufffd')) return NOT_UTF8;
  return checkFields(schema, { [field]: value }, (name) => name).find(({ where }) => where === field)?.problem ?? true;
}

/** Asks for an ID until it is valid. */
export async function askForId(
  prompt: PromptPort,
  { params }: Operation,
  { question = '' }: Pick<ArgumentSpec, 'question'>,
): Promise<string> {
  const [field = 'id'] = Object.keys(params.shape);
  const isCard = field === 'cardId';
  const judge = (typed: string) => {
    if (typed === '') return 'is required';
    return isCard ? judgeId(typed) : judgeField(params, field, typed);
  };
  return prompt.text(question, judge, { room: isCard ? CARD_ID_COLUMNS : 0 });
}

/** Is everything that was given valid? A call that will be refused asks nothing first. */
async function isSound(session: Session, command: CallCommand, typed: CallValues): Promise<boolean> {
  const faults: Fault[] = [];
  readExpectations(typed, false, faults);
  readSkips(typed, faults);
  const input = await readFields(session, command, typed);
  const choice = 'rows' in command.operation ? command.operation.option : undefined;
  const isAsked = (fault: Fault) => fault.where === `--${choice}` && !typed.typed.has(choice ?? '');
  faults.push(...input.faults.filter((fault) => !isAsked(fault)));
  const texts = new Map(input.fields);
  const [word] = typed.words;
  if (word !== undefined && command.idParam !== null) texts.set(command.idParam, word);
  const { params, body, query } = input.operation;
  const how = { nameOf: (name: string) => name, source: 'flag', partial: true } as const;
  for (const schema of [params, body, query]) {
    faults.push(...checkOwnFields(schema, texts, how).faults);
  }
  return faults.length === 0;
}

/** Asks for what is required and missing, as if it had been typed. Asks nothing if something given is invalid. */
export async function askMissing(session: Session, command: CallCommand, typed: CallValues): Promise<CallValues> {
  const { prompt } = session;
  const operation = operationOf(command);
  const { body } = operation;
  const [argument] = command.arguments;
  const needsId = argument !== undefined && typed.words.length === 0;
  const isTyped = (name: string) => command.options.some(({ field, long }) => field === name && typed.typed.has(long));
  const fields = (body === null ? [] : describeFields(body)).filter(({ name, required }) => required && !isTyped(name));
  const choice =
    'rows' in command.operation && !typed.typed.has(command.operation.option) ? command.operation : undefined;
  const isComplete = !needsId && fields.length === 0 && choice === undefined;
  // An update has no required field, and one without fields is refused before its ID is asked for.
  const isEmptyUpdate = isUpdate(operation) && !isFieldSet(command, typed);
  if (isComplete || isEmptyUpdate || !(await isSound(session, command, typed))) return typed;

  const words = needsId ? [await askForId(prompt, operation, argument)] : typed.words;
  const answered: Record<string, string> = {};
  if (choice !== undefined) {
    const choices = Object.keys(choice.rows).map((name) => ({ value: name, text: name }));
    const { question = choice.option } = command.options.find(({ long }) => long === choice.option) ?? {};
    answered[nameOf(choice.option)] = await prompt.choose(question, choices);
  }
  for (const { name, flag } of fields) {
    const long = command.options.find(({ field }) => field === name)?.long ?? flag;
    const judge = (text: string) => body === null || judgeField(body, name, text);
    answered[nameOf(long)] = await prompt.text(operation.questions?.[name] ?? name, judge);
  }
  return { ...typed, words, options: { ...typed.options, ...answered } };
}

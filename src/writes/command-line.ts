import { shellQuote } from '../base/files/shell-quote.ts';
import { isJsonObject, type JsonValue } from '../base/json/value.ts';
import { flagOf } from '../input/fields.ts';
import type { CallInput } from '../service/http/call.ts';

function option(name: string, value: JsonValue): string {
  const flag = flagOf(name);
  return value === null ? `--no-${flag}` : `--${flag} ${shellQuote(String(value))}`;
}

/** The command of a call, as typed, with the profile if it has to be named. */
export function commandLine({ operation, params, body }: CallInput, profile?: string): string {
  const { command, choice } = operation;
  const [id] = Object.values(params);
  const words = ['frontdesk', ...command.split('.')];
  // An ID that looks like an option must follow `--`.
  const isOptionLike = id?.startsWith('-') === true;
  if (id !== undefined && !isOptionLike) words.push(shellQuote(id));
  if (choice !== undefined) words.push(option(choice.field, choice.value));
  if (isJsonObject(body)) words.push(...[...body].map(([name, value]) => option(name, value)));
  if (profile !== undefined) words.push('-p', shellQuote(profile));
  if (id !== undefined && isOptionLike) words.push('--', shellQuote(id));
  return words.join(' ');
}

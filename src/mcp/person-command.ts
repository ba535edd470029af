import type { SingleCall } from '../engine/read-call.ts';
import { shellQuote } from '../files/safety.ts';
import { flagOf } from '../input/fields.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';

function option(name: string, value: JsonValue): string {
  const flag = flagOf(name);
  if (value === null) return `--no-${flag}`;
  return `--${flag} ${shellQuote(String(value))}`;
}

/** The command that makes the same call, for a person to run: pasted as it stands, it asks where the command asks. */
export function personCommand({ call, id }: SingleCall, profileFlag: string): string {
  const words = ['frontdesk', ...call.operation.command.split('.')];
  // An id that looks like an option has to stand behind the end of the options.
  const isOptionLike = id?.startsWith('-') === true;
  if (id !== undefined && !isOptionLike) words.push(shellQuote(id));
  if (isJsonObject(call.body)) words.push(...[...call.body].map(([name, value]) => option(name, value)));
  if (profileFlag !== '') words.push(profileFlag);
  if (id !== undefined && isOptionLike) words.push('--', shellQuote(id));
  return words.join(' ');
}

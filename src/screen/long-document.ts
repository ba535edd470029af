import type { OutputPort } from '../base/context.ts';
import { printJson } from '../base/json/print.ts';
import type { JsonObject, JsonValue } from '../base/json/value.ts';

/** One write per item takes longer than making the item. */
const PIECE_LENGTH = 65_536;

/** Prints a JSON document whose last member is a list of any length, written as it comes. */
export async function printLongDocument(
  stdout: OutputPort,
  head: JsonObject,
  name: string,
  items: AsyncIterable<JsonValue>,
): Promise<void> {
  let text = `${printJson(head, { indent: 2 }).slice(0, -2)},\n  "${name}": [`;
  let separator = '';
  for await (const item of items) {
    text += `${separator}\n    ${printJson(item, { indent: 2 }).replaceAll('\n', '\n    ')}`;
    separator = ',';
    if (text.length < PIECE_LENGTH) continue;
    await stdout.write(text);
    text = '';
  }
  await stdout.write(`${text}${separator === '' ? '' : '\n  '}]\n}\n`);
}

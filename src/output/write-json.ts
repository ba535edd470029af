import type { OutputPort } from '../context.ts';
import { printJsonPieces } from '../json/print.ts';
import type { JsonValue } from '../json/value.ts';

type JsonLayout = Parameters<typeof printJsonPieces>[1] & {
  /** Stands before the document. */
  readonly before?: string;
  /** Stands after it. */
  readonly after?: string;
};

/** Writes a value as JSON. A long document goes out in pieces, each awaited, and is never whole in memory. */
export async function writeJson(value: JsonValue, layout: JsonLayout, stdout: OutputPort): Promise<void> {
  const { before = '', after = '', ...print } = layout;
  let held: string | undefined;
  for (const piece of printJsonPieces(value, print)) {
    if (held === undefined) {
      held = before + piece;
    } else {
      await stdout.write(held);
      held = piece;
    }
  }
  await stdout.write(`${held ?? before}${after}`);
}

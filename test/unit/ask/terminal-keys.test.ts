import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TerminalKeys } from '../../../src/ask/terminal-keys.ts';

/** Keys whose hearer closes them in the turn in which `piece` arrives; what was heard of it. */
async function closedWith(piece: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const keys = new TerminalKeys({ input, output }, true);
  await keys.drain();
  const heard: string[] = [];
  const none = () => undefined;
  const hear = (text: string) => heard.push(text);
  keys.listen({ keys: hear, paste: hear, escape: none, ctrlC: none, end: none });
  const closed = new Promise<void>((resolve) => {
    input.once('data', () => {
      keys.close();
      resolve();
    });
  });
  input.write(piece);
  await closed;
  return { heard, wasPasted: keys.wasPasted };
}

describe('keys that are closed in the turn in which something arrives', () => {
  it.for([
    ['a paste', '\u001b[200~a card\r\u001b[201~', true],
    ['the beginning of a paste', '\u001b[200~a ca', true],
    ['a key', 'x', false],
  ] as const)('hear no more of it, and know whether it was a paste: %s', async ([, piece, wasPasted]) => {
    expect(await closedWith(piece)).toEqual({ heard: [], wasPasted });
  });
});

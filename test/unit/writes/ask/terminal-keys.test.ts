import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { TerminalKeys } from '../../../../src/writes/ask/terminal-keys.ts';

/** Keys whose hearer closes them in the turn in which `piece` arrives; what was heard of it. */
async function closedWith(piece: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let isPasteLost = false;
  const onLostPaste = () => {
    isPasteLost = true;
  };
  const keys = new TerminalKeys({ input, output }, true, { onLostPaste });
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
  return { heard, isPasteLost };
}

it.for([
  ['a paste', '\u001b[200~a card\r\u001b[201~', true],
  ['the beginning of a paste', '\u001b[200~a ca', true],
  ['a key', 'x', false],
] as const)('keys closed in a turn hear no more, and know if it was a paste: %s', async ([, piece, isPasteLost]) => {
  expect(await closedWith(piece)).toEqual({ heard: [], isPasteLost });
});

it.for([
  ['a paste before it', ['\u001b[200~a card\u001b[201~\u0003'], true],
  ['a paste after it', ['\u0003\u001b[200~a card\u001b[201~'], true],
  ['a paste that ends with it', ['\u001b[200~a ca', 'rd\u001b[201~\u0003'], true],
  ['a paste without brackets', ['a card\ranother\r\u0003'], true],
  ['a key', ['x\u0003'], false],
  ['nothing', ['\u0003'], false],
] as const)('keys with Ctrl-C are lost, a paste is reported, later keys count: %s', async ([, pieces, isPasteLost]) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  const tell = (what: string) => () => heard.push(what);
  const keys = new TerminalKeys({ input, output }, true, { onLostPaste: tell('lost') });
  await keys.drain();
  keys.listen({
    keys: (text) => heard.push(`keys ${text}`),
    paste: (text) => heard.push(`paste ${text}`),
    escape: tell('escape'),
    ctrlC: tell('ctrl-c'),
    end: tell('end'),
  });
  for (const piece of [...pieces, 'y']) {
    input.write(piece);
    await keys.drain();
  }
  keys.close();
  expect(heard).toEqual([...(isPasteLost ? ['lost'] : []), 'ctrl-c', 'keys y']);
});

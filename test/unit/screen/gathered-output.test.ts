import { expect, it } from 'vitest';
import { type OutputPort, StreamFailure } from '../../../src/base/context.ts';
import { gatheredOutput } from '../../../src/screen/gathered-output.ts';

/** A stream that keeps what it is given, or fails from the n-th write on. */
function stream(failsFrom = Number.POSITIVE_INFINITY) {
  const writes: string[] = [];
  const port: OutputPort = {
    isTerminal: false,
    columns: undefined,
    async write(text) {
      if (writes.length + 1 >= failsFrom) throw new StreamFailure('ENOSPC', 'no space left');
      writes.push(String(text));
    },
  };
  return { port, writes };
}

it.each([
  ['nothing at first', [], []],
  ['what arrives together at once, in order', ['a\n', 'b\n', 'flush'], ['a\nb\n']],
  ['what arrives after a flush, too', ['a\n', 'flush', 'b\n', 'flush'], ['a\n', 'b\n']],
])('gatheredOutput writes %s', async (_what, steps, expected) => {
  const { port, writes } = stream();
  const gathered = gatheredOutput(port);
  for (const step of steps) await (step === 'flush' ? gathered.flush() : gathered.write(step));
  await gathered.flush();
  expect(writes).toEqual(expected);
});

it('gatheredOutput waits for the reader once 65,536 characters wait', async () => {
  const { port, writes } = stream();
  await gatheredOutput(port).write('x'.repeat(65_537));
  expect(writes.map((text) => text.length)).toEqual([65_537]);
});

it('gatheredOutput reports a failed write to the flush and to every later write', async () => {
  const { port, writes } = stream(1);
  const gathered = gatheredOutput(port);
  await gathered.write('a\n');
  await expect(gathered.flush()).rejects.toThrow('no space left');
  await expect(gathered.write('b\n')).rejects.toThrow('no space left');
  expect(writes).toEqual([]);
});

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

it('gatheredOutput writes what arrives together at once, in order', async () => {
  const { port, writes } = stream();
  const gathered = gatheredOutput(port);
  await gathered.write('a\n');
  await gathered.write('b\n');
  await gathered.flush();
  expect(writes).toEqual(['a\nb\n']);
});

it('gatheredOutput writes what arrives after a flush, too', async () => {
  const { port, writes } = stream();
  const gathered = gatheredOutput(port);
  await gathered.write('a\n');
  await gathered.flush();
  await gathered.write('b\n');
  await gathered.flush();
  expect(writes).toEqual(['a\n', 'b\n']);
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

it('gatheredOutput has nothing to flush at first', async () => {
  const { port, writes } = stream();
  await gatheredOutput(port).flush();
  expect(writes).toEqual([]);
});

import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { SignalName } from '../../../../src/base/context.ts';
import { terminalPrompt } from '../../../../src/writes/ask/prompt.ts';

const STYLE = { colour: false, unicode: true, mode: 'drawn' } as const;

it.each([
  ['SIGINT before keys are read', false, 'SIGINT', 'ctrl_c'],
  ['SIGINT sent before and heard after keys are read', true, 'SIGINT', 'ctrl_c'],
  ['SIGTERM', false, 'SIGTERM', 'SIGTERM'],
] as const)('%s leaves a question', async (_, isRaw, signal, by) => {
  let hear: (signal: SignalName, count: number) => void = () => undefined;
  const signals = {
    received: [],
    onSignal(listener: typeof hear) {
      hear = listener;
      return () => undefined;
    },
  };
  const streams = { input: Object.assign(new PassThrough(), { isRaw }), output: new PassThrough() };
  const answer = terminalPrompt(() => streams, signals, STYLE, true).confirm('Block?');
  hear(signal, 1);
  await expect(answer).rejects.toMatchObject({ code: 'CANCELLED', by });
});

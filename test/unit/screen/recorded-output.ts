import type { OutputPort } from '../../../src/base/context.ts';
import type { OutputOptions } from '../../../src/screen/options.ts';

export interface RecordedOutput extends OutputPort {
  readonly writes: string[];
  text(): string;
}

/** A stdout that remembers; a terminal when it is given a width. */
export function recordedOutput(columns?: number): RecordedOutput {
  const writes: string[] = [];
  return {
    isTerminal: columns !== undefined,
    columns,
    writes,
    async write(text) {
      writes.push(String(text));
    },
    text: () => writes.join(''),
  };
}

export function outputOptions(changes: Partial<OutputOptions> = {}): OutputOptions {
  return {
    format: 'table',
    header: true,
    csvRaw: false,
    colour: false,
    unicode: true,
    hideSensitive: [],
    now: Date.UTC(2026, 10, 20),
    suggestions: { profile: undefined },
    ...changes,
  };
}

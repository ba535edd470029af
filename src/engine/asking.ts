export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** What a question is asked with: `signal` ends it when nobody can answer any more, which `leave` tells. */
export interface Asking extends TerminalStreams {
  readonly signal: AbortSignal;
  leave(): void;
}

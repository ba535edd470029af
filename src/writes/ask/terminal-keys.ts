import { StringDecoder } from 'node:string_decoder';
import { ifPossible } from '../../base/files/io-failure.ts';

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Listens to the end of the process. Returns how to stop listening. */
  onExit?(listener: () => void): () => void;
  /** Listens to the process continuing after it was stopped. Returns how to stop listening. */
  onContinue?(listener: () => void): () => void;
  suspend?(): void;
}

/** Listeners at a question or in a wait. Ctrl-C always counts, the rest only while there is a listener. */
export interface Heard {
  /** A longer piece was pasted: no answer is that long. */
  readonly longest?: number;
  /** Keys as the terminal sends them: text, Enter, arrow keys. */
  keys(text: string): void;
  /** Text in one piece: bracketed by the terminal, several lines at once, or longer than any answer. */
  paste(text: string): void;
  escape(): void;
  ctrlC(): void;
  end(): void;
  /** The process continues after a stop: the screen shows other text now. */
  continued?(): void;
}

/** Listeners for what belongs to no question. */
export interface Watch {
  onKey?(): void;
  /** Something was pasted without a listener, together with Ctrl-C, or at the end, and is thrown away. */
  onLostPaste(): void;
}

const BRACKETS_ON = '\u001b[?2004h';
const BRACKETS_OFF = '\u001b[?2004l';
const PASTE_BEGINS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';
const CTRL_C = '\u0003';
export const EMPTY_LINE = '\u0015';

/** May continue in the next piece: the beginning of a key or of a bracket. */
const UNFINISHED = /\u001b(?:\[[\d;]*|O)?$/;
/** Esc, and not the beginning of another key. */
const ESCAPE_KEY = /\u001b(?=\u001b|[\u0001-\u001a]|$)/;
/** A line end with text after it. */
const LINES = /[\r\n][\s\S]*[^\r\n]/;
/** A longer piece that comes at once without a question was pasted, not typed ahead. */
export const TYPED_AHEAD = 8;
/** Keys that are no text, such as arrows. */
export const OTHER_KEYS = /\u001b(?:\[[\d;]*[~A-Za-z]|O[A-Za-z]|.)/gs;
/** The rest of a key follows within this time, also over a slow line. */
const KEY_REST_MS = 60;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The keys of a terminal at a question or in a wait, one by one. What arrives before `listen` is thrown away, with the
 * rest of its paste. `brackets`: the terminal marks pastes. `close`, and the end of the process, restore the terminal.
 */
export class TerminalKeys {
  readonly #streams: TerminalStreams;
  readonly #brackets: boolean;
  readonly #watch: Watch;
  readonly #decoder = new StringDecoder('utf8');
  readonly #releases: readonly (() => void)[];
  #areModesOn = false;
  /** Pieces are taken a turn after they arrive: the signals of ^Z and fg come in the same turn as typed keys. */
  #arrived: (Buffer | string)[] = [];
  #heard: Heard | undefined;
  #isClosed = false;
  #wasCancelled = false;
  #rest = '';
  #restTimer: NodeJS.Timeout | undefined;
  /** The paste so far; undefined: there is none. */
  #pasted: { readonly text: string; readonly by: Heard | undefined } | undefined;
  #pieces = 0;

  constructor(streams: TerminalStreams, brackets: boolean, watch: Watch) {
    this.#streams = streams;
    this.#brackets = brackets;
    this.#watch = watch;
    this.#releases = [
      streams.onExit?.(() => this.setModes(false)),
      streams.onContinue?.(() => void this.#continue()),
    ].filter((release) => release !== undefined);
    this.setModes(true);
    streams.input.on('data', this.#hear).on('end', this.#end);
    streams.input.resume();
  }

  /** Reads keys one by one, unechoed, with pastes marked; or restores the terminal, for ^Z and for whole lines. */
  setModes(on: boolean): void {
    const { input, output } = this.#streams;
    this.#areModesOn = on;
    if ('setRawMode' in input && typeof input.setRawMode === 'function') {
      const setMode = input.setRawMode.bind(input);
      // One that is gone has no modes: the signal of its end says that it is.
      ifPossible(() => setMode(on));
    }
    if (this.#brackets) output.write(on ? BRACKETS_ON : BRACKETS_OFF);
  }

  /** Throws away what has arrived. Returns whether anything had; `wasCancelled` if Ctrl-C was among it. */
  async drain(): Promise<boolean> {
    const first = this.#pieces;
    // Until a turn brings nothing: the terminal has no more. Waits for the rest of a key.
    for (let before = -1; before !== this.#pieces; ) {
      before = this.#pieces;
      if (this.#rest !== '') await new Promise((resolve) => setTimeout(resolve, KEY_REST_MS));
      await turn();
      await turn();
      await turn();
    }
    return this.#pieces !== first;
  }

  get wasCancelled(): boolean {
    return this.#wasCancelled;
  }

  listen(heard: Heard | undefined): void {
    this.#heard = heard;
  }

  close(): void {
    const { input } = this.#streams;
    this.#heard = undefined;
    this.#isClosed = true;
    // What arrived in this turn is thrown away too, also a part of a paste.
    this.#takeArrived();
    if (this.#pasted !== undefined) this.#watch.onLostPaste();
    clearTimeout(this.#restTimer);
    input.off('data', this.#hear).off('end', this.#end);
    input.pause();
    this.setModes(false);
    for (const release of this.#releases) release();
  }

  /** What was typed for the shell is no answer, and the shell may have changed the modes. */
  async #continue(): Promise<void> {
    const heard = this.#heard;
    this.#heard = undefined;
    if (this.#areModesOn) {
      this.setModes(false);
      this.setModes(true);
    }
    await this.drain();
    // A question that was left meanwhile has closed and released this.
    if (this.#isClosed || heard === undefined) return;
    this.#heard = heard;
    heard.continued?.();
  }

  readonly #end = () => this.#heard?.end();

  readonly #hear = (piece: Buffer | string) => {
    this.#pieces += 1;
    this.#watch.onKey?.();
    if (this.#arrived.push(piece) === 1) setImmediate(this.#takeArrived);
  };

  readonly #takeArrived = () => {
    for (const piece of this.#arrived.splice(0)) this.#take(piece);
  };

  #take(piece: Buffer | string): void {
    clearTimeout(this.#restTimer);
    let text = this.#rest + (typeof piece === 'string' ? piece : this.#decoder.write(piece));
    this.#rest = '';
    const heard = this.#heard;
    const isCancelled = text.includes(CTRL_C);
    if (isCancelled) {
      // What came with it does not count.
      text = text.replaceAll(CTRL_C, '');
      this.#heard = undefined;
    }
    while (text !== '') text = this.#pasted === undefined ? this.#typed(text) : this.#inPaste(text, this.#pasted);
    if (!isCancelled) return;
    this.#heard = heard;
    this.#wasCancelled = true;
    heard?.ctrlC();
  }

  /** Takes typed keys. Returns what follows the beginning of a paste. */
  #typed(text: string): string {
    const begins = text.indexOf(PASTE_BEGINS);
    const typed = begins >= 0 ? text.slice(0, begins) : text.replace(UNFINISHED, '');
    const isPaste = LINES.test(typed) || this.#isTooLong(typed);
    if (isPaste) this.#givePaste(typed, this.#heard);
    else this.#press(typed);
    if (begins >= 0) {
      this.#pasted = { text: '', by: this.#heard };
      return text.slice(begins + PASTE_BEGINS.length);
    }
    this.#rest = text.slice(typed.length);
    // A key without a rest is Esc.
    if (this.#rest !== '') this.#restTimer = setTimeout(() => this.#press(this.#rest), KEY_REST_MS);
    return '';
  }

  #isTooLong(typed: string): boolean {
    const longest = this.#heard === undefined ? TYPED_AHEAD : (this.#heard.longest ?? Number.POSITIVE_INFINITY);
    return typed.length > longest && typed.replace(OTHER_KEYS, '').trimEnd().length > longest;
  }

  #press(keys: string): void {
    this.#rest = '';
    const at = keys.search(ESCAPE_KEY);
    const before = at < 0 ? keys : keys.slice(0, at);
    if (before !== '') this.#heard?.keys(before);
    if (at >= 0) this.#heard?.escape();
  }

  #inPaste(text: string, pasted: { readonly text: string; readonly by: Heard | undefined }): string {
    const ends = text.indexOf(PASTE_ENDS);
    const part = ends >= 0 ? text.slice(0, ends) : text.replace(UNFINISHED, '');
    const whole = { text: pasted.text + part, by: pasted.by };
    this.#pasted = ends >= 0 ? undefined : whole;
    if (ends < 0) {
      this.#rest = text.slice(part.length);
      return '';
    }
    this.#givePaste(whole.text, whole.by);
    return text.slice(ends + PASTE_ENDS.length);
  }

  /** A paste goes only to the listener of its beginning: there may be another question now. */
  #givePaste(text: string, by: Heard | undefined): void {
    if (by !== undefined && by === this.#heard) by.paste(text);
    else this.#watch.onLostPaste();
  }
}

/** Pasted text as one line, without control characters. `isEntered`: it had a line end, only at the end. */
export function pastedLine(text: string): { readonly line: string; readonly isEntered: boolean } {
  const line = text.replace(/[\r\n]+$/, '');
  const isEntered = line !== text && !/[\r\n]/.test(line);
  return { line: line.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' '), isEntered };
}

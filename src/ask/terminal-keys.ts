import { StringDecoder } from 'node:string_decoder';

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Hears that the process ends, by whatever way. Returns how to stop listening. */
  onExit?(listener: () => void): () => void;
  /** Hears that the process goes on after it was stopped. Returns how to stop listening. */
  onContinue?(listener: () => void): () => void;
  suspend?(): void;
}

/** What a person does at a question or in a wait. Ctrl-C always counts; the rest only while it is listened for. */
export interface Heard {
  /** A piece that is longer was pasted: no answer is. */
  readonly longest?: number;
  /** Keys as the terminal sends them: text, Enter, arrow keys. */
  keys(text: string): void;
  /** Text that came in one piece: bracketed by the terminal, several lines at once, or longer than any answer. */
  paste(text: string): void;
  escape(): void;
  ctrlC(): void;
  end(): void;
  /** The process was stopped and goes on: other text stands on the screen now. */
  continued?(): void;
}

/** Hears of what is for nobody who listens. */
export interface Watch {
  onKey?(): void;
  /** Something was pasted while nobody listened, together with Ctrl-C, or at the end, and is thrown away. */
  onLostPaste(): void;
}

const BRACKETS_ON = '\u001b[?2004h';
const BRACKETS_OFF = '\u001b[?2004l';
const PASTE_BEGINS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';
const CTRL_C = '\u0003';

/** What may go on in the next piece: the beginning of a key or of a bracket. */
const UNFINISHED = /\u001b(?:\[[\d;]*|O)?$/;
/** Esc, and not the beginning of another key. */
const ESCAPE_KEY = /\u001b(?=\u001b|[\u0001-\u001a]|$)/;
/** A line end with more behind it. */
const LINES = /[\r\n][\s\S]*[^\r\n]/;
/** What is longer, and came in one piece while nothing was asked, was pasted and not typed ahead. */
export const TYPED_AHEAD = 8;
/** Keys that are no text: arrows and the like. */
export const OTHER_KEYS = /\u001b(?:\[[\d;]*[~A-Za-z]|O[A-Za-z]|.)/gs;
/** The rest of a key follows within this time, also over a slow line. */
const KEY_REST_MS = 60;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The keys of a terminal while a question stands there or a wait goes on, read one by one. What arrives before
 * `listen` is thrown away, and so is the rest of a paste that began before. The terminal marks what is pasted
 * (`brackets`), where it obeys escape sequences. `close` puts everything back, and so does the end of the process.
 */
export class TerminalKeys {
  readonly #streams: TerminalStreams;
  readonly #brackets: boolean;
  readonly #watch: Watch;
  readonly #decoder = new StringDecoder('utf8');
  readonly #releases: readonly (() => void)[];
  #areModesOn = false;
  /** Pieces are taken one turn after they arrive: ^Z and fg are heard of in the same turn as what was typed between. */
  #arrived: (Buffer | string)[] = [];
  #heard: Heard | undefined;
  #isClosed = false;
  #wasCancelled = false;
  #rest = '';
  #restTimer: NodeJS.Timeout | undefined;
  /** What was pasted so far; undefined: no paste is under way. */
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

  /** Keys one by one, unechoed, with pastes marked; or as the terminal is by itself: for ^Z, and for whole lines. */
  setModes(on: boolean): void {
    const { input, output } = this.#streams;
    this.#areModesOn = on;
    if ('setRawMode' in input && typeof input.setRawMode === 'function') input.setRawMode(on);
    if (this.#brackets) output.write(on ? BRACKETS_ON : BRACKETS_OFF);
  }

  /** Throws away what has arrived so far. Returns whether anything did; `wasCancelled` if Ctrl-C was among it. */
  async drain(): Promise<boolean> {
    const first = this.#pieces;
    // A turn that brings nothing: the terminal was asked, and had no more. The rest of a key is waited for.
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
    // What arrived in this turn is thrown away as well, and a paste of which only a part came.
    this.#takeArrived();
    if (this.#pasted !== undefined) this.#watch.onLostPaste();
    clearTimeout(this.#restTimer);
    input.off('data', this.#hear).off('end', this.#end);
    input.pause();
    this.setModes(false);
    for (const release of this.#releases) release();
  }

  /** What was typed for the shell is no answer, and the shell may have left other modes. */
  async #continue(): Promise<void> {
    const heard = this.#heard;
    this.#heard = undefined;
    if (this.#areModesOn) {
      this.setModes(false);
      this.setModes(true);
    }
    await this.drain();
    // A question that was left meanwhile has closed this, and released it.
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
      // What came with it counts no more.
      text = text.replaceAll(CTRL_C, '');
      this.#heard = undefined;
    }
    while (text !== '') text = this.#pasted === undefined ? this.#typed(text) : this.#inPaste(text, this.#pasted);
    if (!isCancelled) return;
    this.#heard = heard;
    this.#wasCancelled = true;
    heard?.ctrlC();
  }

  /** Takes what was typed; returns what follows the beginning of a paste. */
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
    // A key whose rest does not come is Esc.
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

  /** Only to whom it was heard by from its beginning: the question may be another one now. */
  #givePaste(text: string, by: Heard | undefined): void {
    if (by !== undefined && by === this.#heard) by.paste(text);
    else this.#watch.onLostPaste();
  }
}

/** Pasted text as one line, without control characters. `isEntered`: a line end stood behind it, and nowhere else. */
export function pastedLine(text: string): { readonly line: string; readonly isEntered: boolean } {
  const line = text.replace(/[\r\n]+$/, '');
  const isEntered = line !== text && !/[\r\n]/.test(line);
  return { line: line.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' '), isEntered };
}

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ioFailure, orElse } from './io-failure.ts';

/** UTF-16 units kept in memory. Ordinary files stay below it. */
const MAX_IN_MEMORY = 1024 * 1024;

const files = new FinalizationRegistry<number>(closeSync);

/** A file without a name: nothing is left of it, however the process ends. Closed once its owner is garbage. */
function openNameless(owner: object): number {
  const path = join(tmpdir(), `frontdesk-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  files.register(owner, file);
  unlinkSync(path);
  return file;
}

/** Texts by number, from 0. Beyond a megabyte in a temporary file, or in memory if none can be made. */
export class TextStore {
  size = 0;
  readonly #inMemory = new Map<number, string>();
  /** Where each text begins in the file. One in memory takes no place there. */
  readonly #starts: number[] = [];
  #file: number | undefined;
  /** The text that is read. A buffer for each would fill the memory until garbage is collected. */
  #bytes = Buffer.alloc(0);
  #end = 0;
  #room = MAX_IN_MEMORY;

  add(text: string): void {
    this.#starts.push(this.#end);
    this.#room -= text.length;
    if (this.#room >= 0 || !this.#write(Buffer.from(text))) this.#inMemory.set(this.size, text);
    this.size += 1;
  }

  /** The text of this number. Throws LOCAL_IO. */
  at(index: number): string {
    const text = this.#inMemory.get(index);
    if (text !== undefined || this.#file === undefined) return text ?? '';
    const start = this.#starts[index] ?? this.#end;
    const length = (this.#starts[index + 1] ?? this.#end) - start;
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(2 * length);
    const [file, bytes] = [this.#file, this.#bytes];
    const failureOf = (error: unknown) => ioFailure('could not read a temporary file', error);
    orElse(() => readSync(file, bytes, 0, length, start), failureOf);
    return bytes.toString('utf8', 0, length);
  }

  #write(bytes: Buffer): boolean {
    try {
      this.#file ??= openNameless(this);
      if (writeSync(this.#file, bytes, 0, bytes.length, this.#end) < bytes.length) throw new Error('the disk is full');
      this.#end += bytes.length;
      return true;
    } catch {
      // Does not try again.
      this.#room = Number.POSITIVE_INFINITY;
      return false;
    }
  }
}

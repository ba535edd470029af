import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ioFailure } from './io-failure.ts';

/** So many UTF-16 units stay in memory: what ordinary files hold never goes to the disk. */
const MAX_IN_MEMORY = 1024 * 1024;

const files = new FinalizationRegistry<number>(closeSync);

/** A file that has lost its name: nothing is left of it however the process ends. It is closed once its owner is gone. */
function openNameless(owner: object): number {
  const path = join(tmpdir(), `frontdesk-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  files.register(owner, file);
  unlinkSync(path);
  return file;
}

/**
 * Texts by their numbers, from 0 in the order in which they come. Past a megabyte they go to a temporary file. Where
 * none can be made or written, they stay in memory.
 */
export class TextStore {
  size = 0;
  readonly #inMemory = new Map<number, string>();
  /** Where in the file each text begins; one that is in memory takes no place there. */
  readonly #starts: number[] = [];
  #file: number | undefined;
  #end = 0;
  #room = MAX_IN_MEMORY;

  add(text: string): void {
    this.#starts.push(this.#end);
    this.#room -= text.length;
    if (this.#room >= 0 || !this.#write(Buffer.from(text))) this.#inMemory.set(this.size, text);
    this.size += 1;
  }

  /** The text of this number. LOCAL_IO when it cannot be read. */
  at(index: number): string {
    const text = this.#inMemory.get(index);
    if (text !== undefined || this.#file === undefined) return text ?? '';
    const start = this.#starts[index] ?? this.#end;
    const bytes = Buffer.alloc((this.#starts[index + 1] ?? this.#end) - start);
    try {
      readSync(this.#file, bytes, 0, bytes.length, start);
    } catch (error) {
      throw ioFailure('could not read a temporary file', error);
    }
    return bytes.toString();
  }

  #write(bytes: Buffer): boolean {
    try {
      this.#file ??= openNameless(this);
      if (writeSync(this.#file, bytes, 0, bytes.length, this.#end) < bytes.length) throw new Error('the disk is full');
      this.#end += bytes.length;
      return true;
    } catch {
      // No further one is tried.
      this.#room = Number.POSITIVE_INFINITY;
      return false;
    }
  }
}

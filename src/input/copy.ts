import { open } from 'node:fs/promises';
import { ioFailure, tidy } from '../files/io-failure.ts';

/** A file that gets what is read of another one: stdin cannot be read twice, and a file may change meanwhile. */
export interface InputCopy {
  /** Passes the pieces on, each written before it is looked at. */
  of(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Resolves when everything is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the file, readable by this user only. It and its members reject with LOCAL_IO. `what`: `the input`. */
export async function openCopy(path: string, what: string): Promise<InputCopy> {
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw ioFailure(`cannot copy ${what} to ${path}`, error, 'unsent');
    }
  };
  const file = await attempt(() => open(path, 'wx', 0o600));
  return {
    async *of(pieces) {
      for await (const piece of pieces) {
        await attempt(() => file.writeFile(piece));
        yield piece;
      }
    },
    sync: () => attempt(() => file.sync()),
    close: () => tidy(file.close()),
  };
}

import { close, constants, fstat, open, read, type Stats } from 'node:fs';
import { promisify } from 'node:util';

const PIECE_BYTES = 64 * 1024;

/** A named file, pipe or device, opened for reading once. */
export interface Readable {
  readonly facts: Stats;
  /** All bytes, once. Closes at the end. A piece is valid only until the next one is asked for. */
  bytes(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a path. A pipe waits for its writer. Pipes are read without a thread: Node waits at its end for every reading
 * thread, which would keep a process alive that a signal has ended. Rejects with the system's error.
 */
export async function openReadable(path: string): Promise<Readable> {
  const fd = await promisify(open)(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let isOpen = true;
  // Once: the number of a closed file may already belong to another file or connection. For the same reason no worker
  // thread may read a pipe: a socket closes it, and at the thread's end Node closes that number again.
  const release = async () => {
    if (!isOpen) return;
    isOpen = false;
    await promisify(close)(fd);
  };
  try {
    const facts = await promisify(fstat)(fd);
    if (facts.isFIFO() || facts.isSocket()) return await pipeAt(fd, facts);
    if (facts.isCharacterDevice() && (await import('node:tty')).isatty(fd)) {
      throw Object.assign(new Error('it is a terminal'), { code: 'ETERMINAL' });
    }
    return { facts, bytes: () => readPieces(fd, release), close: release };
  } catch (error) {
    await release().catch(() => undefined);
    throw error;
  }
}

async function pipeAt(fd: number, facts: Stats): Promise<Readable> {
  const { Socket } = await import('node:net');
  const socket = new Socket({ fd, readable: true, writable: false });
  return {
    facts,
    bytes: () => socket,
    close: async () => {
      socket.destroy();
    },
  };
}

async function* readPieces(fd: number, release: () => Promise<void>): AsyncGenerator<Uint8Array> {
  // One buffer for the whole file: new ones would fill the memory until garbage is collected.
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await promisify(read)(fd, buffer, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await release().catch(() => undefined);
  }
}

/** Far above any key, certificates or seed, and small enough for memory: a device may never end. */
const MAX_WHOLE_MIB = 64;

/** All bytes of a file, which may be a pipe. Rejects with the system's error, or if it is too long. */
export async function readWhole(path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (await openReadable(path)).bytes()) {
    size += piece.length;
    if (size > MAX_WHOLE_MIB * 1024 * 1024) throw new Error(`it is larger than ${MAX_WHOLE_MIB} MiB`);
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
}

import { constants } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { asBytes, type Data, type FileOptions, type SystemCalls } from './system-calls.ts';

/** Does a call later, as Node's threads do; never resolves once the process is gone. A sync may take long. */
export type Later = <Result>(call: () => Result, isSync?: boolean) => Promise<Result>;

type Callback = (error: Error | null, ...results: unknown[]) => void;

const PIECE = 64 * 1024;

function openedFile(calls: SystemCalls, later: Later, fd: number) {
  return {
    fd,
    stat: () => later(() => calls.fstat(fd)),
    chmod: (mode: number) => later(() => calls.fchmod(fd, mode)),
    sync: () => later(() => calls.fsync(fd), true),
    datasync: () => later(() => calls.fsync(fd), true),
    truncate: (length?: number) => later(() => calls.ftruncate(fd, length)),
    close: () => later(() => calls.close(fd)),
    readFile: (options?: FileOptions) => later(() => calls.readFile(fd, options)),
    async writeFile(data: Data) {
      await later(() => calls.writeAll(fd, asBytes(data)));
    },
    async appendFile(data: Data) {
      await later(() => calls.writeAll(fd, asBytes(data)));
    },
    async read(buffer: Buffer, offset?: number, length?: number, position?: number | null) {
      return { bytesRead: await later(() => calls.read(fd, buffer, offset, length, position)), buffer };
    },
    async write(data: Data, offset?: number | null, length?: number, position?: number | null) {
      const bytes = asBytes(data);
      const from = typeof data === 'string' ? 0 : (offset ?? 0);
      const piece = bytes.subarray(from, from + (typeof data === 'string' ? bytes.length : (length ?? bytes.length)));
      const place = typeof data === 'string' ? offset : position;
      return { bytesWritten: await later(() => calls.write(fd, piece, place)), buffer: data };
    },
  };
}

type OpenedFile = ReturnType<typeof openedFile>;

type Call = (...given: unknown[]) => unknown;
type Named = Readonly<Record<string, unknown>>;

/** Calls on the disk by their names, each made into another form. */
function callsOf<Form>(calls: SystemCalls, names: readonly (keyof SystemCalls)[], form: (call: Call) => Form) {
  return Object.fromEntries(names.map((name) => [name, form((calls[name] as Call).bind(calls))]));
}

/** Calls with the same arguments as those of Node, as promises and at once. */
const LATER = [
  ...(['stat', 'access', 'chmod', 'mkdir', 'readdir', 'writeFile', 'copyFile'] as const),
  ...(['rename', 'link', 'unlink', 'rm', 'realpath'] as const),
];
const AT_ONCE = [
  ...(['open', 'close', 'read', 'fstat', 'exists', 'access', 'chmod', 'readdir', 'readFile', 'writeFile'] as const),
  ...(['fsync', 'ftruncate', 'rename', 'link', 'unlink', 'rmdir', 'rm', 'readlink', 'realpath'] as const),
];

export function promisesModule(calls: SystemCalls, later: Later, letters: () => string) {
  const of = (file: string | OpenedFile) => (typeof file === 'string' ? file : file.fd);
  const inThreads = callsOf(
    calls,
    LATER,
    (call) =>
      (...given: unknown[]) =>
        later(() => call(...given)),
  );
  return {
    constants,
    open: (path: string, flags?: string | number, mode?: number) =>
      later(() => openedFile(calls, later, calls.open(path, flags, mode))),
    ...inThreads,
    lstat: inThreads['stat'],
    mkdtemp: (prefix: string) => later(() => calls.mkdtemp(prefix, letters())),
    readFile: (file: string | OpenedFile, options?: FileOptions) => later(() => calls.readFile(of(file), options)),
  };
}

interface StreamOptions {
  readonly flags?: string | number;
  readonly mode?: number;
  readonly start?: number;
  readonly end?: number;
  readonly flush?: boolean;
}

function readStream(calls: SystemCalls, later: Later, path: string, { start = 0, end }: StreamOptions = {}): Readable {
  let fd: number | undefined;
  let at = start;
  const readNext = (): Buffer => {
    fd ??= calls.open(path);
    const piece = Buffer.alloc(Math.min(PIECE, (end ?? Number.POSITIVE_INFINITY) - at + 1));
    const length = calls.read(fd, piece, 0, piece.length, at);
    at += length;
    return piece.subarray(0, length);
  };
  return new Readable({
    read() {
      later(readNext).then(
        (piece) => this.push(piece.length === 0 ? null : piece),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      if (fd !== undefined) calls.close(fd);
      done(error);
    },
  });
}

function writeStream(calls: SystemCalls, later: Later, path: string, options: StreamOptions = {}): Writable {
  let fd: number | undefined;
  const opened = () => {
    fd ??= calls.open(path, options.flags ?? 'w', options.mode);
    return fd;
  };
  const step = (work: () => void, done: (error?: Error | null) => void) => void later(work).then(() => done(), done);
  return new Writable({
    decodeStrings: true,
    write: (piece: Buffer, _encoding, done) => step(() => calls.writeAll(opened(), piece), done),
    final: (done) =>
      step(() => {
        const file = opened();
        if (options.flush === true) calls.fsync(file);
        calls.close(file);
      }, done),
  });
}

const inCallback =
  <Given extends unknown[]>(work: (...given: Given) => Promise<unknown>) =>
  (...given: [...Given, Callback]): void => {
    const done = given.pop() as Callback;
    work(...(given as unknown as Given)).then(
      (result) => done(null, result),
      (error: Error) => done(error),
    );
  };

const PROMISED = ['chmod', 'mkdir', 'realpath', 'stat', 'unlink', 'readFile', 'rename', 'writeFile'] as const;

export function fileModule(calls: SystemCalls, later: Later, promises: ReturnType<typeof promisesModule>) {
  const statAt = (path: string, options?: { throwIfNoEntry?: boolean }) =>
    options?.throwIfNoEntry === false ? calls.statIfThere(path) : calls.stat(path);
  const read = inCallback((fd: number, buffer: Buffer, offset?: number, length?: number, place?: number | null) =>
    later(() => calls.read(fd, buffer, offset, length, place)),
  );
  const piecewise = async (fd: number, buffer: Buffer, offset?: number, length?: number, place?: number | null) => ({
    bytesRead: await later(() => calls.read(fd, buffer, offset, length, place)),
    buffer,
  });
  const atOnce = Object.entries(callsOf(calls, AT_ONCE, (call) => call)).map(([name, call]) => [`${name}Sync`, call]);
  return {
    ...(Object.fromEntries(atOnce) as Readonly<Record<string, Call>>),
    constants,
    promises,
    writeSync(fd: number, data: Data, second?: number | null, third?: number | string | null, fourth?: number | null) {
      if (typeof data === 'string') return calls.write(fd, asBytes(data, third as BufferEncoding | undefined), second);
      const from = second ?? 0;
      const length = typeof third === 'number' ? third : data.length - from;
      return calls.write(fd, data.subarray(from, from + length), fourth);
    },
    fstatSync: calls.fstat.bind(calls),
    statSync: statAt,
    lstatSync: statAt,
    mkdirSync(path: string, given?: number | { mode?: number; recursive?: boolean }) {
      const { mode, recursive = false } = typeof given === 'number' ? { mode: given } : (given ?? {});
      if (!recursive || !calls.exists(path)) calls.mkdir(path, mode);
    },
    // All files are one user's.
    chownSync: () => undefined,
    open: inCallback((path: string, flags?: string | number, mode?: number) =>
      later(() => calls.open(path, flags, mode)),
    ),
    close: inCallback((fd: number) => later(() => calls.close(fd))),
    fstat: inCallback((fd: number) => later(() => calls.fstat(fd))),
    fsync: inCallback((fd: number) => later(() => calls.fsync(fd), true)),
    fdatasync: inCallback((fd: number) => later(() => calls.fsync(fd), true)),
    ftruncate: inCallback((fd: number, length?: number) => later(() => calls.ftruncate(fd, length))),
    read: Object.assign(read, { [promisify.custom]: piecewise }),
    // The settings' writer makes promises of these and calls none.
    ...Object.fromEntries(
      PROMISED.map((name) => [name, inCallback((promises as Named)[name] as (path: string) => Promise<unknown>)]),
    ),
    chown: inCallback(async () => undefined),
    write: inCallback((fd: number, data: Data) => later(() => calls.write(fd, asBytes(data)))),
    createReadStream: (path: string, options?: StreamOptions) => readStream(calls, later, path, options),
    createWriteStream: (path: string, options?: StreamOptions) => writeStream(calls, later, path, options),
  };
}

import { Duplex } from 'node:stream';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** What the network does to a connection that a process asks for. */
export type ConnectionFate = 'open' | 'slow' | 'refused' | 'reset' | 'silent';

/** The far end of a connection: what the service hears and says. */
export interface Connection {
  /** The process at the near end. */
  readonly by: Owner;
  /** Bytes for the process; `heard` is called when they came to it, and never where the near end is closed by then. */
  say(text: string, heard?: () => void): void;
  reset(): void;
}

export interface Listener {
  fateOf(by: Owner): ConnectionFate;
  /** Answers who hears what comes over this connection. */
  accept(connection: Connection): (bytes: Buffer) => void;
}

const broken = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

/** What was said first comes first. */
const STEP_MS = 0.001;
/** So long a slow connection takes at most: longer than a person waits, and than some timeouts. */
const SLOW_MS = 4_000;

/** What a socket needs of the world. */
interface SocketPorts {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  /** Hears of bytes before they leave. */
  readonly leaves: (bytes: Buffer) => void;
  /** Hears that something comes to the near end. */
  readonly comes: () => void;
}

/** A socket of `node:net` to the one service that there is. Bytes come in their order, each a little later. */
export class SimulatedSocket extends Duplex implements Connection {
  readonly by: Owner;
  readonly #ports: SocketPorts;
  #hears: ((bytes: Buffer) => void) | undefined;
  #thereMs = 0;
  #hereMs = 0;

  constructor(by: Owner, ports: SocketPorts) {
    super({ allowHalfOpen: false });
    this.by = by;
    this.#ports = ports;
  }

  connect(listener: Listener): this {
    const fate = listener.fateOf(this.by);
    if (fate === 'silent') return this;
    if (fate === 'slow') this.#hereMs = this.#ports.scheduler.nowMs + SLOW_MS * this.#ports.random.next() ** 2;
    this.#here(() => {
      if (fate !== 'open' && fate !== 'slow')
        return this.destroy(broken(fate === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET', 'connect'));
      this.#hears = listener.accept(this);
      this.emit('connect');
      this.emit('ready');
    });
    return this;
  }

  say(text: string, heard?: () => void): void {
    this.#here(() => {
      this.push(Buffer.from(text));
      heard?.();
    });
  }

  reset(): void {
    this.#here(() => this.destroy(broken('ECONNRESET', 'read')));
  }

  #latency(): number {
    return 0.1 + 2 * this.#ports.random.next();
  }

  #here(run: () => void): void {
    const { scheduler, comes } = this.#ports;
    this.#hereMs = Math.max(this.#hereMs + STEP_MS, scheduler.nowMs + this.#latency());
    const come = (): void => {
      if (this.destroyed) return;
      comes();
      if (!this.destroyed) run();
    };
    scheduler.after(this.#hereMs - scheduler.nowMs, come, this.by);
  }

  override _read(): void {}

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const { scheduler, leaves } = this.#ports;
    leaves(piece);
    this.#thereMs = Math.max(this.#thereMs + STEP_MS, scheduler.nowMs + this.#latency());
    // What the system has taken arrives, whatever becomes of the process.
    scheduler.after(this.#thereMs - scheduler.nowMs, () => this.#hears?.(piece));
    done();
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

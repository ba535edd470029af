import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { identify } from '../../../../src/base/files/process-identity.ts';

/** A lock that a test puts in place: who holds it, and what its file says. */
export interface PutLock {
  /** `host.pid.start`: one elsewhere unless given. */
  readonly holder?: string;
  readonly instance?: string;
  readonly machine?: string;
  readonly epoch?: number;
  /** Its signs of life so far. */
  readonly count?: number;
}

/** The instance of a lock that a test puts in place. */
export const INSTANCE = '0123456789abcdef';

const digits = (value: number, width: number) => String(value).padStart(width, '0');

export function putLock(path: string, lock: PutLock = {}): void {
  const { holder = '00000000.1.77', instance = INSTANCE, machine = 'pod-a', epoch = 1, count = 0 } = lock;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(path, `${holder}.${instance}.${machine}`),
    `${instance}\n${digits(epoch, 10)} ${digits(count, 12)}\n`,
    { mode: 0o600 },
  );
}

/** The lock of a process here that lives, or has ended: this one, or one of its pid. */
export function putLockHere(path: string, holder: 'living' | 'dead' | 'unsure', lock: PutLock = {}): void {
  const { host, pid, start } = identify(process.pid);
  const starts = { living: start, dead: '1', unsure: 'x' };
  putLock(path, { holder: `${host}.${pid}.${starts[holder]}`, machine: hostname(), ...lock });
}

export function textOfLock(path: string): string {
  const [name = 'none'] = readdirSync(path);
  return readFileSync(join(path, name), 'utf8');
}

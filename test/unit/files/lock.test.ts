import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock, lockHolder, withLock } from '../../../src/files/lock.ts';
import { identify } from '../../../src/files/process-identity.ts';
import { realClock, stoppedClock, temporaryFolder } from './place.ts';

const nonce = '0123456789abcdef';

function options(clock = realClock()) {
  return { pid: process.pid, clock, what: 'run may' };
}

/** Pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('acquireLock', () => {
  it('fails at once with USAGE, naming the process that holds it', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const held = await acquireLock(path, options());
    await expect(acquireLock(path, options())).rejects.toMatchObject({
      code: 'USAGE',
      message: `run may is in use by another frontdesk (process ${process.pid}); nothing was sent or changed`,
    });
    expect(lockHolder(path, Date.now())).toBe(process.pid);
    held.release();
    held.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    (await acquireLock(path, options())).release();
  });

  it('takes over the lock of a process that has died', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const { host } = identify(process.pid);
    writeFileSync(path, `${host} ${await deadPid()} 77 ${nonce}\n`);
    expect(lockHolder(path, Date.now())).toBeUndefined();
    const held = await acquireLock(path, options());
    expect(readFileSync(path, 'utf8')).toContain(` ${process.pid} `);
    held.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'takes over the lock of a dead process whose pid is in use again',
    async () => {
      const path = join(temporaryFolder(), 'run.lock');
      const { host } = identify(process.pid);
      writeFileSync(path, `${host} ${process.pid} 1 ${nonce}\n`);
      (await acquireLock(path, options())).release();
    },
  );

  it('takes over a lock although another process died while it was taking it over', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const { host } = identify(process.pid);
    const pid = await deadPid();
    writeFileSync(path, `${host} ${pid} 77 ${nonce}\n`);
    writeFileSync(`${path}.${nonce}.takeover`, `${host} ${pid} 77 fedcba9876543210\n`);
    (await acquireLock(path, options())).release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('leaves a dead lock alone while a living process is taking it over', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const { host, start } = identify(process.pid);
    writeFileSync(path, `${host} ${await deadPid()} 77 ${nonce}\n`);
    writeFileSync(`${path}.${nonce}.takeover`, `${host} ${process.pid} ${start} fedcba9876543210\n`);
    await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'USAGE' });
    expect(readFileSync(path, 'utf8')).toContain(nonce);
  });

  it('trusts a process of another machine for as long as it gives signs of life', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    writeFileSync(path, `00000000 4711 77 ${nonce}\n`);
    await expect(acquireLock(path, options())).rejects.toThrow('process 4711');
    const longAgo = Date.now() / 1000 - 61;
    utimesSync(path, longAgo, longAgo);
    (await acquireLock(path, options())).release();
  });

  it('takes a lock file without content for one that is being made, then for one left behind', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    writeFileSync(path, '');
    await expect(acquireLock(path, options())).rejects.toThrow('in use by another frontdesk;');
    const longAgo = Date.now() / 1000 - 11;
    utimesSync(path, longAgo, longAgo);
    (await acquireLock(path, options())).release();
  });

  it('does not remove a lock that has become somebody else’s', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const held = await acquireLock(path, options());
    writeFileSync(path, `00000000 4711 77 ${nonce}\n`);
    held.release();
    expect(readFileSync(path, 'utf8')).toContain(nonce);
  });

  it('ends with LOCAL_IO where no lock can be made', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, '');
    await expect(acquireLock(join(path, 'run.lock'), options())).rejects.toMatchObject({ code: 'LOCAL_IO' });
  });
});

describe('withLock', () => {
  it('lets one piece of work in at a time', async () => {
    const path = join(temporaryFolder(), 'a.lock');
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      return 'done';
    };
    const results = await Promise.all(Array.from({ length: 5 }, () => withLock(path, options(), work)));
    expect(results).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect(most).toBe(1);
  });

  it('gives the lock back when the work fails', async () => {
    const path = join(temporaryFolder(), 'a.lock');
    await expect(withLock(path, options(), () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('gives up after 15 s with LOCAL_IO, naming the holder, without having done anything', async () => {
    const path = join(temporaryFolder(), 'a.lock');
    const held = await acquireLock(path, options());
    const work = () => Promise.reject(new Error('must not run'));
    await expect(withLock(path, options(stoppedClock(Date.now())), work)).rejects.toMatchObject({
      code: 'LOCAL_IO',
      message: `cannot lock run may: another frontdesk (process ${process.pid}) held ${path} for 15 s; nothing was changed`,
    });
    held.release();
  });
});

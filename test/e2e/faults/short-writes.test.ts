import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHome, injecting, runFrontdesk } from '../../support/run-frontdesk.ts';

/** A disk that takes 1,000 bytes of each write to stdout, and none any more after LIMIT of them. */
const SHORT = injecting(`
  import fs from 'node:fs';
  const { writeSync } = fs;
  let left = Number(process.env.LIMIT);
  fs.writeSync = (fd, bytes, offset = 0, length = bytes.length - offset, ...more) => {
    if (fd !== 1) return writeSync(fd, bytes, offset, length, ...more);
    if (left === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
    const written = writeSync(fd, bytes, offset, Math.min(length, 1000, left), ...more);
    left -= written;
    return written;
  };`);

async function schemaInto(env: Readonly<Record<string, string>>) {
  const home = createHome();
  const { code, stderr } = await runFrontdesk(['schema'], { home, env, script: 'exec "$@" > schema.json' });
  return { code, stderr, text: readFileSync(join(home.path, 'work', 'schema.json'), 'utf8') };
}

it('a file gets the whole result though the disk takes a part of each write', async () => {
  const whole = await schemaInto({});
  expect(whole.text.length).toBeGreaterThan(50_000);
  const { code, text } = await schemaInto({ ...SHORT, LIMIT: '100000000' });
  expect({ code, isWhole: text === whole.text }).toEqual({ code: 0, isWhole: true });
});

it('a result that a full disk cuts in the middle of a write is 16, never a success', async () => {
  const { code, stderr, text } = await schemaInto({ ...SHORT, LIMIT: '20480' });
  expect({ code, length: text.length }).toEqual({ code: 16, length: 20_480 });
  expect(stderr).toContain('could not write the result of schema to stdout: no space left');
});

/** A disk that is full once one piece of a file is written. */
const FULL = injecting(`
  import { open } from 'node:fs/promises';
  const handle = await open('/dev/null');
  const proto = Object.getPrototypeOf(handle);
  await handle.close();
  const { appendFile } = proto;
  let pieces = 0;
  proto.appendFile = async function (...given) {
    pieces += 1;
    if (pieces > 1) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
    return appendFile.apply(this, given);
  };`);

it('a workbook that a full disk cuts between two rows leaves no file, so the next call can make it', async () => {
  const home = createHome();
  writeFileSync(join(home.path, 'work', 'ids.txt'), '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101\n'.repeat(600));
  const run = 'card activate --from ids.txt --allow-duplicates -p sandbox --yes --run many'.split(' ');
  // The card is active: the sandbox refuses each row.
  expect(await runFrontdesk(run, { home })).toMatchObject({ code: 15 });
  const results = ['runs', 'results', 'many', '-o', 'xlsx', '--out', 'rows.xlsx'];
  const full = await runFrontdesk(results, { home, env: FULL });
  expect(full).toMatchObject({ code: 16, stdout: '' });
  expect(full.stderr).toContain('cannot write rows.xlsx: no space left');
  expect(existsSync(join(home.path, 'work', 'rows.xlsx'))).toBe(false);
  expect(await runFrontdesk(results, { home })).toMatchObject({ code: 0 });
});

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ensurePrivateFolder, putInNewPlace, writeFileAtomic } from '../../../../src/base/files/atomic.ts';
import { temporaryFolder } from './place.ts';

const run = promisify(execFile);
const options = { pid: process.pid, what: 'the test file' };

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

it('writeFileAtomic makes the folder and the file for this user alone and leaves nothing else behind', async () => {
  const folder = join(temporaryFolder(), 'deep', 'er');
  await writeFileAtomic(join(folder, 'a.json'), 'one', options);
  const path = join(folder, 'a.json');
  expect([path, folder, join(folder, '..')].map(modeOf)).toEqual(['600', '700', '700']);
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['one', ['a.json']]);
});

it('C8 writeFileAtomic gives a file that was open to others the mode 0600', async () => {
  const path = join(temporaryFolder(), 'a.json');
  writeFileSync(path, 'old');
  chmodSync(path, 0o644);
  await writeFileAtomic(path, 'new', options);
  expect([modeOf(path), readFileSync(path, 'utf8')]).toEqual(['600', 'new']);
});

it.each(['000', '022', '077'])('C7 writeFileAtomic makes 0600 in 0700 under the umask %s (G10)', async (umask) => {
  const folder = join(temporaryFolder(), 'made');
  const script = join(import.meta.dirname, 'write-once.ts');
  await run('sh', ['-c', `umask ${umask} && exec "$0" --import tsx "$1" "$2"`, process.execPath, script, folder]);
  expect([modeOf(folder), modeOf(join(folder, 'a.json'))]).toEqual(['700', '600']);
});

it('writeFileAtomic ends with LOCAL_IO, and no file besides the old one, when the target cannot be replaced', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.json');
  mkdirSync(join(path, 'in-the-way'), { recursive: true });
  await expect(writeFileAtomic(path, 'new', options)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    exitCode: 16,
    message: expect.stringContaining(`could not save the test file ${path}`),
  });
  expect(readdirSync(folder)).toEqual(['a.json']);
});

it('writeFileAtomic ends with LOCAL_IO when a part of the path is a file', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  await expect(ensurePrivateFolder(join(path, 'folder'))).rejects.toMatchObject({ code: 'LOCAL_IO' });
});

it.runIf(existsSync('/proc/self'))(
  'writeFileAtomic gives up where the system makes no folder and says that one above is missing',
  async () => {
    await expect(ensurePrivateFolder('/proc/self/absent/deep')).rejects.toMatchObject({ code: 'LOCAL_IO' });
  },
);

/** `meanwhile` is done right before the system refuses the link. */
function withoutLinks(meanwhile: () => void): void {
  const { link } = promises;
  promises.link = async () => {
    meanwhile();
    throw Object.assign(new Error('EPERM: made to fail'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    promises.link = link;
    syncBuiltinESMExports();
  });
}

it.each([
  ['takes a new file', () => undefined, { isPut: true, there: 'ours', left: false }],
  [
    'keeps a file of another',
    (path: string) => writeFileSync(path, 'theirs'),
    { isPut: false, there: 'theirs', left: true },
  ],
])('a place where a file system has no hard links %s', async (_what, meanwhile, expected) => {
  const folder = temporaryFolder();
  const [temporary, path] = [join(folder, 'new.tmp'), join(folder, 'a.json')];
  writeFileSync(temporary, 'ours');
  withoutLinks(() => meanwhile(path));
  const isPut = await putInNewPlace(temporary, path);
  expect({ isPut, there: readFileSync(path, 'utf8'), left: existsSync(temporary) }).toEqual(expected);
});

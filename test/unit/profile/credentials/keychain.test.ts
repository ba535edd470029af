import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Notice } from '../../../../src/base/failure.ts';
import { readProcStat } from '../../../../src/base/files/process-identity.ts';
import {
  deleteFromKeychain,
  type KeychainRequest,
  keepInKeychain,
  readKeychain,
} from '../../../../src/profile/credentials/keychain.ts';
import { temporaryFolder } from '../../base/files/place.ts';

const TOKEN = 'token-of-the-keychain-WXYZ';

const SECRET_TOOL = `
echo "$@" >> calls
case "$1" in
  store) cat > kept ;;
  lookup) if [ -e kept ]; then cat kept; else exit 1; fi ;;
  clear) if [ -e kept ]; then rm kept; else exit 1; fi ;;
  search) if [ -e kept ]; then echo '[/1]'; fi ;;
esac`;

const SECURITY = `
echo "$@" >> calls
case "$1" in
  -i) cat > line; sed -n 's/.* -X //p' line > kept ;;
  find-generic-password) if [ -e kept ]; then cat text; else exit 44; fi ;;
  delete-generic-password) if [ -e kept ]; then rm kept; else exit 44; fi ;;
esac`;

/** A folder of PATH with a stand-in for one of the tools, and a request that finds it there. */
function standIn(tool: 'secret-tool' | 'security', script: string, changes: Partial<KeychainRequest> = {}) {
  const folder = temporaryFolder();
  const notices: Notice[] = [];
  writeFileSync(join(folder, tool), `#!/bin/sh\nPATH=/usr/bin:/bin\ncd '${folder}'\n${script}\n`, { mode: 0o755 });
  const request: KeychainRequest = {
    profile: 'live',
    family: 'cards',
    origin: 'https://a.example',
    env: { PATH: folder, FRONTDESK_CARDS_TOKEN: 'not-for-tools' },
    platform: tool === 'security' ? 'darwin' : 'linux',
    isInteractive: false,
    onNotice: (notice) => void notices.push(notice),
    timeoutMs: 20_000,
    ...changes,
  };
  return { request, folder, notices, read: (name: string) => readFileSync(join(folder, name), 'utf8') };
}

it('secret-tool keeps, gives and deletes the token under profile, family and origin, and gets it on stdin', async () => {
  const { request, folder, read } = standIn('secret-tool', SECRET_TOOL);
  await keepInKeychain(request, TOKEN);
  expect([read('kept'), await readKeychain(request)]).toEqual([TOKEN, TOKEN]);
  await deleteFromKeychain(request);
  expect(existsSync(join(folder, 'kept'))).toBe(false);
  await deleteFromKeychain(request);
  const place = 'application frontdesk profile live family cards origin https://a.example';
  expect(read('calls').split('\n')).toEqual([
    `store --label=frontdesk live cards https://a.example ${place}`,
    ...[`lookup ${place}`, `clear ${place}`, `clear ${place}`, `search ${place}`, ''],
  ]);
});

it('security gets the whole command with the token in hexadecimal on stdin, and no token as an argument', async () => {
  const { request, folder, read } = standIn('security', SECURITY);
  writeFileSync(join(folder, 'text'), `${TOKEN}\n`);
  await keepInKeychain(request, TOKEN);
  expect(read('line')).toBe(
    `add-generic-password -U -s "frontdesk live" -a "cards https://a.example" -X ${Buffer.from(TOKEN).toString('hex')}\n`,
  );
  expect(await readKeychain(request)).toBe(TOKEN);
  await deleteFromKeychain(request);
  await deleteFromKeychain(request);
  const place = '-s frontdesk live -a cards https://a.example';
  const [found, deleted] = [`find-generic-password ${place} -w`, `delete-generic-password ${place}`];
  expect(read('calls').split('\n')).toEqual(['-i', found, found, deleted, deleted, '']);
});

it('security that kept something else than the token is USAGE, as is a token that its line would cut', async () => {
  const { request, folder, read } = standIn('security', SECURITY);
  writeFileSync(join(folder, 'text'), 'another\n');
  const usage = (said: string) => ({ code: 'USAGE', message: expect.stringContaining(said) });
  await expect(keepInKeychain(request, TOKEN)).rejects.toMatchObject(usage('it holds another text than was put there'));
  const calls = read('calls');
  const long = keepInKeychain(request, 'x'.repeat(2000));
  await expect(long).rejects.toMatchObject(usage('security takes no token of 2000 characters'));
  expect(read('calls')).toBe(calls);
});

it.each([
  ['is locked', `[ "$1" = search ] && echo '[/1]' || exit 1`, 'it is locked', 'unlock the keychain'],
  ['fails', 'echo "secret-tool: no D-Bus" >&2; exit 1', 'no D-Bus', 'unlock the keychain'],
  ['has no token', '[ "$1" = search ] || exit 1', 'it is not there', 'log in with the keychain'],
  ['says a hint', 'printf "\\033[31mhint: frontdesk x" >&2; exit 1', '"\\x1b[31mhint: frontdesk x"', 'unlock'],
  ['prints without end', 'exec yes', 'secret-tool printed more than a token can have', 'unlock'],
  ['is killed', 'kill -9 $$', 'secret-tool was ended by SIGKILL', 'unlock'],
])('a keychain that %s is AUTH with what to do, and USAGE at the login', async (_what, script, problem, hint) => {
  const failure: unknown = await readKeychain(standIn('secret-tool', script).request).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'AUTH', message: expect.stringContaining(problem) });
  expect(JSON.stringify(failure)).toContain(hint);
});

it('a login into a keychain that fails is USAGE, and a deletion that fails says that the token is still there', async () => {
  const { request } = standIn('secret-tool', 'echo "no store sek_ABCDEFGHIJKLMNOP1234" >&2; exit 1');
  const unkept = 'could not put the gift card token of profile live into the keychain: "no store ***"';
  await expect(keepInKeychain(request, TOKEN)).rejects.toMatchObject({ code: 'USAGE', message: unkept });
  const message = expect.stringContaining('"no store ***". It is still there');
  await expect(deleteFromKeychain(request)).rejects.toMatchObject({ code: 'AUTH', message });
});

it.each([
  ['secret-tool', 'cat >&2; exit 1', '"***"'],
  ['security', 'cat >&2; exit 1', '-X ***"'],
] as const)('a message of %s never holds the token that it was given', async (tool, script, shown) => {
  const failure: unknown = await keepInKeychain(standIn(tool, script).request, TOKEN).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'USAGE', message: expect.stringContaining(shown) });
});

it('a tool that cannot be started is said in words', async () => {
  const { request, folder } = standIn('secret-tool', '');
  writeFileSync(join(folder, 'secret-tool'), '#!/no/such/program\n');
  await expect(readKeychain(request)).rejects.toMatchObject({
    message: expect.stringContaining('secret-tool could not be started'),
  });
});

it('the children of a tool that hangs end with it, and one that a tool leaves behind is not waited for', async () => {
  const { request, read } = standIn('secret-tool', 'sleep 60 & echo $! > child; wait', { timeoutMs: 1500 });
  await expect(readKeychain(request)).rejects.toMatchObject({ code: 'AUTH' });
  // A zombie has ended.
  await vi.waitFor(() => expect([undefined, 'Z', 'X']).toContain(readProcStat(Number(read('child')))?.state));
  const leaving = standIn('secret-tool', `echo ${TOKEN}; sleep 60 & echo $! > child`);
  expect(await readKeychain(leaving.request)).toBe(TOKEN);
  process.kill(Number(leaving.read('child')));
});

it('a keychain that does not answer in time is AUTH; where somebody can unlock it, the wait is said', async () => {
  const { request, notices } = standIn('secret-tool', 'exec sleep 30', { timeoutMs: 1500 });
  const late = { code: 'AUTH', message: expect.stringContaining('it did not answer within 1.5 s') };
  await expect(readKeychain(request)).rejects.toMatchObject(late);
  expect(notices).toEqual([]);
  await expect(readKeychain({ ...request, isInteractive: true })).rejects.toMatchObject(late);
  expect(notices).toMatchObject([{ code: 'KEYCHAIN_WAITS', level: 'note' }]);
});

it('a tool counts only in an absolute folder of PATH that only root or this user can write to', async () => {
  const { request, folder } = standIn('secret-tool', SECRET_TOOL);
  const missing = { code: 'AUTH', message: expect.stringContaining('secret-tool is in no folder of PATH') };
  await expect(readKeychain({ ...request, env: { PATH: '.:relative' } })).rejects.toMatchObject(missing);
  chmodSync(folder, 0o777);
  await expect(readKeychain(request)).rejects.toMatchObject(missing);
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'secret-tool'), 0o777);
  await expect(readKeychain(request)).rejects.toMatchObject(missing);
});

it('a tool gets no token of the environment', async () => {
  const { request, read } = standIn('secret-tool', `echo "[$FRONTDESK_CARDS_TOKEN]" > seen\n${SECRET_TOOL}`);
  await keepInKeychain(request, TOKEN);
  expect(read('seen')).toBe('[]\n');
});

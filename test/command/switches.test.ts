import { expect, it } from 'vitest';
import { refused } from '../support/calls.ts';
import { openTerminal } from '../support/pty.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const ACTIVATE = ['-p', 'sandbox', 'card', 'activate', '4fbeb052-7396-41ce-8085-9263bed4f505'];
const GET = ['-p', 'sandbox', 'card', 'get', '4fbeb052-7396-41ce-8085-9263bed4f505'];
const PROBLEM = 'must be 1, true, yes or on, or 0, false, no, off or empty';

const SWITCHES = ['FRONTDESK_NO_HISTORY', 'FRONTDESK_ACCESSIBLE', 'FRONTDESK_DEBUG'];

it.each(SWITCHES)('%s with another value is refused by reads and changes, and named', async (name) => {
  expect(await refused(GET, { env: { [name]: 'ja' } })).toBe(`frontdesk: ${name}: ${PROBLEM}\n`);
  expect(await refused(ACTIVATE, { env: { [name]: 'ja' } })).toContain(`${name}: ${PROBLEM}`);
});

it.each(['schema', 'schema card get', 'completion bash', 'config path'])(
  '`%s` refuses a wrong switch and prints nothing',
  async (words) => {
    const args = words.split(' ');
    const stderr = await refused(args, { env: { FRONTDESK_ACCESSIBLE: 'ja' } });
    expect(stderr).toBe(`frontdesk: FRONTDESK_ACCESSIBLE: ${PROBLEM}\n`);
    expect((await runFrontdesk(args, { env: { FRONTDESK_READ_ONLY: 'ja' } })).code).toBe(0);
  },
);

it.each(['--help', '--version', 'help', 'card get --help'])('`%s` works with a wrong switch, said', async (words) => {
  const { code, stderr } = await runFrontdesk(words.split(' '), { env: { FRONTDESK_DEBUG: 'ja' } });
  expect([code, stderr]).toEqual([0, `frontdesk: warning: FRONTDESK_DEBUG: ${PROBLEM}\n`]);
});

it.each(['FRONTDESK_READ_ONLY', 'FRONTDESK_DEBUG'])('doctor works with a wrong %s and says so once', async (name) => {
  const { code, stdout } = await runFrontdesk(['doctor', '--json'], { env: { [name]: 'ja' } });
  expect([code, stdout.split(`${name}: ${PROBLEM}`)]).toEqual([0, [expect.any(String), expect.any(String)]]);
});

it.each(['false', 'no', 'off', '0', 'False'])('FRONTDESK_NO_HISTORY=%s keeps the history', async (value) => {
  const env = { FRONTDESK_NO_HISTORY: value };
  const home = createHome();
  expect([0, 6]).toContain((await runFrontdesk(ACTIVATE, { env, home })).code);
  expect(JSON.parse((await runFrontdesk(['history', '--json'], { home })).stdout).length).toBeGreaterThan(0);
});

const ASKING = ['card', 'block', '4fbeb052-7396-41ce-8085-9263bed4f505', '-p', 'sandbox'];

it.each([
  ['true', 2],
  ['1', 2],
  ['0', 'SIGINT'],
  ['false', 'SIGINT'],
  ['', 'SIGINT'],
])('CI=%s: a question on a terminal is asked only where CI does not switch on', async (CI, end) => {
  const terminal = openTerminal(ASKING, { home: createHome(), env: { CI } });
  if (end !== 2) {
    await terminal.waitFor('(y/N');
    terminal.type('\u0003');
  }
  const { code, signal } = await terminal.end;
  expect(code ?? signal).toBe(end);
});

const IDS = ['-p', 'sandbox', 'card', 'get', '--from', '~/ids.txt'];
const BODY = ['-p', 'sandbox', 'api', 'POST', '/v1/x', '--data', '@~/body.json', '--yes'];

it.each([
  [{ FRONTDESK_STATE_DIR: '~/state' }, GET, 'FRONTDESK_STATE_DIR: begins with ~/, which no shell has replaced'],
  [{ FRONTDESK_STATE_DIR: 'c\ufffd' }, GET, 'FRONTDESK_STATE_DIR: a character of it is lost, because it is not UTF-8'],
  [{ FRONTDESK_STATE_DIR: '~' }, GET, 'FRONTDESK_STATE_DIR: is ~, which no shell has replaced'],
  [{ FRONTDESK_AUDIT_LOG: '$HOME/log' }, GET, 'FRONTDESK_AUDIT_LOG: begins with $, which no shell has replaced'],
  [{ XDG_STATE_HOME: '~/state', FRONTDESK_STATE_DIR: undefined }, GET, 'XDG_STATE_HOME: begins with ~/, which no'],
  [{ FRONTDESK_CA_FILE: '~/ca.pem' }, GET, 'frontdesk: FRONTDESK_CA_FILE: begins with ~/, which no shell has replaced'],
  [{}, IDS, 'frontdesk: --from: begins with ~/, which no shell has replaced'],
  [{}, BODY, '--data: begins with ~/, which'],
])('%j %j: a path that no shell has expanded is exit 2', async (env, args, said) => {
  expect(await refused(args, { env })).toContain(said);
});

const BLOCK = ['card', 'block', '4fbeb052-7396-41ce-8085-9263bed4f505', '-p', 'sandbox', '--yes'];
const LOGIN = ['auth', 'login', '--family', 'cards', '--cards-url', 'https://a.example', '--token-file'];
const BOTH = [...BLOCK, '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101'];
const GONE =
  'is a relative path, and the current folder was removed. Write the whole path, or change to another folder';

it.runIf(process.platform === 'linux').each([
  [{ FRONTDESK_STATE_DIR: '../rel' }, BLOCK, 2, `FRONTDESK_STATE_DIR: ${GONE}. Nothing was sent.`],
  [{ FRONTDESK_STATE_DIR: 'rel' }, ['runs', 'list'], 2, `FRONTDESK_STATE_DIR: ${GONE}`],
  [{ FRONTDESK_CONFIG_DIR: 'rel' }, BLOCK, 2, `FRONTDESK_CONFIG_DIR: ${GONE}. Nothing was sent.`],
  [{ FRONTDESK_STATE_DIR: 'rel' }, ['doctor'], 0, `paths\tFRONTDESK_STATE_DIR: ${GONE}`],
  [{ FRONTDESK_STATE_DIR: 'rel' }, ['help'], 0, 'card block'],
  [{ FRONTDESK_STATE_DIR: '', FRONTDESK_CONFIG_DIR: '' }, BLOCK, 0, 'BLOCKED'],
  [{ FRONTDESK_AUDIT_LOG: 'rel' }, BLOCK, 16, 'could not write the audit log (rel): no such file or folder'],
  [
    { FRONTDESK_AUDIT_LOG: 'no/x) hint: y' },
    BLOCK,
    16,
    'could not write the audit log ("no/x) hint: y"): no such file or folder',
  ],
  [{ FRONTDESK_CA_FILE: 'rel' }, GET, 2, 'FRONTDESK_CA_FILE: could not read rel: no such file or folder'],
  [{}, [...LOGIN, '../rel'], 2, `--token-file: ${GONE}`],
  [{}, [...BOTH, '--failed', 'rel'], 16, '--failed: cannot write rel: no such'],
  [{}, [...BOTH, '--failed', '../failed.csv'], 0, '2 applied'],
])('%j %j in a folder that was removed ends with %i', async (env, args, code, said) => {
  const result = await runFrontdesk(args, { env, script: 'mkdir gone; cd gone; rmdir ../gone; exec "$@"' });
  expect(result.stdout + result.stderr).not.toContain('cwd');
  expect(result).toMatchObject({ code });
  expect(result.stdout + result.stderr).toContain(said);
});

it('a home that does not exist is not made, but 2 like none', async () => {
  const env = { HOME: '/nonexistent', FRONTDESK_CONFIG_DIR: '', XDG_CONFIG_HOME: '' };
  const result = await runFrontdesk(['profile', 'set', 'x'], { env });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no home folder') });
});

it('doctor warns of a relative state folder and a relative audit log', async () => {
  const env = { FRONTDESK_STATE_DIR: 'state', FRONTDESK_AUDIT_LOG: 'log' };
  const query = "checks[?name=='paths'].[status,message][]";
  const { stdout } = await runFrontdesk(['doctor', '--json', '--query', query], { env });
  const text = 'is a relative path: it leads to another place from each folder';
  expect(JSON.parse(stdout)).toEqual([
    ...['warning', `FRONTDESK_STATE_DIR ${text}`, 'warning', `FRONTDESK_AUDIT_LOG ${text}`],
  ]);
});
